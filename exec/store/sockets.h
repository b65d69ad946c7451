#pragma once  // internal

#include <sys/socket.h>

#include <string>

#include "exec/backend.h"
#include "exec/store/store_address.h"

namespace isoshard::exec {

/// A socket that listens at an address of this machine, and there only; the port is put into `address` where it was 0.
Outcome<int> listen_at(StoreAddress& address);

/// A socket that is connected with the one that listens at `address`, which is looked for as long as `seconds` say.
Outcome<int> connect_to(const StoreAddress& address, double seconds);

/// The other end of a socket: `127.0.0.1`.
std::string name_of_peer(int descriptor);

}  // namespace isoshard::exec
