#pragma once

#include <cstdint>
#include <cstdlib>

namespace isoshard::testing {

/// Whether tests have the time of a night: `./dev test --nightly`.
inline bool is_nightly() {
  const char* nightly = std::getenv("ISOSHARD_NIGHTLY");
  return nightly != nullptr && *nightly != '\0';
}

/// How many random cases a test tries: `here`, or 10,000 in a night.
inline uint64_t cases(uint64_t here) { return is_nightly() ? 10000 : here; }

}  // namespace isoshard::testing
