#include "verify/sensitivity_sites.h"

#include "verify/steps.h"

namespace isoshard::verify {
namespace {

/// The value that is perturbed at `i`, or invalid.
PlanValueId perturbed_value(const Instruction& i, bool logistic) {
  if (std::holds_alternative<Permute>(i.data)) return i.results[0];
  if (const Collective* c = std::get_if<Collective>(&i.data)) {
    return c->kind == CollectiveKind::assert_equal ? PlanValueId() : i.results[0];
  }
  const LocalOp* local = std::get_if<LocalOp>(&i.data);
  if (local == nullptr) return {};
  const bool exponential =
      std::holds_alternative<Exponential>(local->op) || (logistic && std::holds_alternative<Logistic>(local->op));
  return exponential ? i.operands[0] : PlanValueId();
}

class SiteCollector {
 public:
  SiteCollector(const Plan& plan, std::vector<bool> cone, bool logistic)
      : plan_(plan), cone_(std::move(cone)), logistic_(logistic) {}

  std::vector<Site> collect() {
    for (const RankGroup& group : plan_.groups) visit(group.blocks, group.positions, {});
    return std::move(sites_);
  }

 private:
  void visit(const std::vector<Block>& blocks, const std::vector<int64_t>& positions,
             const std::vector<int64_t>& counts) {
    for (const Block& block : blocks) {
      if (block.repeat && block.repeat->count > 0) {
        std::vector<int64_t> inner = counts;
        inner.push_back(block.repeat->count);
        visit(block.repeat->body, positions, inner);
      }
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) add(id, positions, counts);
      }
    }
  }

  void add(InstructionId id, const std::vector<int64_t>& positions, const std::vector<int64_t>& counts) {
    const Instruction& i = plan_.instruction(id);
    const PlanValueId value = cone_[id.index()] ? perturbed_value(i, logistic_) : PlanValueId();
    if (!value.valid()) return;
    const PlanValue& of = plan_.value(value);
    if (!is_float(of.type.dtype) || element_count(of.type.shape) == 0) return;
    sites_.push_back(Site{id, of.name, i.location, of.type, positions, counts});
  }

  const Plan& plan_;
  std::vector<bool> cone_;
  bool logistic_;
  std::vector<Site> sites_;
};

}  // namespace

std::vector<bool> wanted_cone(const Plan& plan, const std::vector<bool>& wanted, int64_t steps) {
  std::vector<bool> result(plan.instructions.size(), false);
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (!wanted[o]) continue;
    const std::vector<bool> cone = cone_over_steps(plan, static_cast<uint32_t>(o), steps);
    for (size_t i = 0; i < result.size(); ++i) result[i] = result[i] || cone[i];
  }
  return result;
}

std::vector<Site> sensitivity_sites(const Plan& plan, const std::vector<bool>& wanted, int64_t steps, bool logistic) {
  return SiteCollector(plan, wanted_cone(plan, wanted, steps), logistic).collect();
}

}  // namespace isoshard::verify
