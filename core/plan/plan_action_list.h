#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/schedule/action.h"
#include "core/support/block_list.h"
#include "core/support/value_iterator.h"

namespace isoshard {

/// What a rank carries out of a schedule: a forward or backward of one stage for one micro-batch.
struct PlanAction {
  uint32_t pipeline = 0;  ///< of the pipelines of the program, in their order
  schedule::Action action;
  bool operator==(const PlanAction&) const = default;
};

/// The actions of a Plan, 16 bytes each.
class PlanActionList {
 public:
  using value_type = PlanAction;
  using const_iterator = ValueIterator<ItemsOf<PlanActionList>>;

  size_t size() const { return actions_.size(); }
  bool empty() const { return actions_.empty(); }
  PlanAction operator[](size_t i) const;
  PlanAction back() const { return (*this)[size() - 1]; }
  const_iterator begin() const { return {{this}, 0}; }
  const_iterator end() const { return {{this}, size()}; }

  void push_back(const PlanAction& action);
  /// Of the heap.
  size_t bytes() const { return actions_.bytes() + large_.capacity() * sizeof(PlanAction); }

 private:
  struct Entry {
    uint32_t stage = 0, micro_batch = 0;
    uint32_t pipeline = 0;
    schedule::ActionKind kind = schedule::ActionKind::forward;
    bool is_large = false;  ///< one whose numbers do not fit: `large_`, at `stage`
  };
  static_assert(sizeof(Entry) == 16);

  BlockList<Entry> actions_;
  std::vector<PlanAction> large_;
};

}  // namespace isoshard
