#include "core/ir/view.h"

namespace isoshard {

int64_t block_count(const ViewEntry& entry, const Mesh& mesh) { return mesh.size(entry.axes); }

int64_t block_index(const ViewEntry& entry, const Mesh& mesh, int64_t position) {
  const int64_t count = block_count(entry, mesh);
  const int64_t index = (mesh.index_in(entry.axes, position) + entry.offset) % count;
  return index < 0 ? index + count : index;
}

AxisSet splitting_axes(const Layout& layout) {
  AxisSet result;
  for (const ViewEntry& entry : layout) {
    for (const AxisId axis : entry.axes.axes) result.insert(axis);
  }
  return result;
}

Shape global_shape(const Shape& local, const Layout& layout, const Mesh& mesh) {
  Shape result = local;
  for (size_t d = 0; d < result.size() && d < layout.size(); ++d) result[d] *= block_count(layout[d], mesh);
  return result;
}

std::string to_string(const ViewEntry& entry, const Mesh& mesh) {
  if (entry.whole()) return "-";
  std::string text = mesh.to_string(entry.axes);
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
