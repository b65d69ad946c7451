#include "exec/store/frame.h"

namespace isoshard::exec {

namespace {

void append_bytes(std::span<const std::byte> from, std::vector<std::byte>& to) {
  if (from.empty()) return;
  const size_t end = to.size();
  to.resize(end + from.size());
  std::memcpy(to.data() + end, from.data(), from.size());
}

}  // namespace

FrameWriter& FrameWriter::put_bytes(std::span<const std::byte> bytes) {
  append_bytes(bytes, frame_.body);
  return *this;
}

void append_wire(const Frame& frame, std::vector<std::byte>& wire) {
  const auto length = static_cast<uint32_t>(frame.body.size());
  for (size_t i = 0; i < 4; ++i) wire.push_back(static_cast<std::byte>(length >> (8 * i)));
  wire.push_back(static_cast<std::byte>(frame.kind));
  append_bytes(frame.body, wire);
}

size_t body_length(std::span<const std::byte> header) {
  uint32_t length = 0;
  for (size_t i = 4; i-- > 0;) length = length << 8 | static_cast<uint32_t>(header[i]);
  return length;
}

}  // namespace isoshard::exec
