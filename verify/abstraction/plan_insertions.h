#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Adds local ops and collectives to a Plan, each before one of its instructions. Ids of instructions become others,
/// those of values stay.
class PlanInsertions {
 public:
  explicit PlanInsertions(Plan plan) : plan_(std::move(plan)) {}

  /// The Plan without what is to be added, but with its values.
  const Plan& plan() const { return plan_; }
  /// What follows is added before `place`, on whose location it is.
  void begin(InstructionId place) { place_ = place; }
  /// The result of one that is added.
  PlanValueId add(InstructionData data, const std::vector<PlanValueId>& operands, TensorType type,
                  const std::string& name);
  PlanValueId add(OpData op, const std::vector<PlanValueId>& operands, TensorType type, const std::string& name) {
    return add(InstructionData(LocalOp{std::move(op)}), operands, std::move(type), name);
  }
  /// Adds one that makes `results`, which some instruction of the Plan makes until now.
  void add_for(InstructionData data, const std::vector<PlanValueId>& operands, const std::vector<PlanValueId>& results);
  /// A new value, instead of the `n`-th result of `place`.
  void rename_result(InstructionId place, size_t n);
  PlanValueId new_value(TensorType type, std::string name);

  /// With tokens and last uses of its own.
  Plan finish() &&;

 private:
  void place_in(std::vector<Block>& blocks, const std::vector<InstructionId>& moved,
                const std::map<size_t, std::vector<InstructionId>>& added) const;

  Plan plan_;
  InstructionId place_;
  std::map<size_t, std::vector<NewInstruction>> before_;  ///< by index of the instruction that they stand before
};

/// `pair` with the Plans that are given; nothing where none is.
std::optional<Pair> with_plans(const Pair& pair, std::optional<Plan> sharded, std::optional<Plan> reference);

}  // namespace isoshard::verify
