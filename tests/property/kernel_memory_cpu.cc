// Kernels that a CPU runs at once, in the memory of the test. Cost: that of the kernels.
#include "tests/property/kernel_memory.h"

#include <utility>

#include "exec/kernels/launch.h"

namespace {

std::string kernel_failure;

}  // namespace

void standin_launch(cudaStream_t, void (*run)(const void*), const void* work, size_t, const void*, size_t) {
  run(work);
}
void standin_kernel_failed(const std::string& what) { kernel_failure = what; }

namespace isoshard::testing {

KernelMemory::KernelMemory(std::span<std::byte> bytes) : bytes_(bytes), begin_(bytes.data()) {}

void KernelMemory::take_back() {}

std::string take_kernel_failure() { return std::exchange(kernel_failure, ""); }

}  // namespace isoshard::testing
