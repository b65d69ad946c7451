// The part of a pair that some outputs need. Plans are cut to the cones of these outputs; with several steps also
// updates of globals that the cones read are kept, again and again until none is new, since they decide what the next
// step sees. Outputs and globals are matched again afterwards. Fewer outputs mean lower degrees, so smaller error
// bounds, and cheaper runs. Cost: a few times the size of both plans.
#include "verify/compare/restrict_outputs.h"

#include <algorithm>

#include "core/plan/passes/keep_outputs.h"

namespace isoshard::verify {
namespace {

bool loads(const Plan& plan, GlobalId global) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(), [&](const Instruction& i) {
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
    return load != nullptr && load->global == global;
  });
}

std::vector<bool> of_reference(const Pair& pair, const std::vector<bool>& kept) {
  std::vector<bool> result(pair.reference.plan.outputs.size(), false);
  for (size_t o = 0; o < kept.size(); ++o) {
    if (kept[o]) result[pair.reference_output[o]] = true;
  }
  return result;
}

void restrict_globals(const Pair& whole, Pair& part) {
  part.used.assign(whole.used.size(), false);
  for (size_t g = 0; g < part.used.size(); ++g) {
    part.used[g] = loads(part.sharded.plan, GlobalId(g)) || loads(part.reference.plan, GlobalId(g));
  }
  part.maps.clear();
  for (const MappedGlobal& map : whole.maps) {
    if (part.used[map.global.index()]) part.maps.push_back(map);
  }
  for (size_t g = 0; g < part.used.size(); ++g) {
    const auto reads = [&](const MappedGlobal& map) { return loads(map.read, GlobalId(g)); };
    part.used[g] = part.used[g] || std::any_of(part.maps.begin(), part.maps.end(), reads);
  }
}

/// The updates that are read by what computes the outputs in `kept`; true when there are any that were not in it.
bool keep_updates(const Pair& part, const Pair& whole, std::vector<bool>& kept) {
  bool grown = false;
  for (size_t o = 0; o < kept.size(); ++o) {
    const GlobalId sharded = whole.sharded.plan.outputs[o].updates;
    const GlobalId reference = whole.reference.plan.outputs[whole.reference_output[o]].updates;
    if (kept[o] || !sharded.valid()) continue;
    if (!loads(part.sharded.plan, sharded) && !loads(part.reference.plan, reference)) continue;
    kept[o] = grown = true;
  }
  return grown;
}

}  // namespace

AskedOutputs all_outputs(const Pair& pair) {
  AskedOutputs all;
  all.wanted.assign(pair.sharded.plan.outputs.size(), true);
  for (size_t o = 0; o < all.wanted.size(); ++o) all.outputs.push_back(o);
  return all;
}

Restricted restrict_to(const Pair& pair, const std::vector<bool>& wanted) {
  Restricted result{{}, pair};
  std::vector<bool> kept = wanted;
  do {
    result.pair.sharded.plan = keep_outputs(pair.sharded.plan, kept);
    result.pair.reference.plan = keep_outputs(pair.reference.plan, of_reference(pair, kept));
  } while (pair.steps > 1 && keep_updates(result.pair, pair, kept));
  result.pair.reference_output.clear();
  const std::vector<bool> in_reference = of_reference(pair, kept);
  for (size_t o = 0; o < kept.size(); ++o) {
    if (!kept[o]) continue;
    result.outputs.push_back(o);
    result.wanted.push_back(wanted[o]);
    const auto end = in_reference.begin() + static_cast<std::ptrdiff_t>(pair.reference_output[o]);
    result.pair.reference_output.push_back(static_cast<size_t>(std::count(in_reference.begin(), end, true)));
  }
  restrict_globals(pair, result.pair);
  return result;
}

}  // namespace isoshard::verify
