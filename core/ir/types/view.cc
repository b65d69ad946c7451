// Which block of a global a device reads (docs/spec/views.md, "Blocks"). An entry of a layout gives a number of blocks
// and the index of the device's own, for one position as a number and for all of them as an expression; both follow the
// same rule, so that type checks and plans agree. Sizes that the count does not divide are rounded up, and what lies
// beyond is padding (docs/spec/views.md, "Padding"). `representatives` gives one position per combination of
// coordinates of some axes, so that checks need not look at every device. Cost: the axes of an entry.
#include "core/ir/types/view.h"

#include <algorithm>
#include <utility>

namespace isoshard {

int64_t block_count(const ViewEntry& entry, const Mesh& mesh) {
  return entry.of ? entry.of->count : mesh.size(entry.axes);
}

int64_t block_index(const ViewEntry& entry, const Mesh& mesh, int64_t position) {
  if (entry.of) return entry.of->index.evaluate(mesh, position, {});
  const int64_t count = block_count(entry, mesh);
  const int64_t index = (mesh.index_in(entry.axes, position) + entry.offset) % count;
  return index < 0 ? index + count : index;
}

Expr block_expr(const ViewEntry& entry, const Mesh& mesh) {
  if (entry.of) return entry.of->index;
  const int64_t count = block_count(entry, mesh);
  const int64_t offset = (entry.offset % count + count) % count;
  // Printed with the sign that the author wrote.
  const int64_t written = entry.offset < 0 && offset != 0 ? offset - count : offset;
  Expr index = Expr::index_in(entry.axes, mesh);
  return offset == 0 ? index : mod(std::move(index) + written, count);
}

int64_t block_size(const ViewEntry& entry, int64_t size, const Mesh& mesh) {
  const int64_t count = block_count(entry, mesh);
  return (size + count - 1) / count;
}

AxisSet splitting_axes(const ViewEntry& entry) { return entry.of ? entry.of->index.axes() : entry.axes.set(); }

AxisSet splitting_axes(const Layout& layout) {
  AxisSet result;
  for (const ViewEntry& entry : layout) result.insert(splitting_axes(entry));
  return result;
}

size_t block_rank(const Layout& layout) {
  size_t rank = 0;
  for (const ViewEntry& entry : layout) rank += entry.split == Split::stack ? 0 : 1;
  return rank;
}

Shape block_shape(const Shape& whole, const Layout& layout, const Mesh& mesh) {
  Shape result;
  for (size_t d = 0; d < layout.size(); ++d) {
    if (layout[d].split != Split::stack) result.push_back(block_size(layout[d], whole[d], mesh));
  }
  return result;
}

Shape global_shape(const Shape& local, const Layout& layout, const Mesh& mesh) {
  Shape result;
  auto size = local.begin();
  for (const ViewEntry& entry : layout) {
    result.push_back(block_count(entry, mesh) * (entry.split == Split::stack ? 1 : *size++));
  }
  return result;
}

std::vector<int64_t> representatives(const Mesh& mesh, const AxisSet& axes) {
  std::vector<int64_t> result{0};
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    if (!axes.contains(AxisId(a))) continue;
    const Group group{{AxisId(a)}};
    const size_t known = result.size();
    for (size_t i = 0; i < known; ++i) {
      for (int64_t c = 1; c < mesh.axis(AxisId(a)).size; ++c) result.push_back(mesh.member(group, result[i], c));
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string to_string(const ViewEntry& entry, const Mesh& mesh) {
  if (entry.whole()) return "-";
  std::string text = entry.split == Split::stack ? "stack " : entry.split == Split::uneven ? "uneven " : "";
  if (entry.of) return text += entry.of->index.to_string(mesh, " % ") + " of " + std::to_string(entry.of->count);
  text += mesh.to_string(entry.axes);
  if (entry.offset > 0) text += "+";
  if (entry.offset != 0) text += std::to_string(entry.offset);
  return text;
}

std::string to_string(const Layout& layout, const Mesh& mesh) {
  std::string text = "[";
  for (size_t d = 0; d < layout.size(); ++d) text += (d ? ", " : "") + to_string(layout[d], mesh);
  return text + "]";
}

}  // namespace isoshard
