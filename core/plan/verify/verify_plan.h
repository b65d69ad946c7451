#pragma once

#include <vector>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard {

/// The invariants of a Plan that do not hold, each as an error with its rule; empty for a Plan that may be run.
///
/// * `L-group`: positions of rank groups are on the mesh, and none is in two groups.
/// * `L-queue`: what communicates is on the queue of its communicator, everything else on `compute`; each queue has its
///   instructions in issue order, and each instruction is on one.
/// * `L-loop`: the lists of a loop match in number and type, slices and parts are rows of what is stacked.
/// * `L-value`: a value is defined once, and read in the list of blocks where it is defined, behind its definition;
///   what a loop takes and hands on, too. A body captures nothing.
/// * `L-token`: a token names an instruction of the same group on another queue that is issued before, with `previous`
///   one in a common loop.
/// * `L-order`: what makes an operand has finished when its reader starts: the same queue or a token says so.
/// * `L-block`: what is loaded, stored, taken and put are blocks that there are, on every rank and in every iteration,
///   of outputs that there are.
/// * `L-peer`: peers are members of the communicator's group, on every rank and in every iteration; who a permute sends
///   to expects it.
/// * `L-match`: as many messages are sent over a communicator as received, by every pair of ranks, of one type each;
///   members of a group start the same collectives in the same order.
///
/// Kinds that rest on one that does not hold are left out. Cost: instructions times queues, and ranks times iterations
/// for blocks and what communicates.
std::vector<Diagnostic> verify_plan(const Plan& plan);

}  // namespace isoshard
