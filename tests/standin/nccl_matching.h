#pragma once

#include "tests/standin/machine.h"

struct ncclComm;

namespace standin {

/// What matches collectives and messages of the members of communicators.
Communication& matching();

/// Drops what a rank issued on a communicator: it is done, without effect.
void drop(ncclComm& comm);

/// Forgets that anything did not match.
void reset_matching();

}  // namespace standin
