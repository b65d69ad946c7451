// Views as loads of blocks (docs/spec/views.md): a dimension of n elements that is split k ways has blocks of L =
// ceil(n/k) elements, and a device has the one that an expression over its coordinates says. A view of a part of a
// global has a start and a size of its own along each dimension that it cuts. Block b has max(0, min(L, n - b L))
// elements; where L k = n that is L, a number, so that programs without padding have no such expression. Cost:
// dimensions.
#include "core/plan/passes/lower_view.h"

namespace isoshard {

BlockPlace blocks_of(const Layout& layout, const Mesh& mesh) {
  BlockPlace result;
  for (const ViewEntry& entry : layout) {
    result.block.push_back(block_expr(entry, mesh));
    result.count.push_back(block_count(entry, mesh));
  }
  return result;
}

LoadBlock load_of(const View& view, const Shape& whole, const Mesh& mesh) {
  auto [block, count] = blocks_of(view.layout, mesh);
  LoadBlock load{view.global, std::move(block), std::move(count)};
  size_t next = 0;
  for (size_t d = 0; d < view.layout.size() && !view.range.empty(); ++d) {
    const BlockRange* range = view.layout[d].split == Split::stack ? nullptr : &view.range[next++];
    const int64_t start = range == nullptr ? 0 : range->start;
    const bool to_end = range == nullptr || !range->limit;
    load.start.push_back(start);
    load.size.push_back((to_end ? block_size(view.layout[d], whole[d], mesh) : *range->limit) - start);
  }
  return load;
}

Expr valid_size(const BlockSize& op, const Shape& whole, const Mesh& mesh) {
  const ViewEntry& entry = op.layout[static_cast<size_t>(op.dim)];
  const int64_t n = whole[static_cast<size_t>(op.dim)], size = block_size(entry, n, mesh);
  if (size * block_count(entry, mesh) == n) return Expr(size);
  return max(Expr(0), min(Expr(size), Expr(n) - block_expr(entry, mesh) * size));
}

}  // namespace isoshard
