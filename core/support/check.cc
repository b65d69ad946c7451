#include "core/support/check.h"

#include <string>

namespace isoshard {

void internal_error(const char* condition, const char* message, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + message + " (" + condition + ")");
}

}  // namespace isoshard
