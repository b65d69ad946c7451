// Collectives, whose groups are printed as axes (jax 0.11) or as positions in the mesh, which are looked for among its
// axes; others are written out (listed_groups.h). The index of a device is a digit of its position
// (elementwise_rules.cc). A permute is a shift along one axis where it is one, else pairs of positions over all axes.
// Cost: the devices, times the axes of a group.
#include <algorithm>
#include <utility>

#include "core/import/stablehlo/analysis/groups.h"
#include "core/import/stablehlo/idioms/listed_groups.h"
#include "core/import/stablehlo/idioms/reducers.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

void expect_in_manual(const Lowering& lowering, const Operation& op) {
  if (lowering.mesh().axis_count() == 0) {
    lowering.fail(
        "M-mesh", op,
        quoted(op.name) + " in a program without a mesh; expected a sharded program with sdy.mesh, or --mesh");
  }
  if (!lowering.in_manual()) lowering.unsupported(op, quoted(op.name) + " outside of a manual computation");
}

/// XLA takes groups for those of devices where a channel is given and, but of all_to_all and collective_permute,
/// use_global_device_ids; otherwise for those of replicas, of which a program of JAX has one, and refuses them.
void expect_channel(const Lowering& lowering, const Operation& op) {
  const Attribute* channel = op.find("channel_handle");
  const Attribute* handle = channel == nullptr ? nullptr : channel->find("handle");
  const bool positive = handle != nullptr && !handle->text.starts_with("-") && handle->text != "0";
  const bool pairs = op.name == "stablehlo.all_to_all" || op.name == "stablehlo.collective_permute";
  if (positive && (pairs || op.find("use_global_device_ids") != nullptr)) return;
  lowering.fail("M-attribute", op,
                quoted(op.name) + " without " + (positive ? "use_global_device_ids" : "a channel") +
                    "; expected channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>" +
                    (pairs ? "" : " and use_global_device_ids") + ", or XLA takes its groups for those of replicas");
}

/// The axes whose groups are those of a collective, or the groups where there are no such axes.
struct Members {
  std::vector<std::vector<int64_t>> groups;
  std::optional<Group> axes;
};

/// The axis of `#stablehlo.axis_ref<name = "model">`.
AxisId named_axis(const Lowering& lowering, const Operation& op, const Attribute& reference) {
  const Attribute* name = reference.find("name");
  if (name == nullptr) lowering.fail("M-attribute", op, "replica_groups of an axis without a name");
  if (reference.fields.size() > 1)
    lowering.unsupported(op, "replica_groups over a part of the axis " + quoted(name->text));
  return lowering.axis(op, name->text);
}

/// The axes of `#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [...]>`, the first one outermost; those of size
/// 1 make no difference. All meshes of a text have the same axes (lower_main.cc).
Group named_axes(const Lowering& lowering, const Operation& op, const Attribute& groups) {
  const Attribute* mesh = groups.find("mesh");
  const Attribute* axes = groups.find("axes");
  const auto named = [&](const MeshText& each) { return mesh != nullptr && each.name == mesh->text; };
  const std::vector<MeshText>& meshes = lowering.text().meshes;
  if (std::none_of(meshes.begin(), meshes.end(), named) || axes == nullptr || axes->items.empty()) {
    lowering.fail("M-attribute", op,
                  "replica_groups without a mesh of the text or without axes; expected as in mesh = @mesh, axes = "
                  "[#stablehlo.axis_ref<name = \"model\">]");
  }
  AxisSet seen;
  Group group;
  for (const Attribute& reference : axes->items) {
    const AxisId axis = named_axis(lowering, op, reference);
    if (seen.contains(axis)) {
      lowering.fail("M-attribute", op,
                    "replica_groups over the axis " + quoted(lowering.mesh().axis(axis).name) + " twice");
    }
    seen.insert(axis);
    if (lowering.mesh().axis(axis).size > 1) group.axes.push_back(axis);
  }
  return group;
}

Members members(const Lowering& lowering, const Operation& op) {
  expect_in_manual(lowering, op);
  expect_channel(lowering, op);
  const Attribute* named = op.find("replica_groups");
  if (named != nullptr && named->text == "stablehlo.replica_group_mesh_axes") {
    return {{}, named_axes(lowering, op, *named)};
  }
  std::vector<std::vector<int64_t>> groups = rows(lowering, op, "replica_groups");
  std::optional<Group> axes = group_of(groups, lowering.mesh());
  return {std::move(groups), std::move(axes)};
}

/// The results of a collective: `by_axes` of each operand in groups of axes, `listed` in others.
template <class ByAxes, class Listed>
std::vector<Wire> in_groups(Lowering& lowering, const Operation& op, const Scope& scope, const ByAxes& by_axes,
                            const Listed& listed) {
  const Members over = members(lowering, op);
  std::vector<Wire> results;
  for (const ValueId x : lowering.values(op, scope)) {
    if (over.axes && over.axes->empty()) {
      results.push_back(Wire{lowering.builder().type(x).tensor, x});
    } else if (over.axes) {
      results.push_back(lowering.emit(by_axes(*over.axes), {x}, op));
    } else {
      ListedGroups groups(lowering, op, over.groups);
      const ValueId result = listed(groups, x);
      results.push_back(Wire{lowering.builder().type(result).tensor, result});
    }
  }
  return results;
}

Reducer reducer(const Lowering& lowering, const Operation& op) {
  const Reducer found = op.regions.empty() ? Reducer::none : reducer_of(op.regions[0]);
  if (found == Reducer::none) {
    lowering.unsupported(op, quoted(op.name) + " by what is no add, multiply, maximum, minimum, and or or");
  }
  return found;
}

std::vector<Wire> all_reduce(Lowering& lowering, const Operation& op, Scope& scope) {
  const Reducer found = reducer(lowering, op);
  const auto by_axes = [&](const Group& over) {
    return AllReduce{over, std::nullopt, found == Reducer::add ? Reducer::none : found};
  };
  return in_groups(lowering, op, scope, by_axes, [&](ListedGroups& groups, ValueId x) {
    return groups.all_reduce(x, reducer_for(found, lowering.builder().type(x).tensor.dtype));
  });
}

std::vector<Wire> all_gather(Lowering& lowering, const Operation& op, Scope& scope) {
  const int64_t dim = integer(lowering, op, "all_gather_dim");
  const auto by_axes = [&](const Group& over) { return AllGather{over, dim, std::nullopt}; };
  return in_groups(lowering, op, scope, by_axes,
                   [&](ListedGroups& groups, ValueId x) { return groups.all_gather(x, dim); });
}

std::vector<Wire> reduce_scatter(Lowering& lowering, const Operation& op, Scope& scope) {
  if (reducer(lowering, op) != Reducer::add) lowering.unsupported(op, "a reduce_scatter that does not add");
  const int64_t dim = integer(lowering, op, "scatter_dimension");
  const auto by_axes = [&](const Group& over) { return ReduceScatter{over, dim}; };
  return in_groups(lowering, op, scope, by_axes,
                   [&](ListedGroups& groups, ValueId x) { return groups.reduce_scatter(x, dim); });
}

std::vector<Wire> all_to_all(Lowering& lowering, const Operation& op, Scope& scope) {
  const int64_t count = integer(lowering, op, "split_count");
  const int64_t split = integer(lowering, op, "split_dimension"), concat = integer(lowering, op, "concat_dimension");
  const auto expect = [&](int64_t size) {
    if (count == size) return;
    lowering.fail("M-attribute", op,
                  "split_count = " + std::to_string(count) + " in groups of " + std::to_string(size) +
                      "; expected the size of a group");
  };
  const auto by_axes = [&](const Group& over) {
    expect(lowering.mesh().size(over));
    return AllToAll{over, split, concat};
  };
  return in_groups(lowering, op, scope, by_axes, [&](ListedGroups& groups, ValueId x) {
    expect(groups.size());
    return groups.all_to_all(x, split, concat);
  });
}

/// The pairs of indices along one axis, where all pairs of positions are these along each line of it.
std::optional<std::vector<IndexPair>> along(AxisId axis, const std::vector<IndexPair>& positions, const Mesh& mesh) {
  const Group group{{axis}};
  std::vector<IndexPair> pairs;
  for (const auto& [source, target] : positions) {
    if (mesh.leader(group, source) != mesh.leader(group, target)) return std::nullopt;
    const IndexPair pair{mesh.coordinate(source, axis), mesh.coordinate(target, axis)};
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
  }
  const auto lines = static_cast<size_t>(mesh.device_count() / mesh.axis(axis).size);
  if (pairs.size() * lines != positions.size()) return std::nullopt;
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// The shift that these pairs are along an axis of `size`.
std::optional<int64_t> shift_of(const std::vector<IndexPair>& pairs, int64_t size) {
  if (static_cast<int64_t>(pairs.size()) != size) return std::nullopt;
  const int64_t shift = (pairs[0].second - pairs[0].first + size) % size;
  for (const auto& [source, target] : pairs) {
    if ((source + shift) % size != target) return std::nullopt;
  }
  return 2 * shift > size ? shift - size : shift;
}

std::vector<Wire> collective_permute(Lowering& lowering, const Operation& op, Scope& scope) {
  expect_in_manual(lowering, op);
  expect_channel(lowering, op);
  const Mesh& mesh = lowering.mesh();
  std::vector<IndexPair> positions;
  for (const std::vector<int64_t>& pair : rows(lowering, op, "source_target_pairs")) {
    const auto inside = [&](int64_t position) { return position >= 0 && position < mesh.device_count(); };
    if (pair.size() != 2 || !inside(pair[0]) || !inside(pair[1])) {
      lowering.fail("M-attribute", op,
                    "a pair of source_target_pairs that is not of two devices of the mesh, 0 to " +
                        std::to_string(mesh.device_count() - 1));
    }
    positions.emplace_back(pair[0], pair[1]);
  }
  const ValueId x = lowering.value(op, 0, scope);
  if (positions.empty()) return {Wire{op.result_types.at(0), lowering.splat(Rational(0), op.result_types.at(0), op)}};
  CollectivePermute permute{mesh.all(), std::nullopt, positions};
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const AxisId axis(a);
    const std::optional<std::vector<IndexPair>> pairs = along(axis, positions, mesh);
    if (!pairs) continue;
    permute = CollectivePermute{Group{{axis}}, shift_of(*pairs, mesh.axis(axis).size), *pairs};
    if (permute.shift) permute.pairs.clear();
    break;
  }
  return {lowering.emit(std::move(permute), {x}, op)};
}

std::vector<Wire> partition_id(Lowering& lowering, const Operation& op, Scope&) {
  expect_in_manual(lowering, op);
  return {Wire{op.result_types.at(0), {}, {}, PositionDigit{}}};
}

}  // namespace

std::span<const NamedRule> collective_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.all_reduce", all_reduce},
      {"stablehlo.all_gather", all_gather},
      {"stablehlo.reduce_scatter", reduce_scatter},
      {"stablehlo.all_to_all", all_to_all},
      {"stablehlo.collective_permute", collective_permute},
      {"stablehlo.partition_id", partition_id},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
