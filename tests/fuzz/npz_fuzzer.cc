#include <span>

#include "core/support/check.h"
#include "core/support/result.h"
#include "core/value/npz.h"
#include "tests/fuzz/target.h"

/// Any bytes as an `.npz` archive: an error, or arrays whose storage is as large as their shape says.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isoshard;
  NpzLimits limits;
  limits.max_bytes = uint64_t{64} << 20;
  const auto arrays = parse_npz(std::as_bytes(std::span(data, size)), "fuzz.npz", limits);
  if (!arrays) {
    ISOSHARD_CHECK(!arrays.error().message.empty() && !arrays.error().rule.empty(), "an error says what is wrong");
    return 0;
  }
  for (const NamedTensor& array : *arrays) {
    const auto bytes = static_cast<size_t>(array.tensor.size()) * info(array.tensor.dtype()).bytes;
    ISOSHARD_CHECK(array.tensor.bytes().size() == bytes, "a tensor holds its elements");
  }
  return 0;
}
