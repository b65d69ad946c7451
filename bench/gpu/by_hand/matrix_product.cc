// A product as who writes it by hand would have it: columns in place of rows, so that operands change places, bias and
// residual in the epilogue, and of the algorithms that the heuristic proposes the one that takes the least time, the
// median of five, here and now. Cost: some ten products of each algorithm, once.
#include "bench/gpu/by_hand/matrix_product.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "bench/gpu/by_hand/status.h"

namespace isoshard::bench {
namespace {

constexpr int kProposals = 16;

cublasLtMatrixLayout_t layout_of(cudaDataType type, int64_t rows, int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  require(cublasLtMatrixLayoutCreate(&layout, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), rows),
          "cublasLtMatrixLayoutCreate");
  return layout;
}

}  // namespace

MatrixProduct::MatrixProduct(cublasLtHandle_t handle, const ProductShape& shape, const ProductArrays& arrays,
                             void* workspace, cudaStream_t stream)
    : handle_(handle), arrays_(arrays), workspace_(workspace) {
  describe(shape);
  choose(stream);
}

MatrixProduct::~MatrixProduct() {
  for (const cublasLtMatrixLayout_t layout : {left_, right_, result_}) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(operation_);
}

void MatrixProduct::describe(const ProductShape& shape) {
  const cudaDataType type = shape.dtype == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
  require(cublasLtMatmulDescCreate(&operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
  if (arrays_.bias != nullptr) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    require(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue),
            "CUBLASLT_MATMUL_DESC_EPILOGUE");
    require(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &arrays_.bias,
                                           sizeof arrays_.bias),
            "CUBLASLT_MATMUL_DESC_BIAS_POINTER");
  }
  left_ = layout_of(type, shape.n, shape.k);
  right_ = layout_of(type, shape.k, shape.m);
  result_ = layout_of(type, shape.n, shape.m);
}

void MatrixProduct::choose(cudaStream_t stream) {
  cublasLtMatmulPreference_t preference = nullptr;
  require(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                                               sizeof kWorkspace),
          "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES");
  std::array<cublasLtMatmulHeuristicResult_t, kProposals> proposals{};
  int count = 0;
  const cublasStatus_t asked = cublasLtMatmulAlgoGetHeuristic(handle_, operation_, left_, right_, result_, result_,
                                                              preference, kProposals, proposals.data(), &count);
  cublasLtMatmulPreferenceDestroy(preference);
  require(asked, "cublasLtMatmulAlgoGetHeuristic");
  float best = std::numeric_limits<float>::infinity();
  for (int i = 0; i < count; ++i) {
    const cublasLtMatmulAlgo_t& algorithm = proposals[static_cast<size_t>(i)].algo;
    const float seconds = seconds_of(algorithm, stream);
    if (seconds < best) best = seconds, algorithm_ = algorithm;
  }
  if (best == std::numeric_limits<float>::infinity()) throw std::runtime_error("cuBLASLt has no algorithm");
}

/// The median of five products behind one; infinity where it refuses.
float MatrixProduct::seconds_of(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
  if (try_to_issue(algorithm, stream) != CUBLAS_STATUS_SUCCESS) return std::numeric_limits<float>::infinity();
  cudaEvent_t begin = nullptr, end = nullptr;
  require(cudaEventCreate(&begin), "cudaEventCreate");
  require(cudaEventCreate(&end), "cudaEventCreate");
  std::array<float, 5> times{};
  for (float& milliseconds : times) {
    require(cudaEventRecord(begin, stream), "cudaEventRecord");
    require(try_to_issue(algorithm, stream), "cublasLtMatmul");
    require(cudaEventRecord(end, stream), "cudaEventRecord");
    require(cudaEventSynchronize(end), "cudaEventSynchronize");
    require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[2];
}

cublasStatus_t MatrixProduct::try_to_issue(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const {
  const float one = 1, beta = arrays_.added != nullptr ? 1 : 0;
  const void* const added = arrays_.added != nullptr ? arrays_.added : arrays_.c;
  return cublasLtMatmul(handle_, operation_, &one, arrays_.b, left_, arrays_.a, right_, &beta, added, result_,
                        arrays_.c, result_, &algorithm, workspace_, kWorkspace, stream);
}

void MatrixProduct::issue(cudaStream_t stream) const { require(try_to_issue(algorithm_, stream), "cublasLtMatmul"); }

}  // namespace isoshard::bench
