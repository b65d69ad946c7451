#pragma once  // internal

#include <cublasLt.h>

#include <cstddef>

#include "exec/algorithms/product_algorithm.h"
#include "exec/backend.h"

namespace isoshard::exec {

/// What a library status says as an outcome: `call` in its message.
Outcome<> require(cublasStatus_t status, const char* call);

/// A kind of product as cuBLASLt has it, with columns in place of rows: its descriptors, in which a bias has its place,
/// and its algorithm.
class PreparedProduct {
 public:
  PreparedProduct() = default;
  ~PreparedProduct();
  PreparedProduct(const PreparedProduct&) = delete;
  PreparedProduct& operator=(const PreparedProduct&) = delete;

  /// The most bytes of workspace that an algorithm may want.
  static constexpr size_t kWorkspace = size_t{32} << 20;  // what Hopper's algorithms want

  /// Makes the descriptors of a product in memory that begins there; to be done once, before all else.
  Outcome<> describe(const calls::Product& product, const std::byte* memory);
  /// Takes an algorithm that was chosen before. False where cuBLASLt refuses it, it wants more workspace, or it adds
  /// parts of a sum in the dtype of the result, for which no bound holds.
  bool take(cublasLtHandle_t handle, const AlgorithmWords& words);
  /// Takes the algorithm that cuBLASLt proposes first; `unsupported` where it has none.
  Outcome<> choose(cublasLtHandle_t handle, const ProductKind& kind);

  cublasLtMatmulDesc_t operation() const { return operation_; }
  cublasLtMatrixLayout_t left() const { return left_; }
  cublasLtMatrixLayout_t right() const { return right_; }
  cublasLtMatrixLayout_t result() const { return result_; }
  const cublasLtMatmulAlgo_t& algorithm() const { return algorithm_; }
  size_t workspace() const { return workspace_; }
  AlgorithmWords words() const;

 private:
  Outcome<> describe_epilogue(const calls::Product& product, const std::byte* memory);

  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, result_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  size_t workspace_ = 0;
};

}  // namespace isoshard::exec
