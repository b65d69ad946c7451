#pragma once  // internal

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <unordered_map>
#include <vector>

#include "exec/backend.h"

namespace isoshard::exec {

/// The products of a list by cuBLASLt: descriptors and algorithms are chosen before the first step.
class Products {
 public:
  Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  ~Products();

  /// Chooses for each product of the list, which must outlive this, as its matrices lie in `memory`.
  Outcome<> prepare(const calls::CallList& list, std::byte* memory);
  Outcome<> issue(const calls::Product& product, cudaStream_t stream) const;

 private:
  struct Chosen {
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;  ///< as cuBLASLt has them: columns
    cublasLtMatmulAlgo_t algorithm{};
    size_t workspace = 0;
    void* workspace_of_stream = nullptr;
  };
  Outcome<> choose(const calls::Product& product, Chosen& chosen);
  Outcome<> describe(const calls::Product& product, Chosen& chosen) const;

  cublasLtHandle_t handle_ = nullptr;
  std::byte* memory_ = nullptr;
  std::vector<void*> workspaces_;  ///< by stream
  std::unordered_map<const calls::Product*, Chosen> chosen_;
};

}  // namespace isoshard::exec
