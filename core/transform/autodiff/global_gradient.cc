// Appends the gradient of a global as explicit ops (docs/spec/views.md, "Gradient of a global";
// docs/adr/0020-gradients-of-globals.md). Where one view tiles the global once, its gradient stays in the view's
// layout, summed over the axes where it is P: nothing of the whole size is made. Otherwise each view's block is placed
// among zeros of the whole, at a start computed from coordinates, padding cut off, and summed over all devices, V and P
// once per device, what is equal once. Explicit ops, so that printing, simulation and proofs see nothing new. Cost: the
// blocks, or the whole global per view.
#include "core/transform/autodiff/global_gradient.h"

#include <algorithm>
#include <utility>

#include "core/transform/autodiff/adjoint.h"
#include "core/transform/autodiff/block_index.h"

namespace isoshard::autodiff {
namespace {

bool reads_all(const View& view) {
  return view.range.empty() && std::all_of(view.layout.begin(), view.layout.end(), [](auto& e) { return e.whole(); });
}

/// An axis of size 1 may stand in two entries of a view that tiles, but not in those of an output.
bool names_axis_twice(const Layout& layout) {
  AxisSet seen;
  for (const ViewEntry& entry : layout) {
    for (const AxisId axis : entry.axes.axes) {
      if (seen.contains(axis)) return true;
      seen.insert(axis);
    }
  }
  return false;
}

/// Coverage `once` was checked: the only view reads every element on one device, replicas aside.
bool tiles(const std::vector<ViewGradient>& views) {
  return views.size() == 1 && views[0].view.coverage.times == 1 && views[0].view.range.empty() &&
         !names_axis_twice(views[0].view.layout);
}

/// All axes for which `wanted` holds, in mesh order.
template <class Predicate>
Group axes_where(const Mesh& mesh, const Predicate& wanted) {
  Group group;
  for (size_t i = 0; i < mesh.axis_count(); ++i) {
    if (wanted(i)) group.axes.push_back(AxisId(i));
  }
  return group;
}

ValueId sum_over(Emitter& at, const Group& group, ValueId x) {
  return group.empty() ? x : at.op(AllReduce{group, std::nullopt}, {x});
}

/// Without states, a view with owners reads the value there and zeros elsewhere: only the owners' gradients count.
ValueId of_owners(Emitter& at, const View& view, ValueId gradient) {
  for (const Owner& owner : view.only) {
    const ValueId index = at.op(AxisIndex{Group{{owner.axis}}}, {});
    const ValueId is_owner = at.compare(Direction::eq, index, at.constant_like(index, Rational(owner.coordinate)));
    gradient = at.where(at.broadcast(is_owner, {}, at.shape(gradient)), gradient);
  }
  return gradient;
}

/// The block in zeros of the whole global; what lies beyond its end is dropped.
ValueId placed(Emitter& at, const Global& global, const View& view, ValueId block) {
  if (reads_all(view)) return block;
  const Mesh& mesh = at.builder().mesh();
  const Shape& whole = global.type.shape;
  const Shape local = at.shape(block);
  Shape dims, padded;
  std::vector<ValueId> operands(2);
  size_t next = 0;
  for (size_t d = 0; d < whole.size(); ++d) {
    const ViewEntry& entry = view.layout[d];
    const bool stacked = entry.split == Split::stack;
    const int64_t size = block_size(entry, whole[d], mesh);
    const int64_t first = stacked || view.range.empty() ? 0 : view.range[next].start;
    padded.push_back(std::max(whole[d], block_count(entry, mesh) * size));
    dims.push_back(stacked ? 1 : local[next++]);
    ValueId start = append_block_index(at, entry);
    if (size != 1) start = at.scale(start, Rational(size));
    operands.push_back(first == 0 ? start : at.add(start, at.constant_like(start, Rational(first))));
  }
  operands[0] = at.constant(Rational(0), TensorType{global.type.dtype, padded});
  operands[1] = dims == local ? block : at.op(Reshape{dims}, {block});
  const ValueId result = at.op(DynamicUpdateSlice{}, std::move(operands));
  return padded == whole ? result : at.op(Slice{Shape(whole.size(), 0), whole, {}}, {result});
}

/// One view's part of the whole gradient, equal on all devices.
ValueId whole_gradient(Builder& out, const Global& global, const ViewGradient& part) {
  Emitter at(out, part.location);
  const AxisSet splitting = splitting_axes(part.view.layout);
  const bool typed = at.typed();
  ValueId x = typed ? part.gradient : of_owners(at, part.view, part.gradient);
  x = placed(at, global, part.view, x);
  const auto splits = [&](size_t i) { return splitting.contains(AxisId(i)); };
  const States states = out.type(x).states;
  const Group varying = axes_where(out.mesh(), [&](size_t i) { return splits(i) && states[i] == State::varying; });
  if (typed && !varying.empty()) x = at.op(Reinterpret{varying, State::partial}, {x});
  return sum_over(
      at,
      axes_where(out.mesh(), [&](size_t i) { return !typed || splits(i) || dual(part.states[i]) == State::partial; }),
      x);
}

/// The blocks of the only view, summed over the devices that hold the same one.
ValueId block_gradient(Builder& out, const ViewGradient& part) {
  Emitter at(out, part.location);
  const AxisSet splitting = splitting_axes(part.view.layout);
  const ValueId x = at.typed() ? part.gradient : of_owners(at, part.view, part.gradient);
  return sum_over(at,
                  axes_where(out.mesh(),
                             [&](size_t i) {
                               return at.typed() ? dual(part.states[i]) == State::partial
                                                 : !splitting.contains(AxisId(i));
                             }),
                  x);
}

}  // namespace

LaidOutGradient append_global_gradient(Builder& out, const Global& global, const std::vector<ViewGradient>& views) {
  if (tiles(views)) return {block_gradient(out, views[0]), views[0].view.layout};
  LaidOutGradient result{{}, Layout(global.type.shape.size())};
  for (const ViewGradient& view : views) {
    const ValueId part = whole_gradient(out, global, view);
    result.value = result.value.valid() ? out.add_op(Add{}, {result.value, part}, "", view.location) : part;
  }
  if (result.value.valid()) return result;
  result.value = out.add_op(Constant{Rational(0), global.type.dtype, global.type.shape}, {}, "", global.location);
  return result;
}

}  // namespace isoshard::autodiff
