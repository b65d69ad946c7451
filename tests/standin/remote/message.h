#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace standin {

/// A message while it is written.
class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* data, size_t bytes);
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// A message while it is read, in the order in which it was written.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> message) : left_(message) {}
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(static_cast<void*>(&value), take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take_bytes(size_t bytes) {
    const std::span<const std::byte> taken = left_.first(bytes);
    left_ = left_.subspan(bytes);
    return taken;
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace standin
