// Shardings of the older form of texts, in which the body of a shard_map is a function and custom calls say where
// values enter and leave it. A sharding is a grid of blocks over positions in the mesh; the axes that cut a dimension
// are those by which its block index is counted. `@Sharding` before `@SPMDFullToShardShape` says how a value enters,
// `@SPMDShardToFullShape` itself how one leaves. Cost: the devices, times the permutations of the axes of a dimension.
#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "core/import/stablehlo/analysis/groups.h"
#include "core/import/stablehlo/idioms/foreign_call.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// `{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}`: which position has which block.
struct TileGrid {
  std::vector<int64_t> tiles;      ///< blocks along each dimension, then copies
  std::vector<int64_t> positions;  ///< of the blocks, row-major
};

/// Whole numbers up to `close`, which is skipped.
std::vector<int64_t> numbers_to(std::string_view& text, char close) {
  std::vector<int64_t> result;
  while (!text.empty() && text.front() != close) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) break;
    result.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
  if (!text.empty()) text.remove_prefix(1);
  return result;
}

/// Whether an array of this shape has exactly `count` elements, whatever numbers a text makes its extents.
bool has_elements(const std::vector<int64_t>& shape, int64_t count) {
  for (const int64_t extent : shape) {
    if (extent < 1 || count % extent != 0) return false;
    count /= extent;
  }
  return count == 1;
}

/// 0, 1, 2, ... up to `count` in `shape`, transposed; nothing where the shape has another number of elements.
std::vector<int64_t> transposed_iota(const std::vector<int64_t>& shape, std::vector<int64_t> permutation,
                                     int64_t count) {
  if (!has_elements(shape, count)) return {};
  if (permutation.empty()) {
    permutation.resize(shape.size());
    std::iota(permutation.begin(), permutation.end(), 0);
  }
  std::vector<int64_t> strides(shape.size(), 1), result{0};
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  for (const int64_t p : permutation) {
    const auto dim = static_cast<size_t>(p);
    if (dim >= shape.size()) return {};
    std::vector<int64_t> next;
    for (const int64_t base : result) {
      for (int64_t i = 0; i < shape[dim]; ++i) next.push_back(base + i * strides[dim]);
    }
    result = std::move(next);
  }
  return result;
}

std::optional<TileGrid> tile_grid(std::string_view text, int64_t devices) {
  constexpr std::string_view kBegin = "{devices=[";
  if (!text.starts_with(kBegin)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  TileGrid grid{numbers_to(text, ']'), {}};
  if (text.starts_with("<=[")) {
    text.remove_prefix(3);
    const std::vector<int64_t> shape = numbers_to(text, ']');
    std::vector<int64_t> permutation;
    if (text.starts_with("T(")) {
      text.remove_prefix(2);
      permutation = numbers_to(text, ')');
    }
    grid.positions = transposed_iota(shape, std::move(permutation), devices);
  } else {
    grid.positions = numbers_to(text, text.find(' ') == std::string_view::npos ? '}' : ' ');
  }
  return grid;
}

Layout layout_of_text(const Lowering& lowering, const Operation& op, std::string_view sharding, size_t rank) {
  Layout layout(rank);
  if (sharding == "{replicated}" || sharding == "{maximal device=0}") return layout;
  const int64_t devices = lowering.mesh().device_count();
  const std::optional<TileGrid> grid = tile_grid(sharding, devices);
  if (!grid || grid->tiles.size() < rank || !has_elements(grid->tiles, devices) ||
      static_cast<int64_t>(grid->positions.size()) != devices) {
    lowering.unsupported(op, "the sharding " + quoted(sharding) + " on a mesh of " + std::to_string(devices) +
                                 " devices; is --mesh the mesh of the program?");
  }
  int64_t below = devices;
  for (size_t d = 0; d < rank; ++d) {
    below /= grid->tiles[d];
    std::vector<int64_t> block(static_cast<size_t>(devices), -1);
    for (size_t k = 0; k < grid->positions.size(); ++k) {
      const int64_t position = grid->positions[k];
      if (position < 0 || position >= devices) lowering.unsupported(op, "a device that the mesh does not have");
      if (block[static_cast<size_t>(position)] >= 0) lowering.unsupported(op, "a sharding that names a device twice");
      block[static_cast<size_t>(position)] = static_cast<int64_t>(k) / below % grid->tiles[d];
    }
    const std::optional<Group> axes = group_with_index(block, lowering.mesh());
    if (!axes) lowering.unsupported(op, "the sharding " + quoted(sharding) + ", which no axes of --mesh make");
    layout[d].axes = *axes;
  }
  return layout;
}

std::string_view sharding_of(const Operation& op) {
  const Attribute* sharding = op.find("mhlo.sharding");
  return sharding == nullptr ? std::string_view() : sharding->text;
}

std::vector<Wire> custom_call(Lowering& lowering, const Operation& op, Scope& scope) {
  const Attribute* named = op.find("callee");
  const Attribute* target = named != nullptr ? named : op.find("call_target_name");
  const std::string_view name = target == nullptr ? std::string_view() : target->text;
  const bool enters = name == "SPMDFullToShardShape", leaves = name == "SPMDShardToFullShape";
  if (!enters && !leaves && name != "Sharding") return foreign_call(lowering, op, name);
  Wire wire = lowering.wire(op, 0, scope);
  if ((enters || leaves) && lowering.mesh().axis_count() == 0) {
    lowering.fail("M-mesh", op, "a text that names no mesh; say it, as in --mesh data=2,model=4");
  }
  const TensorType& type = op.result_types.at(0);
  if (enters) {
    const Layout layout = layout_of_text(lowering, op, wire.sharding, wire.type.shape.size());
    if (block_shape(wire.type.shape, layout, lowering.mesh()) != type.shape) {
      lowering.fail("M-type", op,
                    to_string(wire.type) + " enters as " + to_string(type) + ", which its sharding does not say");
    }
    return {lowering.block(wire, layout, type, op)};
  }
  if (leaves) {
    Wire whole{type, lowering.value(wire, op)};
    whole.layout = layout_of_text(lowering, op, sharding_of(op), type.shape.size());
    return {std::move(whole)};
  }
  if (sharding_of(op) != "{manual}") wire.sharding = sharding_of(op);
  return {std::move(wire)};
}

}  // namespace

std::span<const NamedRule> gspmd_rules() {
  static constexpr NamedRule kRules[] = {{"stablehlo.custom_call", custom_call}};
  return kRules;
}

}  // namespace isoshard::stablehlo
