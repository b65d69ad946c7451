#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/value/dtype.h"
#include "sim/domains/soft/tables/soft_partitions.h"
#include "sim/domains/soft/tables/soft_tables.h"

namespace isoshard::sim {

/// What a word of SoftIntegers stands for.
struct SoftObject {
  /// An opaque integer as a sum of others times numbers, modulo the range of a dtype; without terms it is itself.
  struct Linear {
    DType dtype = DType::i64;
    uint64_t constant = 0;
    std::map<uint64_t, uint64_t> terms{};  ///< by word
  };

  bool opaque = false;
  SoftSum sum{};
  Linear linear{};
  std::vector<uint64_t> mean{};  ///< per residue; empty: not yet known
  bool by_parts = false;         ///< it is `function`, and no sum
  bool asked = false;            ///< whether `function` is known where it can be
  std::optional<SoftPartitions::Numbered> function{};
};

/// A function of words, as a key.
struct SoftCall {
  uint64_t function;
  uint64_t x, y, z;
  bool operator==(const SoftCall&) const = default;

  struct Hash {
    size_t operator()(const SoftCall& c) const;
  };
};

}  // namespace isoshard::sim
