// Single assignment and scopes: lists of blocks are gone through in issue order with the values that are defined there
// so far; a body begins with what its loop hands in. Cost: one walk over the instructions.
#include "core/plan/verify/verify_values.h"

#include <unordered_set>

#include "core/plan/order/issue_order.h"

namespace isoshard {
namespace {

class Values {
 public:
  using Known = std::unordered_set<PlanValueId>;

  Values(const Plan& plan, PlanFindings& findings) : plan_(plan), findings_(findings) {}

  /// The values that are known behind `blocks`.
  Known behind(const std::vector<Block>& blocks, Known known) {
    for (const Block& block : blocks) {
      for (const auto& [id, queue] : in_issue_order(block)) {
        const Instruction& instruction = plan_.instruction(id);
        for (const PlanValueId operand : instruction.operands) {
          if (known.count(operand) == 0) findings_.at(id, "L-value", reads(operand));
        }
        for (const PlanValueId result : instruction.results) {
          if (!defined_.insert(result).second) findings_.at(id, "L-value", defines(result));
          known.insert(result);
        }
      }
      if (block.repeat) pass(*block.repeat, known);
    }
    return known;
  }

 private:
  void pass(const Repeat& loop, Known& known) {
    for (const auto* ids : {&loop.initial, &loop.stacked}) expect(loop, *ids, known);
    Known inside;
    for (const auto* ids : {&loop.arguments, &loop.slices}) define(loop, *ids, inside);
    inside = behind(loop.body, std::move(inside));
    for (const auto* ids : {&loop.yields, &loop.parts}) expect(loop, *ids, inside);
    for (const auto* ids : {&loop.results, &loop.stacks}) define(loop, *ids, known);
  }

  void expect(const Repeat& loop, const std::vector<PlanValueId>& ids, const Known& known) {
    for (const PlanValueId id : ids) {
      if (known.count(id) == 0) findings_.at(loop, "L-value", reads(id));
    }
  }

  void define(const Repeat& loop, const std::vector<PlanValueId>& ids, Known& known) {
    for (const PlanValueId id : ids) {
      if (!defined_.insert(id).second) findings_.at(loop, "L-value", defines(id));
      known.insert(id);
    }
  }

  std::string reads(PlanValueId id) const {
    return "reads " + findings_.name(id) + ", which nothing before it in the same list of blocks defines";
  }
  std::string defines(PlanValueId id) const { return "defines " + findings_.name(id) + " once more"; }

  const Plan& plan_;
  PlanFindings& findings_;
  Known defined_;
};

}  // namespace

void verify_values(const Plan& plan, PlanFindings& findings) {
  Values values(plan, findings);
  for (const RankGroup& group : plan.groups) values.behind(group.blocks, {});
}

}  // namespace isoshard
