// Blocks at computed starts, gathers and scatters. Starts of a gather are clamped so that the window lies inside; a
// window of a scatter that does not is dropped. A scatter adds, or sets where no place is written twice: then what is
// added to zeros is chosen where something was written. Cost: constant for each op (indexing.h).
#include <algorithm>
#include <utility>

#include "core/import/stablehlo/analysis/fold.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/indexing.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/reducers.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

std::vector<Wire> dynamic_slice(Lowering& lowering, const Operation& op, Scope& scope) {
  return {lowering.emit(DynamicSlice{integers(lowering, op, "sizes", "slice_sizes")}, lowering.values(op, scope), op)};
}

std::vector<Wire> dynamic_update_slice(Lowering& lowering, const Operation& op, Scope& scope) {
  return {lowering.emit(DynamicUpdateSlice{}, lowering.values(op, scope), op)};
}

Dims listed(const Lowering& lowering, const Operation& op, const Attribute* numbers, std::string_view key) {
  const Attribute* list = numbers == nullptr ? nullptr : numbers->find(key);
  return list == nullptr ? Dims() : integers_of(lowering, op, *list);
}

std::vector<Wire> gather(Lowering& lowering, const Operation& op, Scope& scope) {
  const Attribute* given = op.find("dimension_numbers");
  const auto list = [&](std::string_view key) { return listed(lowering, op, given, key); };
  GatherNumbers numbers{list("offset_dims"),           list("collapsed_slice_dims"),
                        list("operand_batching_dims"), list("start_indices_batching_dims"),
                        list("start_index_map"),       integers(lowering, op, "slice_sizes")};
  const Dims vector_dim = list("index_vector_dim");
  numbers.vector_dim = vector_dim.empty() ? 0 : vector_dim[0];
  const bool by_element = numbers.sizes == Dims{1} && numbers.map == Dims{0};
  if (std::optional<ConstantArray> known =
          !by_element
              ? std::nullopt
              : looked_up(op.result_types.at(0), lowering.constant(op, 0, scope), lowering.constant(op, 1, scope))) {
    return {Wire{known->type, {}, std::make_shared<const ConstantArray>(std::move(*known))}};
  }
  ValueId x = lowering.value(op, 0, scope);
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice cut{Dims(shape.size()), shape, {}};
  bool cuts = false;
  for (size_t d = 0; d < shape.size() && d < numbers.sizes.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (has(numbers.map, dim) || has(numbers.operand_batch, dim) || numbers.sizes[d] == shape[d]) continue;
    cut.limit[d] = numbers.sizes[d];  // no start along it: its first elements
    cuts = true;
  }
  if (cuts) x = lowering.append(cut, {x}, op);
  Indexing indexing(lowering, op, numbers, x, lowering.value(op, 1, scope), false);
  const Gather pick{indexing.dim(), indexing.batch()};
  const ValueId picked = lowering.append(pick, {indexing.operand(), indexing.indices()}, op);
  const ValueId result = indexing.to_result(picked);
  return {Wire{lowering.builder().type(result).tensor, result}};
}

/// The sizes of windows: those of the updates along their window dimensions, 1 elsewhere.
Dims window_sizes(const Lowering& lowering, const Operation& op, const GatherNumbers& numbers, const Shape& updates,
                  size_t rank) {
  Dims sizes(rank, 1);
  size_t next = 0;
  for (size_t d = 0; d < rank; ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (has(numbers.collapsed, dim) || has(numbers.operand_batch, dim)) continue;
    if (next >= numbers.window.size() || numbers.window[next] >= static_cast<int64_t>(updates.size())) {
      lowering.fail("M-attribute", op, "dimension numbers that do not fit the operands");
    }
    sizes[d] = updates[static_cast<size_t>(numbers.window[next++])];
  }
  return sizes;
}

/// What a region does with (old, update): `add`, or nothing but the update.
enum class Combining : uint8_t { add, set, other };
Combining combining(const Operation& op) {
  if (op.regions.size() != 1 || op.regions[0].arguments.size() != 2) return Combining::other;
  const Region& region = op.regions[0];
  if (reducer_of(region) == Reducer::add) return Combining::add;
  const bool update = region.operations.size() == 1 && region.operations[0].operands.size() == 1 &&
                      region.operations[0].operands[0].name == region.arguments[1].name;
  return update ? Combining::set : Combining::other;
}

std::vector<Wire> scatter(Lowering& lowering, const Operation& op, Scope& scope) {
  const Attribute* given = op.find("scatter_dimension_numbers");
  const auto list = [&](std::string_view key) { return listed(lowering, op, given, key); };
  if (op.operands.size() != 3) lowering.unsupported(op, "a scatter of several arrays at once");
  GatherNumbers numbers{list("update_window_dims"),           list("inserted_window_dims"),
                        list("input_batching_dims"),          list("scatter_indices_batching_dims"),
                        list("scatter_dims_to_operand_dims"), {}};
  const Dims vector_dim = list("index_vector_dim");
  numbers.vector_dim = vector_dim.empty() ? 0 : vector_dim[0];
  const ValueId x = lowering.value(op, 0, scope), updates = lowering.value(op, 2, scope);
  const TensorType type = lowering.builder().type(x).tensor;
  numbers.sizes = window_sizes(lowering, op, numbers, lowering.builder().type(updates).tensor.shape, type.shape.size());
  const Combining how = combining(op);
  const Attribute* unique = op.find("unique_indices");
  const bool sets = how == Combining::set && unique != nullptr && unique->text == "true";
  Shape windows = lowering.builder().type(lowering.value(op, 1, scope)).tensor.shape;
  const auto vector = static_cast<size_t>(numbers.vector_dim);
  if (vector < windows.size()) windows.erase(windows.begin() + numbers.vector_dim);
  const bool one = element_count(windows) == 1;
  if (how != Combining::add && !sets && !(how == Combining::set && one)) {
    lowering.unsupported(op, how == Combining::set
                                 ? "a scatter that sets at indices that may repeat (unique_indices = false)"
                                 : "a scatter that neither adds nor sets");
  }
  Indexing indexing(lowering, op, numbers, x, lowering.value(op, 1, scope), true);
  indexing.expect_whole_windows();
  const ValueId indices = indexing.indices(), values = indexing.from_updates(updates), base = indexing.operand();
  const ScatterAdd add{indexing.dim(), indexing.batch()};
  ValueId result;
  if (how == Combining::add) {
    result = lowering.append(add, {base, indices, values}, op);
  } else {
    const TensorType whole = lowering.builder().type(base).tensor;
    const TensorType parts = lowering.builder().type(values).tensor;
    const TensorType counts{DType::i32, whole.shape};
    const ValueId zeros = lowering.splat(Rational(0), whole, op), none = lowering.splat(Rational(0), counts, op);
    const ValueId ones = lowering.splat(Rational(1), {DType::i32, parts.shape}, op);
    const ValueId placed = lowering.append(add, {zeros, indices, values}, op);
    const ValueId written = lowering.append(add, {none, indices, ones}, op);
    const ValueId is_written = lowering.append(Compare{Direction::gt}, {written, none}, op);
    result = lowering.append(Select{}, {is_written, placed, base}, op);
  }
  result = indexing.back(result);
  return {Wire{lowering.builder().type(result).tensor, result}};
}

}  // namespace

std::span<const NamedRule> indexing_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.dynamic_slice", dynamic_slice},
      {"stablehlo.dynamic_update_slice", dynamic_update_slice},
      {"stablehlo.gather", gather},
      {"stablehlo.scatter", scatter},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
