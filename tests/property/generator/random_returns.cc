// Results and next-step values, laid out as their states ask.

#include <algorithm>
#include <utility>

#include "tests/property/generator/random_body.h"

namespace isoshard::testing {

void BodyGrower::returns() {
  const std::vector<ValueId> outputs = dice_.some(recent());
  for (size_t i = 0; i < std::min<size_t>(3, outputs.size()); ++i) output("y" + std::to_string(i), outputs[i]);
  for (size_t i = 0; i < 2 && !padded_.empty(); ++i) output_padded("z" + std::to_string(i), dice_.pick(padded_));
  if (options_.updates) updates();
}

/// Sums the terms of a partial value and gives a scalar a dimension where the layout needs one.
ValueId BodyGrower::returnable(ValueId value) {
  Group partial;
  bool varies = false;
  for (const AxisId axis : axes()) {
    if (type(value).states[axis.index()] == State::partial) partial.axes.push_back(axis);
    varies |= type(value).states[axis.index()] == State::varying;
  }
  if (!partial.empty()) value = must(AllReduce{partial, reduced_state(value)}, {value});
  if (varies && shape(value).empty()) value = must(Reshape{{1}}, {value});
  return value;
}

void BodyGrower::output(const std::string& name, ValueId value) {
  value = returnable(value);
  Layout layout(shape(value).size());
  std::vector<AxisId> order = axes();
  dice_.shuffle(order);
  for (const AxisId axis : order) {
    const bool varies = type(value).states[axis.index()] == State::varying;
    if (layout.empty() || !(varies || dice_.chance(15))) continue;
    layout[dice_.below(layout.size())].axes.axes.push_back(axis);
  }
  for (ViewEntry& part : layout) {
    if (!part.whole() && dice_.chance(25)) part.offset = dice_.in(-2, 2);
  }
  std::optional<TensorType> whole = pad_layout(value, layout);
  builder_.output(name, value, std::move(layout), Location::here(), std::move(whole));
}

/// At times ends a split dimension within its last blocks, and gives the blocks a dimension of their own.
std::optional<TensorType> BodyGrower::pad_layout(ValueId value, Layout& layout) {
  TensorType whole{type(value).tensor.dtype, global_shape(shape(value), layout, *mesh_)};
  bool uneven = false;
  for (size_t d = 0; d < layout.size(); ++d) {
    if (layout[d].whole() || !dice_.chance(20)) continue;
    layout[d].split = Split::uneven;
    if (shape(value)[d] > 0) whole.shape[d] -= dice_.in(0, block_count(layout[d], *mesh_) - 1);
    uneven = true;
  }
  if (uneven) return whole;
  for (size_t d = 0; d < layout.size(); ++d) {
    if (layout[d].whole() || !dice_.chance(10)) continue;
    ViewEntry stack = layout[d];
    stack.split = Split::stack;
    layout[d] = ViewEntry{};
    layout.insert(layout.begin() + static_cast<std::ptrdiff_t>(d), std::move(stack));
    break;
  }
  return std::nullopt;
}

/// What stays in place may be returned with its padding, which is left out.
bool BodyGrower::output_padded(const std::string& name, const PaddedValue& padded) {
  const ValueId value = returnable(padded.value);
  if (!can_be_stored(value, padded.layout)) return false;
  builder_.output(name, value, padded.layout, Location::here(), TensorType{type(value).tensor.dtype, padded.whole});
  return true;
}

/// Next-step values for globals that are read: of the type of the view and stored by its layout.
void BodyGrower::updates() {
  const std::vector<OpId> ops = builder_.program().body().ops;
  for (const OpId id : ops) {
    const Op op = builder_.program().op(id);
    const View* view = std::get_if<View>(&op.data);
    if (view == nullptr || !module_.global(view->global).can_be_updated() || dice_.chance(30)) continue;
    if (updates(view->global)) continue;
    const ValueId value = next_value(op.results[0]);
    if (fits(value, *view)) builder_.update(view->global, value, view->layout);
  }
}

bool BodyGrower::updates(GlobalId global) const {
  const std::vector<Output>& known = builder_.program().updates();
  return std::any_of(known.begin(), known.end(), [&](const Output& update) { return update.updates == global; });
}

/// A value of the type of `old`, in a state that can be returned; with padding where that is as in `old`.
ValueId BodyGrower::next_value(ValueId old) {
  std::vector<ValueId> alike{old};
  for (const ValueId value : values_) {
    if (type(value).tensor == type(old).tensor) alike.push_back(value);
  }
  const auto read = std::find_if(padded_.begin(), padded_.end(), [&](const PaddedValue& p) { return p.value == old; });
  if (read != padded_.end()) {
    for (const PaddedValue& other : padded_) {
      const bool same = type(other.value).tensor == type(old).tensor && other.layout == read->layout;
      if (same && other.whole == read->whole) alike.push_back(other.value);
    }
  }
  return returnable(dice_.pick(alike));
}

/// The layout of the view tiles the global, and `value` is laid out so.
bool BodyGrower::fits(ValueId value, const View& view) {
  DiagnosticSink ignored;
  const Layout& layout = view.layout;
  const bool part = std::any_of(layout.begin(), layout.end(), [](const ViewEntry& e) { return e.of.has_value(); });
  if (part || !view.range.empty() || !view.only.empty()) return false;
  if (!check_layout(layout, LayoutUse::output, shape(value).size(), *mesh_, "", Location(), ignored)) return false;
  if (block_shape(module_.global(view.global).type.shape, layout, *mesh_) != shape(value)) return false;
  return can_be_stored(value, layout);
}

/// Varying only where the layout splits.
bool BodyGrower::can_be_stored(ValueId value, const Layout& layout) const {
  const AxisSet splitting = splitting_axes(layout);
  const std::vector<AxisId> all = axes();
  return std::all_of(all.begin(), all.end(), [&](AxisId axis) {
    return splitting.contains(axis) || type(value).states[axis.index()] != State::varying;
  });
}

}  // namespace isoshard::testing
