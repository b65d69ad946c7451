// What an author may write where a state is not the one that an op needs (docs/spec/states.md, "State errors"). One
// function per state that is wanted; each says the op that leads from the state that there is, with its fields left
// open as `...` where only the author knows them. No repair is tried here: that it is legal follows from the table of
// states, and `check` says whether the program is right with it.
#include "core/ir/state_repairs.h"

namespace isoshard {
namespace {

using enum State;

std::string leave_out(State from) { return std::string("it is ") + letter(from) + " already; leave the op out"; }

std::string to_varying(const OperandState& x, const std::string& axis, State from) {
  if (from == invariant) {
    return "slice_block " + x.name + " {axis=" + axis + ", dim=...} for each device's own block, or first " +
           reinterpret_text(x, axis, replicated);
  }
  return "reduce_scatter " + x.name + " {axis=" + axis + ", dim=...}, or first " + all_reduce_text(x, axis);
}

std::string to_equal(const OperandState& x, const std::string& axis, State from, State to) {
  const std::string suffix = std::string(", to=") + letter(to) + "}";
  if (from == equal) return "= acts as R or I already; leave the op out";
  if (from == partial) return "all_reduce " + x.name + " {axis=" + axis + suffix;
  return "all_gather " + x.name + " {axis=" + axis + ", dim=..." + suffix;
}

}  // namespace

std::string all_reduce_text(const OperandState& x, const std::string& axis) {
  return "all_reduce " + x.name + " {axis=" + axis + (x.has_gradient ? ", to=...}" : "}");
}

std::string reinterpret_text(const OperandState& x, const std::string& axis, State to) {
  return "reinterpret " + x.name + " {axis=" + axis + ", to=" + letter(to) + "}";
}

std::string repair_to_varying(const OperandState& x, const std::string& axis, State state, const std::string& same) {
  if (state == partial) return "its devices hold terms of a sum; " + to_varying(x, axis, partial);
  return (state == invariant ? reinterpret_text(x, axis, replicated) + " and that to V"
                             : reinterpret_text(x, axis, varying)) +
         " first if every device is to send " + same;
}

std::string repair_conversion(const OperandState& x, const std::string& axis, State from, State to,
                              std::string_view op) {
  if (op == "assert_equal") {
    return from == partial ? "its devices hold terms of a sum; " + all_reduce_text(x, axis)
                           : "an equal value needs no claim; leave the op out";
  }
  if (op == "place_block" && from != partial) {
    return "an equal value becomes one by slice_block " + x.name + " {axis=" + axis + ", dim=...}";
  }
  if (from == to) return leave_out(from);
  if (to == varying) return to_varying(x, axis, from);
  if (to != partial) return to_equal(x, axis, from, to);
  if (from == varying) return reinterpret_text(x, axis, partial) + " if the devices hold terms of a sum";
  return "convert_state " + x.name + " {axis=" + axis + ", to=P, owner=...}";
}

}  // namespace isoshard
