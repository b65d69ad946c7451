#pragma once

#include <vector>

#include "tests/standin/standin.h"

namespace standin {

struct Op;

/// Does what a collective does, given the same op of each member, by rank. Buffers outside of memory, or that overlap
/// otherwise than NCCL allows, are problems.
void move_collective(const std::vector<const Op*>& ops);

/// Copies a message.
void move_message(const Op& sent, const Op& received);

}  // namespace standin
