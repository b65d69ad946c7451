#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace isoshard::sim {

/// What is known of the order of elements made by exponentials: those of exp(x) are in that of x, also when all are
/// divided by one positive number, as in a softmax. Elements are known by their residues. Thread-safe.
class SoftOrder {
 public:
  using Element = std::vector<uint64_t>;
  /// Beyond so many, nothing is known of further ones.
  static constexpr size_t kMostElements = size_t{1} << 18;

  void exponential(const Element& result, const std::vector<std::byte>& argument);
  void sum(const Element& result, const std::vector<Element>& terms);
  void quotient(const Element& result, const Element& x, const Element& y);

  /// Arguments of exponentials in the order of the elements of a row; nothing where it has others.
  std::optional<std::vector<std::vector<std::byte>>> arguments(const std::vector<Element>& row) const;

 private:
  struct Image {
    std::vector<std::byte> argument;
    Element divisor;  ///< empty: none
  };

  mutable std::mutex mutex_;
  std::map<Element, Image> images_;
  std::set<Element> positive_;
};

}  // namespace isoshard::sim
