#pragma once

#include <cstdint>
#include <cstdlib>

namespace isoshard::testing {

/// How many random cases a test tries: `here`, or 10,000 with ISOSHARD_NIGHTLY (`./dev test --nightly`).
inline uint64_t cases(uint64_t here) {
  const char* nightly = std::getenv("ISOSHARD_NIGHTLY");
  return nightly != nullptr && *nightly != '\0' ? 10000 : here;
}

}  // namespace isoshard::testing
