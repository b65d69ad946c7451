// Estimates how rare the rarest outcome of a program's comparisons is, and so how many random orders rung B has to try.
// Equal in one order is little: a router that forgets one of 64 experts is wrong in one order of 64. The largest of n
// has n outcomes, a comparison 2; comparisons that must fall together multiply, a sum or another comparison is as rare
// as what it is made of. The largest of all elements is that of its part as well, so a maximum over parts of parts
// counts once: `within` lists the comparisons that a later one contains. It is an estimate, which is why what is equal
// so is NOT REFUTED and never EQUAL (docs/spec/order.md, "Hard order"). A fixpoint with a round per iteration of the
// longest loop, at most 64.
#include "verify/bounds/order_outcomes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/plan/cone.h"
#include "core/plan/exchanges.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

constexpr double kMostOutcomes = 1e12;

/// The comparisons that an outcome depends on, and their numbers of outcomes: the values whose elements are compared,
/// or the instruction (behind the values). The largest of some elements and its index are one comparison.
using Comparisons = std::map<size_t, double>;

double product(const Comparisons& all) {
  double result = 1;
  for (const auto& [id, count] : all) result = std::min(kMostOutcomes, result * count);
  return result;
}

/// What is known of one value.
struct Dependence {
  Comparisons together;     ///< that must fall one way for its rarest outcome
  double candidates = 1;    ///< of how many elements it is the largest or smallest
  size_t chain = SIZE_MAX;  ///< the comparison in `together` that says which of them

  std::set<size_t>
      within{};  ///< earlier comparisons of the same elements: the largest of all is the largest of its part

  bool operator==(const Dependence&) const = default;
};

/// The dependences of all values of a plan.
class Outcomes {
 public:
  explicit Outcomes(const Plan& plan)
      : plan_(plan), exchanges_(plan), values_(plan.values.size()), origin_(plan.values.size()) {
    std::iota(origin_.begin(), origin_.end(), size_t{0});
    const std::vector<Renaming> renamed = renamings(plan);
    for (int64_t round = 0; round <= rounds(); ++round) {
      const std::vector<Dependence> before = values_;
      for (size_t i = 0; i < plan.instructions.size(); ++i) visit(i);
      for (const Renaming& r : renamed) keep_rarer(values_[r.to.index()], values_[r.from.index()]);
      if (values_ == before) break;
    }
  }

  double of(PlanValueId id) const { return product(values_[id.index()].together); }

 private:
  /// What a loop carries needs a round per iteration.
  int64_t rounds() const {
    int64_t most = 1;
    for (const Repeat* repeat : repeats_of(plan_)) most = std::max(most, repeat->count + 1);
    return std::min<int64_t>(most, 64);
  }

  /// The result has the elements of the operand, in some order.
  static bool moves(const Instruction& i) {
    return is_one_of<StopGradient, Convert, Reshape, Transpose, Reverse>(local_op(i));
  }

  static void keep_rarer(Dependence& known, const Dependence& other) {
    if (product(other.together) > product(known.together)) known = other;
  }

  void visit(size_t index) {
    const Instruction& i = plan_.instructions[index];
    if (i.operands.size() == 1 && moves(i)) origin_[i.results[0].index()] = origin_[i.operands[0].index()];
    const bool compares = compares_floats(plan_, i) && !is_one_of<IsFinite>(local_op(i));  // no order decides that
    Dependence here = compares ? compared(index) : passed_on(i);
    for (const PlanValueId id : exchanges_.brought_to(InstructionId(index))) keep_rarer(here, values_[id.index()]);
    for (const PlanValueId id : i.results) keep_rarer(values_[id.index()], here);
  }

  const Dependence& operand(const Instruction& i, size_t o) const { return values_[i.operands[o].index()]; }

  Dependence rarest_operand(const Instruction& i) const {
    Dependence result;
    for (const PlanValueId id : i.operands) keep_rarer(result, values_[id.index()]);
    return result;
  }

  Dependence passed_on(const Instruction& i) const {
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    if (local == nullptr) return rarest_operand(i);
    if (std::holds_alternative<Select>(local->op)) {
      Dependence result = operand(i, 1);
      keep_rarer(result, operand(i, 2));
      return joined(result, operand(i, 0));
    }
    if (!is_one_of<And, Or, Xor, Multiply, DotGeneral, Gather, DynamicSlice, ScatterAdd>(local->op)) {
      return rarest_operand(i);
    }
    Dependence result = operand(i, 0);
    for (size_t o = 1; o < i.operands.size(); ++o) result = joined(result, operand(i, o));
    return result;
  }

  static Dependence joined(Dependence a, const Dependence& b) {
    for (const auto& [id, count] : b.together) a.together[id] = std::max(a.together[id], count);
    a.within.insert(b.within.begin(), b.within.end());
    for (const size_t id : a.within) a.together.erase(id);
    if (!b.together.empty()) a.candidates = 1, a.chain = SIZE_MAX;
    return a;
  }

  /// A comparison has outcomes of its own; those of its operands are no rarer in it.
  Dependence compared(size_t index) const {
    const Instruction& i = plan_.instructions[index];
    Dependence own;
    own.chain = i.operands.size() == 1 ? origin_[i.operands[0].index()] : plan_.values.size() + index;
    own.candidates = candidates(i);
    own.together[own.chain] = own.candidates;
    for (const PlanValueId id : i.operands) {
      const Dependence& part = values_[id.index()];
      own.within.insert(part.within.begin(), part.within.end());
      if (part.chain != SIZE_MAX) own.within.insert(part.chain);
    }
    own.within.erase(own.chain);
    Dependence result = rarest_operand(i);
    if (result.chain != SIZE_MAX) return own;
    keep_rarer(own, result);
    return own;
  }

  double candidates(const Instruction& i) const {
    double all = 0;
    for (const PlanValueId id : i.operands) all += values_[id.index()].candidates;
    if (const Collective* c = std::get_if<Collective>(&i.data())) {
      return all * static_cast<double>(plan_.communicators[c->communicator.index()].size(*plan_.mesh));
    }
    const OpData& op = std::get<LocalOp>(i.data()).op;
    const double in = elements(i.operands[0]), out = std::max(1.0, elements(i.results[0]));
    if (std::holds_alternative<TopK>(op)) {
      return all * static_cast<double>(plan_.value(i.operands[0]).type().shape.back());
    }
    if (std::holds_alternative<Reduce>(op)) return std::min(kMostOutcomes, all * std::max(1.0, in / out));
    return is_one_of<Maximum, Minimum>(op) ? all : 2;
  }

  double elements(PlanValueId id) const { return static_cast<double>(element_count(plan_.value(id).type().shape)); }

  const Plan& plan_;
  const Exchanges exchanges_;
  std::vector<Dependence> values_;
  std::vector<size_t> origin_;  ///< the value whose elements a value has
};

/// -log2 of the probability that one order does not show the outcome.
double bits_of_one(double outcomes) { return -std::log2(1 - 1 / std::max(2.0, outcomes)); }

/// Elements of all values on all devices: what one run costs.
double work_of(const Plan& plan) {
  double elements = 1;
  for (const PlanValue& value : plan.values) elements += static_cast<double>(element_count(value.type().shape));
  return elements * static_cast<double>(plan.mesh->device_count());
}

}  // namespace

double rarest_outcome(const Plan& plan) {
  const Outcomes outcomes(plan);
  double rarest = 1;
  for (const Instruction& i : plan.instructions) {
    if (!std::holds_alternative<StoreBlock>(i.data())) continue;
    for (const PlanValueId id : i.operands) rarest = std::max(rarest, outcomes.of(id));
  }
  return rarest;
}

OrderPlan plan_orders(const Plan& sharded, const Plan& reference, const LaneChoice& error) {
  constexpr double kLeastBits = 24, kWork = 1 << 25, kMostOrders = 8192;
  const double least_bits = std::max(kLeastBits, -error.worst), most_bits = std::max(least_bits, -error.target);
  OrderPlan result;
  result.rarest = std::max(rarest_outcome(sharded), rarest_outcome(reference));
  const double bits = bits_of_one(result.rarest), affordable = kWork / (work_of(sharded) + work_of(reference));
  const double orders = std::max(std::ceil(least_bits / bits), std::min(std::ceil(most_bits / bits), affordable));
  if (orders > kMostOrders) return result;
  result.count = static_cast<uint32_t>(orders);
  result.bits = result.count * bits;
  return result;
}

}  // namespace isoshard::verify
