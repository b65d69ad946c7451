// How close to a copy a fused elementwise pass comes that no compiler saw: one kernel reads a list of steps, the same
// for all threads, and applies each to a value that stays in registers; what is needed again waits in slots of shared
// memory. A thread works on one, two or four times four elements, so that a step is decoded less often. Beside it stand
// the same chains as code, which is what a run-time compiler would give at best. The question decides how exec fuses
// (docs/adr/0052-what-a-gpu-said.md). Cost: about 2 s.
#include <cstdint>

#include "bench/gpu/gpu_benchmark.h"
#include "core/ir/scalar/logistic.h"
#include "core/ir/scalar/tanh.h"

namespace isoshard::bench {
namespace {

constexpr std::size_t kElements = std::size_t{1} << 27;
constexpr int kThreads = 256, kSlots = 2, kMostSteps = 32, kInputs = 3;

enum class Op : std::uint8_t { take, add, multiply, logistic, tanh };
enum class From : std::uint8_t { nowhere, input, slot, number };

/// value = op(value, operand), and then slot[keep - 1] = value unless keep is 0.
struct Step {
  Op op;
  From from;
  std::uint8_t index, keep;
  float number;
};

/// A chain and its arrays: an argument of the kernel, which all threads read as a constant.
struct Chain {
  const float4* inputs[kInputs];
  float4* output;
  int steps;
  Step step[kMostSteps];
};

template <typename Function>
__device__ __forceinline__ float4 each(float4 a, Function f) {
  return make_float4(f(a.x), f(a.y), f(a.z), f(a.w));
}
template <typename Function>
__device__ __forceinline__ float4 each(float4 a, float4 b, Function f) {
  return make_float4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}

/// Each thread has four elements kWide times, as many threads apart as a block has; n, the number of fours, must be a
/// multiple of both together.
template <int kWide>
__global__ void __launch_bounds__(kThreads) interpret(const __grid_constant__ Chain chain, std::size_t n) {
  __shared__ float4 slot[kSlots][kWide][kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t stride = std::size_t{gridDim.x} * kThreads * kWide;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads * kWide + threadIdx.x; i < n; i += stride) {
    float4 value[kWide], operand[kWide];
    const auto all = [&](auto change) {
#pragma unroll
      for (int w = 0; w < kWide; ++w) change(w);
    };
    for (int s = 0; s < chain.steps; ++s) {
      const Step step = chain.step[s];
      switch (step.from) {
        case From::nowhere:
          break;
        case From::input:
          all([&](int w) { operand[w] = chain.inputs[step.index][i + w * kThreads]; });
          break;
        case From::slot:
          all([&](int w) { operand[w] = slot[step.index][w][thread]; });
          break;
        case From::number:
          all([&](int w) { operand[w] = make_float4(step.number, step.number, step.number, step.number); });
          break;
      }
      switch (step.op) {
        case Op::take:
          all([&](int w) { value[w] = operand[w]; });
          break;
        case Op::add:
          all([&](int w) { value[w] = each(value[w], operand[w], [](float x, float y) { return x + y; }); });
          break;
        case Op::multiply:
          all([&](int w) { value[w] = each(value[w], operand[w], [](float x, float y) { return x * y; }); });
          break;
        case Op::logistic:
          all([&](int w) { value[w] = each(value[w], [](float x) { return scalar::logistic(x); }); });
          break;
        case Op::tanh:
          all([&](int w) { value[w] = each(value[w], [](float x) { return scalar::tanh(x); }); });
          break;
      }
      if (step.keep != 0) all([&](int w) { slot[step.keep - 1][w][thread] = value[w]; });
    }
    all([&](int w) { chain.output[i + w * kThreads] = value[w]; });
  }
}

constexpr Step take(std::uint8_t input, std::uint8_t keep = 0) { return {Op::take, From::input, input, keep, 0}; }
constexpr Step with_input(Op op, std::uint8_t input) { return {op, From::input, input, 0, 0}; }
constexpr Step with_slot(Op op) { return {op, From::slot, 0, 0, 0}; }
constexpr Step times(float number) { return {Op::multiply, From::number, 0, 0, number}; }
constexpr Step apply(Op op) { return {op, From::nowhere, 0, 0, 0}; }

/// y = x · 2.
struct Scaled {
  static constexpr int kReads = 1;
  static constexpr Step kSteps[] = {take(0), times(2)};
  static __device__ float of(float x, float, float) { return x * 2.0f; }
};
/// y = logistic(x)·x · gate + residual, as a gated MLP has it.
struct Gated {
  static constexpr int kReads = 3;
  static constexpr Step kSteps[] = {take(0, 1), apply(Op::logistic), with_slot(Op::multiply),
                                    with_input(Op::multiply, 1), with_input(Op::add, 2)};
  static __device__ float of(float x, float gate, float residual) { return scalar::logistic(x) * x * gate + residual; }
};
/// gelu(x) in its tanh form.
struct Gelu {
  static constexpr int kReads = 1;
  static constexpr Step kSteps[] = {
      take(0, 1),           with_slot(Op::multiply), with_slot(Op::multiply), times(0.044715f),   with_slot(Op::add),
      times(0.7978845608f), apply(Op::tanh),         with_slot(Op::multiply), with_slot(Op::add), times(0.5f)};
  static __device__ float of(float x, float, float) {
    return (scalar::tanh((x * x * x * 0.044715f + x) * 0.7978845608f) * x + x) * 0.5f;
  }
};

template <typename Function>
__global__ void __launch_bounds__(kThreads) compiled(const __grid_constant__ Chain chain, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < n; i += stride) {
    const float4 x = chain.inputs[0][i];
    float4 gate = x, residual = x;
    if constexpr (Function::kReads == 3) gate = chain.inputs[1][i], residual = chain.inputs[2][i];
    chain.output[i] = make_float4(Function::of(x.x, gate.x, residual.x), Function::of(x.y, gate.y, residual.y),
                                  Function::of(x.z, gate.z, residual.z), Function::of(x.w, gate.w, residual.w));
  }
}

__global__ void fill(float* x, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    x[i] = static_cast<float>(static_cast<std::uint32_t>(i * 2654435761u) >> 8) * 0x1p-21f - 4.0f;
  }
}

__global__ void differences(const std::uint32_t* a, const std::uint32_t* b, std::size_t n, unsigned long long* count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    if (a[i] != b[i]) atomicAdd(count, 1ull);
  }
}

/// Times launches of the interpreter of this width, or of the code when it is 0; then compares with the other
/// kernel's results, bit for bit.
template <typename Function>
void run(::benchmark::State& state, int wide) {
  DeviceArray<float> x(kElements), gate(kElements), residual(kElements), y(kElements), other(kElements);
  DeviceArray<unsigned long long> differ(1);
  for (const DeviceArray<float>* each : {&x, &gate, &residual}) fill<<<1056, kThreads>>>(each->data(), kElements);
  const auto inputs = [](const DeviceArray<float>& array) { return reinterpret_cast<const float4*>(array.data()); };
  Chain chain{{inputs(x), inputs(gate), inputs(residual)}, reinterpret_cast<float4*>(y.data()), 0, {}};
  for (const Step& step : Function::kSteps) chain.step[chain.steps++] = step;
  const auto launch = [&](int width) {
    const std::size_t n = kElements / 4;
    if (width == 0) compiled<Function><<<132 * 8, kThreads>>>(chain, n);
    if (width == 1) interpret<1><<<132 * 8, kThreads>>>(chain, n);
    if (width == 2) interpret<2><<<132 * 6, kThreads>>>(chain, n);
    if (width == 4) interpret<4><<<132 * 4, kThreads>>>(chain, n);
  };
  measure(state, nullptr, 10, 4.0 * kElements * (Function::kReads + 1), [&] {
    for (int i = 0; i < 10; ++i) launch(wide);
  });
  chain.output = reinterpret_cast<float4*>(other.data());
  launch(wide == 0 ? 1 : 0);
  require(cudaMemset(differ.data(), 0, sizeof(unsigned long long)), "cudaMemset");
  differences<<<1056, kThreads>>>(reinterpret_cast<std::uint32_t*>(y.data()),
                                  reinterpret_cast<std::uint32_t*>(other.data()), kElements, differ.data());
  unsigned long long count = 0;
  require(cudaMemcpy(&count, differ.data(), sizeof count, cudaMemcpyDeviceToHost), "cudaMemcpy");
  require(count == 0 ? 0 : 1, "the comparison of the interpreter with the code");
}

template <typename Function>
void fused(::benchmark::State& state) {
  run<Function>(state, static_cast<int>(state.range(0)));
}

GPU_BENCHMARK(fused<Scaled>)->ArgName("wide")->Arg(0)->Arg(1)->Arg(2)->Arg(4);
GPU_BENCHMARK(fused<Gated>)->ArgName("wide")->Arg(0)->Arg(1)->Arg(2)->Arg(4);
GPU_BENCHMARK(fused<Gelu>)->ArgName("wide")->Arg(0)->Arg(1)->Arg(2)->Arg(4);

}  // namespace
}  // namespace isoshard::bench

int main(int argc, char** argv) { return isoshard::bench::run_benchmarks(argc, argv); }
