// Boxes on their way. Cost: 17 bytes for each MiB.
#include "exec/launch/parts.h"

#include <cstdint>

namespace isoshard::exec {

Outcome<> send_parts(Store& store, size_t rank, char kind, size_t box, std::span<const std::byte> bytes) {
  constexpr size_t kPart = size_t{1} << 20;
  for (size_t begin = 0; begin < bytes.size(); begin += kPart) {
    const Frame frame = FrameWriter(kind)
                            .put(static_cast<uint32_t>(box))
                            .put(static_cast<uint64_t>(begin))
                            .put_bytes(bytes.subspan(begin, std::min(kPart, bytes.size() - begin)))
                            .frame();
    if (Outcome<> sent = store.send(rank, frame); !sent) return sent;
  }
  return {};
}

bool take_part(const Frame& frame, size_t boxes, const std::function<std::span<std::byte>(size_t box)>& box_of) {
  FrameReader in(frame);
  const std::optional<uint32_t> box = in.take<uint32_t>();
  const std::optional<uint64_t> begin = in.take<uint64_t>();
  if (!begin || *box >= boxes) return false;
  const std::span<std::byte> bytes = box_of(*box);
  const std::span<const std::byte> part = in.rest();
  if (*begin > bytes.size() || part.size() > bytes.size() - *begin) return false;
  std::copy(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(*begin));
  return true;
}

}  // namespace isoshard::exec
