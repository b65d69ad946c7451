// Collectives and messages as they are issued: checked, put into the group of the calling thread, and issued with it as
// one node behind all its streams. A communicator that does not block issues only when it is next polled with
// ncclCommGetAsyncError, and refuses calls until then, as NCCL does: so an event that is recorded before shows.
#include <algorithm>
#include <set>

#include "tests/standin/calls.h"
#include "tests/standin/communicators.h"
#include "tests/standin/issue.h"
#include "tests/standin/memory.h"
#include "tests/standin/streams.h"
#include "tests/standin/witness.h"

namespace standin {
namespace {

struct OpenGroup {
  int64_t generation = 0;  ///< of the machine
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Op> ops;
  std::vector<CUstream_st*> streams;
};

OpenGroup& open_group() {
  thread_local OpenGroup group;
  const int64_t generation = Machine::get().generation();
  if (group.generation != generation) group = OpenGroup{generation, 0, ncclSuccess, {}, {}};
  return group;
}

std::string group_text(const std::vector<Op>& ops) {
  return ops.size() == 1 ? to_text(ops[0]) : "group of " + std::to_string(ops.size());
}

ncclResult_t issue_ops(std::vector<Op> ops, const std::vector<CUstream_st*>& streams) {
  auto node = std::make_shared<Node>();
  node->rank = streams.front()->rank;
  node->stream = streams.front()->index;
  node->what = group_text(ops);
  node->group = std::make_shared<Group>();
  node->group->ops = std::move(ops);
  const bool captured = std::any_of(streams.begin(), streams.end(), [](auto* s) { return s->capture != nullptr; });
  if (!captured) number_ops(*node->group);
  return issue(node, streams) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

/// Messages of a rank to itself have both sides in one group.
bool own_messages_match(const std::vector<Op>& ops) {
  std::map<ncclComm*, int> open;
  for (const Op& op : ops) {
    if (op.kind == Kind::send && op.peer == op.comm->rank) ++open[op.comm];
    if (op.kind == Kind::receive && op.peer == op.comm->rank) --open[op.comm];
  }
  return std::all_of(open.begin(), open.end(), [](const auto& entry) { return entry.second == 0; });
}

ncclResult_t put_off(std::vector<Op> ops, std::vector<CUstream_st*> streams) {
  std::set<ncclComm*> comms;
  for (const Op& op : ops) comms.insert(op.comm);
  auto issued = std::make_shared<bool>(false);
  for (ncclComm* comm : comms) {
    comm->deferred.push_back([issued, ops, streams] {
      if (!std::exchange(*issued, true)) issue_ops(ops, streams);
    });
  }
  return ncclInProgress;
}

ncclResult_t close_group() {
  OpenGroup group = std::exchange(open_group(), {});
  if (group.error != ncclSuccess) return group.error;
  if (group.ops.empty()) return ncclSuccess;
  if (!own_messages_match(group.ops)) return ncclInvalidUsage;
  const bool blocking = group.ops.front().comm->blocking;
  for (const Op& op : group.ops) {
    if (op.comm->blocking != blocking) return ncclInvalidUsage;
  }
  return blocking ? issue_ops(std::move(group.ops), group.streams)
                  : put_off(std::move(group.ops), std::move(group.streams));
}

void witness_op(const Op& op, const CUstream_st* stream) {
  static const char* const names[] = {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclAlltoAll",
                                      "ncclBroadcast", "ncclReduce",    "ncclSend",          "ncclRecv"};
  const ncclComm* const comm = comm_of(op.comm);
  witness({names[static_cast<size_t>(op.kind)], name_of_place(op.from), name_of_place(op.to), word(op.count),
           word(op.dtype), word(op.op), word(op.peer), comm == nullptr ? "none" : name_of_comm(*comm),
           name_of_stream(stream)});
}

bool names_member(const Op& op) {
  return op.kind == Kind::broadcast || op.kind == Kind::reduce || op.kind == Kind::send || op.kind == Kind::receive;
}

ncclResult_t check_op(const Op& op, const CUstream_st* stream) {
  const ncclComm* comm = comm_of(op.comm);
  if (comm == nullptr || stream == nullptr || op.dtype < 0 || op.dtype >= ncclNumTypes) return ncclInvalidArgument;
  if (op.op < 0 || op.op >= ncclNumOps) return ncclInvalidArgument;
  if (comm->in_progress > 0 || !comm->deferred.empty() || comm->finalized) return ncclInvalidArgument;
  if (names_member(op) && (op.peer < 0 || op.peer >= comm->clique->size)) return ncclInvalidArgument;
  if (stream->rank != comm->device) return ncclInvalidUsage;
  return comm->error;
}

ncclResult_t add_op(const Op& op, cudaStream_t handle, const char* name = __builtin_FUNCTION()) {
  const auto add = [&](Lock&) {
    CUstream_st* const stream = stream_of(handle);
    OpenGroup& group = open_group();
    if (witnesses()) witness_op(op, stream);
    if (const ncclResult_t error = check_op(op, stream); error != ncclSuccess) {
      if (group.depth > 0) group.error = error;
      return error;
    }
    if (op.count > 0) group.ops.push_back(op);
    auto& streams = group.streams;
    if (op.count > 0 && std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
    return group.depth > 0 ? ncclSuccess : close_group();
  };
  return nccl_call(add, name);
}

}  // namespace

}  // namespace standin

using namespace standin;

extern "C" {

ncclResult_t ncclGroupStart() {
  if (is_client()) return ask<ncclGroupStart>();
  return nccl_call([](Lock&) {
    if (witnesses()) witness({"ncclGroupStart"});
    ++open_group().depth;
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupEnd() {
  if (is_client()) return ask<ncclGroupEnd>();
  return nccl_call([](Lock&) {
    if (witnesses()) witness({"ncclGroupEnd"});
    if (open_group().depth == 0) return ncclInvalidUsage;
    return --open_group().depth > 0 ? ncclSuccess : close_group();
  });
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  if (is_client()) return ask<ncclAllReduce>(send, receive, count, dtype, op, comm, stream);
  return add_op({Kind::all_reduce, send, receive, count, dtype, op, 0, comm}, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t dtype, ncclComm_t comm,
                           cudaStream_t stream) {
  if (is_client()) return ask<ncclAllGather>(send, receive, count, dtype, comm, stream);
  return add_op({Kind::all_gather, send, receive, count, dtype, ncclSum, 0, comm}, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  if (is_client()) return ask<ncclReduceScatter>(send, receive, count, dtype, op, comm, stream);
  return add_op({Kind::reduce_scatter, send, receive, count, dtype, op, 0, comm}, stream);
}

ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t dtype, ncclComm_t comm,
                          cudaStream_t stream) {
  if (is_client()) return ask<ncclAlltoAll>(send, receive, count, dtype, comm, stream);
  return add_op({Kind::all_to_all, send, receive, count, dtype, ncclSum, 0, comm}, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t dtype, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  if (is_client()) return ask<ncclBroadcast>(send, receive, count, dtype, root, comm, stream);
  return add_op({Kind::broadcast, send, receive, count, dtype, ncclSum, root, comm}, stream);
}

ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t dtype, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  if (is_client()) return ask<ncclReduce>(send, receive, count, dtype, op, root, comm, stream);
  return add_op({Kind::reduce, send, receive, count, dtype, op, root, comm}, stream);
}

ncclResult_t ncclSend(const void* send, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  if (is_client()) return ask<ncclSend>(send, count, dtype, peer, comm, stream);
  return add_op({Kind::send, send, nullptr, count, dtype, ncclSum, peer, comm}, stream);
}

ncclResult_t ncclRecv(void* receive, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  if (is_client()) return ask<ncclRecv>(receive, count, dtype, peer, comm, stream);
  return add_op({Kind::receive, nullptr, receive, count, dtype, ncclSum, peer, comm}, stream);
}

}  // extern "C"
