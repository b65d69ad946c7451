#pragma once

#include <functional>

#include "exec/run/rank_host.h"
#include "exec/store/store.h"

namespace isoshard::exec {

/// Is a rank other than 0 of a launched job, of which `own` is the process: does what rank 0 says until that is over.
/// `lay_inputs` puts its boxes of the inputs on the desk. A failure without a message is one that rank 0 tells.
Outcome<> serve_launched(const Job& job, size_t rank, RankHost& own, Store& store,
                         const std::function<void()>& lay_inputs);

}  // namespace isoshard::exec
