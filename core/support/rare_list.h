#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace isoshard {

/// A std::vector that is empty almost always, in one pointer: what each of millions of ops has and few of them need.
///
/// It reads as a const std::vector, and has what is used to fill one.
template <class T>
class RareList {
 public:
  using value_type = T;

  RareList() = default;
  RareList(std::initializer_list<T> items) : RareList(std::vector<T>(items)) {}
  RareList(std::vector<T> items) : held_(items.empty() ? nullptr : std::make_unique<Vector>(std::move(items))) {}
  RareList(const RareList& other) : RareList(other.all()) {}
  RareList(RareList&& other) noexcept : held_(std::move(other.held_)) {}
  RareList& operator=(RareList other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~RareList() = default;

  const std::vector<T>& all() const {
    static const std::vector<T> none;
    return held_ != nullptr ? *held_ : none;
  }
  /// The same to be changed.
  std::vector<T>& own() {
    if (held_ == nullptr) held_ = std::make_unique<Vector>();
    return *held_;
  }
  operator const std::vector<T>&() const { return all(); }

  size_t size() const { return held_ != nullptr ? held_->size() : 0; }
  bool empty() const { return size() == 0; }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  auto begin() { return own().begin(); }
  auto end() { return own().end(); }
  const T& operator[](size_t i) const { return (*held_)[i]; }
  T& operator[](size_t i) { return (*held_)[i]; }
  const T& at(size_t i) const { return all().at(i); }
  const T& front() const { return held_->front(); }
  const T& back() const { return held_->back(); }
  T& back() { return held_->back(); }
  void push_back(T item) { own().push_back(std::move(item)); }

  bool operator==(const RareList& other) const { return all() == other.all(); }

 private:
  using Vector = std::vector<T>;

  std::unique_ptr<Vector> held_;
};

}  // namespace isoshard
