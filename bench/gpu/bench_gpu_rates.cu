// What a GPU gives at best, for the clock of sim and as the ceiling for exec: copies, an elementwise pass with each
// function of core/ir/scalar (one source for sim and GPU), the cost of a launch, of an event, and of a node of a graph.
// Times are of CUDA events around a fixed number of calls. Cost: about 10 s.
#include <cstdint>

#include "bench/gpu/gpu_benchmark.h"
#include "core/ir/scalar/exponential.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/logistic.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/tanh.h"
#include "core/ir/scalar/trigonometric.h"

namespace isoshard::bench {
namespace {

constexpr std::size_t kElements = std::size_t{1} << 28;  // 1 GiB of f32: many times the L2

struct Copy {
  static ISOSHARD_SCALAR float of(float x) { return x; }
};
struct Exponential {
  static ISOSHARD_SCALAR float of(float x) { return scalar::exponential(x); }
};
struct Tanh {
  static ISOSHARD_SCALAR float of(float x) { return scalar::tanh(x); }
};
struct Logistic {
  static ISOSHARD_SCALAR float of(float x) { return scalar::logistic(x); }
};
struct Log {
  static ISOSHARD_SCALAR float of(float x) { return scalar::log(x); }
};
struct Sine {
  static ISOSHARD_SCALAR float of(float x) { return scalar::sine(x); }
};
struct Power {
  static ISOSHARD_SCALAR float of(float x) { return scalar::power(x, 1.75f); }
};
struct CudaExponential {
  static ISOSHARD_SCALAR float of(float x) { return ::expf(x); }
};
struct CudaTanh {
  static ISOSHARD_SCALAR float of(float x) { return ::tanhf(x); }
};
struct CudaSine {
  static ISOSHARD_SCALAR float of(float x) { return ::sinf(x); }
};

template <typename Element>
__global__ void __launch_bounds__(256) map(const float4* __restrict__ x, float4* __restrict__ y, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const float4 v = x[i];
    y[i] = make_float4(Element::of(v.x), Element::of(v.y), Element::of(v.z), Element::of(v.w));
  }
}

/// Numbers of both signs between 2^-7 and 2^4 or so, other ones in each word.
__global__ void fill(float* x, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const std::uint32_t bits = static_cast<std::uint32_t>(i * 2654435761u) ^ static_cast<std::uint32_t>(i >> 7);
    x[i] = (static_cast<float>(bits >> 8) * 0x1p-24f - 0.5f) * 32.0f;
  }
}

__global__ void empty() {}

void copy_by_memcpy(::benchmark::State& state) {
  DeviceArray<float> x(kElements), y(kElements);
  fill<<<1056, 256>>>(x.data(), kElements);
  measure(state, nullptr, 10, 8.0 * kElements, [&] {
    for (int i = 0; i < 10; ++i) {
      require(cudaMemcpyAsync(y.data(), x.data(), 4 * kElements, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
    }
  });
}

void copy_host(::benchmark::State& state, cudaMemcpyKind kind) {
  constexpr std::size_t kBytes = std::size_t{1} << 28;
  DeviceArray<char> device(kBytes);
  char* host = nullptr;
  require(cudaMallocHost(&host, kBytes), "cudaMallocHost");
  const bool up = kind == cudaMemcpyHostToDevice;
  measure(state, nullptr, 4, static_cast<double>(kBytes), [&] {
    for (int i = 0; i < 4; ++i) {
      require(cudaMemcpyAsync(up ? device.data() : host, up ? host : device.data(), kBytes, kind), "cudaMemcpyAsync");
    }
  });
  cudaFreeHost(host);
}

template <typename Element>
void elementwise(::benchmark::State& state) {
  DeviceArray<float> x(kElements), y(kElements);
  fill<<<1056, 256>>>(x.data(), kElements);
  measure(state, nullptr, 10, 8.0 * kElements, [&] {
    for (int i = 0; i < 10; ++i) {
      map<Element><<<1056, 256>>>(reinterpret_cast<const float4*>(x.data()), reinterpret_cast<float4*>(y.data()),
                                  kElements / 4);
    }
  });
  require(cudaGetLastError(), "map");
}

constexpr int kLaunches = 1000;

void launch_eager(::benchmark::State& state) {
  measure(state, nullptr, kLaunches, 0, [] {
    for (int i = 0; i < kLaunches; ++i) empty<<<1, 32>>>();
  });
}

/// Kernels by turns on two streams, each after the one before it by an event.
void launch_across_streams(::benchmark::State& state) {
  cudaStream_t streams[2];
  cudaEvent_t done[2];
  for (int i = 0; i < 2; ++i) {
    require(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    require(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  measure(state, streams[0], kLaunches, 0, [&] {
    for (int i = 0; i < kLaunches; ++i) {
      empty<<<1, 32, 0, streams[i % 2]>>>();
      require(cudaEventRecord(done[i % 2], streams[i % 2]), "cudaEventRecord");
      require(cudaStreamWaitEvent(streams[1 - i % 2], done[i % 2], 0), "cudaStreamWaitEvent");
    }
  });
  for (int i = 0; i < 2; ++i) {
    cudaStreamDestroy(streams[i]);
    cudaEventDestroy(done[i]);
  }
}

void launch_graph(::benchmark::State& state) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t program;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (int i = 0; i < kLaunches; ++i) empty<<<1, 32, 0, stream>>>();
  require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  require(cudaGraphInstantiate(&program, graph, 0), "cudaGraphInstantiate");
  measure(state, stream, kLaunches, 0, [&] { require(cudaGraphLaunch(program, stream), "cudaGraphLaunch"); });
  cudaGraphExecDestroy(program);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

GPU_BENCHMARK(copy_by_memcpy);
BENCHMARK_CAPTURE(copy_host, to_device, cudaMemcpyHostToDevice)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(::benchmark::kMicrosecond);
BENCHMARK_CAPTURE(copy_host, to_host, cudaMemcpyDeviceToHost)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(::benchmark::kMicrosecond);
GPU_BENCHMARK(elementwise<Copy>);
GPU_BENCHMARK(elementwise<Exponential>);
GPU_BENCHMARK(elementwise<CudaExponential>);
GPU_BENCHMARK(elementwise<Tanh>);
GPU_BENCHMARK(elementwise<CudaTanh>);
GPU_BENCHMARK(elementwise<Logistic>);
GPU_BENCHMARK(elementwise<Log>);
GPU_BENCHMARK(elementwise<Sine>);
GPU_BENCHMARK(elementwise<CudaSine>);
GPU_BENCHMARK(elementwise<Power>);
GPU_BENCHMARK(launch_eager);
GPU_BENCHMARK(launch_across_streams);
GPU_BENCHMARK(launch_graph);

}  // namespace
}  // namespace isoshard::bench

int main(int argc, char** argv) { return isoshard::bench::run_benchmarks(argc, argv); }
