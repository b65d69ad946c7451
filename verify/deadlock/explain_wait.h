#pragma once  // internal

#include "core/support/diagnostic.h"
#include "verify/deadlock/rendezvous.h"

namespace isoshard::verify {

/// `D-deadlock`: a cycle of ranks that wait for each other, or a rank that waits for one that has finished, of a run
/// that stood still.
Diagnostic explain_wait(const Plan& plan, const FoldedRanks& ranks, const std::vector<GroupMeetings>& groups,
                        const Rendezvous& run);

}  // namespace isoshard::verify
