#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace isoshard::exec {

/// What one rank sends to another through a store: a kind and bytes, whose meaning depends on the kind.
struct Frame {
  char kind = 0;
  std::vector<std::byte> body{};
};

/// The most bytes of a frame's body: of one from somebody who has not shown the token, and of any other.
inline constexpr size_t kMostOfStranger = 1024;
inline constexpr size_t kMostOfFrame = (size_t{1} << 20) + 64;

/// The bytes of a frame before its body: the length of that, the first byte the least, and the kind.
inline constexpr size_t kFrameHeader = 5;
void append_wire(const Frame& frame, std::vector<std::byte>& wire);
/// The length of the body of a frame that begins with these bytes.
size_t body_length(std::span<const std::byte> header);

/// A body while it is written.
class FrameWriter {
 public:
  explicit FrameWriter(char kind) : frame_{kind, {}} {}
  template <class T>
  FrameWriter& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  FrameWriter& put_bytes(std::span<const std::byte> bytes);
  /// A text with its length.
  FrameWriter& put_text(std::string_view text) {
    return put(static_cast<uint32_t>(text.size())).put_bytes(std::as_bytes(std::span(text)));
  }
  const Frame& frame() const { return frame_; }

 private:
  Frame frame_;
};

/// A body while it is read, in the order in which it was written; what is not there is nothing.
class FrameReader {
 public:
  explicit FrameReader(const Frame& frame) : left_(frame.body) {}
  template <class T>
  std::optional<T> take() {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::optional<std::span<const std::byte>> bytes = take_bytes(sizeof(T));
    if (!bytes) return std::nullopt;
    T value;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }
  std::optional<std::span<const std::byte>> take_bytes(size_t count) {
    if (count > left_.size()) return std::nullopt;
    const std::span<const std::byte> taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  std::optional<std::string> take_text() {
    const std::optional<uint32_t> length = take<uint32_t>();
    const auto bytes = length ? take_bytes(*length) : std::nullopt;
    if (!bytes) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
};

}  // namespace isoshard::exec
