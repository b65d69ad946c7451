#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

// The issuer of exec under another name, whose file this one stands before.
#define Issuer FaithfulIssuer
#include ISOSHARD_FAITHFUL_ISSUER
#undef Issuer

namespace isoshard::exec {

/// An issuer that makes one mistake, the first time that it can: $ISOSHARD_MUTANT is `NAME RANK`. What it gives to
/// streams it gives through a faithful one, as exec would with such a mistake in its translation, and the record of
/// that has to tell.
class Issuer : public FaithfulIssuer {
 public:
  Issuer() {
    const char* text = std::getenv("ISOSHARD_MUTANT");
    if (text != nullptr) std::sscanf(text, "%31s %d", name_, &guilty_);
  }

  ncclResult_t meet(ncclComm_t* made, int ranks, const ncclUniqueId& id, int rank, ncclConfig_t* config) {
    rank_ = rank;
    return FaithfulIssuer::meet(made, ranks, id, rank, config);
  }
  ncclResult_t split(ncclComm_t parent, int color, int key, ncclComm_t* made, ncclConfig_t* config) {
    return FaithfulIssuer::split(parent, errs("color") ? color + 1 : color, key, made, config);
  }
  cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
    if (first_event_ == nullptr) first_event_ = event;
    if (first_stream_ == nullptr) first_stream_ = stream;
    if (event != first_event_ && errs("drop_record")) return cudaSuccess;
    return FaithfulIssuer::record(event, stream);
  }
  cudaError_t wait(cudaStream_t stream, cudaEvent_t event) {
    if (errs("drop_wait") || (captures_ && errs("late_wait"))) return cudaSuccess;
    return FaithfulIssuer::wait(stream, errs("event") ? first_event_ : event);
  }
  cudaError_t begin_capture(cudaStream_t stream) {
    captures_ = true;
    return FaithfulIssuer::begin_capture(stream);
  }
  template <class Kernel>
  cudaError_t start(const Kernel& kernel, std::byte* memory, cudaStream_t stream) {
    if (errs("drop_kernel")) return cudaSuccess;
    if (errs("twice")) FaithfulIssuer::start(kernel, memory, stream);
    if constexpr (std::is_same_v<Kernel, calls::Map>) {
      if (kernel.size[0] > 1 && errs("kernel")) {
        calls::Map less = kernel;
        --less.size[0];
        return FaithfulIssuer::start(less, memory, stream);
      }
    }
    return FaithfulIssuer::start(kernel, memory, stream);
  }
  cublasStatus_t multiply(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha, GivenMatrix a,
                          GivenMatrix b, const void* beta, GivenMatrix c, void* d, cublasLtMatrixLayout_t d_layout,
                          const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t workspace_bytes,
                          cudaStream_t stream) {
    if (errs("operands")) std::swap(a.data, b.data);
    if (errs("beta")) beta = alpha;
    static constexpr float kZero = 0;
    const bool adds = *static_cast<const float*>(beta) != 0;
    if (adds && errs("no_beta")) beta = &kZero;
    if (adds && errs("added")) c.data = a.data;
    if (errs("bias")) {
      const void* const bias = a.data;
      cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
    }
    return FaithfulIssuer::multiply(handle, operation, alpha, a, b, beta, c, d, d_layout, algorithm, workspace,
                                    workspace_bytes, stream);
  }
  ncclResult_t all_reduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                          ncclComm_t on, cudaStream_t stream) {
    if (errs("count")) --count;
    if (errs("dtype")) type = ncclInt32;
    if (errs("op")) op = ncclMax;
    if (errs("offset")) receive = static_cast<std::byte*>(receive) + 4;
    if (errs("stream")) stream = first_stream_;
    if (first_communicator_ == nullptr) first_communicator_ = on;
    if (on != first_communicator_ && errs("communicator")) on = first_communicator_;
    return in_order([=, this] { return FaithfulIssuer::all_reduce(send, receive, count, type, op, on, stream); });
  }
  ncclResult_t send(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t on, cudaStream_t stream) {
    return FaithfulIssuer::send(from, count, type, errs("peer") ? (peer == 0 ? 1 : 0) : peer, on, stream);
  }

 private:
  /// Whether the mistake of this name is to be made now.
  bool errs(const char* name) {
    if (has_erred_ || rank_ != guilty_ || std::strcmp(name, name_) != 0) return false;
    return has_erred_ = true;
  }
  /// Two collectives change places for `swap`.
  ncclResult_t in_order(std::function<ncclResult_t()> collective) {
    if (errs("swap")) {
      put_off_ = std::move(collective);
      return ncclSuccess;
    }
    const ncclResult_t status = collective();
    if (put_off_) std::exchange(put_off_, nullptr)();
    return status;
  }

  char name_[32] = "";
  int guilty_ = -1, rank_ = 0;
  bool captures_ = false, has_erred_ = false;
  cudaEvent_t first_event_ = nullptr;
  cudaStream_t first_stream_ = nullptr;
  ncclComm_t first_communicator_ = nullptr;
  std::function<ncclResult_t()> put_off_{};
};

}  // namespace isoshard::exec
