#pragma once

#include <cstddef>
#include <span>
#include <string>

/// Where the kernels of tests run: the same tests are linked with a CPU's (kernel_memory_cpu.cc) and with a GPU's
/// (kernel_memory_gpu.cc).
namespace isoshard::testing {

/// Bytes of the host as kernels see them: themselves on a CPU, a copy on a GPU.
class KernelMemory {
 public:
  explicit KernelMemory(std::span<std::byte> bytes);

  /// What exec::launch() is given.
  std::byte* begin() { return begin_; }

  /// Waits for all kernels; then the bytes are what these made of them.
  void take_back();

 private:
  std::span<std::byte> bytes_;
  std::byte* begin_;
};

/// What the emulator of kernels, or the GPU, said since it was asked last; empty where it had no reason to.
std::string take_kernel_failure();

}  // namespace isoshard::testing
