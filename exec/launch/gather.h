#pragma once

#include <string>

#include "exec/launch/introduction.h"
#include "exec/store/store.h"

namespace isoshard::exec {

/// Rank 0: waits for all other ranks, and whether they run the same. The failure names who did not come, or differs;
/// those who did are told to stop.
Outcome<> gather(Store& store, size_t ranks, const Introduction& own, const StoreAddress& address, double seconds);

/// Rank 0: lets them go on, with the place of shared devices.
Outcome<> welcome(Store& store, size_t ranks, const std::string& place);

/// Rank 0: tells all other ranks that the run has failed.
void stop_all(Store& store, size_t ranks);

/// Another rank: says what it runs, and waits to be welcome; the place. A failure without a message is one that rank 0
/// tells.
Outcome<std::string> introduce(Store& store, const Introduction& own, double seconds);

}  // namespace isoshard::exec
