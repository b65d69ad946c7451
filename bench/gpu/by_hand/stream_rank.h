#pragma once  // internal

#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "bench/gpu/by_hand/by_hand.h"

namespace isoshard::bench {

/// A rank with one stream, whose steps are what `issue` gives to that.
class StreamRank : public HandRank {
 public:
  StreamRank(const HandWork& work, const calls::CallList& list, const exec::Seat& seat,
             const exec::RankOptions& options);
  ~StreamRank() override;
  StreamRank(const StreamRank&) = delete;
  StreamRank& operator=(const StreamRank&) = delete;

  exec::Outcome<> write(calls::Place place, std::span<const std::byte> bytes) override;
  exec::Outcome<> read(calls::Place place, std::span<std::byte> bytes) override;
  exec::Outcome<> step() override;
  double seconds() const override { return seconds_; }
  exec::Outcome<> finish() override { return {}; }
  exec::Outcome<exec::MeetingPoint> share(const exec::MeetingPoint& given) override { return given; }

 protected:
  virtual void issue() = 0;
  /// Memory of the device that lives as long as the rank.
  std::byte* allocate(int64_t bytes);
  /// Input or output number `i` of the list, and how many elements it has in dimension `d`.
  std::byte* input(size_t i) const { return inputs_[i]; }
  std::byte* output(size_t i) const { return outputs_[i]; }
  int64_t size(size_t input, size_t d) const;
  /// Makes all inputs numbers of f32 and bf16, for what is measured before they are written.
  void fill_inputs() const;
  int64_t element_bytes() const;
  cudaStream_t stream() const { return stream_; }
  const HandWork& work() const { return work_; }
  /// Waits until the stream has done all; throws behind the deadline.
  void wait();
  /// Forgets the graph of a step.
  void drop_graph();

 private:
  void do_step();
  void capture();

  HandWork work_;
  const calls::CallList& list_;
  bool graphs_;
  double deadline_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  cudaGraphExec_t graph_ = nullptr;
  std::vector<std::byte*> memory_, inputs_, outputs_;
  bool has_run_ = false;
  double seconds_ = 0;
};

}  // namespace isoshard::bench
