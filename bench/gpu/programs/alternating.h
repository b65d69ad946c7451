#pragma once

#include "bench/gpu/by_hand/by_hand.h"
#include "exec/load_backend.h"
#include "exec/run/job.h"

namespace isoshard::bench {

/// A backend whose ranks do their steps by turns: the first as their list says, by the backend of the device, the
/// second as it is written by hand, and so on. Both have the inputs; what is read is that of the step before.
exec::OpenBackend open_alternating(exec::Device device, const HandWork& work);

}  // namespace isoshard::bench
