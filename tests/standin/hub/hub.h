#pragma once

#include "tests/standin/remote/channel.h"

namespace standin {

/// Is the devices for processes that send connections through `door`, each a thread's, until all that have the other
/// end of the door are gone; then this process ends.
[[noreturn]] void be_devices(Channel door);

}  // namespace standin
