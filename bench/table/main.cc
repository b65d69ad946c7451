// The targets of isoshard's speed as a table: what must be fast, how fast, what was measured, pass or miss. Ratios are
// taken in one process, both sides by turns, the least of several; each row has a process of its own, so that its peak
// memory is its own. `./dev bench` builds and runs it; docs/performance.md holds a run.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/table/growth.h"
#include "bench/table/isolated.h"
#include "bench/table/machine.h"
#include "bench/table/measure/alternating.h"
#include "bench/table/measure/numbers.h"
#include "bench/table/print.h"
#include "bench/table/table.h"
#include "sim/run/keep_memory.h"

namespace isoshard::bench {
namespace {

struct TableOptions {
  std::string only, json;
  bool quick = false, growth = false;
  double deadline = 0;
};

bool chosen(const Row& row, const std::string& only) {
  return row.name.find(only) != std::string::npos || row.subject.find(only) != std::string::npos;
}

void print_conditions() {
  for (const auto& [name, text] : conditions()) std::printf("%s: %s\n\n", name.c_str(), text.c_str());
  std::fflush(stdout);
}

Line run_row(const Row& row, const TableOptions& options) {
  const double deadline = options.deadline > 0 ? options.deadline : row.deadline;
  if (!options.quick && !row.cost.empty()) {
    std::fprintf(stderr, "bench: %s: %s; it is ended after %s s\n", row.name.c_str(), row.cost.c_str(),
                 digits(deadline).c_str());
  }
  return judged(row, isolated(row.measure, deadline), options.quick ? Scale::quick : Scale::full);
}

void write_json(const std::string& path, const std::vector<Line>& lines) {
  nlohmann::json all;
  for (const auto& [name, text] : conditions()) all[name] = text;
  all["rows"] = nlohmann::json::array();
  for (const Line& line : lines) all["rows"].push_back(as_json(line));
  std::ofstream file(path);
  file << all.dump(2) << "\n";
  if (!file) throw CLI::ValidationError("--json", path + " cannot be written");
}

int count(const std::vector<Line>& lines, Verdict verdict) {
  int result = 0;
  for (const Line& line : lines) result += line.verdict == verdict ? 1 : 0;
  return result;
}

/// "91 rows: 40 pass, 51 miss"
void print_counts(const std::vector<Line>& lines) {
  std::printf("\n%zu rows:", lines.size());
  const char* separator = " ";
  for (const Verdict verdict : {Verdict::pass, Verdict::miss, Verdict::not_measured, Verdict::works}) {
    if (count(lines, verdict) == 0) continue;
    std::printf("%s%d %s", separator, count(lines, verdict), word(verdict));
    separator = ", ";
  }
  std::printf("\n");
}

/// 1 where a row has no value, though everything that it needs is there: at small sizes all have one.
int quick_exit_code(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    if (!line.measured.value && line.verdict == Verdict::miss) return 1;
  }
  return 0;
}

int run_table(const TableOptions& options) {
  const Scale scale = options.quick ? Scale::quick : Scale::full;
  std::vector<Line> lines;
  TablePrinter printer(stdout);
  for (const Row& row : all_rows(scale)) {
    if (!chosen(row, options.only)) continue;
    if (lines.empty()) printer.begin();
    lines.push_back(run_row(row, options));
    printer.print(lines.back());
  }
  if (lines.empty()) throw CLI::ValidationError("--only", "no row has \"" + options.only + "\" in its name");
  if (!options.json.empty()) write_json(options.json, lines);
  print_counts(lines);
  return options.quick ? quick_exit_code(lines) : 0;
}

void add_options(CLI::App& app, TableOptions& options) {
  app.add_option("--only", options.only, "rows with this word in their name or subject");
  app.add_option("--json", options.json, "also write what was measured to this file");
  app.add_flag("--quick", options.quick, "each row at a small size, once or twice: only whether it works");
  app.add_flag("--growth", options.growth, "in place of the table: time and memory against devices, layers, bytes");
  app.add_option("--deadline", options.deadline, "seconds after which a row is ended (default: a minute or more)");
}

}  // namespace
}  // namespace isoshard::bench

int main(int argc, char** argv) {
  using namespace isoshard::bench;
  CLI::App app{"isoshard's targets of speed, and what this machine reaches"};
  TableOptions options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    isoshard::sim::keep_freed_memory();  // as the command does
    if (options.quick) hurry();
    print_conditions();
    if (!options.growth) return run_table(options);
    const Scale scale = options.quick ? Scale::quick : Scale::full;
    return print_growth(stdout, scale, options.deadline > 0 ? options.deadline : 60) ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
}
