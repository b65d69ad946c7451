// What all work by hand has around it: memory for the boxes of a list, a stream, and steps that are timed as those of
// exec are, by events before the first call and behind the last, or captured as a graph the second time. It polls the
// stream with a deadline, as a rank whose others are gone would wait for ever. Cost: that of the work.
#include "bench/gpu/by_hand/stream_rank.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/gpu/by_hand/status.h"

namespace isoshard::bench {
namespace {

int64_t elements_of(const IndexRange& range) {
  int64_t count = 1;
  for (size_t d = 0; d < range.begin.size(); ++d) count *= range.end[d] - range.begin[d];
  return count;
}

/// The number of the box at a place.
size_t number_at(const std::vector<calls::HeldBox>& boxes, calls::Place place) {
  const auto found =
      std::find_if(boxes.begin(), boxes.end(), [place](const calls::HeldBox& box) { return box.place == place; });
  if (found == boxes.end()) throw std::runtime_error("no box of the list is at " + std::to_string(place));
  return static_cast<size_t>(found - boxes.begin());
}

}  // namespace

StreamRank::StreamRank(const HandWork& work, const calls::CallList& list, const exec::Seat& seat,
                       const exec::RankOptions& options)
    : work_(work), list_(list), graphs_(options.graph), deadline_(options.deadline) {
  require(cudaSetDevice(seat.device), "cudaSetDevice");
  require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  require(cudaEventCreate(&begin_), "cudaEventCreate");
  require(cudaEventCreate(&end_), "cudaEventCreate");
  for (const calls::HeldBox& box : list.inputs) {
    inputs_.push_back(allocate(elements_of(box.range) * element_bytes()));
  }
  for (const calls::HeldBox& box : list.outputs) {
    outputs_.push_back(allocate(elements_of(box.range) * element_bytes()));
  }
}

StreamRank::~StreamRank() {
  drop_graph();
  cudaDeviceSynchronize();
  for (std::byte* const bytes : memory_) cudaFree(bytes);
  if (begin_ != nullptr) cudaEventDestroy(begin_);
  if (end_ != nullptr) cudaEventDestroy(end_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

std::byte* StreamRank::allocate(int64_t bytes) {
  void* made = nullptr;
  require(cudaMalloc(&made, static_cast<size_t>(std::max<int64_t>(bytes, 1))), "cudaMalloc");
  memory_.push_back(static_cast<std::byte*>(made));
  return memory_.back();
}

int64_t StreamRank::element_bytes() const { return static_cast<int64_t>(info(work_.dtype).bytes); }

int64_t StreamRank::size(size_t input, size_t d) const {
  const IndexRange& range = list_.inputs[input].range;
  return range.end[d] - range.begin[d];
}

void StreamRank::fill_inputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto bytes = static_cast<size_t>(elements_of(list_.inputs[i].range) * element_bytes());
    require(cudaMemset(inputs_[i], 0x3c, bytes), "cudaMemset");
  }
}

void StreamRank::drop_graph() {
  if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  graph_ = nullptr;
}

exec::Outcome<> StreamRank::write(calls::Place place, std::span<const std::byte> bytes) {
  return guarded([&] {
    std::byte* const to = inputs_[number_at(list_.inputs, place)];
    require(cudaMemcpy(to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
  });
}

exec::Outcome<> StreamRank::read(calls::Place place, std::span<std::byte> bytes) {
  return guarded([&] {
    const std::byte* const from = outputs_[number_at(list_.outputs, place)];
    require(cudaMemcpy(bytes.data(), from, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  });
}

exec::Outcome<> StreamRank::step() {
  return guarded([this] { do_step(); });
}

void StreamRank::do_step() {
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // copies from pageable memory
  if (graphs_ && has_run_ && graph_ == nullptr) capture();
  require(cudaEventRecord(begin_, stream_), "cudaEventRecord");
  if (graph_ != nullptr) {
    require(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch");
  } else {
    issue();
  }
  require(cudaEventRecord(end_, stream_), "cudaEventRecord");
  wait();
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  seconds_ = static_cast<double>(milliseconds) * 1e-3;
  has_run_ = true;
}

void StreamRank::capture() {
  cudaGraph_t graph = nullptr;
  require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  issue();
  require(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
  const cudaError_t made = cudaGraphInstantiate(&graph_, graph);
  cudaGraphDestroy(graph);
  require(made, "cudaGraphInstantiate");
}

void StreamRank::wait() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(deadline_);
  for (int64_t polls = 0;; ++polls) {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaSuccess) return;
    if (status != cudaErrorNotReady) require(status, "cudaStreamQuery");
    cudaGetLastError();  // an answer, which would be taken for the error of the next launch
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error("a step has not ended in time");
    if (polls > 4096) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace isoshard::bench
