#pragma once

#include <cstdint>

namespace isoshard::sim {

/// Names of functions in conditions; those of one kind follow each other.
enum ConditionFunction : uint32_t {
  kUnary = 0,
  kBinary = 64,
  kExtreme = 128,
  kCompare = 160,
  kSign = 192,
  kInteger = 224,
  kLargest,
  kSelect,
  kBoth,
  kLogic,
  kIsFinite,
  kZeroSign
};

template <class Op>
uint32_t named(ConditionFunction kind, Op op) {
  return static_cast<uint32_t>(kind) + static_cast<uint32_t>(op);
}

}  // namespace isoshard::sim
