#pragma once

#include "parallel/sharding/stack_params.h"

namespace isoshard {

/// sync_gradients: makes gradients equal on the devices of `axis_names`, each on those of them that do not occur in the
/// names of its dimensions (a name that is a tuple counts for each of its axes); where none is left it stays as it is.
/// Names and order are kept (docs/spec/originals.md, "Sharded parameters"; docs/adr/0021-user-written-derivatives.md).
///
/// In untyped programs this is the original: the mean over those axes (pmean). In typed programs states say what is
/// missing: a gradient that is P is summed, one that is = or I is complete already, and nothing is divided, because the
/// loss says what it is the mean of. One that is V there is an error (C-sync): each device has a gradient of its own of
/// what should be one parameter. So is what is no float (C-sync).
ParamTree sync_gradients(ModelBuilder& m, const ParamTree& grads, const Group& axis_names,
                         const Location& location = Location::here());

}  // namespace isoshard
