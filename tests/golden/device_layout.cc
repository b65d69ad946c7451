#include "tests/golden/device_layout.h"

namespace isoshard::golden {

Layout of_each_device(const Mesh& mesh, size_t rank) {
  ViewEntry devices;
  for (size_t i = 0; i < mesh.axis_count(); ++i) devices.axes.axes.emplace_back(i);
  devices.split = Split::stack;
  Layout layout(rank + 1);
  layout.front() = devices;
  return layout;
}

}  // namespace isoshard::golden
