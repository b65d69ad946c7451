#pragma once  // internal

#include <vector>

#include "sim/lockstep/partition.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// What all devices hold of one value of a Plan: devices of a class hold the same one.
struct Row {
  const Partition* classes = nullptr;  ///< null: not there
  std::vector<Value> values;           ///< by class

  const Value& at(size_t device) const { return values[classes->class_of[device]]; }
};

}  // namespace isoshard::sim
