// Shows the parameters of a tensor-parallel dense layer as views of one dense kernel and bias, so that `check` can
// decide whether the layer and a dense one are equal without copying anything. Each mode of a layer is a rule that says
// which block (row, column) of the kernel its part `shard_k` is, counted from the device's own index; rings rotate, so
// blocks have offsets. The split scatter needs halves of two blocks, which are cut and joined. Blocks of biases follow
// the columns; in mode `scatter`, where terms are summed, only one device has the bias. Cost: one or two views per
// parameter.
#include "parallel/sharding/convert_params.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace isoshard {
namespace {

/// The k of `shard_k` in a path, 0 where there is none.
int64_t shard_of(const ParamSpec& spec) {
  constexpr std::string_view kPrefix = "shard_";
  for (const std::string& name : spec.path) {
    if (name.compare(0, kPrefix.size(), kPrefix) != 0) continue;
    int64_t k = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), k);
    return k;
  }
  return 0;
}

bool is_ring(TpLayout layout) {
  return layout == TpLayout::async_gather || layout == TpLayout::async_scatter || layout == TpLayout::async_split;
}

/// Views of one dense array, the kernel or the bias, whose last dimension has the columns.
class DenseViews {
 public:
  DenseViews(ModelBuilder& m, TpLayout layout, const Group& axis, GlobalId global, std::string name)
      : m_(m), layout_(layout), axis_(axis), global_(global), name_(std::move(name)) {
    rank_ = m.module().global(global).type.shape.size();
  }

  ValueId shard(int64_t k) {
    const bool kernel = rank_ == 2;
    switch (layout_) {
      case TpLayout::dense:
        return block({}, {});
      case TpLayout::gather:
        return block({}, at(0));
      case TpLayout::scatter:
        return kernel ? block(at(0), {}) : on_first_device();
      case TpLayout::async_gather:
        return block(at(-k), at(0));
      case TpLayout::async_scatter:
        return block(at(0), at(-1 - k));
      case TpLayout::async_split:
        return halves(k);
    }
    return {};
  }

 private:
  ViewEntry at(int64_t offset) const { return ViewEntry{axis_, offset}; }

  Layout layout_of(ViewEntry rows, ViewEntry columns) const {
    return rank_ == 2 ? Layout{std::move(rows), std::move(columns)} : Layout{std::move(columns)};
  }

  ValueId block(ViewEntry rows, ViewEntry columns) {
    return m_.view(global_, layout_of(std::move(rows), std::move(columns)), name_);
  }

  ValueId on_first_device() {
    View view{global_, Layout(1), {}};
    for (const AxisId axis : axis_.axes) view.only.push_back(Owner{axis, 0});
    return m_.op(std::move(view), {}, name_);
  }

  /// Columns `start` to `limit` of a block.
  ValueId part(ViewEntry columns, int64_t start, std::optional<int64_t> limit) {
    View view{global_, layout_of(at(0), std::move(columns)), {}};
    view.range.resize(rank_);
    view.range.back() = BlockRange{start, limit};
    return m_.op(std::move(view), {});
  }

  ValueId halves(int64_t k) {
    const int64_t width = m_.module().global(global_).type.shape.back() / m_.mesh().size(axis_);
    if (width < 2) return block(at(0), at(1 + k));
    const ValueId first = part(at(-1 - k), 0, width / 2), second = part(at(1 + k), width / 2, std::nullopt);
    return m_.op(Concatenate{static_cast<int64_t>(rank_) - 1}, {first, second}, name_);
  }

  ModelBuilder& m_;
  TpLayout layout_;
  const Group& axis_;
  GlobalId global_;
  std::string name_;
  size_t rank_;
};

}  // namespace

ParamReader views_of_dense(TpLayout layout, Group axis, GlobalId kernel, GlobalId bias) {
  return [=](ModelBuilder& m, const ParamSpec& spec) -> ValueId {
    if (is_ring(layout) && !std::is_sorted(axis.axes.begin(), axis.axes.end())) {
      return m.error("C-layout", "views_of_dense: the ring over " + m.mesh().to_string(axis) +
                                     " follows the order of the mesh, and the devices of the layer that of the tuple; "
                                     "expected the axes in the order of the mesh");
    }
    const std::string& name = spec.path.back();
    if (name != "kernel" && name != "bias") {
      return m.error("C-layout", "views_of_dense: the layer has a parameter " + spec.name() +
                                     "; expected only `kernel` and `bias` of a dense layer");
    }
    const std::vector<ParamDim> dims = spec.dims();
    if (std::any_of(dims.begin(), dims.end(), [](const ParamDim& dim) { return dim.shard.has_value(); })) {
      return m.error("C-layout", "views_of_dense: the parameter " + spec.name() +
                                     " is sharded by shard_module_params; expected the whole of it on every device");
    }
    std::string label = spec.name();
    std::replace(label.begin(), label.end(), '/', '.');
    DenseViews views(m, m.mesh().size(axis) == 1 ? TpLayout::dense : layout, axis, name == "kernel" ? kernel : bias,
                     std::move(label));
    return views.shard(shard_of(spec));
  };
}

}  // namespace isoshard
