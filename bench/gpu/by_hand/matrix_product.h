#pragma once  // internal

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

#include "core/value/dtype.h"

namespace isoshard::bench {

/// What a product is made of: c = a b + bias + added, row-major, a of m x k and b of k x n; adds in f32.
struct ProductShape {
  DType dtype = DType::f32;
  int64_t m = 0, n = 0, k = 0;
};
struct ProductArrays {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;   ///< of n elements, to each row; null: none
  const void* added = nullptr;  ///< as c; null: none
};

/// One product by cuBLASLt, with the algorithm that was measured to be the fastest of those that it proposes.
class MatrixProduct {
 public:
  static constexpr size_t kWorkspace = size_t{32} << 20;

  /// Measures on `stream`; the workspace has kWorkspace bytes.
  MatrixProduct(cublasLtHandle_t handle, const ProductShape& shape, const ProductArrays& arrays, void* workspace,
                cudaStream_t stream);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  void issue(cudaStream_t stream) const;

 private:
  void describe(const ProductShape& shape);
  void choose(cudaStream_t stream);
  cublasStatus_t try_to_issue(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const;
  float seconds_of(const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream) const;

  cublasLtHandle_t handle_;
  ProductArrays arrays_;
  void* workspace_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace isoshard::bench
