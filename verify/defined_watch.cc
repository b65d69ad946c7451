#include "verify/defined_watch.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "verify/facts/integer_dependence.h"
#include "verify/facts/positive.h"
#include "verify/facts/reach.h"
#include "verify/is_one_of.h"

namespace isoshard::verify {
namespace {

/// exp of -inf is 0: then an exponential is not positive by its construction.
bool holds_minus_infinity(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(), [](const Instruction& i) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data);
    const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
    return constant != nullptr && is_float(constant->dtype) && !constant->value.finite();
  });
}

/// Per value: whether a result computed from it may be dropped, so that it need not be defined. A maximum keeps a nan.
std::vector<bool> may_be_dropped(const Plan& plan) {
  return reaching(plan, [](const Instruction& i) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data);
    if (local == nullptr) return false;
    const Reduce* reduce = std::get_if<Reduce>(&local->op);
    return is_one_of<Select, Compare, TopK, Sign>(local->op) || (reduce != nullptr && reduce->op == Reducer::argmax);
  });
}

/// All maxima are one function.
size_t function_of(const Plan& plan, InstructionId use) {
  const LocalOp* local = std::get_if<LocalOp>(&plan.instruction(use).data);
  return local == nullptr || is_one_of<Reduce, Maximum>(local->op) ? SIZE_MAX : local->op.index();
}

}  // namespace

std::optional<size_t> partial_argument(const Instruction& instruction) {
  const LocalOp* local = std::get_if<LocalOp>(&instruction.data);
  if (local == nullptr) return std::nullopt;
  if (is_one_of<Divide, Remainder>(local->op)) return 1;
  if (is_one_of<Log, Sqrt, Rsqrt, Power, ErfInv>(local->op)) return 0;
  return std::nullopt;
}

namespace {

/// With -inf in a program also maxima: one of nothing but -inf is -inf, and what it is taken from is no number then.
std::optional<size_t> undefined_by(const Instruction& i, bool infinite) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data);
  const Reduce* reduce = local == nullptr ? nullptr : std::get_if<Reduce>(&local->op);
  const bool maximum = reduce != nullptr && (reduce->op == Reducer::max || reduce->op == Reducer::argmax);
  const Collective* collective = std::get_if<Collective>(&i.data);
  const bool of_group = collective != nullptr && collective->kind == CollectiveKind::all_reduce_max;
  if (infinite && (maximum || of_group || (local != nullptr && std::holds_alternative<Maximum>(local->op)))) return 0;
  return partial_argument(i);
}

}  // namespace

DefinedWatch::DefinedWatch(const Plan& plan, const sim::Domain& domain)
    : plan_(plan),
      ring_(dynamic_cast<const sim::ExactRing*>(&domain)),
      wanted_(plan.values.size(), false),
      residues_(plan.values.size()) {
  const std::vector<bool> depends = depends_on_integers(plan);
  const std::vector<KnownSign> signs = signs_of(plan);
  const bool infinite = holds_minus_infinity(plan);
  for (size_t i = 0; i < plan.instructions.size() && ring_ != nullptr; ++i) {
    const std::optional<size_t> argument = undefined_by(plan.instructions[i], infinite);
    if (!argument) continue;
    const PlanValueId id = plan.instructions[i].operands[*argument];
    if (!is_float(plan.value(id).type.dtype) || !depends[id.index()]) continue;
    if (signs[id.index()] == KnownSign::positive && !infinite) continue;
    uses_.push_back(InstructionId(i));
    wanted_[id.index()] = needed_ = true;
  }
}

void DefinedWatch::on_value(int64_t, PlanValueId id, const sim::Value& value) {
  if (!wanted_[id.index()]) return;
  std::vector<Residues> elements;
  for (int64_t i = 0; i < value.size(); ++i) {
    // A number that is not positive is seen where it is used.
    if (ring_->is_number(value.size(), value.data.get(), i)) continue;
    elements.push_back({ring_->residue(value, 0, i), ring_->residue(value, ring_->lanes() - 1, i)});
  }
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  const std::lock_guard lock(mutex_);
  std::vector<Residues>& all = residues_[id.index()];
  all.insert(all.end(), elements.begin(), elements.end());
}

InstructionId DefinedWatch::beyond(const DefinedWatch& reference) const {
  std::map<size_t, std::vector<Residues>> known;  // by function
  const std::vector<bool> dropped = may_be_dropped(reference.plan_);
  const auto argument_of = [](const Instruction& i) { return i.operands[undefined_by(i, true).value_or(0)].index(); };
  for (const InstructionId use : reference.uses_) {
    const Instruction& i = reference.plan_.instruction(use);
    if (dropped[i.results[0].index()]) continue;
    std::vector<Residues>& of_function = known[function_of(reference.plan_, use)];
    const std::vector<Residues>& arguments = reference.residues_[argument_of(i)];
    of_function.insert(of_function.end(), arguments.begin(), arguments.end());
  }
  for (auto& [function, arguments] : known) std::sort(arguments.begin(), arguments.end());
  for (const InstructionId use : uses_) {
    const Instruction& i = plan_.instruction(use);
    const std::vector<Residues>& all = known[function_of(plan_, use)];
    const auto is_known = [&](const Residues& x) { return std::binary_search(all.begin(), all.end(), x); };
    const std::vector<Residues>& own = residues_[argument_of(i)];
    if (!std::all_of(own.begin(), own.end(), is_known)) return use;
  }
  return {};
}

}  // namespace isoshard::verify
