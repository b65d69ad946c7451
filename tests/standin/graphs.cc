// Graphs. A captured node is kept, with what it goes behind, and issued as copies at each launch: those
// behind nothing go behind the tails of the launch's stream, which then goes on behind those that nothing is behind. So
// the parts of a graph run in any order that it allows, like all else. Communication gets its place in the order of its
// communicator at the launch.
#include "tests/standin/graphs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "tests/standin/calls.h"
#include "tests/standin/captures.h"
#include "tests/standin/communicators.h"
#include "tests/standin/witness.h"

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
  std::map<CUgraph_st*, std::unique_ptr<CUgraph_st>> graphs;
  std::map<CUgraphExec_st*, std::unique_ptr<CUgraphExec_st>> execs;
};

Graphs& all_graphs() {
  static auto* all = new Graphs;
  return *all;
}

cudaGraph_t make_graph(std::vector<Captured> nodes) {
  auto made = std::make_unique<CUgraph_st>();
  made->nodes = std::move(nodes);
  made->handles.resize(made->nodes.size());
  const cudaGraph_t handle = made.get();
  all_graphs().graphs.emplace(handle, std::move(made));
  return handle;
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

void reset_graphs() { all_graphs() = Graphs(); }

}  // namespace standin

using namespace standin;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (is_client()) return ask_cuda<cudaStreamBeginCapture>(stream, mode);
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    if (witnesses()) witness({"cudaStreamBeginCapture", name_of_stream(found)});
    return found == nullptr ? cudaErrorInvalidResourceHandle : begin_capture(*found, mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (is_client()) return ask_cuda<cudaStreamEndCapture>(stream, Out{graph});
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    if (witnesses()) witness({"cudaStreamEndCapture", name_of_stream(found)});
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    *graph = nullptr;
    std::vector<Captured> nodes;
    const cudaError_t error = end_capture(*found, nodes);
    if (error == cudaSuccess) *graph = make_graph(std::move(nodes));
    return error;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (is_client()) return ask_cuda<cudaStreamIsCapturing>(stream, Out{status});
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
  if (is_client()) return ask_cuda<cudaGraphInstantiate>(Out{exec}, graph, flags);
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
  if (is_client()) return ask_cuda<cudaGraphLaunch>(exec, stream);
  return cuda_call([&](Lock&) {
    CUgraphExec_st* const found = found_in(all_graphs().execs, exec);
    CUstream_st* const on = stream_of(stream);
    if (witnesses()) witness({"cudaGraphLaunch", name_of_stream(on)});
    if (found == nullptr) return cudaErrorInvalidValue;
    return on == nullptr ? cudaErrorInvalidResourceHandle : launch(*found, *on);
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (is_client()) return ask_cuda<cudaGraphDestroy>(graph);
  return cuda_call([&](Lock&) { return all_graphs().graphs.erase(graph) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (is_client()) return ask_cuda<cudaGraphExecDestroy>(exec);
  return cuda_call([&](Lock&) { return all_graphs().execs.erase(exec) == 1 ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (is_client())
    return ask_cuda<cudaGraphGetNodes>(graph, Back<cudaGraphNode_t>{nodes, count != nullptr ? *count : 0}, Out{count});
  return cuda_call([&](Lock&) {
    const CUgraph_st* const found = found_in(all_graphs().graphs, graph);
    return found == nullptr || count == nullptr ? cudaErrorInvalidValue : nodes_of(*found, nodes, count);
  });
}

}  // extern "C"
