#pragma once  // internal

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <map>
#include <utility>
#include <vector>

#include "exec/backend.h"
#include "exec/device/issuer.h"
#include "exec/device/prepared_product.h"

namespace isoshard::exec {

/// The products of a list by cuBLASLt: descriptors and algorithms are chosen before the first step.
class Products {
 public:
  Products() = default;
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;
  ~Products();

  /// Chooses for each kind of product in the list, as its matrices lie in `memory` of device number `device`: what is
  /// known for it, where cuBLASLt takes that.
  Outcome<> prepare(const calls::CallList& list, std::byte* memory, int device, const KnownAlgorithms& known,
                    const Issuer& issuer);
  /// Multiplies on a stream with that number in the list.
  Outcome<> issue(const calls::Product& product, uint32_t number, cudaStream_t stream, Issuer& issuer) const;
  /// What was chosen, each kind once.
  const std::vector<UsedAlgorithm>& algorithms() const { return used_; }

 private:
  Outcome<> make_workspace(uint32_t stream, const Issuer& issuer);
  /// What is prepared once: a kind, at the place of its bias.
  using Key = std::pair<ProductKind, calls::Place>;
  static Key key_of(const calls::Product& product);
  Outcome<> choose(const ProductKind& kind, const KnownAlgorithms& known, PreparedProduct& prepared);

  cublasLtHandle_t handle_ = nullptr;
  AlgorithmHost host_{};
  std::byte* memory_ = nullptr;
  std::vector<void*> workspaces_;  ///< by stream
  std::map<Key, PreparedProduct> prepared_;
  std::vector<UsedAlgorithm> used_;
};

}  // namespace isoshard::exec
