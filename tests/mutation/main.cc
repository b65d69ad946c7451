// mutation_suite [--per-operator N] [--seed N|fresh] [--one-mistake-in N] [--page FILE]
//
// Attacks isoshard's checker with right rewrites and wrong mutations, and with training steps whose reductions are left
// out or doubled (all of them, or one in N; with --per-operator 0 nothing else); prints the tables, and what was
// found; --page writes them between two lines of FILE (docs/mutation.md). Exit code 1 when the suite fails, 2 for wrong
// arguments.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tests/mutation/suite.h"
#include "tests/mutation/train_steps.h"

namespace isoshard::mutation {
namespace {

struct Arguments {
  SuiteOptions options;
  TrainStepOptions steps;
  std::string page;
  bool good = true;
};

uint64_t fresh_seed() { return std::random_device()(); }

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--per-operator") {
      arguments.options.per_operator = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--seed") {
      arguments.options.seed = value == "fresh" ? fresh_seed() : std::strtoull(value.c_str(), nullptr, 10);
      arguments.steps.seed = arguments.options.seed;
    } else if (name == "--one-mistake-in") {
      arguments.steps.every = static_cast<uint32_t>(std::max(1UL, std::strtoul(value.c_str(), nullptr, 10)));
    } else if (name == "--page") {
      arguments.page = value;
    } else {
      arguments.good = false;
    }
  }
  return arguments;
}

void print(const std::vector<std::string>& texts, const char* title) {
  if (texts.empty()) return;
  std::printf("\n%s\n", title);
  for (const std::string& text : texts) std::printf("* %s\n", text.c_str());
}

/// The table and the undecided programs in place of what stands between the marks of `path`.
void write_page(const std::string& path, const std::string& table, const Outcome& outcome) {
  const std::string begin = "<!-- table -->\n", end = "<!-- end of table -->";
  std::ifstream in(path);
  std::string page((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) {
    std::fprintf(stderr, "%s: no `%s` to write between\n", path.c_str(), end.c_str());
    std::exit(2);
  }
  std::string text = begin + "\n" + table;
  if (!outcome.undecided.empty()) text += "\nUndecided, with what is missing:\n\n";
  for (const std::string& line : outcome.undecided) text += "* " + line + "\n";
  page.replace(from, to - from, text + "\n");
  std::ofstream(path) << page;
}

int run(const Arguments& arguments) {
  std::printf("mutation suite, seed %llu\n", static_cast<unsigned long long>(arguments.options.seed));
  std::fflush(stdout);
  const auto begin = std::chrono::steady_clock::now();
  const bool all = arguments.options.per_operator > 0;
  const Outcome outcome = all ? run_suite(arguments.options, isoshard_checker(arguments.options.seed)) : Outcome{};
  std::string table = all ? to_table(outcome, arguments.options) : "";
  const TrainStepOutcome steps = run_train_steps(arguments.steps, isoshard_checker(arguments.steps.seed, false));
  table += (all ? "\n" : "") + to_table(steps, arguments.steps);
  std::printf("%s", table.c_str());
  print(outcome.undecided, "Undecided:");
  print(outcome.findings, "FINDINGS: isoshard is wrong, or the suite is");
  print(steps.findings, "FINDINGS in training steps:");
  print(outcome.unmet, "UNMET:");
  std::printf("%.1f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!arguments.page.empty()) write_page(arguments.page, table, outcome);
  return outcome.ok() && steps.findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace isoshard::mutation

int main(int argc, char** argv) {
  const isoshard::mutation::Arguments arguments = isoshard::mutation::parse(argc, argv);
  if (!arguments.good) {
    std::fprintf(stderr,
                 "usage: mutation_suite [--per-operator N] [--seed N|fresh] [--one-mistake-in N] [--page FILE]\n");
    return 2;
  }
  return isoshard::mutation::run(arguments);
}
