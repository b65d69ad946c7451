// What a domain of floats makes of its own functions where it has no better way. A number of 64 bits without a sign is
// twice its half and its last bit; sums of such are exact in rings, and a domain that rounds says itself how it rounds.
// Cost: two additions per element.
#include "sim/domains/domain.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace isoshard::sim {

void Domain::from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const {
  const auto half_of = [](uint64_t number) { return static_cast<int64_t>(number / 2); };
  const auto last_bit = [](uint64_t number) { return static_cast<int64_t>(number % 2); };
  std::vector<int64_t> parts(static_cast<size_t>(n));
  std::transform(x, x + n, parts.begin(), half_of);
  from_integers(dtype, n, parts.data(), out);
  binary(BinaryOp::add, dtype, n, out, out, out);
  std::transform(x, x + n, parts.begin(), last_bit);
  const Storage floats = storage(dtype);
  std::vector<std::byte> rest(floats.element_bytes * floats.planes * static_cast<size_t>(n));
  from_integers(dtype, n, parts.data(), rest.data());
  binary(BinaryOp::add, dtype, n, out, rest.data(), out);
}

void Domain::add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const {
  const Storage floats = storage(dtype);
  const size_t bytes = floats.element_bytes * floats.planes * static_cast<size_t>(n);
  if (terms[0] != out && bytes != 0) std::memcpy(out, terms[0], bytes);
  for (const std::byte* term : terms.subspan(1)) accumulate(dtype, n, out, term);
}

}  // namespace isoshard::sim
