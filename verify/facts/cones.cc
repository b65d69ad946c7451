// What outputs depend on. Over several steps an output depends on the updates of the globals that it reads: each round
// adds those that the cone reads and walks the plan once for all of them, so that a training step with 60 updates takes
// three walks, not 60.
#include "verify/facts/cones.h"

#include <algorithm>

#include "core/plan/cone.h"

namespace isoshard::verify {
namespace {

std::vector<bool> only(const Plan& plan, uint32_t output) {
  std::vector<bool> wanted(plan.outputs.size(), false);
  wanted[output] = true;
  return wanted;
}

std::vector<bool> cone_in_one_step(const Plan& plan, const std::vector<bool>& wanted) {
  std::vector<bool> stores(plan.instructions.size(), false);
  for (size_t i = 0; i < stores.size(); ++i) {
    const StoreBlock* store = std::get_if<StoreBlock>(&plan.instructions[i].data());
    stores[i] = store != nullptr && wanted[store->output];
  }
  return isoshard::cone_of(plan, stores).instructions;
}

/// Adds the updates of what `cone` reads; false when all of them were there.
bool want_updates(const Plan& plan, const std::vector<bool>& cone, std::vector<bool>& wanted) {
  std::vector<bool> read;  // per global
  for (size_t i = 0; i < cone.size(); ++i) {
    const LoadBlock* load = std::get_if<LoadBlock>(&plan.instructions[i].data());
    if (!cone[i] || load == nullptr) continue;
    if (read.size() <= load->global.index()) read.resize(load->global.index() + 1, false);
    read[load->global.index()] = true;
  }
  bool any_new = false;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const GlobalId updated = plan.outputs[o].updates;
    if (wanted[o] || !updated.valid() || updated.index() >= read.size() || !read[updated.index()]) continue;
    wanted[o] = any_new = true;
  }
  return any_new;
}

}  // namespace

std::vector<bool> cone_of(const Plan& plan, uint32_t output) { return cone_in_one_step(plan, only(plan, output)); }

std::vector<bool> cone_over_steps(const Plan& plan, std::vector<bool> wanted, int64_t steps) {
  std::vector<bool> cone = cone_in_one_step(plan, wanted);
  while (steps > 1 && want_updates(plan, cone, wanted)) cone = cone_in_one_step(plan, wanted);
  return cone;
}

std::vector<bool> cone_over_steps(const Plan& plan, uint32_t output, int64_t steps) {
  return cone_over_steps(plan, only(plan, output), steps);
}

}  // namespace isoshard::verify
