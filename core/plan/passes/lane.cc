#include "core/plan/passes/lane.h"

namespace isoshard {

Lane lane_of(const CollectivePermute& op, int64_t size) {
  if (!op.shift) return Lane::pairs;
  const int64_t shift = (*op.shift % size + size) % size;
  return 2 * shift <= size ? Lane::forward : Lane::backward;
}

std::string queue_name(const Mesh& mesh, const Group& group, Lane lane) {
  const std::string axes = mesh.to_string(group);
  if (lane == Lane::collective) return "comm " + axes;
  return "send " + axes + (lane == Lane::forward ? " +" : lane == Lane::backward ? " -" : " pairs");
}

}  // namespace isoshard
