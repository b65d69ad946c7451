#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Sums that count which elements of a row are its greatest or its least one, as the derivative of a maximum divides
/// by: sum(x == max(x)).
class MaximumCounts {
 public:
  explicit MaximumCounts(const Plan& plan);

  /// Per instruction the value whose elements are counted, where it ends such a sum: its result is at least 1 wherever
  /// that value has no NaN.
  const std::vector<std::optional<PlanValueId>>& counted() const { return counted_; }

 private:
  struct Row;
  std::optional<Instruction> maker(PlanValueId id) const;
  std::optional<Row> reduced(const Instruction& i) const;
  std::optional<PlanValueId> find(const Instruction& i) const;
  bool is_of_its_row(PlanValueId x, PlanValueId spread, const Row& sum) const;
  bool come_back(const Row& row, const std::vector<Instruction>& moves) const;

  const Plan& plan_;
  std::vector<InstructionId> definitions_;
  std::vector<std::optional<PlanValueId>> counted_;
};

}  // namespace isoshard::verify
