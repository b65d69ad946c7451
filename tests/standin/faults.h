#pragma once

#include <optional>

#include "tests/standin/standin.h"

namespace standin {

/// Counts a call of a rank; what it returns where it is made to fail. The rank that the calling thread is may stop
/// here.
std::optional<Errors> fault_of_call(int rank);

/// Forgets all faults and counts.
void reset_faults();

}  // namespace standin
