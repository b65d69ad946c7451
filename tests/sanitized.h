#pragma once

namespace isoshard {

/// Whether a sanitizer watches what is tested (tests/CMakeLists.txt defines ISOSHARD_SANITIZED), under which everything
/// takes ten times as long: large grids are smaller there, and the ordinary build runs them whole.
#ifdef ISOSHARD_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Why a test skips itself there: `if (kSanitized) GTEST_SKIP() << kLeftOut;`.
inline constexpr const char* kLeftOut =
    "ten seconds and more under a sanitizer, and no code that other tests do not run";

}  // namespace isoshard
