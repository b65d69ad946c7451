#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace isoshard {

/// A value that many owners share and read; who wants to change it takes a copy of its own first (`own`).
///
/// One pointer, half of a std::shared_ptr, for what there are millions of. Copies may live on different threads.
template <class T>
class Shared {
 public:
  Shared() = default;  ///< holds nothing, which nobody may read
  explicit Shared(T value) : held_(new Held{std::move(value)}) {}
  Shared(const Shared& other) noexcept : held_(other.held_) {
    if (held_ != nullptr) held_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() {
    if (held_ != nullptr && held_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete held_;
  }

  /// Whether both share one value.
  bool is(const Shared& other) const { return held_ == other.held_; }
  bool holds() const { return held_ != nullptr; }
  const T& operator*() const { return held_->value; }
  const T* operator->() const { return &held_->value; }
  /// The value, after this owner has stopped sharing it.
  T& own() {
    if (held_->owners.load(std::memory_order_acquire) != 1) *this = Shared(held_->value);
    return held_->value;
  }

 private:
  struct Held {
    T value;
    std::atomic<uint32_t> owners{1};
  };
  Held* held_ = nullptr;
};

}  // namespace isoshard
