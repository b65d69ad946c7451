#pragma once

#include <memory>
#include <utility>

namespace isoshard::text {

/// A T that most nodes of the syntax tree do without, in one pointer: like a std::optional, but small, and what is not
/// there reads as T().
template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : held_(other.held_ != nullptr ? std::make_unique<T>(*other.held_) : nullptr) {}
  Boxed(Boxed&& other) noexcept : held_(std::move(other.held_)) {}
  Boxed& operator=(Boxed other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Boxed() = default;

  explicit operator bool() const { return held_ != nullptr; }
  const T& operator*() const {
    static const T none{};
    return held_ != nullptr ? *held_ : none;
  }
  const T* operator->() const { return &**this; }
  /// The T to be written, made where there is none.
  T& own() {
    if (held_ == nullptr) held_ = std::make_unique<T>();
    return *held_;
  }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace isoshard::text
