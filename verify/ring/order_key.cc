// Finds a key r for which the hard order of rung B leaves the constants that are compared in their real order: with an
// arbitrary one clamp(x, 0, 6) may be a constant, for 6 may stand below 0. Which constants reach a comparison is found
// backwards from comparisons through everything that moves elements; what is computed from constants alone is
// evaluated, in f64 for the real order and in the ring for the residues. Keys are tried at random until one fits: m
// constants take about m! tries, so that there is a limit, and beyond it rung B says that it cannot speak.
// (docs/spec/order.md, "Hard order")
#include "verify/ring/order_key.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/domains/floats/bounded.h"
#include "sim/domains/tower/tower_domain.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "verify/compare/inputs.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/producers.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

constexpr uint64_t kMostTries = uint64_t{1} << 24;

/// Evaluates what a program computes from constants alone, the same on every device.
class ConstantPart {
 public:
  ConstantPart(const Plan& plan, const Module& module)
      : plan_(plan), module_(module), definition_(definitions(plan)), constant_(plan.values.size(), 0) {
    for (const Instruction& instruction : plan.instructions) {
      const bool is = is_constant(instruction);
      for (const PlanValueId id : instruction.results) constant_[id.index()] = is ? 1 : 0;
    }
  }

  bool constant(PlanValueId id) const { return constant_[id.index()] != 0; }
  InstructionId definition(PlanValueId id) const { return definition_[id.index()]; }

  sim::Value value(PlanValueId id, const sim::Domain& domain, std::map<PlanValueId, sim::Value>& known) const {
    if (const auto found = known.find(id); found != known.end()) return found->second;
    const Instruction& i = plan_.instruction(definition(id));
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      return sim::splat(plan_.value(id).type(), *exact_value(module_.global(load->global)), domain);
    }
    std::vector<sim::Value> operands, results(i.results.size());
    std::vector<const TensorType*> types;
    for (const PlanValueId operand : i.operands) operands.push_back(value(operand, domain, known));
    for (const PlanValueId result : i.results) types.push_back(&plan_.value(result).type());
    sim::evaluate(std::get<LocalOp>(i.data()).op, operands, types, domain, results);
    for (size_t r = 0; r < results.size(); ++r) known[i.results[r]] = std::move(results[r]);
    return known.at(id);
  }

 private:
  bool is_constant(const Instruction& i) const {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      return exact_value(module_.global(load->global)).has_value();
    }
    return std::holds_alternative<LocalOp>(i.data()) &&
           std::all_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return constant(id); });
  }

  const Plan& plan_;
  const Module& module_;
  std::vector<InstructionId> definition_;
  std::vector<char> constant_;
};

/// Whether elements of the operands may stand unchanged in the result.
bool moves(const Instruction& i) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  if (local == nullptr) return true;
  const OpData& op = local->op;
  return !std::holds_alternative<Negate>(op) && !std::holds_alternative<Add>(op) &&
         !std::holds_alternative<Subtract>(op) && !std::holds_alternative<Multiply>(op) &&
         !std::holds_alternative<Divide>(op) && !std::holds_alternative<DotGeneral>(op) &&
         !std::holds_alternative<Compare>(op);
}

/// The constants from which comparisons can be reached by moving elements.
std::vector<PlanValueId> compared_constants(const Plan& plan, const Module& module) {
  const ConstantPart part(plan, module);
  std::vector<PlanValueId> open, result;
  for (const Instruction& i : plan.instructions) {
    if (compares_floats(plan, i)) open.insert(open.end(), i.operands.begin(), i.operands.end());
  }
  const std::vector<Renaming> renamed = renamings(plan);
  std::set<PlanValueId> seen;
  while (!open.empty()) {
    const PlanValueId id = open.back();
    open.pop_back();
    if (!is_float(plan.value(id).type().dtype) || !seen.insert(id).second) continue;
    if (part.constant(id)) {
      result.push_back(id);
      continue;
    }
    for (const Renaming& r : renamed) {
      if (r.to == id) open.push_back(r.from);
    }
    if (!part.definition(id).valid()) continue;
    const Instruction& i = plan.instruction(part.definition(id));
    if (moves(i)) open.insert(open.end(), i.operands.begin(), i.operands.end());
  }
  return result;
}

__extension__ using Unsigned128 = unsigned __int128;

int64_t balanced(uint64_t x, uint64_t modulus) {
  return x > modulus / 2 ? static_cast<int64_t>(x) - static_cast<int64_t>(modulus) : static_cast<int64_t>(x);
}

/// Adds the numbers among `ids` with their residues in lane 0 of `ring`. Rung E compares infinities, written as
/// -inf or as numbers of at most -1e4, before residues.
void add_numbers(const Plan& plan, const Module& module, const std::vector<PlanValueId>& ids,
                 const sim::ExactRing* ring, std::map<double, uint64_t>& numbers) {
  const ConstantPart part(plan, module);
  const sim::BoundedDomain reals;
  const bool has_infinities = dynamic_cast<const sim::TowerDomain*>(ring) != nullptr;
  std::map<PlanValueId, sim::Value> real_values, ring_values;
  for (const PlanValueId id : ids) {
    const sim::Value real = part.value(id, reals, real_values);
    const sim::Value residues = ring != nullptr ? part.value(id, *ring, ring_values) : sim::Value{};
    for (size_t e = 0; e < static_cast<size_t>(real.size()); ++e) {
      const double number = real.plane<double>(0)[e] + 0.0;
      if (has_infinities && number <= -10000) continue;
      numbers.emplace(number, ring != nullptr ? ring->residue(residues, 0, static_cast<int64_t>(e)) : 0);
    }
  }
}

}  // namespace

OrderConstants::OrderConstants(const Pair& pair)
    : sharded_(compared_constants(pair.sharded.plan, *pair.module)),
      reference_(compared_constants(pair.reference.plan, *pair.module)) {}

size_t OrderConstants::count(const Pair& pair) const {
  std::map<double, uint64_t> numbers;
  add_numbers(pair.sharded.plan, *pair.module, sharded_, nullptr, numbers);
  add_numbers(pair.reference.plan, *pair.module, reference_, nullptr, numbers);
  return numbers.size();
}

std::optional<uint64_t> OrderConstants::key(const Pair& pair, const sim::ExactRing& ring,
                                            const RandomStream& stream) const {
  const uint64_t modulus = ring.modulus(0);
  std::map<double, uint64_t> numbers{{0.0, 0}};
  add_numbers(pair.sharded.plan, *pair.module, sharded_, &ring, numbers);
  add_numbers(pair.reference.plan, *pair.module, reference_, &ring, numbers);
  for (uint64_t attempt = 0; attempt < kMostTries; ++attempt) {
    const uint64_t r = 1 + stream.word(attempt) % (modulus - 1);
    bool ordered = true;
    int64_t last = -static_cast<int64_t>(modulus);
    for (auto number = numbers.begin(); ordered && number != numbers.end(); ++number) {
      const int64_t here =
          balanced(static_cast<uint64_t>(static_cast<Unsigned128>(r) * number->second % modulus), modulus);
      ordered = here > last;
      last = here;
    }
    if (ordered) return r;
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
