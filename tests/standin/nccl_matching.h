#pragma once

#include <string>
#include <vector>

#include "tests/standin/machine.h"

struct ncclComm;

namespace standin {

struct Op;

/// The rank has come to this group: what all members have come to may run.
void post(const NodeRef& node);

/// Problems for collectives that not all members have come to, where those that have do not agree.
void check_unmatched();

/// Whether any collective or message did not match, since the last reset.
bool any_mismatch();

/// Which ranks wait in what for whom, a line for each.
std::vector<std::string> waiting_communication();

/// Whether ranks that a communicator waits for have not begun yet.
bool ranks_to_come();

/// `all_reduce(384 f32 sum)`.
std::string to_text(const Op& op);

/// Drops what a rank issued on a communicator: it is done, without effect.
void drop(ncclComm& comm);

/// A rank is gone: its communicators get ncclRemoteError at the others, and nothing on them runs any more.
void leave_communicators(int rank);

/// Forgets that anything did not match.
void reset_matching();

/// Forgets all communicators.
void reset_communicators();

}  // namespace standin
