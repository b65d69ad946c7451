#pragma once

#include <optional>
#include <string>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"
#include "sim/domains/domain.h"
#include "sim/run/machine_memory.h"

namespace isoshard::sim {

/// Bytes that a run of a Plan holds at most, by what holds them; doubles, because sizes in a file are only claims.
struct MemoryEstimate {
  double globals = 0;      ///< the whole arrays of the Plan's globals
  double values = 0;       ///< values of all devices, stored outputs included
  double scratch = 0;      ///< what the ops need while they run
  double bookkeeping = 0;  ///< of the devices themselves
  double outputs = 0;      ///< the whole arrays of the outputs, assembled

  double total() const { return globals + values + scratch + bookkeeping + outputs; }
};

/// An upper bound for every legal interleaving, from the types in the Plan alone: nothing is allocated.
///
/// A value counts on each device from where it can first exist to where its last use must have finished; results that
/// a group of devices shares (all_reduce, all_gather) count once per group, blocks that are whole globals not at all.
/// `workers` is that of RunOptions. In simple programs it is less than twice what is held.
MemoryEstimate estimate_memory(const Plan& plan, const Domain& domain, int workers = 0);

/// The error (D-memory) that `what` needs more than `limit`, with both numbers; nothing when it fits.
std::optional<Diagnostic> exceeds_memory(const std::string& what, const MemoryEstimate& estimate,
                                         const MemoryLimit& limit);

}  // namespace isoshard::sim
