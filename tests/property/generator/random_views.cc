// Views of globals: split, shifted, stacked, cut, on one device; padding is masked or kept apart.

#include <algorithm>
#include <utility>

#include "tests/property/generator/random_body.h"
#include "tests/property/generator/random_functions.h"

namespace isoshard::testing {
namespace {

/// Whether some block of a dimension of `size` reaches beyond its end.
bool pads(const ViewEntry& entry, int64_t size, const Mesh& mesh) {
  return entry.split == Split::uneven && size % block_count(entry, mesh) != 0;
}

bool pads(const Layout& layout, const Shape& whole, const Mesh& mesh) {
  for (size_t d = 0; d < layout.size(); ++d) {
    if (pads(layout[d], whole[d], mesh)) return true;
  }
  return false;
}

/// Whether blocks laid out so make up an output.
bool tiles(const Layout& layout, const Mesh& mesh) {
  const bool computed = std::any_of(layout.begin(), layout.end(), [](const ViewEntry& e) { return e.of.has_value(); });
  DiagnosticSink ignored;
  return !computed && check_layout(layout, LayoutUse::output, block_rank(layout), mesh, "", Location(), ignored);
}

}  // namespace

void BodyGrower::views() {
  for (size_t i = 0; i < module_.globals.size(); ++i) view(GlobalId(i));
  if (!values_.empty()) return;
  const DType dtype = options_.doubles ? DType::f64 : DType::f32;
  values_.push_back(must(Constant{Rational(1), dtype, {2}}, {}));
}

bool BodyGrower::view(GlobalId id) {
  const Global& global = module_.global(id);
  View view{id, {}, {}, Coverage{0}};  // views are drawn one by one, so they rarely cover a global evenly
  std::vector<AxisId> free_axes = axes();
  for (const int64_t size : global.type.shape) view.layout.push_back(entry(size, free_axes));
  const AxisSet splitting = splitting_axes(view.layout);
  for (const AxisId axis : free_axes) {
    const bool allowed = options_.typed && global.has_gradient() && !splitting.contains(axis);
    if (allowed && dice_.chance(40)) view.invariant.insert(axis);
  }
  if (is_numeric(global.type.dtype)) cut(view, global.type.shape, free_axes);
  if (!try_op(view, {})) return false;
  if (pads(view.layout, global.type.shape, *mesh_)) take_padded(view);
  return true;
}

ViewEntry BodyGrower::entry(int64_t size, std::vector<AxisId>& free_axes) {
  if (free_axes.empty() || dice_.chance(35)) return ViewEntry{};
  const Group group{dice_.some(free_axes)};
  const int64_t blocks = mesh_->size(group);
  if (size % blocks != 0 && dice_.chance(50)) return ViewEntry{};
  // A view may name an axis again in another dimension: each device then reads a block of the diagonal.
  for (const AxisId axis : group.axes) {
    if (!dice_.chance(15)) free_axes.erase(std::find(free_axes.begin(), free_axes.end(), axis));
  }
  const int64_t offset = dice_.chance(60) ? 0 : dice_.in(-3, 3);
  if (size % blocks != 0 || dice_.chance(5)) return ViewEntry{group, offset, {}, Split::uneven};
  if (size == blocks && dice_.chance(30)) return ViewEntry{group, dice_.in(-1, 1), {}, Split::stack};
  if (size % (2 * blocks) == 0 && dice_.chance(25)) {  // one of two chunks of interleaved blocks
    const Expr index = dice_.in(0, 1) * blocks + Expr::index_in(group, *mesh_);
    return ViewEntry{{}, 0, BlockOf{index, 2 * blocks}};
  }
  return ViewEntry{group, offset};
}

/// At times a part of the block, or its value on one device of an axis that does not split it.
void BodyGrower::cut(View& view, const Shape& whole, const std::vector<AxisId>& free_axes) {
  if (dice_.chance(10)) {
    for (const int64_t size : block_shape(whole, view.layout, *mesh_)) {
      const int64_t start = dice_.in(0, size), limit = dice_.in(start, size);
      const bool part = start < limit || dice_.chance(10);  // of empty values only empty ones can be made
      view.range.push_back(part ? BlockRange{start, limit} : BlockRange{0, size});
    }
  }
  const AxisSet splitting = splitting_axes(view.layout);
  for (const AxisId axis : free_axes) {
    if (splitting.contains(axis) || view.invariant.contains(axis) || !dice_.chance(5)) continue;
    view.only.push_back(Owner{axis, dice_.in(0, mesh_->axis(axis).size - 1)});
  }
}

/// The last value has padding: it is masked before anything else sees it, or only goes where its layout says what is
/// padding.
void BodyGrower::take_padded(const View& view) {
  const ValueId block = values_.back();
  values_.pop_back();
  const bool kept = view.range.empty() && tiles(view.layout, *mesh_);
  if (kept) padded_.push_back(PaddedValue{block, view.layout, module_.global(view.global).type.shape});
  if (!kept || dice_.chance(60)) values_.push_back(masked(block, view));
}

/// `block` with zeros for its padding.
ValueId BodyGrower::masked(ValueId block, const View& view) {
  const TensorType like = type(block).tensor;
  std::optional<ValueId> inside;
  int64_t local = 0;
  for (size_t d = 0; d < view.layout.size(); ++d) {
    if (view.layout[d].split == Split::stack) continue;
    const int64_t dim = local++;
    if (!pads(view.layout[d], module_.global(view.global).type.shape[d], *mesh_)) continue;
    const ValueId count = must(BlockSize{view.global, view.layout, static_cast<int64_t>(d)}, {});
    const ValueId limit = must(BroadcastInDim{{}, like.shape}, {count});
    ValueId position = must(Iota{DType::i32, like.shape, dim}, {});
    if (!view.range.empty()) {
      const Rational start(view.range[static_cast<size_t>(dim)].start);
      position = must(Add{}, {position, must(Constant{start, DType::i32, like.shape}, {})});
    }
    const ValueId here = must(Compare{Direction::lt}, {position, limit});
    inside = inside ? must(And{}, {*inside, here}) : here;
  }
  return must(Select{}, {*inside, block, must(Constant{Rational(0), like.dtype, like.shape}, {})});
}

/// An op that keeps every element in its place, or moves whole dimensions together with their layout.
void BodyGrower::change_padded() {
  PaddedValue padded = dice_.pick(padded_);
  const ValueId x = padded.value;
  const bool stacked = block_rank(padded.layout) != padded.layout.size();
  const int64_t kind = dice_.in(0, 2);
  if (kind == 0) {
    if (!try_op(random_function(dice_, type(x).tensor, options_.exponentials), {x})) return;
  } else if (kind == 1 || stacked) {
    std::vector<ValueId> others;
    for (const PaddedValue& other : padded_) {
      const bool alike = type(other.value).tensor == type(x).tensor;
      if (alike && other.layout == padded.layout && other.whole == padded.whole) others.push_back(other.value);
    }
    for (const ValueId other : values_) {
      if (type(other).tensor == type(x).tensor) others.push_back(other);
    }
    const ValueId other = dice_.pick(others);
    if (!try_op(random_combination(dice_, type(x).tensor), {x, other})) return;
  } else {
    if (!transpose(x)) return;
    const auto& made = builder_.program().op(builder_.program().value(values_.back()).definition);
    const std::vector<int64_t> order = std::get<Transpose>(made.data).permutation;
    const PaddedValue before = padded;
    for (size_t d = 0; d < order.size(); ++d) {
      padded.layout[d] = before.layout[static_cast<size_t>(order[d])];
      padded.whole[d] = before.whole[static_cast<size_t>(order[d])];
    }
  }
  padded.value = values_.back();
  values_.pop_back();
  padded_.push_back(std::move(padded));
}

bool BodyGrower::block_size(GlobalId id) {
  const Shape& whole = module_.global(id).type.shape;
  if (whole.empty() || mesh_->axis_count() == 0) return false;
  BlockSize op{id, Layout(whole.size()), static_cast<int64_t>(dice_.below(whole.size()))};
  op.layout[static_cast<size_t>(op.dim)] = ViewEntry{Group{dice_.some(axes())}, 0, {}, Split::uneven};
  return try_op(std::move(op), {});
}

}  // namespace isoshard::testing
