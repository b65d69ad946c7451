#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "exec/run/rank_host.h"

namespace isoshard::exec {

/// What NCCL has to be told, before its first call, so that several ranks meet on one GPU; which way depends on the
/// version that `machine` names, `... NCCL 2.28.9` (Backend::describe).
Environment oversubscribed_environment(const std::string& machine, size_t rank);

/// The same for ranks of one process, which have one environment; nothing where that version cannot have it.
std::optional<Environment> environment_of_shared_gpus(const std::string& machine);

}  // namespace isoshard::exec
