// Ops on constants that are one number each are constants: jax.numpy prints sizes, degrees of freedom and their
// comparisons as ops (`x.var()` asks at each call whether 8 - 0 > 0, and has NaN where not). Only what the dtype has
// exactly is folded, so that no rounding of the program is left out; a zero of a product or quotient keeps its op,
// which knows the sign. Of more than one number are lists of sizes, which older texts concatenate and look up for the
// bounds of jnp.take. Cost: constant for each op.
#include "core/import/stablehlo/analysis/fold.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "core/ir/scalar/narrow_dtypes.h"
#include "core/support/rational_gmp.h"
#include "core/value/integers.h"

namespace isoshard::stablehlo {
namespace {

/// Whether a dtype has exactly this number.
bool is_exact(DType dtype, const Rational& x) {
  if (dtype == DType::pred) return x == Rational(0) || x == Rational(1);
  if (!is_float(dtype)) return is_integer_of(dtype, x);
  if (dtype == DType::f64) return Rational::from_double(x.to_double()) == x;
  const float nearest = dtype == DType::f32 ? x.to_float() : scalar::nearest_narrow(dtype, x);
  return Rational::from_double(static_cast<double>(nearest)) == x;
}

using Operands = std::span<const ConstantArray* const>;

/// The numbers of all operands, if each is a constant of one finite number.
std::optional<std::vector<mpq_class>> numbers_of(Operands operands) {
  std::vector<mpq_class> numbers;
  for (const ConstantArray* array : operands) {
    if (array == nullptr || !array->is_splat() || !array->elements[0].finite()) return std::nullopt;
    numbers.push_back(to_mpq(array->elements[0]));
  }
  return numbers;
}

/// Whether dimension i of an operand is dimension dims[i] of the result, or the other way round; false where the op
/// does not say it in a list.
bool dims_fit(const Operation& op, const Shape& of, const Shape& in, bool may_widen) {
  const Attribute* pretty = op.find("dims");
  const Attribute* dims = pretty != nullptr ? pretty : op.find(may_widen ? "broadcast_dimensions" : "permutation");
  if (dims == nullptr || dims->items.size() != of.size()) return false;
  std::vector<bool> taken(in.size(), false);
  for (size_t i = 0; i < of.size(); ++i) {
    const std::string_view text = dims->items[i].text;
    size_t d = in.size();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
    if (error != std::errc() || end != text.data() + text.size() || d >= in.size() || taken[d]) return false;
    if (of[i] != in[d] && !(may_widen && of[i] == 1)) return false;
    taken[d] = true;
  }
  return true;
}

/// The one element of an array that an op only moves about, where the shapes fit.
std::optional<Rational> moved(const Operation& op, const ConstantArray& array) {
  const TensorType& to = op.result_types[0];
  const int64_t count = element_count(array.type.shape);
  const bool same = (op.name == "stablehlo.reshape" && element_count(to.shape) == count) ||
                    (op.name == "stablehlo.transpose" && dims_fit(op, to.shape, array.type.shape, false));
  const bool spread = op.name == "stablehlo.broadcast_in_dim" && dims_fit(op, array.type.shape, to.shape, true);
  return (same || spread) && to.dtype == array.type.dtype ? std::optional(array.elements[0]) : std::nullopt;
}

/// Whether an op gives this dtype for operands of that one.
bool gives(const Operation& op, DType from, DType to) {
  if (op.name == "stablehlo.convert") return true;
  return to == (op.name == "stablehlo.compare" ? DType::pred : from);
}

std::optional<mpq_class> order_holds(const Operation& op, const mpq_class& x, const mpq_class& y) {
  if (op.enumerator("compare_type", 1) == "TOTALORDER") return std::nullopt;  // which tells zeros apart
  const std::string_view direction = op.enumerator("comparison_direction", 0);
  if (direction == "EQ") return mpq_class(x == y ? 1 : 0);
  if (direction == "NE") return mpq_class(x != y ? 1 : 0);
  if (direction == "LT") return mpq_class(x < y ? 1 : 0);
  if (direction == "LE") return mpq_class(x <= y ? 1 : 0);
  if (direction == "GT") return mpq_class(x > y ? 1 : 0);
  if (direction == "GE") return mpq_class(x >= y ? 1 : 0);
  return std::nullopt;
}

std::optional<mpq_class> combined(const Operation& op, DType dtype, const mpq_class& x, const mpq_class& y) {
  if (op.name == "stablehlo.compare") return order_holds(op, x, y);
  if (op.name == "stablehlo.add") return x + y;
  if (op.name == "stablehlo.subtract") return x - y;
  if (op.name == "stablehlo.maximum") return std::max(x, y);
  if (op.name == "stablehlo.minimum") return std::min(x, y);
  if (op.name == "stablehlo.multiply" && (x * y != 0 || !is_float(dtype))) return x * y;
  if (op.name == "stablehlo.divide" && is_float(dtype) && x != 0 && y != 0) return x / y;
  const bool predicates = dtype == DType::pred;
  if (op.name == "stablehlo.and" && predicates) return x * y;
  if (op.name == "stablehlo.or" && predicates) return std::max(x, y);
  return std::nullopt;
}

/// A decimal that only stands for a float of its dtype may be any number near it: the op says what becomes of it.
std::optional<Rational> computed(const Operation& op, Operands operands) {
  const std::optional<std::vector<mpq_class>> x = numbers_of(operands);
  if (!x) return std::nullopt;
  const TensorType &from = operands[0]->type, &to = op.result_types[0];
  const bool exact =
      std::all_of(x->begin(), x->end(), [&](const mpq_class& each) { return is_exact(from.dtype, from_mpq(each)); });
  const bool alike =
      std::all_of(operands.begin(), operands.end(), [&](const ConstantArray* each) { return each->type == from; });
  if (!exact || !alike || from.shape != to.shape || !gives(op, from.dtype, to.dtype)) return std::nullopt;
  const bool conversion = op.name == "stablehlo.convert" && x->size() == 1;
  const std::optional<mpq_class> result = conversion       ? std::optional(x->front())
                                          : x->size() == 2 ? combined(op, from.dtype, x->front(), x->back())
                                                           : std::nullopt;
  const std::optional<Rational> number = result ? std::optional(from_mpq(*result)) : std::nullopt;
  return number && is_exact(to.dtype, *number) ? number : std::nullopt;
}

}  // namespace

std::optional<ConstantArray> folded(const Operation& op, Operands operands) {
  const bool candidate = op.result_types.size() == 1 && !operands.empty() && operands.size() <= 2;
  const bool constant = candidate && operands[0] != nullptr && operands[0]->is_splat();
  if (!constant || op.result_types[0].dtype == DType::key) return std::nullopt;
  std::optional<Rational> number = operands.size() == 1 ? moved(op, *operands[0]) : std::nullopt;
  if (!number) number = computed(op, operands);
  return number ? std::optional(ConstantArray{op.result_types[0], {std::move(*number)}}) : std::nullopt;
}

std::optional<ConstantArray> joined_list(const TensorType& type, std::span<const ConstantArray* const> lists) {
  constexpr int64_t kLongest = 64;
  if (!is_integer(type.dtype) || type.shape.size() != 1 || type.shape[0] > kLongest) return std::nullopt;
  ConstantArray result{type, {}};
  for (const ConstantArray* list : lists) {
    if (list == nullptr || list->type.dtype != type.dtype || list->type.shape.size() != 1) return std::nullopt;
    for (int64_t i = 0; i < list->type.shape[0]; ++i) {
      result.elements.push_back(list->elements[list->is_splat() ? 0 : static_cast<size_t>(i)]);
    }
  }
  const bool fits = static_cast<int64_t>(result.elements.size()) == type.shape[0] && !result.elements.empty();
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<ConstantArray> looked_up(const TensorType& type, const ConstantArray* list, const ConstantArray* index) {
  const bool known = list != nullptr && index != nullptr && index->is_splat() && is_integer(index->type.dtype) &&
                     is_integer(list->type.dtype) && list->type.shape.size() == 1 && list->type.shape[0] > 0;
  if (!known || type.dtype != list->type.dtype || element_count(type.shape) != element_count(index->type.shape))
    return std::nullopt;
  const double last = static_cast<double>(list->type.shape[0] - 1);
  const double at = std::clamp(index->elements[0].to_double(), 0.0, last);
  return ConstantArray{type, {list->elements[list->is_splat() ? 0 : static_cast<size_t>(at)]}};
}

}  // namespace isoshard::stablehlo
