// Blocks at computed starts, gathers and scatters. Starts of a gather are clamped so that the window lies inside; a
// window of a scatter that does not is dropped. A scatter adds, or sets where no place is written twice, as JAX says,
// constants show, or a column of the indices counts, and another has the places of the largest elements of a row: then
// what is added to zeros is chosen where something was written; so it multiplies and bounds there, and elsewhere it
// looks at all pairs (scatter_extremes.h). What sets one number may write it twice. Cost: constant for each op
// (indexing.h), and an ordering of constant indices.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/import/stablehlo/analysis/fold.h"
#include "core/import/stablehlo/idioms/indexing.h"
#include "core/import/stablehlo/idioms/reducers.h"
#include "core/import/stablehlo/idioms/scatter_extremes.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
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

/// The permutation whose inverse picks all of a dimension, as in `y[jnp.argsort(order)]`; invalid where none does.
ValueId permutation_undone(const Lowering& lowering, const Operation& op, const Scope& scope,
                           const GatherNumbers& numbers) {
  const Wire &x = lowering.wire(op, 0, scope), &indices = lowering.wire(op, 1, scope);
  const bool one_by_one = numbers.map.size() == 1 && numbers.index_batch.empty() && x.type.dtype != DType::pred &&
                          numbers.vector_dim == std::ssize(indices.type.shape) - 1;
  if (!indices.inverse.valid() || !one_by_one || numbers.map[0] >= std::ssize(x.type.shape)) return ValueId();
  const auto dim = static_cast<size_t>(numbers.map[0]);
  const bool all = x.type.shape[dim] == element_count(indices.type.shape) && numbers.sizes[dim] == 1;
  return all ? indices.inverse : ValueId();
}

/// Row i of what is picked by the inverse of a permutation p is that which p takes to i: put there, it is seen to come
/// from one place.
ValueId put_back(Lowering& lowering, const Operation& op, int64_t dim, ValueId rows, ValueId permutation) {
  const TensorType type = lowering.builder().type(rows).tensor;
  ValueId nothing = lowering.splat(Rational(0), type, op);
  if (is_float(type.dtype)) nothing = lowering.append(Negate{}, {nothing}, op);  // -0 + x is x, -0 too
  return lowering.append(ScatterAdd{dim, 0}, {nothing, permutation, rows}, op);
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
  const ValueId undone = permutation_undone(lowering, op, scope, numbers);
  const ValueId picked = undone.valid() ? put_back(lowering, op, pick.dim, indexing.operand(), undone)
                                        : lowering.append(pick, {indexing.operand(), indexing.indices()}, op);
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

/// What a region does with (old, update): a reducer; `none` for nothing but the update; nothing else is read.
std::optional<Reducer> combining(const Operation& op) {
  if (op.regions.size() != 1 || op.regions[0].arguments.size() != 2) return std::nullopt;
  const Region& region = op.regions[0];
  const Reducer reducer = reducer_of(region);
  static constexpr Reducer kRead[] = {Reducer::add, Reducer::mul, Reducer::max, Reducer::min};
  if (std::find(std::begin(kRead), std::end(kRead), reducer) != std::end(kRead)) return reducer;
  const bool update = region.operations.size() == 1 && region.operations[0].operands.size() == 1 &&
                      region.operations[0].operands[0].name == region.arguments[1].name;
  return update ? std::optional(Reducer::none) : std::nullopt;
}

/// Whether no vector of constant indices stands there twice.
bool differ(const ConstantArray& indices, size_t vector_dim) {
  const Shape& shape = indices.type.shape;
  if (indices.is_splat()) return false;
  const int64_t length = vector_dim < shape.size() ? shape[vector_dim] : 1;
  int64_t inner = 1;
  for (size_t d = vector_dim + 1; d < shape.size(); ++d) inner *= shape[d];
  std::set<std::vector<double>> seen;  // a number beyond 2^53 may look like another one, and no vector differ then
  const int64_t count = element_count(shape) / std::max<int64_t>(length, 1);
  for (int64_t v = 0; v < count; ++v) {
    std::vector<double> vector;
    const int64_t first = v / inner * inner * length + v % inner;
    for (int64_t k = 0; k < length; ++k)
      vector.push_back(indices.elements[static_cast<size_t>(first + k * inner)].to_double());
    if (!seen.insert(std::move(vector)).second) return false;
  }
  return true;
}

/// Whether no place is written twice, for all indices.
bool writes_once(const Lowering& lowering, const Operation& op, const Scope& scope, const GatherNumbers& numbers) {
  const Attribute* unique = op.find("unique_indices");
  if (unique != nullptr && unique->text == "true") return true;
  const auto is_1 = [&](int64_t dim) { return numbers.sizes[static_cast<size_t>(dim)] == 1; };
  if (!std::all_of(numbers.map.begin(), numbers.map.end(), is_1)) return false;  // windows may overlap
  const Wire& indices = lowering.wire(op, 1, scope);
  const auto vector_dim = static_cast<size_t>(numbers.vector_dim);
  if (const ConstantArray* constant = lowering.constant(op, 1, scope)) {
    if (differ(*constant, vector_dim)) return true;
  }
  // Vectors that differ along counted dimensions are not the same; of others only one dimension may be left, along
  // which none stands twice. Of numbers that are joined to vectors one that differs is enough; of vectors that are
  // joined what is known of one part says nothing of the others.
  const bool of_numbers = indices.joined == numbers.vector_dim;
  Dims left;
  for (size_t d = 0; d < indices.type.shape.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    const bool counts = indices.counted == dim || (of_numbers && indices.told_apart.count(dim) > 0);
    if (d != vector_dim && indices.type.shape[d] > 1 && !has(numbers.index_batch, dim) && !counts) left.push_back(dim);
  }
  const auto differs = [&](int64_t dim) {
    return indices.different == dim || (of_numbers && indices.apart_in_rows.count(dim) > 0);
  };
  return left.empty() || (left.size() == 1 && differs(left[0]));
}

/// `base` where nothing is written, else the one update that is, combined with what was there before.
ValueId written_once(Lowering& lowering, const Operation& op, Reducer how, const ScatterAdd& add, ValueId base,
                     ValueId indices, ValueId values, const ConstantArray* number) {
  const TensorType whole = lowering.builder().type(base).tensor, parts = lowering.builder().type(values).tensor;
  const TensorType counts{DType::i32, whole.shape};
  const ValueId none = lowering.splat(Rational(0), counts, op);
  const ValueId ones = lowering.splat(Rational(1), {DType::i32, parts.shape}, op);
  ValueId placed;
  if (number != nullptr) {
    placed = lowering.splat(number->elements[0], whole, op);
  } else {
    const ValueId zeros = lowering.splat(Rational(0), whole, op);
    const bool has_signs = is_float(whole.dtype);  // added to -0 every number stays what it is, -0 too
    placed = lowering.append(add, {has_signs ? lowering.append(Negate{}, {zeros}, op) : zeros, indices, values}, op);
  }
  if (how != Reducer::none) placed = lowering.append(elementwise_op(how), {base, placed}, op);
  const ValueId written = lowering.append(add, {none, indices, ones}, op);
  const ValueId is_written = lowering.append(Compare{Direction::gt}, {written, none}, op);
  return lowering.append(Select{}, {is_written, placed, base}, op);
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
  const bool predicates = lowering.wire(op, 0, scope).type.dtype == DType::pred;
  const auto numbers_of = [&](size_t i) {
    const ValueId value = lowering.value(op, i, scope);
    return predicates ? lowering.append(Convert{DType::i32}, {value}, op) : value;
  };
  const ValueId x = numbers_of(0), updates = numbers_of(2);
  const TensorType type = lowering.builder().type(x).tensor;
  numbers.sizes = window_sizes(lowering, op, numbers, lowering.builder().type(updates).tensor.shape, type.shape.size());
  Indexing indexing(lowering, op, numbers, x, lowering.value(op, 1, scope), true);
  indexing.expect_whole_windows();
  const std::optional<Reducer> how = combining(op);
  if (!how) lowering.unsupported(op, "a scatter that neither adds, multiplies, bounds nor sets");
  const ConstantArray* number = lowering.constant(op, 2, scope);
  const bool one_number =
      *how == Reducer::none && number != nullptr && number->is_splat() && number->minus_zeros.empty();
  if (predicates && *how != Reducer::none) lowering.unsupported(op, "a scatter of predicates that does not set them");
  const bool repeats = *how != Reducer::add && !one_number && !writes_once(lowering, op, scope, numbers);
  if (repeats && *how == Reducer::none) {
    lowering.unsupported(op,
                         "a scatter that sets at indices that may repeat (unique_indices = false, and no column of "
                         "them counts), of which nothing says which update stays");
  }
  const ValueId indices = indexing.indices(), values = indexing.from_updates(updates), base = indexing.operand();
  const ScatterAdd add{indexing.dim(), indexing.batch()};
  ValueId result;
  if (*how == Reducer::add) {
    result = lowering.append(add, {base, indices, values}, op);
  } else if (repeats) {
    const ConstantArray* before = lowering.constant(op, 0, scope);
    const bool neutral = before != nullptr && before->is_splat() && before->minus_zeros.empty() &&
                         before->elements[0] == neutral_of(*how, type.dtype);
    result = with_all_updates(lowering, op, *how, add, {base, indices, values}, neutral);
  } else {
    result = written_once(lowering, op, *how, add, base, indices, values, one_number ? number : nullptr);
  }
  result = indexing.back(result);
  if (predicates) result = lowering.append(Convert{DType::pred}, {result}, op);
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
