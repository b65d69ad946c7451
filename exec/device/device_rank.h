#pragma once  // internal

#include <cuda_runtime_api.h>

#include <vector>

#include "exec/device/communicators.h"
#include "exec/device/issuer.h"
#include "exec/device/products.h"

namespace isoshard::exec {

/// A rank on a device of CUDA: one piece of memory, a stream for each queue, events without times.
class DeviceRank final : public Rank {
 public:
  static Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat, const RankOptions& options);
  ~DeviceRank() override;
  DeviceRank(const DeviceRank&) = delete;
  DeviceRank& operator=(const DeviceRank&) = delete;

  Outcome<> write(calls::Place place, std::span<const std::byte> bytes) override;
  Outcome<> read(calls::Place place, std::span<std::byte> bytes) override;
  Outcome<> step() override;
  double seconds() const override { return seconds_; }
  std::optional<std::vector<calls::IssuedCall>> take_issued() override { return issuer_.take_issued(); }
  std::vector<UsedAlgorithm> algorithms() const override { return products_.algorithms(); }
  Outcome<> finish() override;

 private:
  DeviceRank(const calls::CallList& list, const RankOptions& options) : list_(list), options_(options) {}
  Outcome<> prepare(const Seat& seat);
  Outcome<> allocate();
  Outcome<> prepare_streams();
  void name_handles();
  Outcome<> issue_all();
  Outcome<> issue(const calls::Call& call);
  Outcome<> issue(const calls::Collective& collective, cudaStream_t stream);
  Outcome<> issue(const calls::Messages& messages, cudaStream_t stream);
  Outcome<> capture();
  Outcome<> fork_and_join(bool forks);
  Outcome<> wait();
  Outcome<bool> is_done(size_t& stream) const;
  Failure caused(const Failure& failure) const;
  std::string described(size_t call) const;
  /// The first call that communicates and has not ended, for messages.
  std::string unfinished() const;

  const calls::CallList& list_;
  RankOptions options_;
  Issuer issuer_;
  std::byte* memory_ = nullptr;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  std::vector<cudaEvent_t> marks_;  ///< by call: recorded behind each that communicates, else null
  cudaEvent_t begin_ = nullptr;
  std::vector<cudaEvent_t> ends_;  ///< by stream
  cudaGraphExec_t graph_ = nullptr;
  Communicators communicators_;
  Products products_;
  Deadline deadline_{};
  bool has_run_ = false;
  int64_t steps_ = 0;  ///< begun
  double seconds_ = 0;
};

}  // namespace isoshard::exec
