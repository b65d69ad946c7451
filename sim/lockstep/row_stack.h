#pragma once  // internal

#include <cstdint>
#include <vector>

#include "sim/lockstep/row.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

/// The stacked output of a `repeat` while its parts come: an array per class of devices whose parts were the same so
/// far.
class RowStack {
 public:
  /// `type`: that of the whole, with one part per index along dimension 0.
  RowStack(Partitions& partitions, const TensorType& type) : partitions_(partitions), type_(type) {}

  void put(const Row& part, int64_t index);
  Row finish() &&;

 private:
  void split(const Partition& classes);

  Partitions& partitions_;
  const TensorType& type_;
  const Partition* classes_ = nullptr;
  std::vector<NewValue> wholes_;  ///< by class
};

}  // namespace isoshard::sim
