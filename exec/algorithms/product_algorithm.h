#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "exec/algorithms/product_kind.h"

namespace isoshard::exec {

/// To what an algorithm means something: a model of a device, as CUDA names it, and a version of cuBLASLt.
struct AlgorithmHost {
  std::array<char, 256> device{};  ///< ends with zeros
  uint64_t version = 0;            ///< of cublasLtGetVersion
  bool operator==(const AlgorithmHost&) const = default;
  auto operator<=>(const AlgorithmHost&) const = default;
};

/// The words of a cublasLtMatmulAlgo_t, which only cuBLASLt understands.
using AlgorithmWords = std::array<uint64_t, 8>;

/// An algorithm of cuBLASLt that was chosen for a kind of product.
struct ProductAlgorithm {
  AlgorithmHost host;
  ProductKind kind;
  AlgorithmWords words{};
};

/// Algorithms that were chosen before, shared with ranks that are threads; null: none.
using KnownAlgorithms = std::shared_ptr<const std::vector<ProductAlgorithm>>;

/// Where an algorithm comes from that a rank uses.
enum class AlgorithmOrigin : uint8_t {
  known,    ///< it was chosen before
  chosen,   ///< none was known for this kind
  refused,  ///< one was known, which cuBLASLt refuses, so that another one was chosen
};

/// An algorithm that a rank uses; plain bytes, which ranks leave in shared memory.
struct UsedAlgorithm {
  ProductAlgorithm algorithm;
  AlgorithmOrigin origin = AlgorithmOrigin::chosen;
};
static_assert(std::is_trivially_copyable_v<UsedAlgorithm>);

}  // namespace isoshard::exec
