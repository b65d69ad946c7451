#pragma once  // internal

#include <cstdint>
#include <string>

#include "core/ir/mesh.h"
#include "core/ir/ops/collectives.h"

namespace isoshard {

/// Permutes of one direction share a communicator; sums and gathers share the one of their axis tuple.
enum class Lane : uint8_t { collective, forward, backward, pairs };

/// That of a permute over a group of `size`: the way that is shorter.
Lane lane_of(const CollectivePermute& op, int64_t size);

/// `comm model`, `send model +`: the queue of the instructions of one lane.
std::string queue_name(const Mesh& mesh, const Group& group, Lane lane);

}  // namespace isoshard
