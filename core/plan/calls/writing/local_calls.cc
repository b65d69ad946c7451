// Finds how an op is written as calls: elementwise ops are steps of a Map, those that change nothing in memory are
// copies, and the others each have a `write` (op_calls.h). Which ops are local says core/plan/local_ops.h. Cost: that
// of the op's `write`.
#include "core/plan/calls/writing/local_calls.h"

#include <utility>

#include "core/plan/calls/writing/op_calls.h"
#include "core/plan/local_ops.h"
#include "core/support/result.h"

namespace isoshard::calls {
namespace {

template <class Op>
constexpr bool kIsCopy = kIsAlternative<Op, std::variant<StopGradient, Reshape>>;
template <class Op>
constexpr bool kHasWrite = requires(const Op& op, CallWriter& writer) {
  write(op, writer);
};

template <class Op>
void write_any(const Op& op, CallWriter& writer) {
  if constexpr (kIsCopy<Op>) {
    writer.copy(writer.operand(0), writer.result());
  } else if constexpr (kHasWrite<Op>) {
    write(op, writer);
  } else {
    writer.refuse("exec has no kernel for it");
  }
}

std::string types_of(std::span<const Held> values) {
  std::string text;
  for (const Held& value : values) text += (text.empty() ? "" : ", ") + to_string(*value.type);
  return text;
}

}  // namespace

Result<LocalCalls> local_calls(const OpData& op, std::span<const Held> operands, std::span<const Held> results,
                               Place scratch, const Location& location, Products products) {
  CallWriter writer(operands, results, scratch, products);
  if (!is_local_op(op)) {
    writer.refuse("it is not a local op of a Plan");
  } else if (!write_elementwise(op, writer)) {
    std::visit([&](const auto& o) { write_any(o, writer); }, op);
  }
  if (writer.refusal().empty()) return writer.take();
  return failure(
      "X-unsupported", location,
      std::string(op_name(op)) + " of " + types_of(operands) + " to " + types_of(results) + ": " + writer.refusal());
}

}  // namespace isoshard::calls
