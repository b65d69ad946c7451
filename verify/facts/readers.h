#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Who reads each value of a Plan, and under which ids it goes on (renamings.h): for walks along a few values of many.
class Readers {
 public:
  explicit Readers(const Plan& plan);

  const Plan& plan() const { return plan_; }
  std::span<const InstructionId> of(PlanValueId id) const { return instructions_.of(id); }
  std::span<const PlanValueId> renamed(PlanValueId id) const { return names_.of(id); }

 private:
  /// Lists of all values in one array: that of value v is from `begins[v]` to `begins[v + 1]`.
  template <class Item>
  struct Lists {
    std::vector<uint32_t> begins;
    std::vector<Item> items;
    std::span<const Item> of(PlanValueId id) const {
      return {items.data() + begins[id.index()], items.data() + begins[id.index() + 1]};
    }
  };
  template <class Item, class Each>
  static Lists<Item> lists(size_t values, const Each& each);

  const Plan& plan_;
  Lists<InstructionId> instructions_;
  Lists<PlanValueId> names_;
};

}  // namespace isoshard::verify
