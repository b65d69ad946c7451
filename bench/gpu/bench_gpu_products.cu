// Matrix products by cuBLASLt, as exec will call them: row-major Y[m,n] = X[m,k] W[k,n] as the column-major product of
// the transposes, without an epilogue. For each shape and dtype: the rate of the algorithm that the heuristic names
// first, that of the best of the sixteen it names, the time of asking it, and how far 4096 of the results are from the
// exact sum, in units of 2^-24 of the sum of magnitudes (docs/spec/float_bounds.md): what a bound must allow. fp8 wants
// its left operand transposed (W stored [n,k]). Cost: about 10 s.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/gpu/device.h"

namespace isoshard::bench {
namespace {

constexpr int kAlgorithms = 16;
constexpr std::size_t kWorkspace = std::size_t{32} << 20;

struct Shape {
  const char* name;
  std::int64_t m, n, k;
};

struct Kind {
  const char* name;
  cudaDataType type;  ///< of the operands
  cudaDataType result;
  cublasComputeType_t compute;
  bool transposed;           ///< W is stored [n,k]
  bool sums_in_f32 = false;  ///< of exact products: at most k roundings, or this program fails
};

/// Numbers in [-1, 1), other ones for each seed.
__host__ __device__ inline float number(std::uint64_t i, std::uint64_t seed) {
  std::uint64_t x = i + seed * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<float>(static_cast<std::int32_t>((x >> 33) >> 7) - (1 << 23)) * 0x1p-23f;
}

template <typename T>
__global__ void fill(T* x, std::size_t n, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) x[i] = T(number(i, seed));
}

/// The first 64 rows and columns of the exact product, in f64, and of the sum of magnitudes; one thread each.
template <typename T>
__global__ void exact(const T* x, const T* w, Shape shape, bool transposed, double* sums, double* sizes) {
  const int row = static_cast<int>(blockIdx.x), column = static_cast<int>(threadIdx.x);
  double sum = 0, size = 0;
  for (std::int64_t i = 0; i < shape.k; ++i) {
    const double a = static_cast<float>(x[row * shape.k + i]);
    const double b = static_cast<float>(w[transposed ? column * shape.k + i : i * shape.n + column]);
    sum += a * b;
    size += fabs(a * b);
  }
  sums[row * 64 + column] = sum;
  sizes[row * 64 + column] = size;
}

cublasLtMatrixLayout_t layout(cudaDataType type, std::int64_t rows, std::int64_t columns) {
  cublasLtMatrixLayout_t made;
  require(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                                     rows),
          "cublasLtMatrixLayoutCreate");
  return made;
}

/// The product of one shape and kind: descriptors and the algorithms that cuBLASLt proposes.
class Product {
 public:
  Product(cublasLtHandle_t handle, const Shape& shape, const Kind& kind) : handle_(handle) {
    require(cublasLtMatmulDescCreate(&description_, kind.compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    const cublasOperation_t transpose = kind.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    require(cublasLtMatmulDescSetAttribute(description_, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose),
            "cublasLtMatmulDescSetAttribute");
    w_ = kind.transposed ? layout(kind.type, shape.k, shape.n) : layout(kind.type, shape.n, shape.k);
    x_ = layout(kind.type, shape.k, shape.m);
    y_ = layout(kind.result, shape.n, shape.m);
    cublasLtMatmulPreference_t preference;
    require(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                                                 sizeof kWorkspace),
            "cublasLtMatmulPreferenceSetAttribute");
    const auto begin = std::chrono::steady_clock::now();
    status_ = cublasLtMatmulAlgoGetHeuristic(handle, description_, w_, x_, y_, y_, preference, kAlgorithms, proposals_,
                                             &count_);
    heuristic_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    cublasLtMatmulPreferenceDestroy(preference);
  }
  ~Product() {
    for (cublasLtMatrixLayout_t each : {w_, x_, y_}) cublasLtMatrixLayoutDestroy(each);
    cublasLtMatmulDescDestroy(description_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  int count() const { return status_ == CUBLAS_STATUS_SUCCESS ? count_ : 0; }
  cublasStatus_t status() const { return status_; }
  double heuristic_seconds() const { return heuristic_; }

  cublasStatus_t run(int proposal, const void* x, const void* w, void* y, void* workspace) const {
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle_, description_, &one, w, w_, x, x_, &zero, y, y_, y, y_, &proposals_[proposal].algo,
                          workspace, kWorkspace, nullptr);
  }

 private:
  cublasLtHandle_t handle_;
  cublasLtMatmulDesc_t description_;
  cublasLtMatrixLayout_t w_, x_, y_;
  cublasLtMatmulHeuristicResult_t proposals_[kAlgorithms];
  int count_ = 0;
  cublasStatus_t status_;
  double heuristic_;
};

/// Seconds of one call, the median of seven batches of `calls`; negative when the algorithm refuses.
template <typename Run>
double median_seconds(int calls, Run run) {
  if (run() != CUBLAS_STATUS_SUCCESS) return -1;
  std::vector<double> times;
  for (int batch = 0; batch < 7; ++batch) {
    times.push_back(seconds_of(nullptr, [&] {
      for (int i = 0; i < calls; ++i) require(run(), "cublasLtMatmul");
    }));
  }
  std::sort(times.begin(), times.end());
  return times[3] / calls;
}

/// The largest distance of the first 64 by 64 results from the exact ones.
template <typename T, typename Result>
double largest_error(const T* x, const T* w, const Result* y, const Shape& shape, bool transposed) {
  DeviceArray<double> sums(4096), sizes(4096);
  exact<<<64, 64>>>(x, w, shape, transposed, sums.data(), sizes.data());
  std::vector<double> sum(4096), size(4096);
  std::vector<Result> row(64);
  require(cudaMemcpy(sum.data(), sums.data(), 4096 * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");
  require(cudaMemcpy(size.data(), sizes.data(), 4096 * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");
  double largest = 0;
  for (int i = 0; i < 64; ++i) {
    require(cudaMemcpy(row.data(), y + i * shape.n, 64 * sizeof(Result), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int j = 0; j < 64; ++j) {
      const double error = std::fabs(static_cast<double>(static_cast<float>(row[j])) - sum[i * 64 + j]);
      if (!(error / size[i * 64 + j] <= largest)) largest = error / size[i * 64 + j];  // also of NaN
    }
  }
  return largest * 0x1p24;
}

template <typename T, typename Result>
void measure(cublasLtHandle_t handle, const Shape& shape, const Kind& kind) {
  DeviceArray<T> x(static_cast<std::size_t>(shape.m * shape.k)), w(static_cast<std::size_t>(shape.k * shape.n));
  DeviceArray<Result> y(static_cast<std::size_t>(shape.m * shape.n));
  DeviceArray<char> workspace(kWorkspace);
  fill<<<1056, 256>>>(x.data(), x.size(), 1);
  fill<<<1056, 256>>>(w.data(), w.size(), 2);
  const Product product(handle, shape, kind);
  if (product.count() == 0) {
    std::printf("%-12s %-10s refused: %s\n", shape.name, kind.name, cublasLtGetStatusString(product.status()));
    return;
  }
  const double operations =
      2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  const int calls = operations > 2e11 ? 5 : 50;
  double first = -1, best = -1;
  int best_at = 0;
  for (int i = 0; i < product.count(); ++i) {
    const double seconds =
        median_seconds(calls, [&] { return product.run(i, x.data(), w.data(), y.data(), workspace.data()); });
    if (i == 0) first = seconds;
    if (seconds > 0 && (best < 0 || seconds < best)) best = seconds, best_at = i;
  }
  require(product.run(0, x.data(), w.data(), y.data(), workspace.data()), "cublasLtMatmul");
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const double error = largest_error(x.data(), w.data(), y.data(), shape, kind.transposed);
  std::printf(
      "%-12s %5lld x %5lld x %5lld  %-10s %8.1f us  %6.1f TFLOP/s  best %6.1f (no. %d of %d)  heuristic %6.1f us  "
      "error %.3g\n",
      shape.name, static_cast<long long>(shape.m), static_cast<long long>(shape.n), static_cast<long long>(shape.k),
      kind.name, first * 1e6, operations / first * 1e-12, operations / best * 1e-12, best_at, product.count(),
      product.heuristic_seconds() * 1e6, error);
  std::fflush(stdout);
  if (kind.sums_in_f32) require(error <= static_cast<double>(shape.k) ? 0 : 1, "the comparison with the bound of f32");
}

/// How much of many small products survives beside a large one: k - 1 products of small^2 and one of large^2, which f32
/// holds exactly. Prints what is missing of the sum, in units of small^2.
template <typename T>
void accumulate(cublasLtHandle_t handle, const Kind& kind, std::int64_t k, float large, float small) {
  const Shape shape{"sum", 64, 64, k};
  std::vector<T> numbers(static_cast<std::size_t>(64 * k), T(small));
  for (std::int64_t row = 0; row < 64; ++row) numbers[static_cast<std::size_t>(row * k)] = T(large);
  DeviceArray<T> x(numbers.size()), w(numbers.size());
  DeviceArray<float> y(64 * 64);
  DeviceArray<char> workspace(kWorkspace);
  require(cudaMemcpy(x.data(), numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  require(cudaMemcpy(w.data(), numbers.data(), numbers.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  const Product product(handle, shape, kind);
  if (product.count() == 0) {
    std::printf("%s: refused: %s\n", kind.name, cublasLtGetStatusString(product.status()));
    return;
  }
  require(product.run(0, x.data(), w.data(), y.data(), workspace.data()), "cublasLtMatmul");
  float got = 0;
  require(cudaMemcpy(&got, y.data(), sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
  const double exact = double{large} * large + static_cast<double>(k - 1) * small * small;
  std::printf("%-10s k %5lld  %g^2 + %lld * %g^2 = %.1f, got %.1f: %.2f products missing, %.3g of the sum\n", kind.name,
              static_cast<long long>(k), double{large}, static_cast<long long>(k - 1), double{small}, exact,
              double{got}, (exact - got) / (double{small} * small), (exact - got) / exact);
}

void accumulate_all(cublasLtHandle_t handle) {
  const Kind fp8{"f8e4m3", CUDA_R_8F_E4M3, CUDA_R_32F, CUBLAS_COMPUTE_32F, true};
  const Kind bf16{"bf16->f32", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, true};
  for (const std::int64_t k : {32, 256, 4096}) {
    for (const float small : {0.5f, 1.0f, 2.0f, 4.0f, 8.0f}) accumulate<__nv_fp8_e4m3>(handle, fp8, k, 448, small);
  }
  for (const std::int64_t k : {32, 256, 4096}) accumulate<__nv_bfloat16>(handle, bf16, k, 448, 0.5f);
  for (const std::int64_t k : {32, 256, 4096}) accumulate<__nv_bfloat16>(handle, bf16, k, 4096, 1);
}

void measure_all(cublasLtHandle_t handle, const Shape& shape) {
  measure<__nv_bfloat16, __nv_bfloat16>(handle, shape, {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, false});
  measure<__nv_bfloat16, float>(handle, shape, {"bf16->f32", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, false, true});
  measure<__half, float>(handle, shape, {"f16->f32", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, false, true});
  measure<float, float>(handle, shape, {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, false});
  measure<float, float>(handle, shape, {"f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, false, true});
  measure<__nv_fp8_e4m3, float>(handle, shape, {"f8e4m3", CUDA_R_8F_E4M3, CUDA_R_32F, CUBLAS_COMPUTE_32F, true});
}

}  // namespace
}  // namespace isoshard::bench

int main() {
  using isoshard::bench::require;
  isoshard::bench::require_device();
  isoshard::bench::print_device();
  std::printf("# cuBLASLt %zu; error: of the first algorithm, in units of 2^-24 of the sum of magnitudes\n",
              cublasLtGetVersion());
  cublasLtHandle_t handle;
  require(cublasLtCreate(&handle), "cublasLtCreate");
  isoshard::bench::measure_all(handle, {"square", 8192, 8192, 8192});
  isoshard::bench::measure_all(handle, {"tp_mlp up", 8192, 16384, 4096});
  isoshard::bench::measure_all(handle, {"tp_mlp up/8", 8192, 2048, 4096});
  isoshard::bench::measure_all(handle, {"small", 256, 256, 256});
  isoshard::bench::accumulate_all(handle);
  cublasLtDestroy(handle);
}
