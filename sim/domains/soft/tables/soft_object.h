#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/value/dtype.h"
#include "sim/domains/soft/tables/soft_partitions.h"
#include "sim/domains/soft/tables/soft_tables.h"

namespace isoshard::sim {

/// What a word of SoftWords stands for.
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

}  // namespace isoshard::sim
