#pragma once  // internal

#include <memory>

#include "exec/store/store.h"

namespace isoshard::exec {

/// Rank 0 of a store on a socket: listens, and keeps strangers out.
Outcome<std::unique_ptr<Store>> host_at_port(StoreAddress address, const Identity& identity);

/// Another rank of it.
Outcome<std::unique_ptr<Store>> join_at_port(const StoreAddress& address, const Identity& identity, double seconds);

}  // namespace isoshard::exec
