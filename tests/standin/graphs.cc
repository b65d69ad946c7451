// Captures and graphs. A captured node is kept, with what it goes behind, and issued as copies at each launch: those
// behind nothing go behind the tails of the launch's stream, which then goes on behind those that nothing is behind. So
// the parts of a graph run in any order that it allows, like all else. Communication gets its place in the order of its
// communicator at the launch. What CUDA forbids during a capture spoils it, with CUDA's errors.
#include "tests/standin/graphs.h"

#include <algorithm>
#include <map>

#include "tests/standin/calls.h"
#include "tests/standin/communicators.h"

/// A node as programs see it.
struct CUgraphNode_st {};

/// A graph, which a capture made.
struct CUgraph_st {
  std::vector<standin::Captured> nodes;
  std::vector<CUgraphNode_st> handles;
};

/// A graph that can be launched.
struct CUgraphExec_st {
  std::vector<standin::Captured> nodes;
  standin::Nodes last;  ///< of its last launch, which the next waits for
};

namespace standin {
namespace {

struct Graphs {
  std::vector<std::shared_ptr<Capture>> captures;
  std::map<CUgraph_st*, std::unique_ptr<CUgraph_st>> graphs;
  std::map<CUgraphExec_st*, std::unique_ptr<CUgraphExec_st>> execs;
};

Graphs& all_graphs() {
  static auto* all = new Graphs;
  return *all;
}

cudaError_t spoiled(Capture& capture, cudaError_t error) {
  if (capture.invalid) return cudaErrorStreamCaptureInvalidated;
  capture.invalid = true;
  return error;
}

/// The capture that the legacy stream of a device would wait for, or null.
Capture* blocking_capture(int rank) {
  for (const std::shared_ptr<Capture>& capture : all_graphs().captures) {
    for (const CUstream_st* stream : streams_of_capture(*capture)) {
      if (stream->rank == rank && stream->blocking) return capture.get();
    }
  }
  return nullptr;
}

/// Whether all nodes lie before these or are among them.
bool joined(const std::vector<Captured>& nodes, const std::vector<size_t>& tails) {
  std::set<size_t> reached(tails.begin(), tails.end());
  for (size_t i = nodes.size(); i-- > 0;) {  // arrows go backwards
    if (reached.count(i) == 0) return false;
    reached.insert(nodes[i].before.begin(), nodes[i].before.end());
  }
  return true;
}

void release_streams(const Capture& capture) {
  for (CUstream_st* stream : streams_of_capture(capture)) {
    stream->captured.clear();
    stream->capture = nullptr;
  }
}

cudaError_t begin_capture(CUstream_st& stream, cudaStreamCaptureMode mode) {
  if (stream.index == 0) return cudaErrorStreamCaptureUnsupported;
  if (stream.capture) return cudaErrorIllegalState;
  auto made = std::make_shared<Capture>();
  made->origin = &stream;
  made->mode = mode;
  made->thread = std::this_thread::get_id();
  stream.capture = made;
  stream.captured.clear();
  all_graphs().captures.push_back(std::move(made));
  return cudaSuccess;
}

cudaError_t end_capture(CUstream_st& stream, cudaGraph_t* graph) {
  *graph = nullptr;
  if (!stream.capture) return cudaErrorIllegalState;
  const std::shared_ptr<Capture> ended = stream.capture;
  if (ended->origin != &stream) return spoiled(*ended, cudaErrorStreamCaptureUnmatched);
  if (ended->mode != cudaStreamCaptureModeRelaxed && ended->thread != std::this_thread::get_id()) {
    return spoiled(*ended, cudaErrorStreamCaptureWrongThread);
  }
  const bool complete = joined(ended->nodes, stream.captured);
  release_streams(*ended);
  std::erase(all_graphs().captures, ended);
  ended->ended = true;
  if (ended->invalid) return cudaErrorStreamCaptureInvalidated;
  if (!complete) return cudaErrorStreamCaptureUnjoined;
  auto made = std::make_unique<CUgraph_st>();
  made->nodes = std::move(ended->nodes);
  made->handles.resize(made->nodes.size());
  *graph = made.get();
  all_graphs().graphs.emplace(*graph, std::move(made));
  return cudaSuccess;
}

NodeRef copy_of(const Node& node) {
  auto copy = std::make_shared<Node>();
  copy->rank = node.rank;
  copy->stream = node.stream;
  copy->what = node.what;
  copy->run = node.run;
  if (node.group) {
    copy->group = std::make_shared<Group>(*node.group);
    number_ops(*copy->group);
  }
  return copy;
}

bool communicators_live(const std::vector<Captured>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const Captured& one) {
    if (!one.node->group) return true;
    const std::vector<Op>& ops = one.node->group->ops;
    return std::all_of(ops.begin(), ops.end(), [](const Op& op) { return comm_of(op.comm) != nullptr; });
  });
}

cudaError_t launch(CUgraphExec_st& exec, CUstream_st& stream) {
  if (stream.capture) return spoiled(*stream.capture, cudaErrorNotSupported);
  if (!communicators_live(exec.nodes)) {
    Machine::get().problem(place_of(stream.rank, stream.index) +
                           ": a launch of a graph with a communicator that ended");
    return cudaErrorInvalidValue;
  }
  if (exec.nodes.empty()) return cudaSuccess;
  Nodes roots = tails_of(stream);
  roots.insert(roots.end(), exec.last.begin(), exec.last.end());
  Nodes copies;
  std::set<size_t> inner;
  for (const Captured& one : exec.nodes) {
    Nodes before;
    for (const size_t index : one.before) before.push_back(copies[index]);
    inner.insert(one.before.begin(), one.before.end());
    copies.push_back(copy_of(*one.node));
    Machine::get().add(copies.back(), one.before.empty() ? roots : before);
  }
  exec.last.clear();
  for (size_t i = 0; i < copies.size(); ++i) {
    if (inner.count(i) == 0) exec.last.push_back(copies[i]);
  }
  stream.tails = exec.last;
  return cudaSuccess;
}

cudaError_t nodes_of(const CUgraph_st& graph, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes == nullptr) {
    *count = graph.handles.size();
    return cudaSuccess;
  }
  *count = std::min(*count, graph.handles.size());
  for (size_t i = 0; i < *count; ++i) nodes[i] = const_cast<cudaGraphNode_t>(&graph.handles[i]);
  return cudaSuccess;
}

template <class T>
T* found_in(const std::map<T*, std::unique_ptr<T>>& all, T* handle) {
  const auto found = all.find(handle);
  return found == all.end() ? nullptr : found->second.get();
}

}  // namespace

cudaError_t capture(const NodeRef& node, std::span<CUstream_st* const> streams) {
  const auto captured = [](const CUstream_st* stream) { return stream->capture != nullptr; };
  const std::shared_ptr<Capture> into = (*std::find_if(streams.begin(), streams.end(), captured))->capture;
  if (into->invalid) return cudaErrorStreamCaptureInvalidated;
  std::set<size_t> before;
  for (const CUstream_st* stream : streams) {
    if (!stream->capture) return spoiled(*into, cudaErrorStreamCaptureIsolation);
    if (stream->capture != into) return spoiled(*into, cudaErrorStreamCaptureMerge);
    before.insert(stream->captured.begin(), stream->captured.end());
  }
  for (CUstream_st* stream : streams) stream->captured = {into->nodes.size()};
  into->nodes.push_back({node, std::move(before)});
  return cudaSuccess;
}

cudaError_t wait_in_capture(CUstream_st& stream, const CUevent_st& event) {
  if (!event.capture) return event.recorded ? spoiled(*stream.capture, cudaErrorStreamCaptureIsolation) : cudaSuccess;
  if (event.capture->ended) return cudaErrorCapturedEvent;
  if (event.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream.index == 0) return spoiled(*event.capture, cudaErrorStreamCaptureImplicit);
  if (stream.capture && stream.capture != event.capture) return spoiled(*event.capture, cudaErrorStreamCaptureMerge);
  stream.capture = event.capture;
  stream.captured.insert(stream.captured.end(), event.captured.begin(), event.captured.end());
  return cudaSuccess;
}

cudaError_t refused_in_capture(CUstream_st& stream) {
  if (stream.capture) return spoiled(*stream.capture, cudaErrorStreamCaptureUnsupported);
  if (stream.index != 0) return cudaSuccess;
  Capture* const waited_for = blocking_capture(stream.rank);
  return waited_for == nullptr ? cudaSuccess : spoiled(*waited_for, cudaErrorStreamCaptureImplicit);
}

cudaError_t refused_in_any_capture() {
  for (const std::shared_ptr<Capture>& capture : all_graphs().captures) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool refuses =
        capture->mode == cudaStreamCaptureModeGlobal || (capture->mode == cudaStreamCaptureModeThreadLocal && own);
    if (refuses) return spoiled(*capture, cudaErrorStreamCaptureUnsupported);
  }
  return cudaSuccess;
}

bool legacy_during_capture(std::span<CUstream_st* const> streams) {
  for (const CUstream_st* stream : streams) {
    Capture* const waited_for = stream->index == 0 ? blocking_capture(stream->rank) : nullptr;
    if (waited_for == nullptr) continue;
    waited_for->invalid = true;
    return true;
  }
  return false;
}

void reset_graphs() { all_graphs() = Graphs(); }

}  // namespace standin

using namespace standin;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    return found == nullptr ? cudaErrorInvalidResourceHandle : begin_capture(*found, mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    if (graph == nullptr) return cudaErrorInvalidValue;
    return found == nullptr ? cudaErrorInvalidResourceHandle : end_capture(*found, graph);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cuda_call([&](Lock&) {
    const CUstream_st* const found = stream_of(stream);
    if (status == nullptr) return cudaErrorInvalidValue;
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    *status = !found->capture           ? cudaStreamCaptureStatusNone
              : found->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                        : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return cuda_call([&](Lock&) {
    const CUgraph_st* const found = found_in(all_graphs().graphs, graph);
    if (exec == nullptr || found == nullptr || flags != 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<CUgraphExec_st>();
    made->nodes = found->nodes;
    *exec = made.get();
    all_graphs().execs.emplace(*exec, std::move(made));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return cuda_call([&](Lock&) {
    CUgraphExec_st* const found = found_in(all_graphs().execs, exec);
    CUstream_st* const on = stream_of(stream);
    if (found == nullptr) return cudaErrorInvalidValue;
    return on == nullptr ? cudaErrorInvalidResourceHandle : launch(*found, *on);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return cuda_call([&](Lock&) { return all_graphs().graphs.erase(graph) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return cuda_call([&](Lock&) { return all_graphs().execs.erase(exec) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return cuda_call([&](Lock&) {
    const CUgraph_st* const found = found_in(all_graphs().graphs, graph);
    return found == nullptr || count == nullptr ? cudaErrorInvalidValue : nodes_of(*found, nodes, count);
  });
}

}  // extern "C"
