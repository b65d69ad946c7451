#pragma once  // internal

#include "bench/gpu/nccl/world.h"

namespace isoshard::bench {

// What nccl_ranks tries; false, or exit code 1, where something is not as it must be.

/// Collectives and a ring of sends and receives in nccl-tests' table format; false where an element is wrong.
bool sweep(const World& world);
/// Which order and rounding of the adds gives the bits of all_reduce of bf16, f16 and f32; false where the bits change
/// from one time to another or from rank to rank.
bool rounding(const World& world);
/// The last rank ends before the second all_reduce: the others must get an error; then they abort.
[[noreturn]] void killed(const World& world);
/// Two communicators of all ranks, used in one order on rank 0 and in the other elsewhere, on one stream or on two. The
/// right twin before it must complete; what becomes of this is only said.
[[noreturn]] void crossed(const World& world, bool one_stream);
/// On one communicator rank 0 issues another count than the others, then another collective. An all_reduce before it
/// must complete; what becomes of these is only said.
[[noreturn]] void mismatch(const World& world);

}  // namespace isoshard::bench
