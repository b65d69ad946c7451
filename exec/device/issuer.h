#pragma once  // internal

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "exec/device/recorder.h"
#include "exec/kernels/launch.h"

namespace isoshard::exec {

/// All that a rank gives to its streams goes through here: each function calls the one of CUDA, NCCL or cuBLASLt that
/// it stands for, with the same arguments, and before that writes them down where a record is kept.
class Issuer {
 public:
  void keep_record() { recorder_ = std::make_unique<Recorder>(); }
  Recorder* recorder() const { return recorder_.get(); }
  std::optional<std::vector<calls::IssuedCall>> take_issued() {
    return recorder_ != nullptr ? std::optional(recorder_->take()) : std::nullopt;
  }

  cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
    if (recorder_) recorder_->add(Function::record, {recorder_->number(event), recorder_->number(stream)});
    return cudaEventRecord(event, stream);
  }
  cudaError_t wait(cudaStream_t stream, cudaEvent_t event) {
    if (recorder_) recorder_->add(Function::wait, {recorder_->number(stream), recorder_->number(event)});
    return cudaStreamWaitEvent(stream, event, 0);
  }
  cudaError_t fill(void* to, int value, size_t bytes, cudaStream_t stream) {
    if (recorder_)
      recorder_->add(Function::fill, {recorder_->place(to), value, wide(bytes), recorder_->number(stream)});
    return cudaMemsetAsync(to, value, bytes, stream);
  }
  template <class Kernel>
  cudaError_t start(const Kernel& kernel, std::byte* memory, cudaStream_t stream) {
    if (recorder_) {
      recorder_->add(Function::kernel, {calls::kernel_number<Kernel>(), calls::digest_of(kernel),
                                        recorder_->place(memory), recorder_->number(stream)});
    }
    launch(kernel, memory, stream);
    return cudaGetLastError();
  }

  /// d = alpha a b + beta c.
  cublasStatus_t multiply(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
                          const GivenMatrix& a, const GivenMatrix& b, const void* beta, const GivenMatrix& c, void* d,
                          cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                          size_t workspace_bytes, cudaStream_t stream) {
    if (recorder_) {
      const cublasStatus_t asked =
          recorder_->add_product(operation, alpha, beta, {a, b, c, {d, d_layout}}, workspace, stream);
      if (asked != CUBLAS_STATUS_SUCCESS) return asked;
    }
    return cublasLtMatmul(handle, operation, alpha, a.data, a.layout, b.data, b.layout, beta, c.data, c.layout, d,
                          d_layout, algorithm, workspace, workspace_bytes, stream);
  }

  ncclResult_t meet(ncclComm_t* made, int ranks, const ncclUniqueId& id, int rank, ncclConfig_t* config) {
    if (recorder_) recorder_->add(Function::meet, {ranks, rank});
    return ncclCommInitRankConfig(made, ranks, id, rank, config);
  }
  ncclResult_t split(ncclComm_t parent, int color, int key, ncclComm_t* made, ncclConfig_t* config) {
    color_ = color;
    key_ = key;
    return ncclCommSplit(parent, color, key, made, config);
  }
  /// The last split is complete: null where this rank takes no part.
  ncclResult_t has_split(ncclComm_t made) const {
    return recorder_ ? recorder_->split(made, color_, key_) : ncclSuccess;
  }
  ncclResult_t all_reduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                          ncclComm_t on, cudaStream_t stream) {
    if (recorder_) add_collective(Function::all_reduce, send, receive, {wide(count), type, op}, on, stream);
    return ncclAllReduce(send, receive, count, type, op, on, stream);
  }
  ncclResult_t all_gather(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t on,
                          cudaStream_t stream) {
    if (recorder_) add_collective(Function::all_gather, send, receive, {wide(count), type}, on, stream);
    return ncclAllGather(send, receive, count, type, on, stream);
  }
  ncclResult_t reduce_scatter(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                              ncclComm_t on, cudaStream_t stream) {
    if (recorder_) add_collective(Function::reduce_scatter, send, receive, {wide(count), type, op}, on, stream);
    return ncclReduceScatter(send, receive, count, type, op, on, stream);
  }
  ncclResult_t all_to_all(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t on,
                          cudaStream_t stream) {
    if (recorder_) add_collective(Function::all_to_all, send, receive, {wide(count), type}, on, stream);
    return ncclAlltoAll(send, receive, count, type, on, stream);
  }
  ncclResult_t group_start() {
    if (recorder_) recorder_->add(Function::group_start, {});
    return ncclGroupStart();
  }
  ncclResult_t group_end() {
    if (recorder_) recorder_->add(Function::group_end, {});
    return ncclGroupEnd();
  }
  ncclResult_t send(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t on, cudaStream_t stream) {
    if (recorder_) add_message(Function::send, from, {wide(count), type, peer}, on, stream);
    return ncclSend(from, count, type, peer, on, stream);
  }
  ncclResult_t receive(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t on, cudaStream_t stream) {
    if (recorder_) add_message(Function::receive, to, {wide(count), type, peer}, on, stream);
    return ncclRecv(to, count, type, peer, on, stream);
  }

  cudaError_t begin_capture(cudaStream_t stream) {
    if (recorder_) recorder_->add(Function::begin_capture, {recorder_->number(stream)});
    return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  }
  cudaError_t end_capture(cudaStream_t stream, cudaGraph_t* graph) {
    if (recorder_) recorder_->add(Function::end_capture, {recorder_->number(stream)});
    return cudaStreamEndCapture(stream, graph);
  }
  cudaError_t launch_graph(cudaGraphExec_t graph, cudaStream_t stream) {
    if (recorder_) recorder_->add(Function::launch_graph, {recorder_->number(stream)});
    return cudaGraphLaunch(graph, stream);
  }

 private:
  using Function = calls::Function;
  static int64_t wide(size_t count) { return static_cast<int64_t>(count); }

  void add_collective(Function function, const void* send, const void* receive, std::vector<int64_t> what,
                      ncclComm_t on, cudaStream_t stream) const {
    what.insert(what.begin(), {recorder_->place(send), recorder_->place(receive)});
    what.insert(what.end(), {recorder_->number(on), recorder_->number(stream)});
    recorder_->add(function, std::move(what));
  }
  void add_message(Function function, const void* place, std::vector<int64_t> what, ncclComm_t on,
                   cudaStream_t stream) const {
    what.insert(what.begin(), recorder_->place(place));
    what.insert(what.end(), {recorder_->number(on), recorder_->number(stream)});
    recorder_->add(function, std::move(what));
  }

  std::unique_ptr<Recorder> recorder_;
  int color_ = 0, key_ = 0;
};

}  // namespace isoshard::exec
