#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "tests/mutation/inputs.h"
#include "tests/reference/interpreter.h"
#include "tests/reference/rounded.h"

namespace isoshard::mutation {

/// What the interpreter of the tests knows about a program and its reference.
enum class Truth : uint8_t {
  same,          ///< on all inputs that say something no output differs by more than rounding explains
  wrong,         ///< on some input an output, or a device's copy of it, differs by more than 1000 times that
  does_not_run,  ///< an assert_equal fails
  unknown,       ///< every input ends in a tie, an output is no number for want of range, or the interpreter does not
                 ///< know the program
};

/// `SAME`, `WRONG`, ...
std::string_view name(Truth truth);

/// Of the inputs: 1, 2^-8 and 2^8, or 2^-4 to 2.
enum class Scales : uint8_t { usual, between };

/// Judges programs against one reference on inputs of its own: 8 draws, bell-shaped floats at `scales`,
/// integers with repeats and at the ends of ranges, predicates whose density differs per row, one draw with none set.
///
/// Values carry their rounding errors (tests/reference/rounded.h). It shares no code with sim and verify.
class Judge {
 public:
  /// Draws are of the globals of `module`, which every mutant's module has, too; those called `magnitudes` have no
  /// signs.
  Judge(const Module& module, ProgramId reference, uint64_t seed, const std::set<std::string>& magnitudes = {},
        Scales scales = Scales::usual);
  /// On these inputs, whose floats are small: what is not finite there is so by a pole, not by overflow, and differs
  /// from a number.
  Judge(const Module& module, ProgramId reference, const std::vector<Inputs>& inputs);

  /// False where the reference cannot be interpreted, or no draw is without ties: there is nothing to judge by.
  bool usable() const { return !draws_.empty(); }
  /// Whether padding that is nan reaches an output of the reference, so that it is not even equal to itself: a gradient
  /// multiplies what is masked by 0, and 0 times nan is nan.
  bool lets_padding_through() const;
  /// Compares `program` of `module`, which holds the globals of the reference's.
  Truth judge(const Module& module, ProgramId program) const;
  /// The same on 32 times as many inputs, and on zeros, equal numbers and constants (family_inputs), for one that is
  /// SAME on the first 8: a difference that needs an input of its own, such as a clip that is open, may be in none of
  /// them.
  Truth judge_on_more(const Module& module, ProgramId program) const;

 private:
  using Outputs = reference::Outputs<reference::Rounded>;
  /// What differs from a number besides another number.
  enum class Counts : uint8_t {
    nothing,  ///< numbers may overflow
    nan,
    not_finite,  ///< where no pole was near by rounding
  };
  struct Draw {
    Inputs globals;
    Outputs expected;
    Outputs with_nan;  ///< the same with nan as padding
    Counts counts = Counts::nothing;
  };

  bool add(const Module& module, Draw draw);
  static bool differs(const reference::Array<reference::Rounded>& a, const reference::Array<reference::Rounded>& b,
                      Counts counts);
  /// Nothing where the draw says nothing: a comparison is a tie.
  std::optional<Truth> judge(const Module& module, const Program& program, ProgramId id, const Draw& draw,
                             bool padded) const;

  const ProgramId reference_;
  const uint64_t seed_ = 0;
  const std::set<std::string> magnitudes_;
  std::vector<std::string> names_;  ///< of the reference's outputs, then of its updates behind a `>`
  std::vector<Draw> draws_;
};

}  // namespace isoshard::mutation
