#pragma once  // internal

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>

#include "exec/backend.h"

namespace isoshard::exec {

/// What a call of CUDA or NCCL said, as a failure unless it is success.
inline Failure cuda_failure(cudaError_t status, const char* call) {
  const bool none = status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  std::string text(call);
  text += ": ";
  text += cudaGetErrorString(status);
  return {none ? Failure::Kind::no_device : Failure::Kind::failed, std::move(text)};
}
inline Failure nccl_failure(ncclResult_t status, const char* call, ncclComm_t communicator) {
  std::string text(call);
  text += ": ";
  text += ncclGetErrorString(status);
  const char* const last = ncclGetLastError(communicator);
  if (last != nullptr && *last != '\0') text += std::string(" (") + last + ")";
  return {status == ncclRemoteError ? Failure::Kind::elsewhere : Failure::Kind::failed, std::move(text)};
}

}  // namespace isoshard::exec

/// Returns the failure of a call of CUDA from the function that it stands in.
#define ISOSHARD_CUDA(call)                                                  \
  do {                                                                       \
    if (const cudaError_t status_ = (call); status_ != cudaSuccess) {        \
      return tl::unexpected(::isoshard::exec::cuda_failure(status_, #call)); \
    }                                                                        \
  } while (false)

/// The same for a function that an Issuer calls.
#define ISOSHARD_ISSUE(name, call)                                           \
  do {                                                                       \
    if (const cudaError_t status_ = (call); status_ != cudaSuccess) {        \
      return tl::unexpected(::isoshard::exec::cuda_failure(status_, #name)); \
    }                                                                        \
  } while (false)
