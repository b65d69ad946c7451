#include "core/parallel/models/device_params.h"

namespace isoshard {

DeviceParams::DeviceParams(ModelBuilder& m, const Params& params, std::shared_ptr<const Mesh> mesh)
    : m_(m), params_(params), mesh_(std::move(mesh)) {
  for (size_t i = 0; i < params.specs().size(); ++i) specs_.emplace(params.specs()[i].name(), i);
}

const ParamSpec* DeviceParams::find(const std::string& path) const {
  const auto spec = specs_.find(path);
  return spec == specs_.end() ? nullptr : &params_.specs()[spec->second];
}

ValueId DeviceParams::at(const std::string& path, int64_t position) {
  const ParamSpec* spec = find(path);
  if (spec == nullptr) return {};
  Layout layout = spec->layout();
  std::string name = params_.global_name(*spec);
  for (ViewEntry& entry : layout) {
    if (entry.axes.empty()) continue;
    if (entry.split != Split::stack) {  // sharded: devices gather it before they use it
      entry = ViewEntry{};
      continue;
    }
    const int64_t index = mesh_->index_in(entry.axes, position);
    entry = ViewEntry{{}, 0, BlockOf{Expr(index), mesh_->size(entry.axes)}, Split::stack};
    name += "." + std::to_string(index);
  }
  ValueId& value = read_[name];
  if (!value.valid()) value = m_.view(spec->global, std::move(layout), name);
  return value;
}

}  // namespace isoshard
