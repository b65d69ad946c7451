#pragma once

#include <optional>

#include "tests/standin/standin.h"

namespace standin {

/// Counts a call of a rank; what it returns where it is made to fail. A rank may stop here.
std::optional<Errors> fault_of_call(int rank);

/// Whether a rank was stopped.
bool rank_is_gone(int rank);
bool any_rank_gone();

/// Forgets all faults and counts.
void reset_faults();

}  // namespace standin
