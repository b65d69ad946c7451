// One kind of product by cuBLASLt. It has columns where isoshard has rows, so that C = A B becomes C' = B' A': operands
// change places, and nothing is transposed (docs/adr/0052-what-a-gpu-said.md). Adds are in f32, of f64 in f64; tf32 is
// taken where the list says so. An algorithm that was chosen before is checked by the library, which knows what shapes
// it is for, and for how it brings parts of a sum together, on which the bounds of `run --check` rest. Cost: 0.1 to
// 100 ms to choose; what a check takes was not measured.
#include "exec/device/prepared_product.h"

#include <cstring>
#include <string>
#include <utility>

namespace isoshard::exec {
namespace {

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(AlgorithmWords));

cudaDataType_t type_of(DType dtype) {
  if (dtype == DType::bf16) return CUDA_R_16BF;
  if (dtype == DType::f16) return CUDA_R_16F;
  return dtype == DType::f64 ? CUDA_R_64F : CUDA_R_32F;
}

/// The layout of a row-major matrix, read as its transpose in columns.
Outcome<> make_layout(const calls::Product::Matrix& matrix, int64_t rows, int64_t columns, int64_t batch, DType dtype,
                      cublasLtMatrixLayout_t& layout) {
  if (matrix.transposed) std::swap(rows, columns);
  Outcome<> made = require(cublasLtMatrixLayoutCreate(&layout, type_of(dtype), static_cast<uint64_t>(columns),
                                                      static_cast<uint64_t>(rows), matrix.row),
                           "cublasLtMatrixLayoutCreate");
  const auto count = static_cast<int32_t>(batch);
  if (made) {
    made = require(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                   "CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT");
  }
  if (!made) return made;
  return require(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &matrix.batch,
                                                  sizeof matrix.batch),
                 "CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET");
}

/// What an algorithm may be: see `take`. Others than this scheme add parts of a sum in the dtype of the result.
constexpr uint32_t kReduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;

/// Of what is added with beta = 1, or else of the result.
int64_t alignment_of_c(const ProductKind& kind) {
  return kind.epilogue == calls::Epilogue::residual ? kind.added_alignment : kind.c.alignment;
}

/// A preference of cuBLASLt, which holds what the algorithm may rely on.
class Preference {
 public:
  ~Preference() {
    if (preference_ != nullptr) cublasLtMatmulPreferenceDestroy(preference_);
  }
  Outcome<> make(const ProductKind& kind) {
    Outcome<> made = require(cublasLtMatmulPreferenceCreate(&preference_), "cublasLtMatmulPreferenceCreate");
    if (made) made = set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, PreparedProduct::kWorkspace);
    if (made) made = set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReduction);
    for (const auto& [attribute, bytes] : {std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kind.b.alignment},
                                           std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, kind.a.alignment},
                                           std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of_c(kind)},
                                           std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, kind.c.alignment}}) {
      if (made) made = set(attribute, static_cast<uint32_t>(bytes));
    }
    return made;
  }
  cublasLtMatmulPreference_t get() const { return preference_; }

 private:
  template <class Value>
  Outcome<> set(cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
    return require(cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof value),
                   "cublasLtMatmulPreferenceSetAttribute");
  }
  cublasLtMatmulPreference_t preference_ = nullptr;
};

}  // namespace

Outcome<> require(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  const auto kind = status == CUBLAS_STATUS_NOT_SUPPORTED ? Failure::Kind::unsupported : Failure::Kind::failed;
  return tl::unexpected(Failure{kind, std::string(call) + ": cuBLASLt status " + std::to_string(status)});
}

PreparedProduct::~PreparedProduct() {
  if (operation_ != nullptr) cublasLtMatmulDescDestroy(operation_);
  for (const cublasLtMatrixLayout_t layout : {left_, right_, result_}) {
    if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
  }
}

Outcome<> PreparedProduct::describe(const calls::Product& product, const std::byte* memory) {
  const bool doubles = product.operands == DType::f64;
  const cublasComputeType_t compute = doubles        ? CUBLAS_COMPUTE_64F
                                      : product.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
  Outcome<> made = require(cublasLtMatmulDescCreate(&operation_, compute, doubles ? CUDA_R_64F : CUDA_R_32F),
                           "cublasLtMatmulDescCreate");
  const cublasOperation_t left = product.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t right = product.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (made) {
    made = require(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof left),
                   "CUBLASLT_MATMUL_DESC_TRANSA");
  }
  if (made) {
    made = require(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_TRANSB, &right, sizeof right),
                   "CUBLASLT_MATMUL_DESC_TRANSB");
  }
  if (made) made = describe_epilogue(product, memory);
  if (made) made = make_layout(product.b, product.k, product.n, product.batch, product.operands, left_);
  if (made) made = make_layout(product.a, product.m, product.k, product.batch, product.operands, right_);
  if (made) made = make_layout(product.c, product.m, product.n, product.batch, product.result, result_);
  return made;
}

/// The heuristic looks at how the place of a bias is aligned.
Outcome<> PreparedProduct::describe_epilogue(const calls::Product& product, const std::byte* memory) {
  if (product.epilogue != calls::Epilogue::bias) return {};
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  const void* const bias = memory + product.added;
  const Outcome<> made =
      require(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue),
              "CUBLASLT_MATMUL_DESC_EPILOGUE");
  if (!made) return made;
  return require(cublasLtMatmulDescSetAttribute(operation_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias),
                 "CUBLASLT_MATMUL_DESC_BIAS_POINTER");
}

bool PreparedProduct::take(cublasLtHandle_t handle, const AlgorithmWords& words) {
  cublasLtMatmulAlgo_t algorithm{};
  std::memcpy(&algorithm, words.data(), sizeof algorithm);
  cublasLtMatmulHeuristicResult_t checked{};
  if (cublasLtMatmulAlgoCheck(handle, operation_, left_, right_, result_, result_, &algorithm, &checked) !=
      CUBLAS_STATUS_SUCCESS) {
    return false;
  }
  uint32_t reduction = 0;
  size_t written = 0;
  if (cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &reduction,
                                           sizeof reduction, &written) != CUBLAS_STATUS_SUCCESS) {
    return false;
  }
  if ((reduction & ~kReduction) != 0 || checked.workspaceSize > kWorkspace) return false;
  algorithm_ = algorithm, workspace_ = checked.workspaceSize;
  return true;
}

Outcome<> PreparedProduct::choose(cublasLtHandle_t handle, const ProductKind& kind) {
  Preference preference;
  Outcome<> made = preference.make(kind);
  if (!made) return made;
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  made = require(cublasLtMatmulAlgoGetHeuristic(handle, operation_, left_, right_, result_, result_, preference.get(),
                                                1, &found, &count),
                 "cublasLtMatmulAlgoGetHeuristic");
  if (made && count == 0) made = tl::unexpected(Failure{Failure::Kind::unsupported, "cuBLASLt has no algorithm"});
  algorithm_ = found.algo, workspace_ = found.workspaceSize;
  return made;
}

AlgorithmWords PreparedProduct::words() const {
  AlgorithmWords words{};
  std::memcpy(words.data(), &algorithm_, sizeof algorithm_);
  return words;
}

}  // namespace isoshard::exec
