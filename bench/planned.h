#pragma once

#include <vector>

#include "catalogue/catalogue.h"
#include "core/plan/plan.h"
#include "sim/value/value.h"

namespace isoshard::bench {

/// A Plan with the globals it reads, ready to run in f32.
struct Planned {
  Plan plan;
  std::vector<sim::Value> globals;
};

/// f32 globals of `plan` filled with small numbers, none of them special.
std::vector<sim::Value> small_numbers(const Plan& plan);

/// The module of a catalogue model that is known to exist.
Module model(const ModelRequest& request);

enum class Side { sharded, reference };

/// One side of the model's check.
Planned planned_model(const ModelRequest& request, Side side = Side::sharded);

}  // namespace isoshard::bench
