// Arrays of the outside world: dtype, shape and bytes in row-major order. The bytes are shared and never changed after
// they were made, so that copies cost nothing. They are aligned to 64, for vector loads: a block of malloc with room to
// shift is faster than aligned new; under AddressSanitizer blocks end with their last byte, so that it sees an access
// behind it.
#include "core/value/tensor.h"

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "core/support/check.h"
#include "core/value/kept_blocks.h"

namespace isoshard {

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const int64_t size : shape) {
    if (!text.empty()) text += ',';
    text += std::to_string(size);
  }
  return text;
}

std::string to_string(DType dtype, const Shape& shape) {
  return std::string(name(dtype)) + "[" + to_string(shape) + "]";
}

#if defined(__SANITIZE_ADDRESS__)
#define ISOSHARD_EXACT_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ISOSHARD_EXACT_BLOCKS 1
#endif
#endif

#ifdef ISOSHARD_EXACT_BLOCKS
// AddressSanitizer sees an access behind the last byte only where the block ends with it.
std::shared_ptr<std::byte> allocate_aligned(size_t count) {
  constexpr std::align_val_t kAlignment{64};
  auto* data = static_cast<std::byte*>(::operator new(count == 0 ? 1 : count, kAlignment));
  return {data, [](std::byte* p) { ::operator delete(p, kAlignment); }};
}
#else
namespace {

struct alignas(64) SmallArray {
  std::byte bytes[64];
};

}  // namespace

// Blocks of malloc are aligned to 16, and faster to get and to give back than those of aligned new. Numbers and other
// small arrays come and go by the million in a run: they have blocks that each thread keeps.
std::shared_ptr<std::byte> allocate_aligned(size_t count) {
  constexpr size_t kAlignment = 64;
  if (count <= sizeof(SmallArray)) {
    std::shared_ptr<SmallArray> owner = std::allocate_shared_for_overwrite<SmallArray>(KeptBlocks<SmallArray>());
    std::byte* const data = owner->bytes;
    return {std::move(owner), data};
  }
  auto owner = std::make_shared_for_overwrite<std::byte[]>(count + kAlignment - 1);
  const auto address = reinterpret_cast<uintptr_t>(owner.get());
  std::byte* const data = owner.get() + (kAlignment - address % kAlignment) % kAlignment;
  return {std::move(owner), data};
}
#endif

Tensor Tensor::from_bytes(DType dtype, Shape shape, std::span<const std::byte> bytes) {
  Tensor result;
  result.dtype_ = dtype;
  result.size_ = element_count(shape);
  result.shape_ = std::move(shape);
  ISOSHARD_CHECK(bytes.size() == static_cast<size_t>(result.size_) * info(dtype).bytes, "tensor byte count");
  std::shared_ptr<std::byte> data = allocate_aligned(bytes.size());
  if (!bytes.empty()) std::memcpy(data.get(), bytes.data(), bytes.size());
  result.data_ = std::move(data);
  return result;
}

}  // namespace isoshard
