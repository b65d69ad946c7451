#pragma once

#include <cstdint>
#include <vector>

#include "sim/value/value.h"

namespace isoshard::sim {

/// One block of an output as one device stored it.
struct StoredBlock {
  int64_t position = 0;
  std::vector<int64_t> begin;  ///< the place of its first element in the output, per dimension of the output
  Value value;                 ///< of the output's rank, without padding; empty where the block is padding only
};

}  // namespace isoshard::sim
