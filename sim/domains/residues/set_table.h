#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace isoshard::sim {

/// Which sets of elements the maxima of a ring were made from. Thread-safe.
///
/// Two elements that compare equal are one. `Hash` is one of Element; equal elements have equal hashes.
template <class Element, class Hash>
class SetTable {
 public:
  using Set = std::shared_ptr<const std::vector<Element>>;  ///< sorted, without repetition

  /// The set whose maximum `x` was said to be, otherwise {x}.
  Set of(const Element& x) const {
    const std::lock_guard lock(mutex_);
    const auto found = sets_.find(x);
    return found != sets_.end() ? found->second : std::make_shared<const std::vector<Element>>(1, x);
  }
  /// Says that `x` is the maximum of `set`; false when there is no room for it.
  bool remember(const Element& x, const Set& set) const {
    const std::lock_guard lock(mutex_);
    if (elements_ + set->size() > kMostBytes / sizeof(Element)) return false;
    if (sets_.emplace(x, set).second) elements_ += set->size();
    return true;
  }
  static Set unite(const Set& a, const Set& b) {
    std::vector<Element> both;
    both.reserve(a->size() + b->size());
    std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(both));
    return std::make_shared<const std::vector<Element>>(std::move(both));
  }

 private:
  static constexpr size_t kMostBytes = size_t{1} << 28;  ///< of all sets together

  mutable std::mutex mutex_;
  mutable std::unordered_map<Element, Set, Hash> sets_;
  mutable size_t elements_ = 0;
};

}  // namespace isoshard::sim
