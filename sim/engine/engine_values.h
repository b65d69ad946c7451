#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/check.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// A value of one iteration: `iteration` numbers those of all loops around its definition.
struct Instance {
  PlanValueId id;
  int64_t iteration = 0;
  bool operator==(const Instance&) const = default;
};

/// The values that one device holds, each until it has been read as often as it will be: as many slots as are live at
/// once, found by hashing (open addressing).
class LiveValues {
 public:
  /// It will be read `reads` times, at least once.
  void set(Instance instance, Value&& value, uint32_t reads) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find(instance)];
    if (!slot.instance.id.valid()) ++count_;
    slot.instance = instance;
    slot.reads = reads;
    slot.value = std::move(value);
  }
  const Value& get(Instance instance) const { return slots_[existing(instance)].value; }
  /// Reads once; the last read removes it.
  Value read(Instance instance) {
    const size_t at = existing(instance);
    if (--slots_[at].reads > 0) return slots_[at].value;
    Value result = std::move(slots_[at].value);
    close(at);
    return result;
  }
  bool contains(Instance instance) const { return !slots_.empty() && slots_[find(instance)].instance.id.valid(); }
  size_t size() const { return count_; }

 private:
  struct Slot {
    Instance instance;
    uint32_t reads = 0;
    Value value;
  };

  size_t home(Instance i) const {
    const uint64_t word = i.id.value + (static_cast<uint64_t>(i.iteration) << 32);
    return static_cast<size_t>(word * 0x9e3779b97f4a7c15ULL >> 40) & (slots_.size() - 1);
  }
  size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
  size_t find(Instance instance) const {
    size_t i = home(instance);
    while (slots_[i].instance.id.valid() && !(slots_[i].instance == instance)) i = next(i);
    return i;
  }
  size_t existing(Instance instance) const {
    const size_t at = slots_.empty() ? 0 : find(instance);
    ISOSHARD_CHECK(at < slots_.size() && slots_[at].instance.id.valid(),
                   "a value is read before its definition or after its last use");
    return at;
  }
  /// Moves later slots of the same run back where a search for them would meet the hole, whose value is gone.
  void close(size_t hole) {
    const auto distance = [&](size_t from, size_t to) { return (to - from) & (slots_.size() - 1); };
    for (size_t i = next(hole); slots_[i].instance.id.valid(); i = next(i)) {
      if (distance(home(slots_[i].instance), i) < distance(hole, i)) continue;
      slots_[hole] = std::move(slots_[i]);
      hole = i;
    }
    slots_[hole].instance = Instance{};
    --count_;
  }
  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 4 : 2 * slots_.size()));
    for (Slot& slot : old) {
      if (slot.instance.id.valid()) slots_[find(slot.instance)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  ///< a power of two, at most half full
  size_t count_ = 0;
};

}  // namespace isoshard::sim
