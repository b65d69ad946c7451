// Products of matrices by cuBLASLt. It has columns where isoshard has rows, so that C = A B becomes C' = B' A':
// operands change places, and nothing is transposed (docs/adr/0052-what-a-gpu-said.md). Adds are in f32, of f64 in f64;
// tf32 is never chosen. Each stream has a workspace of its own, since products of two streams may run at the same time.
// Cost: 0.1 to 100 ms per kind of product when a list is opened, a look-up and the launch afterwards.
#include "exec/device/products.h"

#include <algorithm>
#include <string>
#include <utility>

#include "exec/device/status.h"

namespace isoshard::exec {
namespace {

constexpr size_t kWorkspace = size_t{32} << 20;  // what Hopper's algorithms want

cudaDataType_t type_of(DType dtype) {
  if (dtype == DType::bf16) return CUDA_R_16BF;
  if (dtype == DType::f16) return CUDA_R_16F;
  return dtype == DType::f64 ? CUDA_R_64F : CUDA_R_32F;
}

Outcome<> require(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return {};
  const auto kind = status == CUBLAS_STATUS_NOT_SUPPORTED ? Failure::Kind::unsupported : Failure::Kind::failed;
  return tl::unexpected(Failure{kind, std::string(call) + ": cuBLASLt status " + std::to_string(status)});
}

/// The largest power of 2 that divides a place, of those that matter.
int64_t alignment_of(calls::Place place) { return place == 0 ? 256 : std::min<int64_t>(256, place & -place); }

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

}  // namespace

Products::~Products() {
  for (auto& [kind, chosen] : chosen_) {
    if (chosen.operation != nullptr) cublasLtMatmulDescDestroy(chosen.operation);
    for (const cublasLtMatrixLayout_t layout : {chosen.left, chosen.right, chosen.result}) {
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    }
  }
  for (void* const workspace : workspaces_) {
    if (workspace != nullptr) cudaFree(workspace);
  }
  if (handle_ != nullptr) cublasLtDestroy(handle_);
}

Products::Kind Products::kind_of(const calls::Product& product) {
  Kind kind{static_cast<int64_t>(product.operands),
            static_cast<int64_t>(product.result),
            static_cast<int64_t>(product.tf32),
            product.batch,
            product.m,
            product.n,
            product.k};
  size_t at = 7;
  for (const calls::Product::Matrix* matrix : {&product.a, &product.b, &product.c}) {
    for (const int64_t part :
         {static_cast<int64_t>(matrix->transposed), matrix->row, matrix->batch, alignment_of(matrix->place)}) {
      kind[at++] = part;
    }
  }
  return kind;
}

Outcome<> Products::prepare(const calls::CallList& list, std::byte* memory, const Issuer& issuer) {
  memory_ = memory;
  workspaces_.assign(list.streams.size(), nullptr);
  for (const calls::Call& call : list.calls) {
    const auto* product = std::get_if<calls::Product>(&call.what);
    if (product == nullptr) continue;
    if (handle_ == nullptr) {
      if (Outcome<> made = require(cublasLtCreate(&handle_), "cublasLtCreate"); !made) return made;
    }
    void*& workspace = workspaces_[call.stream];
    if (workspace == nullptr) {
      ISOSHARD_CUDA(cudaMalloc(&workspace, kWorkspace));
      if (issuer.recorder() != nullptr) issuer.recorder()->made_workspace(workspace, call.stream);
    }
    const auto [kind, is_new] = chosen_.try_emplace(kind_of(*product));
    if (!is_new) continue;
    if (Outcome<> done = choose(*product, kind->second); !done) return done;
  }
  return {};
}

Outcome<> Products::describe(const calls::Product& product, Chosen& chosen) const {
  const bool doubles = product.operands == DType::f64;
  const cublasComputeType_t compute = doubles        ? CUBLAS_COMPUTE_64F
                                      : product.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
  Outcome<> made = require(cublasLtMatmulDescCreate(&chosen.operation, compute, doubles ? CUDA_R_64F : CUDA_R_32F),
                           "cublasLtMatmulDescCreate");
  const cublasOperation_t left = product.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t right = product.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (made) {
    made = require(cublasLtMatmulDescSetAttribute(chosen.operation, CUBLASLT_MATMUL_DESC_TRANSA, &left, sizeof left),
                   "CUBLASLT_MATMUL_DESC_TRANSA");
  }
  if (made) {
    made = require(cublasLtMatmulDescSetAttribute(chosen.operation, CUBLASLT_MATMUL_DESC_TRANSB, &right, sizeof right),
                   "CUBLASLT_MATMUL_DESC_TRANSB");
  }
  if (made) made = make_layout(product.b, product.k, product.n, product.batch, product.operands, chosen.left);
  if (made) made = make_layout(product.a, product.m, product.k, product.batch, product.operands, chosen.right);
  if (made) made = make_layout(product.c, product.m, product.n, product.batch, product.result, chosen.result);
  return made;
}

Outcome<> Products::choose(const calls::Product& product, Chosen& chosen) {
  if (Outcome<> described = describe(product, chosen); !described) return described;
  cublasLtMatmulPreference_t preference = nullptr;
  Outcome<> made = require(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  if (!made) return made;
  cublasLtMatmulHeuristicResult_t found{};
  int count = 0;
  made = require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                                                      sizeof kWorkspace),
                 "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES");
  // Others add partial sums in the dtype of the result.
  const uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  if (made) {
    made = require(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                        &reduction, sizeof reduction),
                   "CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK");
  }
  for (const auto& [attribute, place] : {std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, product.b.place},
                                         std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, product.a.place},
                                         std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, product.c.place},
                                         std::pair{CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, product.c.place}}) {
    const auto alignment = static_cast<uint32_t>(alignment_of(place));
    if (made) {
      made = require(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &alignment, sizeof alignment),
                     "CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT");
    }
  }
  if (made) {
    made = require(cublasLtMatmulAlgoGetHeuristic(handle_, chosen.operation, chosen.left, chosen.right, chosen.result,
                                                  chosen.result, preference, 1, &found, &count),
                   "cublasLtMatmulAlgoGetHeuristic");
  }
  cublasLtMatmulPreferenceDestroy(preference);
  if (made && count == 0) made = tl::unexpected(Failure{Failure::Kind::unsupported, "cuBLASLt has no algorithm"});
  chosen.algorithm = found.algo;
  chosen.workspace = found.workspaceSize;
  return made;
}

Outcome<> Products::issue(const calls::Product& product, uint32_t number, cudaStream_t stream, Issuer& issuer) const {
  const Chosen& chosen = chosen_.at(kind_of(product));
  const float one = 1, zero = 0;
  const double double_one = 1, double_zero = 0;
  const bool doubles = product.operands == DType::f64;
  std::byte* const result = memory_ + product.c.place;
  return require(
      issuer.multiply(handle_, chosen.operation, doubles ? static_cast<const void*>(&double_one) : &one,
                      {memory_ + product.b.place, chosen.left}, {memory_ + product.a.place, chosen.right},
                      doubles ? static_cast<const void*>(&double_zero) : &zero, {result, chosen.result}, result,
                      chosen.result, &chosen.algorithm, workspaces_[number], chosen.workspace, stream),
      "cublasLtMatmul");
}

}  // namespace isoshard::exec
