#include "core/plan/passes/lane.h"

#include <utility>
#include <vector>

namespace isoshard {

Lane lane_of(const CollectivePermute& op, int64_t size) {
  if (!op.shift) return Lane::pairs;
  const int64_t shift = (*op.shift % size + size) % size;
  return 2 * shift <= size ? Lane::forward : Lane::backward;
}

Expr peer_of(const CollectivePermute& op, const Group& group, const Mesh& mesh, bool sends) {
  const int64_t size = mesh.size(group);
  const Expr index = Expr::index_in(group, mesh);
  if (op.shift) return *op.shift % size == 0 ? index : mod(index + (sends ? *op.shift : -*op.shift) % size, size);
  std::vector<int64_t> table(static_cast<size_t>(size), -1);
  for (const auto& [from, to] : op.pairs) table[static_cast<size_t>(sends ? from : to)] = sends ? to : from;
  return Expr::lookup(index, std::move(table));
}

std::string queue_name(const Mesh& mesh, const Group& group, Lane lane) {
  const std::string axes = mesh.to_string(group);
  if (lane == Lane::collective) return "comm " + axes;
  return "send " + axes + (lane == Lane::forward ? " +" : lane == Lane::backward ? " -" : " pairs");
}

}  // namespace isoshard
