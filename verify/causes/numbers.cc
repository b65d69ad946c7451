// Numbers among the operands of ops: what they are, and whether the source writes them out. A constant in the place of
// an operand has the location of its text, or of the op; a name or an expression there may come from sizes of axes, a
// number does not. Cost: the line of the source.
#include "verify/causes/numbers.h"

#include <algorithm>

#include "core/support/rational.h"
#include "verify/answers/words.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

/// The op that makes the number that `id` is everywhere, if any.
std::optional<Instruction> constant_of(const Plan& plan, const std::vector<InstructionId>& makers, PlanValueId id) {
  for (;;) {
    if (!makers[id.index()].valid()) return std::nullopt;
    const Instruction& i = plan.instruction(makers[id.index()]);
    if (op_of<Constant>(i) != nullptr) return i;
    if (!is_one_of<BroadcastInDim, Reshape, Convert>(local_op(i))) return std::nullopt;
    id = i.operands[0];
  }
}

/// As it is written, or rounded where that takes many digits.
std::string short_number(const Rational& value) {
  constexpr size_t kMostDigits = 20;
  const std::string text = value.to_string();
  return text.size() <= kMostDigits ? text : "about " + number(value.to_double());
}

/// `text` up to the first of `ends`, and whether that is a number.
bool begins_with_number(const std::string& text, const char* ends) {
  return Rational::parse(text.substr(0, text.find_first_of(ends))).has_value();
}

/// Alone, as `value=` of a constant, or as the last operand of an op.
bool writes_number(const Location& where) {
  const std::string line(where.source_line());
  if (where.column() == 0 || where.column() > line.size()) return false;
  const std::string text = line.substr(where.column() - 1, where.end_column() - where.column());
  const size_t value = text.find("value="), comma = text.substr(0, text.find(" {")).rfind(", ");
  return begins_with_number(text, "") ||
         (value != std::string::npos && begins_with_number(text.substr(value + 6), ",}")) ||
         (comma != std::string::npos && begins_with_number(text.substr(comma + 2), " {"));
}

}  // namespace

std::optional<std::string> number_in(const Plan& plan, const std::vector<InstructionId>& makers, PlanValueId id) {
  const std::optional<Instruction> constant = constant_of(plan, makers, id);
  return !constant ? std::nullopt : std::optional(short_number(op_of<Constant>(*constant)->value));
}

bool takes_written_number(const Evidence& e, PlanValueId id) {
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  return local_op(i) != nullptr && std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId operand) {
           const std::optional<Instruction> constant = constant_of(e.plan(), e.definition, operand);
           return constant && writes_number(constant->location());
         });
}

}  // namespace isoshard::verify
