#include "core/text/print/print_items.h"

#include <vector>

#include "core/text/elaborate/fields.h"

namespace isoshard::text {

std::string print_axes_of(const Mesh& mesh) {
  std::string text = "[";
  for (size_t i = 0; i < mesh.axis_count(); ++i) {
    text += (i ? ", " : "") + mesh.axes()[i].name + "=" + std::to_string(mesh.axes()[i].size);
  }
  text += "]";
  const std::vector<int64_t>& order = mesh.device_order();
  for (size_t i = 0; i < order.size(); ++i) text += (i ? ", " : " devices=[") + std::to_string(order[i]);
  return text + (order.empty() ? "" : "]");
}

std::string print_global(const Global& global) {
  std::string text = "global @" + global.name + " : " + to_string(global.type) + " " + std::string(name(global.role));
  if (global.range) text += " in " + global.range->to_string();
  const bool is_value = global.init.kind == InitKind::value;
  if (!(global.init == Init{})) {
    text += " init=" + (is_value ? global.init.value.to_string() : std::string(name(global.init.kind)));
  }
  return text + "\n";
}

std::string print_view_part(const View& view, const Mesh& mesh) {
  std::string text;
  for (size_t d = 0; d < view.range.size(); ++d) {
    const BlockRange& range = view.range[d];
    text += (d ? ", " : "[") + (range.start == 0 && !range.limit ? "" : std::to_string(range.start)) + ":" +
            (range.limit ? std::to_string(*range.limit) : "");
  }
  if (!view.range.empty()) text += "]";
  for (size_t i = 0; i < view.only.size(); ++i) {
    text += (i ? ", " : " only ") + mesh.axis(view.only[i].axis).name + "=" + std::to_string(view.only[i].coordinate);
  }
  if (!view.invariant.empty()) text += " as I" + print_axes(view.invariant, mesh);
  if (view.coverage.times == 0) text += " incomplete";
  if (view.coverage.times > 1) text += " times " + std::to_string(view.coverage.times);
  return text;
}

}  // namespace isoshard::text
