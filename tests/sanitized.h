#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ISOSHARD_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ISOSHARD_SANITIZED true
#endif
#endif
#ifndef ISOSHARD_SANITIZED
#define ISOSHARD_SANITIZED false
#endif

namespace isoshard {

/// Whether the tests are built with a sanitizer, under which everything takes ten times as long: large grids are
/// smaller there, and the ordinary build runs them whole.
inline constexpr bool kSanitized = ISOSHARD_SANITIZED;

}  // namespace isoshard
