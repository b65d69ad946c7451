#pragma once

#include <isoshard/array.h>
#include <isoshard/errors.h>
#include <isoshard/export.h>

#include <memory>
#include <string>
#include <vector>

namespace isoshard {
inline namespace v1 {

namespace detail {
struct ReportState;
}

/// What was found about a claim; docs/soundness.md says what each rests on.
enum class Verdict {
  equal,             ///< identical as formulas
  not_equal,         ///< an f64 counterexample exists, or a program does not run, or its states are wrong
  not_refuted,       ///< no difference was found, but not all that integers or orders may be was covered
  float_differs,     ///< identical as formulas, but f64 differs by more than rounding explains
  could_not_decide,  ///< none of these; the report says why
  deadlock,          ///< ranks can come to wait for each other, whatever their values
  race,              ///< two uses of the same memory are not ordered, whatever the values
};

/// As the command line has it: `EQUAL`, `NOT EQUAL`, `COULD NOT DECIDE`, ...
ISOSHARD_API const char* to_string(Verdict verdict);

/// What was found about one output of both programs.
struct OutputFinding {
  std::string name;  ///< without `@`
  std::string type;  ///< `f32[8,16]`, of the whole array
  Verdict verdict = Verdict::could_not_decide;
  std::string message;  ///< `at [0, 0]: 4.1, expected 1.02 (f64, rounding <= 1e-12)`; may be empty
};

/// The answer to one claim; copies share it.
class ISOSHARD_API Report {
 public:
  Verdict verdict() const;
  /// The exit code of `isoshard check`: 0 the claim holds, 1 it does not hold, 3 could not decide.
  int exit_code() const;
  /// The last line of the text, such as `EQUAL as formulas (rung A, 2 lanes, error <= 2^-43)`.
  std::string headline() const;
  std::vector<OutputFinding> outputs() const;
  /// The inputs on which the programs differ: all arrays that they read, by the names of their globals. Empty where
  /// there are none, or none that shows in the first step.
  std::vector<NamedArray> counterexample() const;
  /// What `isoshard check` prints, at most 20 lines; `colour` has ANSI codes, `explain` also what each rung said.
  std::string text(bool colour = false, bool explain = false) const;
  /// The object of this claim in what `isoshard check --json` prints.
  std::string json() const;
  double seconds() const;

  /// Made by Programs::check only.
  explicit Report(std::shared_ptr<const detail::ReportState> state);

 private:
  std::shared_ptr<const detail::ReportState> state_;
};

}  // namespace v1
}  // namespace isoshard
