#pragma once  // internal

#include <string>
#include <vector>

#include "core/ir/op_traits.h"

namespace isoshard {

/// The state of one carry of a scan while it is inferred (docs/spec/states.md, "Carries of a scan"): equal at entry and
/// exit.
///
/// It starts as the initial value. = acts as R or I, whichever the body needs; an exact zero, which is zero in every
/// state, takes the body's. So the body is typed again until nothing changes: each axis changes at most twice.
class CarryState {
 public:
  CarryState(OperandState initial, bool typed);

  const OperandState& inside() const { return inside_; }
  /// Takes what the body yields; true when the carry has changed and the body must be typed again.
  bool take(const OperandState& yielded);
  /// The state of the result, after the last take(); differences are reported in `context` (S-scan) and become `?`.
  /// `name` is that of the carry inside the body.
  States finish(const std::string& name, const OperandState& yielded, StateContext& context) const;

 private:
  bool fits(State inside, State yielded, bool exact_zero) const;
  bool may_become(State inside, State yielded) const;

  OperandState initial_;
  OperandState inside_;
  bool typed_;
};

}  // namespace isoshard
