#pragma once  // internal

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/calls/fusion/reducing.h"
#include "core/plan/calls/rows.h"

namespace isoshard::calls {

/// The steps of a pass.
struct RowSteps {
  std::vector<Step> row{}, elements{};
  std::optional<uint8_t> number{};  ///< that the elements are reduced to
  Reducing op = Reducing::add;
};

/// The shape of what goes through rows: its first dimensions number them, the last ones have their elements.
class RowGeometry {
 public:
  RowGeometry() = default;
  /// That of what is reduced over its last dimensions.
  explicit RowGeometry(const ReductionOf& reduction);

  const Shape& whole() const { return whole_; }
  /// The number of rows.
  int64_t count() const { return count_; }

  /// A view with the strides of all dimensions, 0 along rows, from one along `shape`, of an element for each row; of
  /// the whole as it is. Nothing where it goes through others.
  std::optional<View> along_rows(View view, const Shape& shape) const;
  /// Strides of a value with an element for each row.
  std::vector<int64_t> strides_per_row() const;
  /// Whether strides of all dimensions mean the same elements.
  bool agrees(const std::vector<int64_t>& a, const std::vector<int64_t>& b) const;
  bool is_whole(const View& view) const { return agrees(view.strides, row_major(whole_)); }
  /// Whether neighbours of a row are no farther from each other than neighbours of other rows.
  bool lie_along(const std::vector<View>& inputs) const;

  /// The kernel of these passes. Nothing: it has too many steps or dimensions, or more waits than a block has place
  /// for.
  std::optional<RowMap> kernel(Compute compute, const std::vector<RowSteps>& passes, int32_t slots,
                               const std::vector<View>& inputs, const View& output, bool per_row) const;

 private:
  Loops half(size_t first, size_t end, const std::vector<View>& inputs, const View& output) const;

  Shape whole_{};
  size_t kept_ = 0;
  int64_t count_ = 1, terms_ = 1;
};

}  // namespace isoshard::calls
