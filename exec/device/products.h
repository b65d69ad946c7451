#pragma once  // internal

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <array>
#include <map>
#include <vector>

#include "exec/backend.h"
#include "exec/device/issuer.h"

namespace isoshard::exec {

/// The products of a list by cuBLASLt: descriptors and algorithms are chosen before the first step.
class Products {
 public:
  Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  ~Products();

  /// Chooses for each kind of product in the list, as its matrices lie in `memory`.
  Outcome<> prepare(const calls::CallList& list, std::byte* memory, const Issuer& issuer);
  /// Multiplies on a stream with that number in the list.
  Outcome<> issue(const calls::Product& product, uint32_t number, cudaStream_t stream, Issuer& issuer) const;

 private:
  struct Chosen {
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;  ///< as cuBLASLt has them: columns
    cublasLtMatmulAlgo_t algorithm{};
    size_t workspace = 0;
  };
  /// What a choice depends on: all of a product but its places, and how these are aligned.
  using Kind = std::array<int64_t, 19>;
  static Kind kind_of(const calls::Product& product);
  Outcome<> choose(const calls::Product& product, Chosen& chosen);
  Outcome<> describe(const calls::Product& product, Chosen& chosen) const;

  cublasLtHandle_t handle_ = nullptr;
  std::byte* memory_ = nullptr;
  std::vector<void*> workspaces_;  ///< by stream
  std::map<Kind, Chosen> chosen_;
};

}  // namespace isoshard::exec
