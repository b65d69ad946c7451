#pragma once

namespace isoshard {

/// Whether a sanitizer watches what is tested (tests/CMakeLists.txt defines ISOSHARD_SANITIZED), under which everything
/// takes ten times as long: large grids are smaller there, and the ordinary build runs them whole.
#ifdef ISOSHARD_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace isoshard
