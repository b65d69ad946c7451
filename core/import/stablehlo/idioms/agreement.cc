// Collectives under a condition. Programs of the language run all of them, and choose among the results; the device
// that takes another branch, or leaves a loop earlier, would leave the others waiting. Where the choice may differ
// between devices of one collective, an assert_equal claims that it does not, which equivalence decides for all inputs.
// Cost: one pass over the ops under the condition.
#include "core/import/stablehlo/idioms/agreement.h"

#include <string>
#include <variant>

#include "core/support/call_chain.h"

namespace isoshard::stablehlo {
namespace {

/// The axes over which an op talks.
const Group* talks_over(const OpData& data) {
  return std::visit(
      [](const auto& op) -> const Group* {
        if constexpr (requires { op.axis; }) {
          if (facts_of(op).kind == OpClass::communication) return &op.axis;
        }
        return nullptr;
      },
      data);
}

}  // namespace

bool talks_since(Lowering& lowering, size_t first) {
  const Program& program = lowering.builder().program();
  for (size_t i = first; i < program.op_count(); ++i) {
    if (talks_over(program.op(OpId(i)).data) != nullptr) return true;
  }
  return false;
}

ValueId agreed(Lowering& lowering, ValueId choice, size_t first, const Operation& op) {
  const Program& program = lowering.builder().program();
  const States& states = lowering.builder().type(choice).states;
  AxisSet seen;
  Group differs;
  Location meeting;  // the first
  for (size_t i = first; i < program.op_count(); ++i) {
    const Group* group = talks_over(program.op(OpId(i)).data);
    if (group == nullptr) continue;
    for (const AxisId axis : group->axes) {
      if (seen.contains(axis) || states[axis.index()] == State::equal) continue;
      if (differs.empty()) meeting = program.op(OpId(i)).location;
      seen.insert(axis);
      differs.axes.push_back(axis);
    }
  }
  if (differs.empty()) return choice;
  const Location where = lowering.location(op).within(meeting, std::string(kMeetUnder));
  return lowering.append_at(AssertEqual{differs}, {choice}, where);
}

}  // namespace isoshard::stablehlo
