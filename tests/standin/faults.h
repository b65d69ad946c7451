#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/standin/machine.h"

namespace standin {

/// Counts a call of a rank; what it returns where it is made to fail. The rank that the calling thread is may stop
/// here, or never return. `name` is that of the call.
std::optional<Errors> fault_of_call(Lock& lock, int rank, const char* name);

/// Spoils what communication is about to bring to a rank, where that is asked for. `what` is in words.
void spoil_data(int rank, std::vector<char>& bytes, const std::string& what);

/// Reads the fault of the environment, where there is one, if that was not done before.
void prepare_faults();

/// Forgets all faults and counts, but for one of kind `corrupt`: it goes on, on devices that are made later, too.
void reset_faults();

/// Says on stderr that the fault of the environment, if there is one, was not reached.
void tell_unreached_fault();

}  // namespace standin
