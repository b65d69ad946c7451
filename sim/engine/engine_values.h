#pragma once  // internal

#include <cstddef>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/check.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// The values that one device holds: as many slots as are live at once, found by hashing (open addressing).
class LiveValues {
 public:
  void set(PlanValueId id, Value value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find(id)];
    if (!slot.id.valid()) ++count_;
    slot = {id, std::move(value)};
  }
  const Value& get(PlanValueId id) const { return slots_[existing(id)].value; }
  /// Removes and returns.
  Value take(PlanValueId id) {
    const size_t hole = existing(id);
    Value result = std::move(slots_[hole].value);
    close(hole);
    return result;
  }
  void erase(PlanValueId id) {
    if (contains(id)) close(find(id));
  }
  bool contains(PlanValueId id) const { return !slots_.empty() && slots_[find(id)].id.valid(); }
  size_t size() const { return count_; }

 private:
  struct Slot {
    PlanValueId id;
    Value value;
  };

  size_t home(PlanValueId id) const { return (id.value * 2654435769U >> 7) & (slots_.size() - 1); }
  size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
  size_t find(PlanValueId id) const {
    size_t i = home(id);
    while (slots_[i].id.valid() && slots_[i].id != id) i = next(i);
    return i;
  }
  size_t existing(PlanValueId id) const {
    ISOSHARD_CHECK(contains(id), "a value is read before its definition or after its last use");
    return find(id);
  }
  /// Moves later slots of the same run back, so that searches never meet the hole.
  void close(size_t hole) {
    slots_[hole] = Slot{};
    --count_;
    for (size_t i = next(hole); slots_[i].id.valid(); i = next(i)) {
      Slot moved = std::move(slots_[i]);
      slots_[i] = Slot{};
      slots_[find(moved.id)] = std::move(moved);
    }
  }
  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 8 : 2 * slots_.size()));
    for (Slot& slot : old) {
      if (slot.id.valid()) slots_[find(slot.id)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  ///< a power of two, at most half full
  size_t count_ = 0;
};

}  // namespace isoshard::sim
