// What collectives and messages do to memory. All operands are copied before any result is written, so results in place
// of operands are right; whether NCCL allows how they overlap is checked before.
#include "tests/standin/nccl_data.h"

#include <cstring>
#include <functional>

#include "tests/standin/communicators.h"
#include "tests/standin/faults.h"
#include "tests/standin/memory.h"
#include "tests/standin/nccl_reduce.h"

namespace standin {
namespace {

using Bytes = std::vector<char>;

struct Sizes {
  size_t from = 0, to = 0;  ///< bytes that a member reads and writes
};

Sizes sizes_of(const Op& op, size_t members) {
  const size_t bytes = op.count * bytes_of(op.dtype);
  const bool root = op.comm->rank == op.peer;
  switch (op.kind) {
    case Kind::all_gather:
      return {bytes, bytes * members};
    case Kind::reduce_scatter:
      return {bytes * members, bytes};
    case Kind::all_to_all:
      return {bytes * members, bytes * members};
    case Kind::broadcast:
      return {root ? bytes : 0, bytes};
    case Kind::reduce:
      return {bytes, root ? bytes : 0};
    case Kind::send:
      return {bytes, 0};
    case Kind::receive:
      return {0, bytes};
    case Kind::all_reduce:
      break;
  }
  return {bytes, bytes};
}

/// Where in memory the operand of an op in place is, relative to its result.
std::ptrdiff_t in_place(const Op& op) {
  const auto own = static_cast<std::ptrdiff_t>(op.count * bytes_of(op.dtype)) * op.comm->rank;
  if (op.kind == Kind::all_gather) return own;
  return op.kind == Kind::reduce_scatter ? -own : 0;
}

bool overlap_allowed(const Op& op, const Sizes& sizes) {
  const auto* from = static_cast<const char*>(op.from);
  const auto* to = static_cast<const char*>(op.to);
  if (sizes.from == 0 || sizes.to == 0 || from + sizes.from <= to || to + sizes.to <= from) return true;
  return op.kind != Kind::all_to_all && from - to == in_place(op);
}

bool check_buffers(const Op& op, size_t members) {
  const Sizes sizes = sizes_of(op, members);
  const std::string who = "rank " + std::to_string(op.comm->device) + ": " + to_text(op) + " on communicator \"" +
                          op.comm->clique->name + "\"";
  const bool reads = accessible(op.comm->device, op.from, sizes.from, who + " reads");
  const bool writes = accessible(op.comm->device, op.to, sizes.to, who + " writes");
  if (reads && writes && !overlap_allowed(op, sizes)) {
    Machine::get().problem(who + ": its result partly overlaps what it reads");
  }
  return reads && writes;
}

std::vector<const void*> pointers(const std::vector<Bytes>& operands, size_t offset) {
  std::vector<const void*> all;
  for (const Bytes& operand : operands) all.push_back(operand.data() + offset);
  return all;
}

Bytes reduced(const Op& op, const std::vector<Bytes>& operands, size_t offset, int chunk) {
  Bytes out(op.count * bytes_of(op.dtype));
  reduce(pointers(operands, offset), out.data(), op.count, op.dtype, op.op, chunk);
  return out;
}

/// The parts of all operands at `offset`, one behind the other.
Bytes gathered(const std::vector<Bytes>& operands, size_t offset, size_t bytes) {
  Bytes out;
  for (const Bytes& operand : operands) {
    const auto begin = operand.begin() + static_cast<std::ptrdiff_t>(offset);
    out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
  }
  return out;
}

Bytes result_of(const Op& op, const std::vector<Bytes>& operands) {
  const size_t bytes = op.count * bytes_of(op.dtype);
  const size_t own = bytes * static_cast<size_t>(op.comm->rank);
  switch (op.kind) {
    case Kind::all_reduce:
      return reduced(op, operands, 0, -1);
    case Kind::reduce_scatter:
      return reduced(op, operands, own, op.comm->rank);
    case Kind::reduce:
      return op.comm->rank == op.peer ? reduced(op, operands, 0, op.peer) : Bytes();
    case Kind::all_gather:
      return gathered(operands, 0, bytes);
    case Kind::all_to_all:
      return gathered(operands, own, bytes);
    case Kind::broadcast:
      return operands[static_cast<size_t>(op.peer)];
    case Kind::send:
    case Kind::receive:
      break;
  }
  return {};
}

}  // namespace

void move_collective(const std::vector<const Op*>& ops) {
  bool good = true;
  for (const Op* op : ops) good = check_buffers(*op, ops.size()) && good;
  if (!good) return;
  std::vector<Bytes> operands;
  for (const Op* op : ops) {
    const auto* from = static_cast<const char*>(op->from);
    operands.emplace_back(from, from + sizes_of(*op, ops.size()).from);
  }
  for (const Op* op : ops) {
    Bytes result = result_of(*op, operands);
    spoil_data(op->comm->device, result, to_text(*op));
    if (!result.empty()) std::memcpy(op->to, result.data(), result.size());
  }
}

void move_message(const Op& sent, const Op& received) {
  const bool reads = check_buffers(sent, 1), writes = check_buffers(received, 1);
  if (!reads || !writes) return;
  const auto* from = static_cast<const char*>(sent.from);
  Bytes message(from, from + sent.count * bytes_of(sent.dtype));
  spoil_data(received.comm->device, message, to_text(received));
  if (!message.empty()) std::memcpy(received.to, message.data(), message.size());
}

}  // namespace standin
