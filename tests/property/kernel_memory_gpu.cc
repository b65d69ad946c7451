// Kernels that a GPU runs, in a copy of the memory of the test. The copy lies in one piece of its memory that grows and
// is never given back, since cudaMalloc takes longer than most cases. A program without a GPU ends with code 77, before
// any test. Cost: two transfers for each case.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tests/property/kernel_memory.h"

namespace isoshard::testing {
namespace {

std::string gpu_failure;

void note(cudaError_t error, const char* call) {
  if (error != cudaSuccess && gpu_failure.empty()) gpu_failure = std::string(call) + ": " + cudaGetErrorString(error);
}

std::byte* device_memory(size_t size) {
  static std::byte* memory = nullptr;
  static size_t held = 0;
  if (size <= held) return memory;
  note(cudaFree(memory), "cudaFree");
  held = 2 * size;
  note(cudaMalloc(reinterpret_cast<void**>(&memory), held), "cudaMalloc");
  return memory;
}

[[maybe_unused]] const bool has_gpu = [] {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return true;
  std::puts("skipped: there is no GPU here");
  std::exit(77);
}();

}  // namespace

KernelMemory::KernelMemory(std::span<std::byte> bytes) : bytes_(bytes), begin_(device_memory(bytes.size())) {
  note(cudaMemcpy(begin_, bytes_.data(), bytes_.size(), cudaMemcpyHostToDevice), "cudaMemcpy to the GPU");
}

void KernelMemory::take_back() {
  note(cudaGetLastError(), "launch");
  note(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  note(cudaMemcpy(bytes_.data(), begin_, bytes_.size(), cudaMemcpyDeviceToHost), "cudaMemcpy from the GPU");
}

std::string take_kernel_failure() { return std::exchange(gpu_failure, ""); }

}  // namespace isoshard::testing
