// The state of a carry of a scan, which is the same at entry and exit (docs/spec/states.md, "Carries of a scan"). It
// starts as that of the initial value. `=` may become R or I, whichever the body yields, and an exact zero may become
// more, since zeros are zeros in every state; other states stay. A change means that the body is typed again
// (builder/scan_builder.h); each axis changes at most twice. What still differs in the end is an error with a repair
// that depends on both states, and on which side of the scan it is put. Cost: the number of axes.
#include "core/ir/scan_states.h"

#include <utility>

namespace isoshard {
namespace {

using enum State;

/// How entry and exit could agree on `axis`; `x` enters and `y` is yielded.
std::string carry_repair(State entry, State exit, const std::string& x, const std::string& y, const std::string& axis) {
  const std::string over = " {axis=" + axis + ", to=";
  const std::string before = " before the scan", inside = " in the body";
  if (exit == partial && entry != varying) {
    return "all_reduce " + y + over + "...}" + inside + ", or convert_state " + x + over + "P, owner=0}" + before;
  }
  if (entry == partial) {
    return exit == varying
               ? "reinterpret " + y + over + "P}" + inside + " if the devices hold terms of the sum"
               : "all_reduce " + x + over + "...}" + before + ", or convert_state " + y + over + "P, owner=0}" + inside;
  }
  if (exit == partial) return "all_reduce or reduce_scatter " + y + inside;
  if (exit == varying && entry == invariant) {
    return "all_gather " + y + inside + ", or reinterpret " + x + over + "R} and then to V" + before;
  }
  if (exit == varying) return "reinterpret " + x + over + "V}" + before + ", or all_gather " + y + inside;
  if (entry == varying) {
    return "reinterpret " + y + over + (exit == invariant ? "R} and then to V" : "V}") + inside + ", or all_gather " +
           x + before;
  }
  return entry == invariant ? "reinterpret " + x + over + "R}" + before : "reinterpret " + y + over + "R}" + inside;
}

}  // namespace

CarryState::CarryState(OperandState initial, bool typed)
    : initial_(std::move(initial)), inside_(initial_), typed_(typed) {}

bool CarryState::fits(State inside, State yielded, bool exact_zero) const {
  if (inside == yielded || inside == unknown || yielded == unknown) return true;
  if (yielded != equal) return false;
  return !typed_ || exact_zero || inside == replicated || inside == invariant;
}

bool CarryState::may_become(State inside, State yielded) const {
  if (!typed_) return inside == equal;
  if (inside == equal) return initial_.exact_zero || yielded == replicated || yielded == invariant;
  return initial_.exact_zero && inside == replicated && yielded == varying;
}

bool CarryState::take(const OperandState& yielded) {
  bool changed = false;
  for (size_t a = 0; a < inside_.states.size(); ++a) {
    State& state = inside_.states[a];
    if (fits(state, yielded.states[a], yielded.exact_zero) || !may_become(state, yielded.states[a])) continue;
    state = yielded.states[a];
    changed = true;
  }
  if (inside_.exact_zero && !yielded.exact_zero) {
    inside_.exact_zero = false;
    changed = true;
  }
  if (!inside_.has_gradient && yielded.has_gradient) {
    inside_.has_gradient = true;
    changed = true;
  }
  return changed;
}

States CarryState::finish(const std::string& name, const OperandState& yielded, StateContext& context) const {
  context.result = inside_.states;
  for (size_t a = 0; a < inside_.states.size(); ++a) {
    const State entry = inside_.states[a], exit = yielded.states[a];
    const AxisId axis(a);
    if (exit == unknown) context.set(axis, unknown);
    if (fits(entry, exit, yielded.exact_zero)) continue;
    const std::string& over = context.mesh.axis(axis).name;
    context.error("S-scan", axis,
                  "the carry %" + name + " enters as " + letter(entry) + " over `" + over + "` (" + initial_.name +
                      ") and leaves as " + letter(exit) + " (" + yielded.name +
                      "); it has one state: " + carry_repair(entry, exit, initial_.name, yielded.name, over));
  }
  return context.result;
}

}  // namespace isoshard
