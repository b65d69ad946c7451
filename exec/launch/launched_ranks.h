#pragma once

#include <memory>

#include "exec/run/rank_host.h"
#include "exec/store/store.h"

namespace isoshard::exec {

/// Ranks of which a launcher has started each as a process, as those of rank 0: `own` is its own, the others are behind
/// the store, where all have come. `failed` where the system has not so many sockets, or no more threads; then the
/// others have been told to stop.
Outcome<std::unique_ptr<RankHost>> launched_ranks(const std::shared_ptr<const Job>& job, std::unique_ptr<RankHost> own,
                                                  std::unique_ptr<Store> store);

}  // namespace isoshard::exec
