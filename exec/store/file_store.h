#pragma once  // internal

#include <memory>

#include "exec/store/store.h"

namespace isoshard::exec {

/// Opens a store in a folder that all ranks see.
Outcome<std::unique_ptr<Store>> open_in_folder(const StoreAddress& address, const Identity& identity, double seconds);

}  // namespace isoshard::exec
