#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace isoshard {

/// A list that may grow to millions of large things, in blocks: it grows without moving what it has, and never takes
/// twice the memory for a moment. (BlockList is one of trivial things; a std::deque has blocks of 512 bytes.)
template <class T>
class LongList {
 public:
  size_t size() const { return size_; }
  T& operator[](size_t i) { return blocks_[i / kEach][i % kEach]; }
  const T& operator[](size_t i) const { return blocks_[i / kEach][i % kEach]; }
  T& back() { return blocks_.back().back(); }

  void push_back(T item) {
    if (size_ % kEach == 0) {
      blocks_.emplace_back();
      if (size_ != 0) blocks_.back().reserve(kEach);  // the first block of a short list is as long as it needs to be
    }
    blocks_.back().push_back(std::move(item));
    ++size_;
  }
  /// Drops all but the first `size`, of which there are at least so many.
  void shorten(size_t size) {
    blocks_.resize((size + kEach - 1) / kEach);
    for (; size % kEach != 0 && blocks_.back().size() > size % kEach; blocks_.back().pop_back()) {
    }
    size_ = size;
  }

 private:
  static constexpr size_t kEach = 64;

  std::vector<std::vector<T>> blocks_;  ///< all but the last full
  size_t size_ = 0;
};

}  // namespace isoshard
