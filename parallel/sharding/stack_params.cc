// Makes the own parameters of each device parts of one array, with a dimension of size 1 per device at a given place,
// and takes that dimension away again (docs/spec/originals.md, "Array utilities"). Only names and shapes change,
// nothing is communicated. With a mask all devices but one get zeros, by a comparison of the device's index, since a
// program is the same for all devices. Cost: one reshape per leaf, and a select with a mask.
#include "parallel/sharding/stack_params.h"

#include <algorithm>
#include <utility>

#include "core/support/counted.h"
#include "parallel/layers/dense.h"

namespace isoshard {
namespace {

ParamLeaf stacked(ModelBuilder& m, ParamLeaf leaf, const Group& axis, int64_t axis_pos, ValueId mask_except,
                  const Location& location) {
  if (!leaf.value.valid()) return leaf;
  Shape shape = m.shape(leaf.value);
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis_pos < 0 || axis_pos > rank) {
    leaf.value = m.error("C-stack",
                         "stack_params: axis_pos is " + std::to_string(axis_pos) + " and " + leaf.path + " has " +
                             counted(rank, "dimension") + "; expected 0 to " + std::to_string(rank),
                         location);
    return leaf;
  }
  if (mask_except.valid()) {
    if (!is_float(m.builder().type(leaf.value).tensor.dtype)) {
      leaf.value = m.op(Convert{DType::f32}, {leaf.value}, "", location);
    }
    leaf.value = only_on_device(m, leaf.value, axis, mask_except, location);
  }
  shape.insert(shape.begin() + axis_pos, 1);
  leaf.value = as_state(m, m.op(Reshape{std::move(shape)}, {leaf.value}, "", location), axis, State::varying, location);
  if (!leaf.names) leaf.names.emplace(static_cast<size_t>(rank));
  leaf.names->insert(leaf.names->begin() + axis_pos, axis);
  return leaf;
}

ParamLeaf unstacked(ModelBuilder& m, ParamLeaf leaf, const Group& axis, const Location& location) {
  if (!leaf.names || !leaf.value.valid()) return leaf;
  const auto entry = std::find(leaf.names->begin(), leaf.names->end(), axis);
  if (entry == leaf.names->end()) return leaf;
  const std::ptrdiff_t at = entry - leaf.names->begin();
  Shape shape = m.shape(leaf.value);
  if (shape[static_cast<size_t>(at)] != 1) {
    leaf.value = m.error("C-stack",
                         "unstack_params: dimension " + std::to_string(at) + " of " + leaf.path + " has " +
                             counted(shape[static_cast<size_t>(at)], "element") +
                             " on a device; expected 1, as stack_params makes it",
                         location);
    return leaf;
  }
  shape.erase(shape.begin() + at);
  leaf.names->erase(entry);
  leaf.value = m.op(Reshape{std::move(shape)}, {leaf.value}, "", location);
  const bool plain = std::all_of(leaf.names->begin(), leaf.names->end(), [](const Group& g) { return g.empty(); });
  if (plain) leaf.names.reset();
  return leaf;
}

}  // namespace

ValueId only_on_device(ModelBuilder& m, ValueId x, const Group& axis, ValueId index, const Location& location) {
  if (!x.valid()) return {};
  const ValueId own = m.op(AxisIndex{axis}, {}, "", location);
  const ValueId here = m.op(Compare{Direction::eq}, {own, index}, "", location);
  return m.op(Select{}, {here, x, m.constant_like(x, Rational(0), "", location)}, "", location);
}

ParamTree stack_params(ModelBuilder& m, const ParamTree& params, const Group& axis, int64_t axis_pos,
                       ValueId mask_except, const Location& location) {
  ParamTree result;
  for (const ParamLeaf& leaf : params) result.push_back(stacked(m, leaf, axis, axis_pos, mask_except, location));
  return result;
}

ParamTree unstack_params(ModelBuilder& m, const ParamTree& params, const Group& axis, const Location& location) {
  ParamTree result;
  for (const ParamLeaf& leaf : params) result.push_back(unstacked(m, leaf, axis, location));
  return result;
}

}  // namespace isoshard
