#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/type.h"
#include "core/support/diagnostic.h"
#include "verify/counterexample.h"
#include "verify/diagnosis.h"
#include "verify/output_bound.h"
#include "verify/ratio.h"
#include "verify/rung_record.h"

namespace isoshard::verify {

enum class Verdict : uint8_t {
  equal,          ///< identical as formulas
  not_equal,      ///< an f64 counterexample exists, or a program does not run, or the states are wrong
  not_refuted,    ///< no difference was found, but not all that integers or orders may be was covered
  float_differs,  ///< identical as formulas, but f64 differs by more than rounding explains
  undecided,
};

/// `EQUAL`, `NOT EQUAL`, ...
std::string_view name(Verdict verdict);

/// One output of both programs.
struct OutputReport {
  std::string name;  ///< without `@`; of an update the global's
  TensorType type;   ///< of the whole array
  bool is_update = false;
  uint32_t step = 1;  ///< the first step that differs, or the last one
  Verdict verdict = Verdict::undecided;
  bool ring_equal = false;
  std::string sampled;               ///< of NOT REFUTED: what was drawn, `@ids (8 draws)`
  std::string rests_on;              ///< or what is not known of all inputs: `%s != 0 (divide at ...)`
  std::vector<int64_t> ring_index;   ///< of the first element that differs in the ring
  std::optional<Ratio> ratio;        ///< sharded / reference, where constant
  std::string ratio_words;           ///< that ratio in sizes of axes, may be empty
  std::vector<int64_t> disagreeing;  ///< positions whose copies differ from the first
  std::string disagreeing_axes;      ///< in words
  FloatOutput floats;

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

/// Everything `isoshard check` says about one claim.
struct CheckReport {
  Location location;
  ProgramReport left, right;
  bool reference_is_left = false;
  std::vector<Diagnostic> bad_input;     ///< then nothing was compared
  std::vector<Diagnostic> state_errors;  ///< of both programs; the rest then speaks of the erased programs
  std::optional<Diagnostic> failure;     ///< a program did not run to its end

  std::vector<OutputReport> outputs;
  int64_t steps = 1;
  Verdict equivalence = Verdict::undecided;  ///< of all outputs together, states aside
  std::vector<Rung> deciding{Rung::a};       ///< where some outputs are equal on one and some on another, each of them
  bool ring_ran = false;                     ///< false when the programs hold something the ring cannot represent
  size_t lanes = 0;
  double log2_error = 0;  ///< of a wrong EQUAL, at most
  uint32_t draws = 1;
  double decisions = 0;                      ///< of order, on rung B, where every draw has an order key of its own
  std::vector<std::string> discrete_inputs;  ///< the globals the draws are of
  std::vector<std::string> ranges;           ///< what EQUAL says of integers: `@ids in 0..32`
  bool accept_sampled = false;               ///< NOT REFUTED holds
  uint32_t redrawn_lanes = 0;
  std::vector<std::string> opaque;      ///< values behind which both sides have an opaque identity
  std::vector<RungRecord> rungs;        ///< that were tried, in order
  std::vector<OutputBound> bounds;      ///< per output that a rung spoke about, where CheckOptions::bounds asks for it
  std::vector<std::string> masks;       ///< numbers that rung E reads as infinities
  std::vector<std::string> readings;    ///< constants that count as other numbers: `0.33333334 (f32) is 1/3`
  std::vector<std::string> conditions;  ///< under which equal outputs have a value: `%d != 0 (divide at ...)`
  std::vector<std::string> one_sided;   ///< selects on predicates of floats that took one side only in all draws
  bool narrow_floats = false;           ///< some value is bf16 or f16, whose rounding no rung sees
  std::string reason;                   ///< of COULD NOT DECIDE, or what is unsafe about f64
  Location reason_location;
  Diagnosis diagnosis;
  std::vector<BackwardReport> backwards;  ///< they do not change the verdict
  uint64_t seed = 0;
  double seconds = 0;
  Mesh mesh;  ///< of the program that is not the reference

  /// states and equivalence together
  Verdict verdict() const;
  /// 0 holds, 1 does not hold, 2 bad input, 3 could not decide.
  int exit_code() const;
  /// The rungs that were tried, each once.
  std::vector<Rung> tried() const;
  /// Of them those that could speak about the programs, or those that could not.
  std::vector<Rung> tried(bool spoke) const;
  /// Those on which `output`, one of `outputs`, differs.
  std::vector<Rung> differing(const OutputReport& output) const;
  /// `error <= 2^-52`; the exponent is rounded up.
  std::string error_text() const;
  /// The clear last line, without line end.
  std::string headline() const;
};

/// At most 20 lines for a person; `colour` adds ANSI codes, `explain` the lines of explain_text. Ends with a newline.
std::string to_text(const CheckReport& report, bool colour = false, bool explain = false);

/// What each rung said of which outputs, then the table of bounds.
std::string explain_text(const CheckReport& report);

/// One JSON object (`"isoshard": 1` is the version of its form), indented by two, without newline at the end.
std::string to_json(const CheckReport& report);

}  // namespace isoshard::verify
