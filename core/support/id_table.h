#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace isoshard {

/// An item for each Id, for walks that set some of them and then forget them all, as over one rank group after another.
///
/// An array, where a hash map would have a node for each; `clear` takes no time: items count only with the number of
/// the walk that has set them. Space: ids up to the largest that was set.
template <class Id, class T>
class IdTable {
 public:
  /// Items that nobody has set are as `unset`.
  explicit IdTable(T unset = T()) : unset_(std::move(unset)) {}

  void clear() { ++walk_; }
  /// The item of `id`, to be set.
  T& operator[](Id id) {
    if (id.index() >= items_.size()) items_.resize(id.index() + 1);
    Item& item = items_[id.index()];
    if (item.walk != walk_) item = Item{walk_, unset_};
    return item.value;
  }
  const T& at(Id id) const {
    return id.index() < items_.size() && items_[id.index()].walk == walk_ ? items_[id.index()].value : unset_;
  }

 private:
  struct Item {
    uint32_t walk = 0;
    T value{};
  };
  std::vector<Item> items_;
  T unset_;
  uint32_t walk_ = 1;
};

}  // namespace isoshard
