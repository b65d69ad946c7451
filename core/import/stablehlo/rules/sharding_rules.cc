// Manual computations, the bodies of shard_map: each operand enters as the block that its sharding gives a device, and
// each result leaves as blocks. A result that nothing splits over an axis is claimed to be equal there, which the
// verdict looks at. Axes that are not manual are left to the compiler: every device along them does the same. Cost:
// constant for each operand and result.
#include <algorithm>
#include <utility>

#include "core/import/stablehlo/analysis/groups.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/import/stablehlo/lower/shardings.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

AxisSet manual_axes(const Lowering& lowering, const Operation& op) {
  AxisSet axes;
  if (const Attribute* names = op.find("manual_axes")) {
    for (const Attribute& name : names->items) axes.insert(lowering.axis(op, name.text));
  }
  return axes;
}

const std::vector<Attribute>& shardings(const Lowering& lowering, const Operation& op, std::string_view key,
                                        size_t count) {
  const Attribute* list = op.find(key);
  if (list == nullptr || list->items.size() != count) {
    lowering.fail("M-attribute", op,
                  quoted(key) + " has " + std::to_string(list == nullptr ? 0 : list->items.size()) +
                      " shardings; expected " + std::to_string(count));
  }
  return list->items;
}

/// Whether it is a constant, or an index over none of `axes`.
bool is_alike_over(const Lowering& lowering, const Wire& x, const AxisSet& axes) {
  const std::optional<Group> group = x.digit ? group_of_digit(*x.digit, lowering.mesh()) : std::nullopt;
  if (!group) return x.constant != nullptr;
  return std::none_of(group->axes.begin(), group->axes.end(), [&](AxisId axis) { return axes.contains(axis); });
}

/// How JAX computes lax.axis_index where other axes are left to the compiler: manual for a moment, from the position
/// of a device; the result is the same along them.
std::vector<Wire> index_inside(Lowering& lowering, const Operation& op, const AxisSet& axes) {
  Scope inside;
  std::vector<Wire> results;
  if (op.operands.empty() && op.regions[0].arguments.empty()) results = lowering.body(op.regions[0], inside);
  const auto alike = [&](const Wire& x) { return is_alike_over(lowering, x, axes); };
  if (results.empty() || !std::all_of(results.begin(), results.end(), alike)) {
    lowering.unsupported(op, "a manual computation inside of another, but of an index over its axes");
  }
  return results;
}

std::vector<Wire> manual_computation(Lowering& lowering, const Operation& op, Scope& scope) {
  if (op.regions.size() != 1) lowering.fail("M-attribute", op, "a manual computation without a body");
  const Region& region = op.regions[0];
  const AxisSet axes = manual_axes(lowering, op);
  if (lowering.in_manual()) return index_inside(lowering, op, axes);
  const std::vector<Attribute>& in = shardings(lowering, op, "in_shardings", op.operands.size());
  const std::vector<Attribute>& out = shardings(lowering, op, "out_shardings", op.result_count);
  if (region.arguments.size() != op.operands.size()) {
    lowering.fail("M-operands", op, "a manual computation with other than one argument for each operand");
  }
  Scope inside;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Wire& whole = lowering.wire(op, i, scope);
    const Layout layout = layout_of(lowering, op, in[i], whole.type.shape.size(), axes);
    const TensorType& type = region.arguments[i].type;
    if (block_shape(whole.type.shape, layout, lowering.mesh()) != type.shape) {
      lowering.fail("M-type", op,
                    "operand " + std::to_string(i) + " is " + to_string(whole.type) + " outside and " +
                        to_string(type) + " inside, which its sharding does not say");
    }
    inside.define(region.arguments[i].name, {lowering.block(whole, layout, type, op)});
  }
  std::vector<Wire> results = lowering.in_manual_computation([&] { return lowering.body(region, inside); });
  if (results.size() != op.result_count) {
    lowering.fail("M-type", op, "a manual computation that returns other than its results");
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId id = lowering.value(results[i], op);
    results[i] = Wire{op.result_types[i], id};
    results[i].layout = layout_of(lowering, op, out[i], op.result_types[i].shape.size(), axes);
  }
  return results;
}

}  // namespace

Layout layout_of(const Lowering& lowering, const Operation& op, const Attribute& sharding, size_t rank,
                 const AxisSet& axes) {
  Layout layout(rank);
  const Attribute* dims = nullptr;
  for (const Attribute& item : sharding.items) {
    if (item.kind == Attribute::Kind::list) dims = &item;
  }
  if (dims == nullptr || dims->items.size() != rank) {
    lowering.fail("M-attribute", op,
                  "a sharding of other than the " + std::to_string(rank) +
                      " dimensions of its array; expected as in "
                      "<@mesh, [{\"data\"}, {}]>");
  }
  for (size_t d = 0; d < rank; ++d) {
    for (const Attribute& name : dims->items[d].items) {
      if (name.kind != Attribute::Kind::string) continue;  // `?`: open to the compiler
      const AxisId axis = lowering.axis(op, name.text);
      if (axes.contains(axis)) layout[d].axes.axes.push_back(axis);
    }
  }
  return layout;
}

std::span<const NamedRule> sharding_rules() {
  static constexpr NamedRule kRules[] = {{"sdy.manual_computation", manual_computation}};
  return kRules;
}

}  // namespace isoshard::stablehlo
