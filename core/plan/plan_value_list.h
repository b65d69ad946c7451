#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan_ids.h"
#include "core/plan/plan_value.h"
#include "core/support/block_list.h"
#include "core/support/shared.h"
#include "core/support/value_iterator.h"

namespace isoshard {

/// The values of a Plan, 8 bytes each, and what they are once for all calls of a function.
class PlanValueList {
 public:
  using value_type = PlanValue;
  using const_iterator = ValueIterator<ItemsOf<PlanValueList>>;

  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  [[gnu::always_inline]] PlanValue operator[](size_t i) const {
    const Entry& entry = values_[i];
    const DeclaredValue& declared = *declared_[entry.declared].value;
    return entry.name == kOwnName ? PlanValue(declared) : PlanValue(declared, names_[entry.name]);
  }
  const_iterator begin() const { return {{this}, 0}; }
  const_iterator end() const { return {{this}, size()}; }

  PlanValueId add(TensorType type, std::string name);
  /// Adds one that is what `like` is, with its name.
  PlanValueId add_copy(PlanValueId like);
  /// Adds one whose name has the text of `action` in front, in place of that of another action.
  PlanValueId add_copy(PlanValueId like, const schedule::Action& action);

  /// Says what a value without a name is in the source.
  void set_written(PlanValueId id, std::string text);
  /// Says that `text`, if its name begins so, is that of an action.
  void set_action_text(PlanValueId id, const std::string& text);

  /// Of the heap, without what types and names have there.
  size_t bytes() const;

 private:
  static constexpr uint32_t kOwnName = 0xffffffffU;
  struct Entry {
    uint32_t declared = 0;
    uint32_t name = kOwnName;  ///< of `names_`
  };
  struct Declared {
    Shared<DeclaredValue> value;
    uint32_t uses = 1;  ///< entries of this list
  };
  const DeclaredValue& declared(PlanValueId id) const { return *declared_[values_[id.index()].declared].value; }
  DeclaredValue& own(PlanValueId id);

  BlockList<Entry> values_;
  BlockList<NameAction> names_;  ///< equal ones in a row once
  std::vector<Declared> declared_;
};

}  // namespace isoshard
