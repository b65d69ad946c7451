#pragma once  // internal

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "exec/backend.h"

namespace isoshard::bench {

/// Throws what a call said that has failed.
inline void require(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}
inline void require(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": cuBLASLt status " + std::to_string(status));
  }
}
inline void require(ncclResult_t status, const char* call) {
  if (status != ncclSuccess) throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(status));
}

/// What `work` gives, or what it throws as a failure of the work by hand; no exception leaves a library.
template <class Work>
auto guarded(const Work& work) -> exec::Outcome<decltype(work())> {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const std::exception& error) {
    return tl::unexpected(exec::Failure{exec::Failure::Kind::failed, std::string("by hand: ") + error.what()});
  }
}

}  // namespace isoshard::bench
