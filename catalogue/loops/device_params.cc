#include "catalogue/loops/device_params.h"

namespace isoshard {

DeviceParams::DeviceParams(ModelBuilder& m, const Params& params, std::shared_ptr<const Mesh> mesh,
                           std::map<std::string, ValueId> whole)
    : m_(m), params_(params), mesh_(std::move(mesh)), whole_(std::move(whole)) {
  for (size_t i = 0; i < params.specs().size(); ++i) specs_.emplace(params.specs()[i].name(), i);
}

const ParamSpec* DeviceParams::find(const std::string& path) const {
  const auto spec = specs_.find(path);
  return spec == specs_.end() ? nullptr : &params_.specs()[spec->second];
}

/// What a layout of blocks with fixed numbers reads of an array; those dimensions have size 1 and disappear.
ValueId DeviceParams::part(ValueId whole, const Layout& layout) {
  int64_t dim = 0;
  for (const ViewEntry& entry : layout) {
    if (!entry.of) {
      ++dim;
      continue;
    }
    const int64_t index = entry.of->index.evaluate(*mesh_, 0, {});
    Shape rest = m_.shape(whole);
    rest.erase(rest.begin() + dim);
    whole = m_.op(Reshape{std::move(rest)}, {m_.slice(whole, dim, index, index + 1)});
  }
  return whole;
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
  if (value.valid()) return value;
  value = whole_.empty() ? m_.view(spec->global, std::move(layout), name) : part(whole_.at(path), layout);
  return value;
}

}  // namespace isoshard
