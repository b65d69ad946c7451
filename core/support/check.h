#pragma once

#include <stdexcept>

namespace isoshard {

/// A broken internal invariant: a bug of isoshard, never of the user's program, of which it says nothing. Whoever runs
/// something for a user catches it and asks for a report; what was being computed is lost, everything else stays whole.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws an InternalError that names the place and the condition.
[[noreturn]] void internal_error(const char* condition, const char* message, const char* file, int line);

}  // namespace isoshard

/// Throws an InternalError when `condition` does not hold. User errors are Diagnostics instead.
#define ISOSHARD_CHECK(condition, message) \
  ((condition) ? static_cast<void>(0) : ::isoshard::internal_error(#condition, message, __FILE__, __LINE__))
