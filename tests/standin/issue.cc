// How work is issued: behind the tails of its streams, or into their capture.
#include "tests/standin/issue.h"

#include <utility>

#include "tests/standin/captures.h"

namespace standin {

cudaError_t issue(const NodeRef& node, std::span<CUstream_st* const> streams) {
  if (legacy_during_capture(streams)) return cudaErrorStreamCaptureImplicit;
  for (const CUstream_st* stream : streams) {
    if (stream->capture) return capture(node, streams);
  }
  Nodes before;
  for (const CUstream_st* stream : streams) append(before, tails_of(*stream));
  for (CUstream_st* stream : streams) stream->tails = {node};
  Machine::get().add(node, before);
  return cudaSuccess;
}

cudaError_t issue_work(CUstream_st& stream, std::string what, std::function<void()> run) {
  auto node = std::make_shared<Node>();
  node->rank = stream.rank;
  node->stream = stream.index;
  node->what = std::move(what);
  node->run = std::move(run);
  CUstream_st* const streams[] = {&stream};
  return issue(node, streams);
}

}  // namespace standin
