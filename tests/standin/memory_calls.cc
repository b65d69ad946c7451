// The interface of memory. Copies run when the scheduler has them run: a source that the host changed before that is
// copied as changed, as CUDA does from pinned memory. But cudaMemcpy to a device returns when it has read the host, and
// may be on its way still, as CUDA says of pageable memory; streams that do not wait for the legacy one may be faster.
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "tests/standin/calls.h"
#include "tests/standin/captures.h"
#include "tests/standin/issue.h"
#include "tests/standin/memory.h"
#include "tests/standin/streams.h"
#include "tests/standin/witness.h"

namespace standin {
namespace {

bool side_accessible(bool device, int rank, const void* begin, size_t bytes, const std::string& who) {
  return device ? accessible(rank, begin, bytes, who) : host_accessible(rank, begin, who);
}

cudaError_t issue_copy(CUstream_st& stream, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidValue;
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const bool infer = kind == cudaMemcpyDefault;
  const bool to_device = infer ? on_device(to) : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = infer ? on_device(from) : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const int rank = stream.rank;
  const std::string who = place_of(rank, stream.index);
  return issue_work(stream, "copy " + std::to_string(bytes) + " bytes", [=] {
    const bool reads = side_accessible(from_device, rank, from, bytes, who + ": a copy reads");
    const bool writes = side_accessible(to_device, rank, to, bytes, who + ": a copy writes");
    if (reads && writes) std::memmove(to, from, bytes);
  });
}

/// A copy from pageable memory: what is there is taken at once, and written when the scheduler has it be.
cudaError_t issue_staged(CUstream_st& stream, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  const int rank = stream.rank;
  const std::string who = place_of(rank, stream.index) + ": a copy ";
  if (!host_accessible(rank, from, who + "reads")) return cudaErrorInvalidValue;
  const auto* const first = static_cast<const std::byte*>(from);
  return issue_work(stream, "copy " + std::to_string(bytes) + " bytes",
                    [rank, to, who, taken = std::vector<std::byte>(first, first + bytes)] {
                      if (accessible(rank, to, taken.size(), who + "writes")) {
                        std::memcpy(to, taken.data(), taken.size());
                      }
                    });
}

/// The memory of a process that is a client is not that of the devices, so its bytes go there and back.
cudaError_t copy_from_client(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return ask_cuda<cudaMemcpy>(to, In{from, bytes}, bytes, kind);
    case cudaMemcpyDeviceToHost:
      return ask_cuda<cudaMemcpy>(Back<std::byte>{static_cast<std::byte*>(to), bytes}, from, bytes, kind);
    case cudaMemcpyDeviceToDevice:
      return ask_cuda<cudaMemcpy>(to, from, bytes, kind);
    default:
      return remembered(cudaErrorNotSupported);
  }
}

cudaError_t issue_fill(CUstream_st& stream, void* to, int value, size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr) return cudaErrorInvalidValue;
  const int rank = stream.rank;
  const std::string who = place_of(rank, stream.index) + ": a fill writes";
  return issue_work(stream, "fill " + std::to_string(bytes) + " bytes", [=] {
    if (accessible(rank, to, bytes, who)) std::memset(to, value, bytes);
  });
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  if (is_client()) return ask_cuda<cudaMalloc>(Out{pointer}, bytes);
  return cuda_call([&](Lock&) {
    if (const cudaError_t error = refused_in_any_capture()) return error;
    return allocate(current_device(), pointer, bytes);
  });
}

cudaError_t cudaFree(void* pointer) {
  if (is_client()) return ask_cuda<cudaFree>(pointer);
  return cuda_call([&](Lock&) {
    if (const cudaError_t error = refused_in_any_capture()) return error;
    return give_back(false, pointer);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  if (is_client()) return remembered(cudaErrorNotSupported);
  return cuda_call([&](Lock&) { return allocate(-1, pointer, bytes); });
}

cudaError_t cudaFreeHost(void* pointer) {
  if (is_client()) return remembered(cudaErrorNotSupported);
  return cuda_call([&](Lock&) { return give_back(true, pointer); });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (is_client()) return ask_cuda<cudaMemGetInfo>(Out{free}, Out{total});
  return cuda_call([&](Lock&) {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = static_cast<size_t>(Machine::get().options().device_bytes);
    *free = *total - used_bytes(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (is_client()) return copy_from_client(to, from, bytes, kind);
  return cuda_call([&](Lock& lock) {
    CUstream_st& stream = *stream_of(nullptr);
    if (kind == cudaMemcpyHostToDevice) return issue_staged(stream, to, from, bytes);
    if (const cudaError_t error = issue_copy(stream, to, from, bytes, kind)) return error;
    return wait_for(lock, tails_of(stream));
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  if (is_client()) {
    if (kind != cudaMemcpyDeviceToDevice) return remembered(cudaErrorNotSupported);
    return ask_cuda<cudaMemcpyAsync>(to, from, bytes, kind, stream);
  }
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    return found == nullptr ? cudaErrorInvalidResourceHandle : issue_copy(*found, to, from, bytes, kind);
  });
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  if (is_client()) return ask_cuda<cudaMemset>(to, value, bytes);
  return cuda_call([&](Lock&) { return issue_fill(*stream_of(nullptr), to, value, bytes); });
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  if (is_client()) return ask_cuda<cudaMemsetAsync>(to, value, bytes, stream);
  return cuda_call([&](Lock&) {
    CUstream_st* const found = stream_of(stream);
    if (witnesses()) witness({"cudaMemsetAsync", name_of_place(to), word(value), word(bytes), name_of_stream(found)});
    return found == nullptr ? cudaErrorInvalidResourceHandle : issue_fill(*found, to, value, bytes);
  });
}

}  // extern "C"
