// What each function of a ring does with the conditions of its operands. Sums, products and movement keep all of them.
// A partial function adds those of the factors of its operand, where these are marked.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sim/domains/reduce_offsets.h"
#include "sim/domains/undefined/undefined_domain.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

/// Names of functions in conditions.
enum ConditionFunction : uint32_t {
  kUnary = 0,
  kBinary = 64,
  kExtreme = 128,
  kCompare = 160,
  kSign = 192,
  kInteger = 224,
  kLargest,
  kSelect,
  kBoth,
  kLogic
};

template <class Op>
uint32_t named(ConditionFunction kind, Op op) {
  return static_cast<uint32_t>(kind) + static_cast<uint32_t>(op);
}

/// Of y and x.
Direction reversed(Direction direction) {
  switch (direction) {
    case Direction::lt:
      return Direction::gt;
    case Direction::le:
      return Direction::ge;
    case Direction::gt:
      return Direction::lt;
    case Direction::ge:
      return Direction::le;
    case Direction::none:
    case Direction::eq:
    case Direction::ne:
      break;
  }
  return direction;
}

/// What `op` asks of its operand.
uint32_t needs_of(UnaryOp op) {
  if (op == UnaryOp::sqrt) return UndefinedSets::kNonnegative;
  if (op == UnaryOp::log || op == UnaryOp::rsqrt) return UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
  return op == UnaryOp::erf_inv ? uint32_t{UndefinedSets::kInside1} : 0;
}

/// Finite for some infinity.
bool drops_infinity(UnaryOp op) {
  return op == UnaryOp::exponential || op == UnaryOp::tanh || op == UnaryOp::logistic || op == UnaryOp::rsqrt;
}

}  // namespace

void UndefinedDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  ring_->random(n, word, out);
  write(DType::f32, n, {}, out);
}

void UndefinedDomain::make_comparable(std::span<Value* const> values) const {
  for (Value* value : values) *value = without_sets(*value);
  ring_->make_comparable(values);
}

Value UndefinedDomain::opaque_identity(const Value& x) const {
  Value result = with_sets(ring_->opaque_identity(without_sets(x)));
  Sets sets = read(x.type.dtype, x.size(), x.data.get());
  write(x.type.dtype, x.size(), sets, const_cast<std::byte*>(result.data.get()));
  return result;
}

void UndefinedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  ring_->constant(constant, dtype, out);
  write(dtype, 1, {}, out);
}

void UndefinedDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  ring_->from_doubles(dtype, n, x, out);
  write(dtype, n, {}, out);
}

void UndefinedDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  ring_->poison(dtype, seed, n, out);
  write(dtype, n, {}, out);
}

void UndefinedDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  ring_->from_integers(dtype, n, x, out);
  write(dtype, n, {}, out);
}

void UndefinedDomain::integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  ring_->integers_to_floats(from, to, n, x, out);
  write(to, n, {}, out);
}

void UndefinedDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  ring_->from_native(n, x, out);
  write(DType::pred, n, {}, out);
}

void UndefinedDomain::integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x,
                                      const std::byte* y, std::byte* out) const {
  ring_->integer_compare(direction, dtype, n, x, y, out);
  write(DType::pred, n, {}, out);
}

void UndefinedDomain::integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const {
  ring_->integers_to_predicates(from, n, x, out);
  write(DType::pred, n, {}, out);
}

void UndefinedDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const Sets sets = read(from, n, x);
  ring_->convert(from, to, n, x, out);
  write(to, n, sets, out);
}

void UndefinedDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  const Sets sets = read(DType::pred, n, predicate);
  ring_->to_float(dtype, n, predicate, out);
  write(dtype, n, sets, out);
}

void UndefinedDomain::weigh(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  to_float(dtype, n, predicate, out);
  write(dtype, n, Sets(static_cast<size_t>(n), UndefinedSets::kWeight), out);
}

void UndefinedDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  keep(read(DType::pred, n, predicate));
  ring_->decide(n, predicate, out);
}

void UndefinedDomain::integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                                     const std::byte* y, std::byte* out) const {
  keep(read(DType::pred, n, predicate));
  ring_->integer_select(dtype, n, predicate, x, y, out);
}

void UndefinedDomain::predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const {
  keep(read(DType::pred, n, x));
  ring_->predicates_to_integers(to, n, x, out);
}

void UndefinedDomain::floats_to_integers(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  keep_decided(named(kInteger, 0), from, n, x);
  ring_->floats_to_integers(from, to, n, x, out);
}

void UndefinedDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  keep_decided(named(kInteger, 0), dtype, n, x);
  ring_->to_integers(dtype, n, x, to, out);
}

void UndefinedDomain::top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                            int32_t* indices) const {
  keep_decided(named(kInteger, 0), dtype, rows * length, x);
  ring_->top_k(dtype, rows, length, k, x, indices);
}

/// Signs are those of the operand itself: a product may be positive where its factors are not. For what may fail in the
/// sharded program factors do as well.
UndefinedDomain::Set UndefinedDomain::failing(Set factors, uint32_t needs, Element operand) const {
  const uint32_t signs = UndefinedSets::kNonnegative | UndefinedSets::kInside1;
  const Set own = reference_ ? sets_.of_element(factors, operand) : factors;
  Set result = sets_.failing(own, needs & UndefinedSets::kNonnegative, false);
  result = sets_.unite(result, sets_.failing(own, needs & signs & ~UndefinedSets::kNonnegative, true));
  return sets_.unite(result, sets_.failing(factors, needs & ~signs, true, 0, operand));
}

UndefinedDomain::Set UndefinedDomain::of_unary(UnaryOp op, int64_t n, const std::byte* x, int64_t i, Set set) const {
  const Set factors = sets_.factors(set), conditions = sets_.conditions(set);
  if (op == UnaryOp::negate) return sets_.unite(sets_.scaled(conditions, sets_.negative(0)), factors);
  Set result = conditions;
  if (conditions != 0 && drops_infinity(op)) result = sets_.through(named(kUnary, op), element(n, x, i), conditions);
  if (conditions != 0 && !drops_infinity(op)) result = sets_.scaled(conditions, sets_.token({named(kUnary, op)}));
  if (factors == 0) return result;
  result = sets_.unite(result, failing(factors, needs_of(op), element(n, x, i)));
  return op == UnaryOp::sqrt ? sets_.unite(result, factors) : result;
}

/// Where both may be infinite or 0 their product may be nan, though its formula is a number: it has a name of its own.
UndefinedDomain::Set UndefinedDomain::product_of(const Conditional& x, const Conditional& y) const {
  if (x.second == 0 && y.second == 0) return 0;
  Set a = sets_.scaled(x.second, y.first), b = sets_.scaled(y.second, x.first);
  if (x.second != 0 && y.second != 0) {
    const auto [first, second] = std::minmax(x, y);
    const Element both = sets_.token({kBoth, first.first, first.second, second.first, second.second});
    a = sets_.scaled(a, both);
    b = sets_.scaled(b, both);
  }
  return sets_.unite(a, b);
}

void UndefinedDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  Sets sets = read(dtype, n, x);
  for (size_t i = 0; i < sets.size(); ++i) sets[i] = of_unary(op, n, x, static_cast<int64_t>(i), sets[i]);
  ring_->unary(op, dtype, n, x, out);
  write(dtype, n, sets, out);
}

void UndefinedDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  Sets left = read(dtype, n, x), right = read(dtype, n, y);
  if (left.empty() && right.empty()) {
    ring_->binary(op, dtype, n, x, y, out);
    return write(dtype, n, {}, out);
  }
  left.resize(static_cast<size_t>(n), 0);
  right.resize(static_cast<size_t>(n), 0);
  const NewValue result(TensorType{dtype, {n}}, ring_->storage(dtype));
  ring_->binary(op, dtype, n, x, y, result.data.get());
  for (size_t s = 0; s < left.size(); ++s) {
    if (left[s] == 0 && right[s] == 0) continue;
    const auto i = static_cast<int64_t>(s);
    if (op == BinaryOp::multiply && left[s] == UndefinedSets::kWeight) {
      left[s] = sets_.guarded(sets_.conditions(right[s]), element(n, x, i));
      continue;
    }
    const Set a = sets_.conditions(left[s]), b = sets_.conditions(right[s]);
    const Set factors_a = sets_.factors(left[s]), factors_b = sets_.factors(right[s]);
    Set& set = left[s];
    switch (op) {
      case BinaryOp::add:
        set = sets_.unite(a, b);
        break;
      case BinaryOp::subtract:
        set = sets_.unite(a, sets_.scaled(b, sets_.negative(0)));
        break;
      case BinaryOp::multiply:
        set = product_of({element(n, x, i), a}, {element(n, y, i), b});
        set = sets_.unite(set, sets_.unite(factors_a, factors_b));
        break;
      case BinaryOp::divide: {
        const Element numerator = element(n, x, i), denominator = element(n, y, i);
        const Set inverse = b == 0 ? 0 : sets_.through(named(kBinary, op), denominator, b);
        set = product_of({numerator, a}, {sets_.inverse(denominator), inverse});
        set = sets_.unite(set, sets_.failing(factors_b, UndefinedSets::kNonzero, true, numerator, denominator));
        set = sets_.unite(set, factors_a);
        break;
      }
      case BinaryOp::remainder:
        set = sets_.unite(a, b == 0 ? 0 : sets_.through(named(kBinary, op), element(n, y, i), b));
        set = sets_.unite(set, sets_.failing(factors_b, UndefinedSets::kNonzero, true));
        break;
      case BinaryOp::power: {
        const uint32_t needs = UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
        const Element base = element(n, x, i);
        const std::array<std::pair<Element, Set>, 2> operands{
            {{base, sets_.unite(a, failing(factors_a, needs, base))}, {element(n, y, i), b}}};
        set = sets_.decided(named(kBinary, op), operands);
        break;
      }
    }
  }
  std::memcpy(out, result.data.get(), result.bytes());
  write(dtype, n, left, out);
}

void UndefinedDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                          std::byte* out) const {
  ring_->dot(dtype, m, n, k, a, b, out);
  const Sets left = read(dtype, m * k, a), right = read(dtype, k * n, b);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(m * n), 0);
  for (size_t o = 0; o < result.size(); ++o) {
    const int64_t row = static_cast<int64_t>(o) / n, column = static_cast<int64_t>(o) % n;
    Sets parts;
    for (int64_t t = 0; t < k; ++t) {
      const int64_t at_a = row * k + t, at_b = t * n + column;
      const Set x = left.empty() ? 0 : left[static_cast<size_t>(at_a)];
      const Set y = right.empty() ? 0 : sets_.conditions(right[static_cast<size_t>(at_b)]);
      if (x == 0 && y == 0) continue;
      if (sets_.exceeded()) {
        parts = {UndefinedSets::kTooMany};
        break;
      }
      const Element weight = element(m * k, a, at_a);
      const bool is_weight = x == UndefinedSets::kWeight;
      parts.push_back(is_weight ? sets_.guarded(y, weight)
                                : product_of({weight, sets_.conditions(x)}, {element(k * n, b, at_b), y}));
    }
    result[o] = sets_.unite(parts);
  }
  write(dtype, m * n, result, out);
}

void UndefinedDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const Sets sets = read(dtype, plan.input_size(), x);
  ring_->sum(dtype, plan, x, out);
  Sets result(sets.empty() ? 0 : static_cast<size_t>(plan.output_size()), 0);
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (size_t o = 0; o < result.size(); ++o) {
    Sets parts;
    for (const int64_t r : reduced) parts.push_back(sets_.conditions(sets[static_cast<size_t>(kept[o] + r)]));
    result[o] = sets_.unite(parts);
  }
  write(dtype, plan.output_size(), result, out);
}

void UndefinedDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  Sets sets = read(dtype, n, acc);
  const Sets more = read(dtype, n, x);
  ring_->accumulate(dtype, n, acc, x);
  if (more.empty() && sets.empty()) return;
  sets.resize(static_cast<size_t>(n), 0);
  for (size_t i = 0; i < sets.size(); ++i) {
    sets[i] = sets_.unite(sets_.conditions(sets[i]), more.empty() ? 0 : sets_.conditions(more[i]));
  }
  write(dtype, n, sets, acc);
}

/// Rings know a comparison by the difference of its operands, up to its sign.
void UndefinedDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const Sets left = read(dtype, n, x), right = read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  const NewValue differences(TensorType{dtype, {n}}, ring_->storage(dtype));
  if (!result.empty()) ring_->binary(BinaryOp::subtract, dtype, n, x, y, differences.data.get());
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = left.empty() ? 0 : sets_.conditions(left[i]), b = right.empty() ? 0 : sets_.conditions(right[i]);
    const Element difference = element(n, differences.data.get(), static_cast<int64_t>(i));
    const Element other = sets_.negative(difference);
    const bool turned = other < difference;
    const std::array<std::pair<Element, Set>, 2> operands{
        {{turned ? other : difference, turned ? b : a}, {0, turned ? a : b}}};
    result[i] = sets_.decided(named(kCompare, turned ? reversed(direction) : direction), operands);
  }
  ring_->compare(direction, dtype, n, x, y, out);
  write(DType::pred, n, result, out);
}

/// What is and-ed with false does not count, so that the answer has a name of its own.
void UndefinedDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  Sets left = read(DType::pred, n, x);
  const Sets right = op == Logic::negation ? Sets{} : read(DType::pred, n, y);
  if (op != Logic::negation && !(left.empty() && right.empty())) {
    const std::vector<Element> p = weights(n, x), q = weights(n, y);
    left.resize(static_cast<size_t>(n), 0);
    for (size_t i = 0; i < left.size(); ++i) {
      std::array<Conditional, 2> both{{{p[i], left[i]}, {q[i], right.empty() ? 0 : right[i]}}};
      std::sort(both.begin(), both.end());
      left[i] = sets_.decided(named(kLogic, op), both);
    }
  }
  ring_->logic(op, n, x, y, out);
  write(DType::pred, n, left, out);
}

void UndefinedDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  const Sets of_predicate = read(DType::pred, n, predicate), left = read(dtype, n, x), right = read(dtype, n, y);
  Sets result(of_predicate.empty() && left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  const std::vector<Element> holds = left.empty() && right.empty() ? std::vector<Element>() : weights(n, predicate);
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = left.empty() ? 0 : sets_.conditions(left[i]), b = right.empty() ? 0 : sets_.conditions(right[i]);
    if (of_predicate.empty() || of_predicate[i] == 0) {
      if (!holds.empty()) result[i] = sets_.chosen(holds[i], a, b);
      continue;
    }
    // What it takes where nan was compared is not what its formula says.
    const std::array<std::pair<Element, Set>, 3> operands{
        {{holds.empty() ? 0 : holds[i], of_predicate[i]}, {0, a}, {0, b}}};
    result[i] = sets_.decided(kSelect, operands);
  }
  ring_->select(dtype, n, predicate, x, y, out);
  write(dtype, n, result, out);
}

void UndefinedDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  Sets sets = read(dtype, n, x);
  for (size_t i = 0; i < sets.size() && op == SignOp::sign; ++i) {
    const Set conditions = sets_.conditions(sets[i]);
    sets[i] = sets_.through(named(kSign, op), element(n, x, static_cast<int64_t>(i)), conditions);
  }
  ring_->sign(op, dtype, n, x, out);
  write(dtype, n, sets, out);
}

void UndefinedDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const Sets left = read(dtype, n, x), right = read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const std::array<std::pair<Element, Set>, 2> operands{
        {{element(n, x, at), left.empty() ? 0 : sets_.conditions(left[i])},
         {element(n, y, at), right.empty() ? 0 : sets_.conditions(right[i])}}};
    result[i] = sets_.of_extreme(named(kExtreme, op), operands);
  }
  ring_->extreme(op, dtype, n, x, y, out);
  write(dtype, n, result, out);
}

void UndefinedDomain::row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                                  std::byte* weights) const {
  ring_->row_weights(dtype, n, x, rows, clamp, to, weights);
  write(to, n * rows, Sets(static_cast<size_t>(n * rows), UndefinedSets::kWeight), weights);
}

/// Where the ring has a way of its own, the conditions are those of a product with the weights.
bool UndefinedDomain::take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const {
  const auto& [n, rows, columns, elements] = indices;
  if (!ring_->take_rows(indices, dtype, x, out)) return false;
  const Sets sets = read(dtype, rows * columns, x);
  Sets result(sets.empty() ? 0 : static_cast<size_t>(n * columns), 0);
  const NewValue weights(TensorType{dtype, {n, rows}}, ring_->storage(dtype));
  if (!sets.empty()) ring_->row_weights(DType::i32, n, elements, rows, true, dtype, weights.data.get());
  for (size_t o = 0; o < result.size(); ++o) {
    const int64_t i = static_cast<int64_t>(o) / columns, column = static_cast<int64_t>(o) % columns;
    for (int64_t r = 0; r < rows; ++r) {
      const Set set = sets_.conditions(sets[static_cast<size_t>(r * columns + column)]);
      if (set == 0) continue;
      result[o] = sets_.unite(result[o], sets_.guarded(set, element(n * rows, weights.data.get(), i * rows + r)));
    }
  }
  write(dtype, n * columns, result, out);
  return true;
}

bool UndefinedDomain::sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const {
  const auto& [n, rows, columns, elements] = indices;
  if (!ring_->sum_in_rows(indices, dtype, x, sum)) return false;
  const Sets sets = read(dtype, n * columns, x);
  Sets result(sets.empty() ? 0 : static_cast<size_t>(rows * columns), 0);
  const NewValue weights(TensorType{dtype, {n, rows}}, ring_->storage(dtype));
  if (!sets.empty()) ring_->row_weights(DType::i32, n, elements, rows, false, dtype, weights.data.get());
  for (size_t o = 0; o < result.size(); ++o) {
    const int64_t r = static_cast<int64_t>(o) / columns, column = static_cast<int64_t>(o) % columns;
    for (int64_t i = 0; i < n; ++i) {
      const Set set = sets_.conditions(sets[static_cast<size_t>(i * columns + column)]);
      if (set == 0) continue;
      result[o] = sets_.unite(result[o], sets_.guarded(set, element(n * rows, weights.data.get(), i * rows + r)));
    }
  }
  write(dtype, rows * columns, result, sum);
  return true;
}

void UndefinedDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                              std::byte* values, std::byte* indices) const {
  if (!is_float(dtype)) return ring_->largest(dtype, rows, length, k, x, values, indices);
  const Sets sets = read(dtype, rows * length, x);
  ring_->largest(dtype, rows, length, k, x, values, indices);
  Sets result;
  for (int64_t r = 0; r < rows && !sets.empty(); ++r) {
    std::vector<std::pair<Element, Set>> row;
    for (int64_t c = 0; c < length; ++c) {
      const int64_t at = r * length + c;
      row.emplace_back(element(rows * length, x, at), sets_.conditions(sets[static_cast<size_t>(at)]));
    }
    result.insert(result.end(), static_cast<size_t>(k), sets_.decided(named(kLargest, 0), row));
  }
  keep(result);
  write(dtype, rows * k, result, values);
}

}  // namespace isoshard::sim
