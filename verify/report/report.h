#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/type.h"
#include "core/support/diagnostic.h"
#include "verify/answers/assumptions.h"
#include "verify/answers/counterexample.h"
#include "verify/answers/diagnosis.h"
#include "verify/answers/reason.h"
#include "verify/answers/ring_output.h"
#include "verify/answers/rung_record.h"
#include "verify/deadlock/deadlock_report.h"
#include "verify/race/race_report.h"
#include "verify/report/output_bound.h"

namespace isoshard::verify {

enum class Verdict : uint8_t {
  equal,          ///< identical as formulas
  not_equal,      ///< an f64 counterexample exists, or a program does not run, or the states are wrong
  not_refuted,    ///< no difference was found, but not all that integers or orders may be was covered
  float_differs,  ///< identical as formulas, but f64 differs by more than rounding explains
  undecided,
  deadlock,  ///< ranks can come to wait for each other, whatever their values
  race,      ///< two uses of the same memory are not ordered, whatever the values
};

/// `EQUAL`, `NOT EQUAL`, ...
std::string_view name(Verdict verdict);

/// One output of both programs.
struct OutputReport {
  std::string name;  ///< without `@`; of an update the global's
  TensorType type;   ///< of the whole array
  bool is_update = false;
  Verdict verdict = Verdict::undecided;
  RingOutput ring;          ///< its values are equal where the ring ran, too
  std::string sampled;      ///< of NOT REFUTED: what was drawn, `@ids (8 draws)`
  std::string ratio_words;  ///< the ratio in sizes of axes, may be empty
  FloatOutput floats;
  std::optional<OutputBound> bound;  ///< of an output that a rung spoke about, where CheckOptions::bounds asks for it

  /// `@y`, `@y in step 2` of several, `@W after step 2`.
  std::string label(int64_t steps) const;
};

/// A backward that the user wrote, `call @f(...) {vjp=@f_bwd}`, beside the derived one.
struct BackwardReport {
  std::string function, backward;  ///< without `@`
  Location location;               ///< of the call
  Verdict verdict = Verdict::undecided;
  std::string finding;  ///< `EQUAL to the derived one (error <= 2^-52)`

  /// Whether they say the same, wherever the calls stand.
  bool repeats(const BackwardReport& other) const;
};

/// One program of the check, as the report names it.
struct ProgramReport {
  std::string name;
  std::string mesh;  ///< `@m [data=2, model=4]`, empty without axes
  int64_t devices = 1;
};

/// What was asked.
struct ClaimReport {
  Location location;
  ProgramReport left, right;
  bool reference_is_left = false;
  Mesh mesh;  ///< of the program that is not the reference
  int64_t steps = 1;
  uint64_t seed = 0;
  bool accept_sampled = false;  ///< NOT REFUTED holds
};

/// Everything `isoshard check` says about one claim.
struct CheckReport {
  ClaimReport claim;
  std::vector<Diagnostic> bad_input;     ///< then nothing was compared
  std::vector<Diagnostic> state_errors;  ///< of both programs; the rest then speaks of the erased programs
  DeadlockReport deadlock;               ///< of both programs
  RaceReport race;                       ///< of both programs
  std::optional<Diagnostic> failure;     ///< a program did not run to its end
  std::vector<OutputReport> outputs;
  Verdict equivalence = Verdict::undecided;  ///< of all outputs together, states aside
  bool ring_ran = false;                     ///< false when the programs hold something the ring cannot represent
  RingTerms terms;
  Assumptions assumes;
  std::vector<RungRecord> rungs;  ///< that were tried, in order
  Reason reason;                  ///< of COULD NOT DECIDE, or what is unsafe about f64
  Diagnosis diagnosis;
  std::vector<BackwardReport> backwards;  ///< they do not change the verdict
  std::vector<Diagnostic> warnings;       ///< nor do these
  double seconds = 0;

  /// deadlocks, races, states and equivalence together
  Verdict verdict() const;
  /// 0 holds, 1 does not hold, 2 bad input, 3 could not decide.
  int exit_code() const;
  /// The rungs that were tried, each once.
  std::vector<Rung> tried() const;
  /// Those of the tried rungs that could speak about the programs, or (not `spoke`) those that could not.
  std::vector<Rung> tried(bool spoke) const;
  /// The rungs on which `output`, one of `outputs`, differs.
  std::vector<Rung> differing(const OutputReport& output) const;
  /// Why there is nothing to compare: a program does not run to its end.
  const Diagnostic* stops() const;
  /// The clear last line, without line end.
  std::string headline() const;
};

/// What stands behind the verdict of `output`, one of the report: `at [0, 0]: 4.1, expected 1.02 (f64, ...)`; may be
/// empty.
std::string detail_text(const OutputReport& output, const CheckReport& report);

/// At most 20 lines for a person; `colour` adds ANSI codes, `explain` the lines of explain_text. Ends with a newline.
std::string to_text(const CheckReport& report, bool colour = false, bool explain = false);

/// What each rung said of which outputs, then the table of bounds.
std::string explain_text(const CheckReport& report);

/// One JSON object (`"isoshard": 1` is the version of its form), indented by two, without newline at the end.
std::string to_json(const CheckReport& report);

}  // namespace isoshard::verify
