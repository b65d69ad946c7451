#pragma once

#include <cstdint>
#include <optional>

#include "tests/standin/standin.h"

namespace standin {

/// A product as its descriptor has it.
struct ProductDesc {
  int32_t compute = CUBLAS_COMPUTE_32F;
  int32_t scale = CUDA_R_32F;
  int32_t transpose_a = CUBLAS_OP_N;
  int32_t transpose_b = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  int32_t bias_type = -1;  ///< that of the result
  int32_t pointer_mode = 0;
  int32_t multiprocessors = 0;
  const void* bias = nullptr;
  int64_t bias_stride = 0;
};

/// A matrix, or a batch of them, as its layout has it.
struct MatrixLayout {
  uint64_t rows = 0;
  uint64_t columns = 0;
  int64_t leading = 0;  ///< elements from a column to the next, or from a row in row order
  int64_t stride = 0;   ///< elements from a matrix to the next
  int32_t type = CUDA_R_32F;
  int32_t order = CUBLASLT_ORDER_COL;
  int32_t batch = 1;
};

/// How a product is added up: the sums of so many parts of the terms one behind the other, then these sums.
struct ProductAlgo {
  int32_t id = 0;  ///< from 1 on
  int32_t parts = 1;
  uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_NONE;  ///< in what the sums of parts are kept
};

/// The algorithm that these bytes are, which cuBLASLt leaves opaque; none where they are not one of the stand-in.
std::optional<ProductAlgo> algorithm_in(const cublasLtMatmulAlgo_t& bytes);
/// That which the heuristic proposes.
cublasLtMatmulAlgo_t first_algorithm();

/// d = epilogue(alpha · op(a) · op(b) + beta · c).
struct ProductCall {
  ProductDesc desc;
  MatrixLayout a, b, c, d;
  ProductAlgo algorithm{};
  double alpha = 1, beta = 0;
  const void* a_data = nullptr;
  const void* b_data = nullptr;
  const void* c_data = nullptr;
  void* d_data = nullptr;
  const void* workspace = nullptr;
};

/// Whether the stand-in computes this product: CUBLAS_STATUS_NOT_SUPPORTED, or CUBLAS_STATUS_INVALID_VALUE where shapes
/// do not fit.
cublasStatus_t product_status(const ProductDesc& desc, const MatrixLayout& a, const MatrixLayout& b,
                              const MatrixLayout& c, const MatrixLayout& d);

/// Issues it. Where not all of it lies in memory of the device when it runs, that is a problem and nothing is computed.
cublasStatus_t issue_product(cudaStream_t stream, const ProductCall& call);

}  // namespace standin
