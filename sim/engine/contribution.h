#pragma once  // internal

#include <cstdint>

#include "core/plan/instruction.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// What one member brings to a meeting: its operand, or to receive a message a value without data of the type that it
/// expects.
struct Contribution {
  const InstructionWork* work = nullptr;
  InstructionId instruction;
  int64_t position = 0;
  Value operand;
};

}  // namespace isoshard::sim
