#pragma once

namespace isoshard {

/// Reports a broken internal invariant on stderr and aborts: it is a bug of isoshard, never of the user's program.
[[noreturn]] void internal_error(const char* condition, const char* message, const char* file, int line);

}  // namespace isoshard

/// Aborts with "please report" when `condition` does not hold. User errors are Diagnostics instead.
#define ISOSHARD_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : ::isoshard::internal_error(#condition, message, __FILE__, __LINE__))
