#pragma once  // internal

#include <cstdint>

#include "core/plan/instruction.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// What one member brings: its operand and, for permutes, the members it sends to and receives from (-1: nobody).
struct Contribution {
  const Instruction* instruction = nullptr;
  int64_t position = 0;
  int64_t target = -1;
  int64_t source = -1;
  Value operand;
};

}  // namespace isoshard::sim
