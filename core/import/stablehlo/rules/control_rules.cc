// Calls and branches. A call is its body. A case is all of its branches and a choice among their results: the same
// values, which is what is compared; with collectives inside all devices of one must take the same branch
// (agreement.h). Cost: the ops of all branches.
#include <utility>

#include "core/import/stablehlo/idioms/agreement.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

std::vector<Wire> call_of(Lowering& lowering, const Operation& op, Scope& scope, std::string_view key) {
  const Attribute* callee = op.find(key);
  const Function* function = callee == nullptr ? nullptr : lowering.text().find_function(callee->text);
  if (function == nullptr) {
    lowering.fail(
        "M-call", op,
        "a call of @" + std::string(callee == nullptr ? "" : callee->text) + ", which the text does not have");
  }
  std::vector<Wire> arguments;
  for (size_t i = 0; i < op.operands.size(); ++i) arguments.push_back(lowering.wire(op, i, scope));
  return lowering.call(*function, std::move(arguments), op);
}

std::vector<Wire> call(Lowering& lowering, const Operation& op, Scope& scope) {
  return call_of(lowering, op, scope, "callee");
}

/// What a library may have an op for is the function that says what it computes.
std::vector<Wire> composite(Lowering& lowering, const Operation& op, Scope& scope) {
  return call_of(lowering, op, scope, "decomposition");
}

/// `%which` is the branch, or the predicate of the first of two.
std::vector<Wire> choose(Lowering& lowering, const Operation& op, Scope& scope, bool by_predicate) {
  const Wire& which = lowering.wire(op, 0, scope);
  const ValueId own = lowering.value(op, 0, scope);
  const size_t first = lowering.builder().program().op_count();
  if (op.regions.empty() || (by_predicate && op.regions.size() != 2)) {
    lowering.fail("M-operands", op, quoted(op.name) + " without its branches");
  }
  std::vector<std::vector<Wire>> branches;
  for (const Region& region : op.regions) {
    Scope inside(&scope);
    branches.push_back(lowering.body(region, inside));
  }
  const ValueId index = agreed(lowering, own, first, op);
  std::vector<Wire> results = branches.back();  // an index that is out of range takes the last branch
  for (size_t b = branches.size() - 1; b-- > 0;) {
    if (branches[b].size() != results.size()) lowering.fail("M-type", op, "branches with different numbers of results");
    ValueId taken = index;
    if (!by_predicate) {
      const ValueId number = lowering.splat(Rational(static_cast<int64_t>(b)), which.type, op);
      taken = lowering.append(Compare{Direction::eq}, {index, number}, op);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId here = lowering.value(branches[b][i], op), there = lowering.value(results[i], op);
      if (here != there) results[i] = lowering.emit(Select{}, {taken, here, there}, op);
    }
  }
  return results;
}

std::vector<Wire> case_of(Lowering& lowering, const Operation& op, Scope& scope) {
  return choose(lowering, op, scope, false);
}
std::vector<Wire> if_else(Lowering& lowering, const Operation& op, Scope& scope) {
  return choose(lowering, op, scope, true);
}

}  // namespace

std::span<const NamedRule> control_rules() {
  static constexpr NamedRule kRules[] = {
      {"func.call", call}, {"stablehlo.composite", composite}, {"stablehlo.case", case_of}, {"stablehlo.if", if_else}};
  return kRules;
}

}  // namespace isoshard::stablehlo
