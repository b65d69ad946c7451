#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace isoshard::sim {

/// Which sets of elements the maxima of a ring were made from. Thread-safe.
///
/// An element is known by its residues; two elements with the same ones are one.
class SetTable {
 public:
  using Element = std::array<uint32_t, 8>;
  using Set = std::shared_ptr<const std::vector<Element>>;  ///< sorted, without repetition

  /// The set whose maximum `x` was said to be, otherwise {x}.
  Set of(const Element& x) const;
  /// Says that `x` is the maximum of `set`; false when there is no room for it.
  bool remember(const Element& x, const Set& set) const;
  static Set unite(const Set& a, const Set& b);

 private:
  struct Hash {
    size_t operator()(const Element& x) const;
  };
  static constexpr size_t kMostElements = size_t{1} << 23;  ///< of all sets together, 256 MB

  mutable std::mutex mutex_;
  mutable std::unordered_map<Element, Set, Hash> sets_;
  mutable size_t elements_ = 0;
};

}  // namespace isoshard::sim
