#pragma once

#include <sys/types.h>

namespace standin {

/// The calling thread stands for one of this process, in that of the devices (hub/).
void stand_for(pid_t process);

/// Kills the process that the calling thread stands for. Where it stands for none this process ends with code 70 and
/// says why: a rank that is a thread cannot be killed.
void kill_caller();

}  // namespace standin
