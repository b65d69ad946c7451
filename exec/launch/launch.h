#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "exec/store/store_address.h"

namespace isoshard::exec {

/// How this process was started: as one rank of several, by a launcher.
struct Launch {
  std::string launcher;  ///< `torchrun`
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t local_rank = 0;  ///< among those of this machine
  StoreAddress store{};    ///< where the ranks meet
  std::string token{};     ///< which they have in common, and those of other jobs do not
};

/// The value of an environment variable, or null.
using Variables = std::function<const char*(const std::string& name)>;

}  // namespace isoshard::exec
