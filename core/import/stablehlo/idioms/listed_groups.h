#pragma once

#include <cstdint>
#include <vector>

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// Collectives in groups of devices that no axes of the mesh make (`axis_index_groups` of JAX): every device gets the
/// values of all devices and takes those of its group.
class ListedGroups {
 public:
  /// `groups`: positions in the mesh, each of which is in one group.
  ListedGroups(Lowering& lowering, const Operation& op, std::vector<std::vector<int64_t>> groups);

  ValueId all_reduce(ValueId x, Reducer reducer);
  ValueId all_gather(ValueId x, int64_t dim);
  ValueId reduce_scatter(ValueId x, int64_t dim);
  ValueId all_to_all(ValueId x, int64_t split, int64_t concat);

  /// Devices in each group; an error where they are not as many in all.
  int64_t size() const;

 private:
  const Shape& shape(ValueId id) const { return lowering_.builder().type(id).tensor.shape; }
  /// The values of the members of a device's own group in their order, along a new first dimension. Smaller groups have
  /// their last member again.
  ValueId members(ValueId x);
  /// The numbers of a device's own row, of a row for each.
  ValueId own_row(const std::vector<std::vector<int64_t>>& rows, DType dtype);
  /// A device's place in its group.
  ValueId own_place();
  /// In place of members that are there again, what changes no result.
  ValueId without_repeated(ValueId members, Reducer reducer);
  /// A device's own block of several along `dim`.
  ValueId own_block(ValueId x, int64_t dim);
  /// The blocks of the members, side by side along `dim` of each.
  ValueId joined(ValueId members, int64_t dim);

  Lowering& lowering_;
  const Operation& op_;
  std::vector<std::vector<int64_t>> groups_;
  std::vector<size_t> group_of_;  ///< by position
  size_t largest_ = 0;
};

}  // namespace isoshard::stablehlo
