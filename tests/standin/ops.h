#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/standin/standin.h"

namespace standin {

/// Collectives and messages.
enum class Kind : uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  send,
  receive,
};

/// What one rank does in one collective, or one message that it sends or receives.
struct Op {
  Kind kind = Kind::all_reduce;
  const void* from = nullptr;
  void* to = nullptr;
  size_t count = 0;
  ncclDataType_t dtype = ncclFloat32;
  ncclRedOp_t op = ncclSum;
  int peer = 0;  ///< of a message, or the root; a member of the communicator
  ncclComm* comm = nullptr;
  int64_t sequence = 0;  ///< among the collectives of the communicator, or the messages of this pair
  bool done = false;
};

/// What is between ncclGroupStart and ncclGroupEnd, or one op: it goes on together, and is done when all is.
struct Group {
  std::vector<Op> ops;
};

/// Bytes of an element.
size_t bytes_of(ncclDataType_t dtype);

/// `all_reduce(384 f32 sum)`.
std::string to_text(const Op& op);

bool is_message(const Op& op);
bool has_root(const Op& op);

}  // namespace standin
