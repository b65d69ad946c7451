#include "bench/table/print.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "bench/table/measure/numbers.h"

namespace isoshard::bench {
namespace {

bool reached(const Target& target, double value) {
  return target.bound == Target::Bound::at_least ? value >= target.value : value <= target.value;
}

Verdict verdict_of(const Target& target, const Measured& measured, Scale scale) {
  if (measured.note.rfind("not measured", 0) == 0) return Verdict::not_measured;
  if (!measured.value) return Verdict::miss;
  if (scale == Scale::quick) return Verdict::works;
  const bool small = target.megabytes == 0 || measured.megabytes <= target.megabytes;
  return reached(target, *measured.value) && small ? Verdict::pass : Verdict::miss;
}

std::string with_unit(double value, const std::string& unit) {
  return digits(value) + (unit == "x" || unit == "%" ? "" : " ") + unit;
}

}  // namespace

Line judged(Row row, Measured measured, Scale scale) {
  const Verdict verdict = verdict_of(row.target, measured, scale);
  return Line{std::move(row), std::move(measured), verdict};
}

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::miss:
      return "MISS";
    case Verdict::not_measured:
      return "not measured";
    case Verdict::works:
      return "works";
  }
  return "";
}

std::string target_words(const Target& target) {
  const char* bound = target.bound == Target::Bound::at_least ? ">= " : "<= ";
  std::string words = bound + with_unit(target.value, target.unit);
  if (target.megabytes != 0) words += ", <= " + digits(target.megabytes) + " MB";
  return words;
}

void TablePrinter::begin() {
  std::fprintf(out_, "| row | target | measured | limit | peak MB | | how |\n|---|---|---|---|---|---|---|\n");
}

void TablePrinter::print(const Line& line) {
  if (line.row.subject != subject_) {
    subject_ = line.row.subject;
    std::fprintf(out_, "| **%s** | | | | | | |\n", subject_.c_str());
  }
  const std::string value = line.measured.value ? with_unit(*line.measured.value, line.row.target.unit) : "-";
  std::fprintf(out_, "| %s | %s | %s | %s | %.0f | %s | %s |\n", line.row.name.c_str(),
               target_words(line.row.target).c_str(), value.c_str(), line.row.limit.c_str(), line.measured.megabytes,
               word(line.verdict), line.measured.note.c_str());
  std::fflush(out_);
}

nlohmann::json as_json(const Line& line) {
  const Target& target = line.row.target;
  nlohmann::json all{{"subject", line.row.subject},
                     {"name", line.row.name},
                     {"target",
                      {{"bound", target.bound == Target::Bound::at_least ? ">=" : "<="},
                       {"value", target.value},
                       {"unit", target.unit}}},
                     {"limit", line.row.limit},
                     {"peak_MB", line.measured.megabytes},
                     {"verdict", word(line.verdict)},
                     {"note", line.measured.note},
                     {"parts", line.measured.parts}};
  if (target.megabytes != 0) all["target"]["peak_MB"] = target.megabytes;
  all["value"] = line.measured.value ? nlohmann::json(*line.measured.value) : nlohmann::json();
  return all;
}

}  // namespace isoshard::bench
