#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace isoshard {

/// A list of millions of small trivial things in blocks of memory: it grows without a copy of what it has, so that it
/// takes no more memory for a moment than it keeps, and nothing in it ever moves.
template <class T>
class BlockList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static constexpr size_t kEach = 4096 / sizeof(T);  ///< items of a block
  static_assert((kEach & (kEach - 1)) == 0, "a division by it is a shift");

  BlockList() = default;
  BlockList(const BlockList& other) : size_(other.size_) {
    const size_t used = (size_ + kEach - 1) / kEach;
    if (used > 0) add_blocks(used);
    for (size_t b = 0; b < used; ++b) std::copy_n(other.blocks_[b], kEach, blocks_[b]);
  }
  BlockList(BlockList&& other) noexcept
      : memory_(std::move(other.memory_)), blocks_(std::move(other.blocks_)), size_(other.size_) {
    other.clear();
  }
  BlockList& operator=(BlockList other) noexcept {
    memory_.swap(other.memory_);
    blocks_.swap(other.blocks_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~BlockList() = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return blocks_[i / kEach][i % kEach]; }
  const T& operator[](size_t i) const { return blocks_[i / kEach][i % kEach]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(const T& item) {
    const size_t at = extend(1);
    (*this)[at] = item;
  }
  /// Appends `count` items that lie side by side, at most kEach, each as T() is: where they begin. What is left of a
  /// block that is too short for them is lost.
  size_t extend(size_t count) {
    if (size_ % kEach + count > kEach) size_ = (size_ / kEach + 1) * kEach;
    if (size_ == blocks_.size() * kEach) add_blocks(std::clamp<size_t>(blocks_.size(), 1, kMostAtOnce));
    const size_t first = size_;
    size_ += count;
    return first;
  }
  void clear() {
    memory_.clear();
    blocks_.clear();
    size_ = 0;
  }
  /// Of the heap.
  size_t bytes() const {
    return blocks_.size() * sizeof(T) * kEach + (blocks_.capacity() + memory_.capacity()) * sizeof(T*);
  }

 private:
  static constexpr size_t kMostAtOnce = 16;  ///< blocks: a heap is slow with millions of small pieces

  void add_blocks(size_t count) {
    memory_.push_back(std::make_unique<T[]>(count * kEach));
    for (size_t b = 0; b < count; ++b) blocks_.push_back(memory_.back().get() + b * kEach);
  }

  std::vector<std::unique_ptr<T[]>> memory_;  ///< some blocks each
  std::vector<T*> blocks_;
  size_t size_ = 0;
};

}  // namespace isoshard
