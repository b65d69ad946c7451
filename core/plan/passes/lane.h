#pragma once  // internal

#include <cstdint>
#include <string>

#include "core/ir/ops/collective_permute.h"
#include "core/ir/types/expr.h"
#include "core/ir/types/mesh.h"

namespace isoshard {

/// Permutes of one direction share a communicator; sums and gathers share the one of their axis tuple.
enum class Lane : uint8_t { collective, forward, backward, pairs };

/// Chooses the lane of a permute over a group of `size`: the direction in which its shift is shorter.
Lane lane_of(const CollectivePermute& op, int64_t size);

/// The member of `group`, the counting group of a permute, that each member sends to, or (not `sends`) receives from;
/// -1 is nobody.
Expr peer_of(const CollectivePermute& op, const Group& group, const Mesh& mesh, bool sends);

/// The name of the queue that holds the instructions of one lane: `comm model`, `send model +`.
std::string queue_name(const Mesh& mesh, const Group& group, Lane lane);

}  // namespace isoshard
