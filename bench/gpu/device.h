#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace isoshard::bench {

/// Ends the process with code 1 and a message when a call of CUDA, cuBLASLt or NCCL failed; all of them return 0 for
/// success.
template <typename Status>
void require(Status status, const char* call) {
  if (static_cast<int>(status) == 0) return;
  std::fprintf(stderr, "%s returned %d (last CUDA error: %s)\n", call, static_cast<int>(status),
               cudaGetErrorName(cudaGetLastError()));
  std::exit(1);
}

/// Ends the process with code 77, which tests take as skipped, when there is no GPU that CUDA can use.
inline void require_device() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return;
  std::printf("no GPU: cudaGetDeviceCount says %s, %d devices\n", cudaGetErrorName(status), devices);
  std::exit(77);
}

/// Prints the device, the driver and the runtime as one line.
inline void print_device() {
  cudaDeviceProp device;
  int driver = 0, runtime = 0;
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  std::printf("# %s, sm_%d%d, %d SMs, driver for CUDA %d, runtime %d\n", device.name, device.major, device.minor,
              device.multiProcessorCount, driver, runtime);
}

/// The seconds that what `calls` issues on `stream` takes, by events.
template <typename Calls>
double seconds_of(cudaStream_t stream, Calls calls) {
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  require(cudaEventRecord(begin, stream), "cudaEventRecord");
  calls();
  require(cudaEventRecord(end, stream), "cudaEventRecord");
  require(cudaEventSynchronize(end), "cudaEventSynchronize");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds * 1e-3;
}

/// An array in the memory of the device.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) { require(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc"); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

}  // namespace isoshard::bench
