#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

namespace isoshard {

/// A list of small trivial things, mostly a few, in 16 bytes: up to 12 bytes of them in place, more in memory of its
/// own.
///
/// It has the interface of std::vector as far as lists of operands need it. (boost::container::small_vector and
/// absl::InlinedVector take 24 bytes and more; there are millions of lifetimes of values.)
template <class T>
class ShortList {
  static constexpr size_t kPlace = 12;
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 4 && sizeof(T) <= kPlace);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  ShortList() = default;
  ShortList(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  ShortList(const std::vector<T>& items) { append(items.data(), items.data() + items.size()); }
  ShortList(const ShortList& other) { append(other.begin(), other.end()); }
  ShortList(ShortList&& other) noexcept { take(other); }
  ShortList& operator=(ShortList other) noexcept {
    release();
    take(other);
    return *this;
  }
  ~ShortList() { release(); }
  explicit operator std::vector<T>() const { return {begin(), end()}; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return is_far_ != 0 ? far().items : reinterpret_cast<T*>(place_); }
  T* end() { return begin() + size_; }
  const T* begin() const { return const_cast<ShortList*>(this)->begin(); }
  const T* end() const { return begin() + size_; }
  T& operator[](size_t i) { return begin()[i]; }
  const T& operator[](size_t i) const { return begin()[i]; }
  T& front() { return *begin(); }
  const T& front() const { return *begin(); }
  T& back() { return begin()[size_ - 1]; }
  const T& back() const { return begin()[size_ - 1]; }

  void push_back(T item) { append(&item, &item + 1); }
  void append(const T* first, const T* last) {
    const auto more = static_cast<size_t>(last - first);
    reserve(size_ + more);
    std::copy(first, last, end());
    size_ = static_cast<uint32_t>(size_ + more) & kMost;
  }
  void pop_back() { size_ = (size_ - 1) & kMost; }
  void clear() { size_ = 0; }
  /// Removes [first, last), iterators of this list.
  void erase(const T* first, const T* last) {
    T* const to = begin() + (first - begin());
    std::copy(last, static_cast<const T*>(end()), to);
    size_ = static_cast<uint32_t>(size_ - (last - first)) & kMost;
  }

  friend bool operator==(const ShortList& a, const ShortList& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr uint32_t kMost = 0x7fffffffU;
  struct Far {
    T* items;
    uint32_t capacity;
  };
  // The pointer is copied in and out, so that a list needs no more than the alignment of a number.
  Far far() const {
    Far result;
    std::memcpy(&result.items, place_, sizeof(T*));
    std::memcpy(&result.capacity, place_ + sizeof(T*), sizeof(uint32_t));
    return result;
  }
  void set_far(const Far& far) {
    std::memcpy(place_, &far.items, sizeof(T*));
    std::memcpy(place_ + sizeof(T*), &far.capacity, sizeof(uint32_t));
    is_far_ = 1;
  }

  void reserve(size_t size) {
    const size_t capacity = is_far_ != 0 ? far().capacity : kPlace / sizeof(T);
    if (size <= capacity) return;
    const size_t larger = std::max(size, 2 * capacity);
    T* const items = std::allocator<T>().allocate(larger);
    std::copy(begin(), end(), items);
    const uint32_t kept = size_;
    release();
    set_far({items, static_cast<uint32_t>(larger)});
    size_ = kept & kMost;
  }
  void release() {
    if (is_far_ != 0) std::allocator<T>().deallocate(far().items, far().capacity);
    is_far_ = 0;
    size_ = 0;
  }
  /// From one that is given up; this one holds nothing.
  void take(ShortList& other) {
    size_ = other.size_;
    is_far_ = other.is_far_;
    std::memcpy(place_, other.place_, kPlace);
    other.size_ = 0;
    other.is_far_ = 0;
  }

  uint32_t size_ : 31 = 0;
  uint32_t is_far_ : 1 = 0;
  alignas(4) std::byte place_[kPlace]{};
};

}  // namespace isoshard
