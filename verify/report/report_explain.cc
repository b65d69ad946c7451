// What `check --explain` adds to a report: the answer of each rung in the order of the ladder (docs/soundness.md, "The
// ladder"), why a rung could not speak or an output stayed open, and a table with the degrees that bound the error of
// each output (docs/spec/error_bound.md, "Per output"). Degrees are shown as powers of 2, since they may be
// astronomically large. Columns are as wide as their widest entry.
#include <algorithm>
#include <array>
#include <cmath>

#include "verify/answers/words.h"
#include "verify/report/report.h"

namespace isoshard::verify {
namespace {

constexpr const char* kIndent = "             ";

std::string name_of(const CheckReport& r, size_t output) { return "@" + r.outputs[output].name; }

/// `2^3.2`, `1`, `0`.
std::string degree_text(double log2) {
  if (log2 == -HUGE_VAL) return "0";
  return log2 == 0 ? "1" : "2^" + number(log2, 3);
}

std::string error_text(double log2_error) {
  return log2_error == -HUGE_VAL ? "error 0" : "error <= " + (log2_error > -0.5 ? "1" : power_of_2(log2_error));
}

std::string terms_text(const RungRecord& rung) {
  std::string text = std::to_string(rung.terms.lanes) + (rung.terms.lanes == 1 ? " lane" : " lanes");
  if (rung.terms.draws > 1)
    text += ", " + std::to_string(rung.terms.draws) + (rung.terms.decisions > 0 ? " orders" : " draws");
  return text + ", " + error_text(rung.terms.log2_error) + ", " + seconds_in_words(rung.seconds);
}

std::string said(const RungRecord& rung) {
  if (!rung.silent.empty()) return "could not speak: " + rung.silent.text;
  const auto equal = std::count_if(rung.answers.begin(), rung.answers.end(),
                                   [](const RungAnswer& a) { return a.says == RungSays::equal; });
  const size_t asked = rung.answers.size();
  return std::to_string(equal) + " of " + std::to_string(asked) + (asked == 1 ? " output" : " outputs") + " equal (" +
         terms_text(rung) + ")";
}

std::string at(const Location& location) { return location.known() ? " at " + location.in_words() : ""; }

std::string rungs_text(const CheckReport& r) {
  std::string text;
  for (const RungRecord& rung : r.rungs) {
    text += text.empty() ? "  rungs      " : kIndent;
    text += std::string(name(rung.rung())) + ": " + (rung.covered ? "all integers: " : "") +
            (rung.terms.soft_predicates ? "predicates generalised: " : "") +
            (rung.generic.any() ? "denominators opaque: " : "") +
            (rung.by_exponentials ? "sinusoids and powers as exponentials: " : "") + said(rung) +
            at(rung.silent.location);
    text += "\n";
    for (const RungAnswer& a : rung.answers) {
      if (a.says == RungSays::equal && a.why.empty()) continue;
      const bool differs = a.says == RungSays::differs;
      const bool scalar = r.outputs[a.output].type.shape.empty();
      text += std::string(kIndent) + "  " + name_of(r, a.output) +
              (differs ? " differs" + (scalar || a.first_index.empty() ? "" : " at " + index_in_words(a.first_index))
                       : ": " + a.why.text + at(a.why.location)) +
              "\n";
    }
  }
  return text;
}

using Row = std::array<std::string, 9>;

Row row_of(const OutputReport& output, const OutputBound& b) {
  const bool exponential = in_towers(b.rung);
  return Row{"@" + output.name,
             std::string(name(b.rung)),
             degree_text(b.log2_numerator),
             degree_text(b.log2_denominator),
             number(b.evaluations, 6),
             degree_text(b.log2_opaque_degree),
             exponential ? std::to_string(b.exp_depth) : "-",
             b.decisions > 0 ? number(b.decisions, 6) : "-",
             error_text(b.log2_error) + " in " + std::to_string(b.lanes) + (b.lanes == 1 ? " lane" : " lanes")};
}

std::string bounds_text(const CheckReport& r) {
  std::vector<Row> rows{{"output", "rung", "degree", "over", "opaque", "of degree", "exp depth", "decisions", "error"}};
  for (const OutputReport& o : r.outputs) {
    if (o.bound) rows.push_back(row_of(o, *o.bound));
  }
  if (rows.size() == 1) return "";
  std::array<size_t, 9> widths{};
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = text.empty() ? "  bounds     " : kIndent;
    for (size_t c = 0; c < row.size(); ++c) line += row[c] + std::string(widths[c] - row[c].size() + 2, ' ');
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string explain_text(const CheckReport& report) { return rungs_text(report) + bounds_text(report); }

}  // namespace isoshard::verify
