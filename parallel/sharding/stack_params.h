#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parallel/module/model_builder.h"

namespace isoshard {

/// A leaf of a tree of parameters inside a program: what a device holds, and as in Flax's Partitioned the axes over
/// which each dimension is split, or nothing for a plain array.
struct ParamLeaf {
  std::string path;  ///< `a/b/kernel`
  std::optional<std::vector<Group>> names;
  ValueId value;
};
using ParamTree = std::vector<ParamLeaf>;

/// x on the device with that index over `axis`, an i32 scalar, and zeros on the others.
ValueId only_on_device(ModelBuilder& m, ValueId x, const Group& axis, ValueId index,
                       const Location& location = Location::here());

/// Every device's own parameters as parts of one array: a dimension of size 1 at `axis_pos`, split over `axis`
/// (docs/spec/originals.md, "Array utilities"). V over `axis`.
///
/// With `mask_except`, an integer scalar, the values are zeros on all devices but the one with that index; integers and
/// predicates become f32 then. An `axis_pos` below 0 or beyond the rank is an error (C-stack): the original puts value
/// and name in different places there.
ParamTree stack_params(ModelBuilder& m, const ParamTree& params, const Group& axis, int64_t axis_pos = 0,
                       ValueId mask_except = {}, const Location& location = Location::here());

/// Takes the first dimension that is split over exactly `axis` away from each leaf that has one; leaves without names
/// left are plain. Masks and dtypes stay as stack_params made them. C-stack where a device has more than one element
/// there.
ParamTree unstack_params(ModelBuilder& m, const ParamTree& params, const Group& axis,
                         const Location& location = Location::here());

}  // namespace isoshard
