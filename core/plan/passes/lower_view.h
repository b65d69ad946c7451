#pragma once  // internal

#include <cstdint>
#include <vector>

#include "core/ir/ops/view_op.h"
#include "core/plan/instruction.h"

namespace isoshard {

/// Which of how many blocks a device has, per dimension.
struct BlockPlace {
  std::vector<Expr> block;
  std::vector<int64_t> count;
};
BlockPlace blocks_of(const Layout& layout, const Mesh& mesh);

/// The load of a view of a global of shape `whole`, also on devices other than its owner.
LoadBlock load_of(const View& view, const Shape& whole, const Mesh& mesh);

/// How many elements of a device's block along `op.dim` are no padding, for a global of shape `whole`.
Expr valid_size(const BlockSize& op, const Shape& whole, const Mesh& mesh);

}  // namespace isoshard
