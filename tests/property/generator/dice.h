#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace isoshard::testing {

/// Random choices that are the same on every machine (the distributions of the standard library are not).
class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  /// An integer of [low, high].
  int64_t in(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  size_t below(size_t count) { return static_cast<size_t>(in(0, static_cast<int64_t>(count) - 1)); }
  bool chance(int percent) { return in(1, 100) <= percent; }
  /// Bell-shaped with mean 0 and variance 1.
  double bell() {
    double sum = -2;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(in(1, (int64_t{1} << 53) - 1)) * 0x1p-53;
    return 1.7320508075688772 * sum;
  }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }
  /// A non-empty part of `items`, in random order.
  template <class T>
  std::vector<T> some(std::vector<T> items) {
    shuffle(items);
    items.resize(1 + below(items.size()));
    return items;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace isoshard::testing
