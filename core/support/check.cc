#include "core/support/check.h"

#include <cstdio>
#include <cstdlib>

namespace isoshard {

void internal_error(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: %s (%s)\nThis is a bug of isoshard: please report it with the input.\n",
               file, line, message, condition);
  std::abort();
}

}  // namespace isoshard
