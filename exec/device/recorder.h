#pragma once  // internal

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/plan/calls/issued.h"

namespace isoshard::exec {

/// One matrix of a product.
struct GivenMatrix {
  const void* data;
  cublasLtMatrixLayout_t layout;
};

/// Writes down what is issued, with numbers in place of handles; a handle has one from when it was made.
class Recorder {
 public:
  void memory_begins_at(const std::byte* memory) { memory_ = memory; }
  void made(cudaStream_t stream) { streams_.emplace(stream, static_cast<int64_t>(streams_.size())); }
  void made(cudaEvent_t event, calls::EventRole role, int64_t number);
  void made_workspace(const void* workspace, uint32_t stream) { workspaces_.emplace(workspace, stream); }
  /// The split is complete, so that NCCL can say what came of it, or fails to.
  ncclResult_t split(ncclComm_t made, int color, int key);

  int64_t number(cudaStream_t stream) const { return number_in(streams_, stream); }
  int64_t number(cudaEvent_t event) const { return number_in(events_, event); }
  int64_t number(ncclComm_t communicator) const { return number_in(communicators_, communicator); }
  int64_t place(const void* address) const { return static_cast<const std::byte*>(address) - memory_; }

  void add(calls::Function function, std::vector<int64_t> arguments) {
    issued_.push_back({function, std::move(arguments)});
  }
  /// Matrices are a, b, c and d. A failure to say what the descriptors hold, upon which nothing is written down.
  cublasStatus_t add_product(cublasLtMatmulDesc_t operation, const void* alpha, const void* beta,
                             const GivenMatrix (&matrices)[4], const void* workspace, cudaStream_t stream);

  std::vector<calls::IssuedCall> take() { return std::exchange(issued_, {}); }

 private:
  using Numbers = std::unordered_map<const void*, int64_t>;
  static int64_t number_in(const Numbers& numbers, const void* handle);

  const std::byte* memory_ = nullptr;
  Numbers streams_, events_, communicators_, workspaces_;
  int64_t splits_ = 0;
  std::vector<calls::IssuedCall> issued_;
};

}  // namespace isoshard::exec
