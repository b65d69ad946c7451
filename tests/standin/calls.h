#pragma once

#include <optional>

#include "tests/standin/faults.h"
#include "tests/standin/machine.h"
#include "tests/standin/remote/client.h"

namespace standin {

/// The device of the calling thread.
int current_device();

/// The rank whose calls those of the calling thread are: its device, or -1 where it never called cudaSetDevice.
int current_rank();

/// The calling thread is the rank of this device from here on.
void become_rank(int device);

/// Keeps an error for cudaGetLastError.
cudaError_t remembered(cudaError_t error);

/// What the calling thread's last call that failed returned, and forgets it where that is asked for.
cudaError_t last_error(bool forget);

/// Counts a call that is made in another process than that of the devices; what it returns where it is to fail.
std::optional<Errors> count_call(const char* name);

/// Calls a function of the CUDA runtime in the process of the devices.
template <auto Function, class... Given>
cudaError_t ask_cuda(const Given&... given) {
  return remembered(ask<Function>(given...));
}

/// Runs the body of a function of the CUDA runtime, under the mutex, unless the call is made to fail. `name` is that
/// of the function.
template <class Body>
cudaError_t cuda_call(const Body& body, const char* name = __builtin_FUNCTION()) {
  Lock lock(Machine::get().mutex);
  const std::optional<Errors> fault = fault_of_call(lock, current_rank(), name);
  if (fault) return remembered(fault->cuda);
  const cudaError_t error = body(lock);
  return remembered(Machine::get().has_failed_kernel(current_rank()) ? cudaErrorLaunchFailure : error);
}

/// The same for NCCL.
template <class Body>
ncclResult_t nccl_call(const Body& body, const char* name = __builtin_FUNCTION()) {
  Lock lock(Machine::get().mutex);
  const std::optional<Errors> fault = fault_of_call(lock, current_rank(), name);
  return fault ? fault->nccl : body(lock);
}

/// The same for cuBLASLt, whose descriptors are in the process of the caller.
template <class Body>
cublasStatus_t cublas_call(const Body& body, const char* name = __builtin_FUNCTION()) {
  if (is_client()) {
    const std::optional<Errors> fault = ask<&count_call>(name);
    Lock lock(Machine::get().mutex);
    return fault ? fault->cublas : body(lock);
  }
  Lock lock(Machine::get().mutex);
  const std::optional<Errors> fault = fault_of_call(lock, current_rank(), name);
  return fault ? fault->cublas : body(lock);
}

}  // namespace standin
