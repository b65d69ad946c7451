// Makes gradients equal over the given axes, leaving out those over which a parameter is split (docs/spec/originals.md,
// "Sharded parameters"). In untyped programs this is the mean over devices, as in the original. In typed ones states
// say more: a gradient that is P is summed, one that is equal already is left alone, and one that is V is an error, as
// each device would have another meaning of it. Cost: one all_reduce per leaf.
#include "parallel/training/sync_gradients.h"

namespace isoshard {
namespace {

/// The axes over which a leaf is to become equal.
Group shared_axes(const ParamLeaf& leaf, const Group& axis_names) {
  AxisSet own;
  for (const Group& name : leaf.names.value_or(std::vector<Group>())) own.insert(name.set());
  Group result;
  for (const AxisId axis : axis_names.axes) {
    if (!own.contains(axis)) result.axes.push_back(axis);
  }
  return result;
}

ValueId mean_over_devices(ModelBuilder& m, ValueId grad, const Group& over, const Location& location) {
  const ValueId sum = m.op(AllReduce{over, std::nullopt}, {grad}, "", location);
  return m.with_constant(Divide{}, sum, Rational(m.mesh().size(over)), "", location);
}

ValueId complete(ModelBuilder& m, const ParamLeaf& leaf, const Group& over, const Location& location) {
  const ValueType type = m.builder().type(leaf.value);  // a copy: the next op moves it
  Group partial;
  for (const AxisId axis : over.axes) {
    const State state = type.states[axis.index()];
    if (state == State::partial) partial.axes.push_back(axis);
    if (state != State::varying) continue;
    const std::string& name = m.mesh().axis(axis).name;
    return m.error("C-sync",
                   "sync_gradients: the gradient of " + leaf.path + " is V over `" + name +
                       "`, every device has its own; expected P (terms of a sum) or = (complete), or `" + name +
                       "` among the names of a parameter that each device has for itself",
                   location);
  }
  if (partial.empty()) return leaf.value;
  return type.has_gradient ? m.all_reduce(leaf.value, partial, State::replicated, "", location)
                           : m.op(AllReduce{partial, std::nullopt}, {leaf.value}, "", location);
}

ValueId synced(ModelBuilder& m, const ParamLeaf& leaf, const Group& over, const Location& location) {
  if (!leaf.value.valid() || over.empty()) return leaf.value;
  const TensorType type = m.builder().type(leaf.value).tensor;
  if (!is_float(type.dtype)) {
    return m.error("C-sync", "sync_gradients: " + leaf.path + " is " + to_string(type) + "; expected floats", location);
  }
  return m.typed() ? complete(m, leaf, over, location) : mean_over_devices(m, leaf.value, over, location);
}

}  // namespace

ParamTree sync_gradients(ModelBuilder& m, const ParamTree& grads, const Group& axis_names, const Location& location) {
  ParamTree result = grads;
  for (ParamLeaf& leaf : result) leaf.value = synced(m, leaf, shared_axes(leaf, axis_names), location);
  return result;
}

}  // namespace isoshard
