// FSDP for trees of arrays inside a program (docs/spec/originals.md, "Sharded parameters"): each device keeps its block
// of each large leaf, along the largest dimension without a name that the devices divide, and gathers it for use. Small
// leaves stay whole, since their messages would cost more than their memory; a leaf that is large and yet cannot be
// split is a warning. Gradients of what is gathered come back as blocks: sums in typed programs, means as in the
// original in untyped ones. The rule itself, `dim_to_shard`, is shared with modules (param_spec.cc).
#include "parallel/sharding/shard_params.h"

#include <algorithm>
#include <utility>

#include "parallel/layers/dense.h"
#include "parallel/module/param_spec.h"
#include "parallel/sharding/array_utils.h"

namespace isoshard {
namespace {

bool has_name(const std::vector<Group>& names, const Group& axis) {
  return std::find(names.begin(), names.end(), axis) != names.end();
}

/// Large enough, and yet whole.
void warn(ModelBuilder& m, const ParamLeaf& leaf, const std::vector<Group>& names, const Group& axis,
          const Location& location) {
  const std::string over = "`" + m.mesh().to_string(axis) + "`";
  const std::string why = has_name(names, axis) ? "is sharded over " + over + " already"
                                                : "stays whole: no dimension without a name is divided by the " +
                                                      std::to_string(m.mesh().size(axis)) + " devices of " + over;
  m.sink().warning(
      "C-shard", location,
      "shard_params: " + leaf.path + ", " + to_string(m.builder().type(leaf.value).tensor) + " on each device, " + why);
}

ParamLeaf sharded(ModelBuilder& m, ParamLeaf leaf, const Group& axis, int64_t min_weight_size,
                  const Location& location) {
  if (!leaf.value.valid()) return leaf;
  const Shape local = m.shape(leaf.value);
  std::vector<Group> names = leaf.names.value_or(std::vector<Group>(local.size()));
  const std::optional<size_t> dim = dim_to_shard(local, names, axis, m.mesh().size(axis), min_weight_size);
  if (!dim) {
    if (element_count(local) > min_weight_size) warn(m, leaf, names, axis, location);
    return leaf;
  }
  names[*dim] = axis;
  const ValueId block = split_array_over_mesh(m, leaf.value, axis, static_cast<int64_t>(*dim), "", location);
  return ParamLeaf{leaf.path, std::move(names), as_state(m, block, axis, State::varying, location)};
}

ParamLeaf gathered(ModelBuilder& m, ParamLeaf leaf, const Group& axis, const GatherOptions& options,
                   const Location& location) {
  if (!leaf.names || !has_name(*leaf.names, axis)) return leaf;
  const auto entry = std::find(leaf.names->begin(), leaf.names->end(), axis);
  leaf.value = gather_array(m, leaf.value, axis, entry - leaf.names->begin(), options, location);
  *entry = Group{};
  const bool plain = std::all_of(leaf.names->begin(), leaf.names->end(), [](const Group& g) { return g.empty(); });
  if (plain) leaf.names.reset();
  return leaf;
}

}  // namespace

ParamTree shard_params(ModelBuilder& m, const ParamTree& params, const Group& axis, int64_t min_weight_size,
                       const Location& location) {
  ParamTree result;
  for (const ParamLeaf& leaf : params) result.push_back(sharded(m, leaf, axis, min_weight_size, location));
  return result;
}

ParamTree gather_params(ModelBuilder& m, const ParamTree& params, const Group& axis, GatherOptions options,
                        const Location& location) {
  options.mean_gradients |= !m.typed();
  ParamTree result;
  for (const ParamLeaf& leaf : params) result.push_back(gathered(m, leaf, axis, options, location));
  return result;
}

}  // namespace isoshard
