// A ring around an exact ring in which each float and predicate also has the set of conditions under which it has no
// value (docs/spec/verdict.md, "Where a formula has no value"; docs/adr/0039-undefined-per-element.md). Sets are
// interned numbers in one more plane; residues are the inner ring's and are not touched. An op unites the sets of its
// operands as the table of that section says; where all sets are empty, which is nearly everywhere, it is the inner
// ring's op and a scan of a plane. Conditions are named by residues, so both programs name equal ones alike. Runs in
// one thread, since the numbers of sets depend on the order in which they are made. Cost: one look per element, and set
// operations where sets are not empty, up to 2^20 conditions.
#include "sim/domains/undefined/undefined_domain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/domains/undefined/condition_names.h"
#include "sim/value/new_value.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {

UndefinedDomain::UndefinedDomain(std::unique_ptr<ExactRing> ring)
    : RingAround(std::move(ring)), sets_([&] {
        std::vector<PrimeField> fields = ring_->residue_fields();
        fields.resize(ring_->lanes(), fields[0]);
        return fields;
      }()) {}

Value UndefinedDomain::marked(const Value& x, uint32_t needs) const {
  Sets sets = sets_of(x);
  const bool not_zero = (needs & ~UndefinedSets::kZeros) == UndefinedSets::kNonzero;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (not_zero && non_unit_lanes(x, i) == 0 && is_number(x.size(), x.data.get(), i)) continue;
    Set& set = sets[static_cast<size_t>(i)];
    set = sets_.unite(set, sets_.factor(element_of(x, i), needs));
  }
  return arrays_.with_sets(x, sets);
}

Value UndefinedDomain::marked_maximum(const Value& x) const {
  Sets sets = sets_of(x);
  for (int64_t i = 0; i < x.size(); ++i) {
    Set& set = sets[static_cast<size_t>(i)];
    set = sets_.unite(set, sets_.no_maximum(element_of(x, i)));
  }
  return arrays_.with_sets(x, sets);
}

void UndefinedDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  ring_->random(n, word, out);
  arrays_.write(DType::f32, n, {}, out);
}

void UndefinedDomain::make_comparable(std::span<Value* const> values) const {
  for (Value* value : values) *value = arrays_.without_sets(*value);
  ring_->make_comparable(values);
}

Value UndefinedDomain::opaque_identity(const Value& x) const {
  Value result = arrays_.with_sets(ring_->opaque_identity(arrays_.without_sets(x)));
  Sets sets = arrays_.read(x.type.dtype, x.size(), x.data.get());
  arrays_.write(x.type.dtype, x.size(), sets, const_cast<std::byte*>(result.data.get()));
  return result;
}

void UndefinedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  ring_->constant(constant, dtype, out);
  arrays_.write(dtype, 1, {}, out);
}

void UndefinedDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  ring_->from_doubles(dtype, n, x, out);
  arrays_.write(dtype, n, {}, out);
}

void UndefinedDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  ring_->poison(dtype, seed, n, out);
  arrays_.write(dtype, n, {}, out);
}

void UndefinedDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  ring_->from_integers(dtype, n, x, out);
  arrays_.write(dtype, n, {}, out);
}

void UndefinedDomain::integers_to_floats(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  ring_->integers_to_floats(from, to, n, x, out);
  arrays_.write(to, n, {}, out);
}

void UndefinedDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  ring_->from_native(n, x, out);
  arrays_.write(DType::pred, n, {}, out);
}

void UndefinedDomain::integer_compare(Direction direction, DType dtype, int64_t n, const std::byte* x,
                                      const std::byte* y, std::byte* out) const {
  ring_->integer_compare(direction, dtype, n, x, y, out);
  arrays_.write(DType::pred, n, {}, out);
}

void UndefinedDomain::integers_to_predicates(DType from, int64_t n, const std::byte* x, std::byte* out) const {
  ring_->integers_to_predicates(from, n, x, out);
  arrays_.write(DType::pred, n, {}, out);
}

void UndefinedDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const Sets sets = arrays_.read(from, n, x);
  ring_->convert(from, to, n, x, out);
  arrays_.write(to, n, sets, out);
}

void UndefinedDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  const Sets sets = arrays_.read(DType::pred, n, predicate);
  ring_->to_float(dtype, n, predicate, out);
  arrays_.write(dtype, n, sets, out);
}

void UndefinedDomain::keep(const Sets& sets) const {
  Set& kept = integers_[rules_.of_reference() ? 1 : 0];
  for (const Set set : sets) kept = sets_.unite(kept, sets_.conditions(set));
}

/// What functions that are no floats make of floats, element by element.
void UndefinedDomain::keep_decided(uint32_t function, DType dtype, int64_t n, const std::byte* x) const {
  Sets sets = arrays_.read(dtype, n, x);
  if (sees_undefined_) sets.resize(static_cast<size_t>(n), 0);
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const std::pair<Element, Set> operand{element(n, x, at), sets_.conditions(sets[i])};
    if (sees_undefined_) note_seen(function, operand.first, operand.second);
    seen_otherwise_ = seen_otherwise_ || (operand.second != 0 && is_number(n, x, at));
    sets[i] = sets_.decided(function, std::span(&operand, 1));
  }
  keep(sets);
}

void UndefinedDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  Sets sets = arrays_.read(dtype, n, x);
  for (size_t i = 0; i < sets.size(); ++i) {
    sets[i] = rules_.unary(op, sets[i], [&] { return element(n, x, static_cast<int64_t>(i)); });
  }
  ring_->unary(op, dtype, n, x, out);
  arrays_.write(dtype, n, sets, out);
}

void UndefinedDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  const Sets left = arrays_.read(dtype, n, x), right = arrays_.read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = at(left, i), b = at(right, i);
    const auto place = static_cast<int64_t>(i);
    if (a != 0 || b != 0) result[i] = rules_.binary(op, {element(n, x, place), a}, {element(n, y, place), b});
  }
  ring_->binary(op, dtype, n, x, y, out);
  arrays_.write(dtype, n, result, out);
}

void UndefinedDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                          std::byte* out) const {
  ring_->dot(dtype, m, n, k, a, b, out);
  const Sets left = arrays_.read(dtype, m * k, a), right = arrays_.read(dtype, k * n, b);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(m * n), 0);
  for (size_t o = 0; o < result.size(); ++o) {
    const int64_t row = static_cast<int64_t>(o) / n, column = static_cast<int64_t>(o) % n;
    Sets parts;
    for (int64_t t = 0; t < k; ++t) {
      const int64_t at_a = row * k + t, at_b = t * n + column;
      const Set x = at(left, static_cast<size_t>(at_a));
      const Set y = sets_.conditions(at(right, static_cast<size_t>(at_b)));
      if (x == 0 && y == 0) continue;
      if (sets_.exceeded()) {
        parts = {UndefinedSets::kTooMany};
        break;
      }
      const Element weight = element(m * k, a, at_a);
      const bool is_weight = x == UndefinedSets::kWeight;
      parts.push_back(is_weight ? sets_.guarded(y, weight)
                                : rules_.product({weight, sets_.conditions(x)}, {element(k * n, b, at_b), y}));
    }
    result[o] = sets_.unite(parts);
  }
  arrays_.write(dtype, m * n, result, out);
}

void UndefinedDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const Sets sets = arrays_.read(dtype, plan.input_size(), x);
  ring_->sum(dtype, plan, x, out);
  Sets result(sets.empty() ? 0 : static_cast<size_t>(plan.output_size()), 0);
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (size_t o = 0; o < result.size(); ++o) {
    Sets parts;
    for (const int64_t r : reduced) parts.push_back(sets_.conditions(sets[static_cast<size_t>(kept[o] + r)]));
    result[o] = sets_.unite(parts);
  }
  arrays_.write(dtype, plan.output_size(), result, out);
}

void UndefinedDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  Sets sets = arrays_.read(dtype, n, acc);
  const Sets more = arrays_.read(dtype, n, x);
  ring_->accumulate(dtype, n, acc, x);
  if (more.empty() && sets.empty()) return;
  sets.resize(static_cast<size_t>(n), 0);
  for (size_t i = 0; i < sets.size(); ++i) {
    sets[i] = sets_.unite(sets_.conditions(sets[i]), sets_.conditions(at(more, i)));
  }
  arrays_.write(dtype, n, sets, acc);
}

void UndefinedDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  Sets sets = arrays_.read(dtype, n, x);
  for (size_t i = 0; i < sets.size() && op == SignOp::sign; ++i) {
    const Set conditions = sets_.conditions(sets[i]);
    sets[i] = sets_.through(named(kSign, op), element(n, x, static_cast<int64_t>(i)), conditions);
  }
  ring_->sign(op, dtype, n, x, out);
  arrays_.write(dtype, n, sets, out);
}

void UndefinedDomain::weigh(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  to_float(dtype, n, predicate, out);
  arrays_.write(dtype, n, Sets(static_cast<size_t>(n), UndefinedSets::kWeight), out);
}

void UndefinedDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  keep(arrays_.read(DType::pred, n, predicate));
  ring_->decide(n, predicate, out);
}

void UndefinedDomain::integer_select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x,
                                     const std::byte* y, std::byte* out) const {
  keep(arrays_.read(DType::pred, n, predicate));
  ring_->integer_select(dtype, n, predicate, x, y, out);
}

void UndefinedDomain::predicates_to_integers(DType to, int64_t n, const std::byte* x, std::byte* out) const {
  keep(arrays_.read(DType::pred, n, x));
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

void UndefinedDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const Sets left = arrays_.read(dtype, n, x), right = arrays_.read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  std::vector<Element> names;
  const NewValue differences(TensorType{dtype, {n}}, ring_->storage(dtype));
  if (!result.empty()) ring_->binary(BinaryOp::subtract, dtype, n, x, y, differences.data.get());
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = sets_.conditions(at(left, i)), b = sets_.conditions(at(right, i));
    const Element difference = element(n, differences.data.get(), static_cast<int64_t>(i));
    const bool any = sees_undefined_ && (a != 0 || b != 0) && !sets_.exceeded();
    if (any) names.resize(result.size(), 0);
    if (any) names[i] = rules_.name_of_comparison(direction, difference, a, b);
    if (!any) result[i] = rules_.compared(direction, difference, a, b);
  }
  ring_->compare(direction, dtype, n, x, y, out);
  if (!names.empty()) arrays_.write_any(names, direction == Direction::ne, n, out);
  arrays_.write(DType::pred, n, result, out);
}

/// Has a value wherever x has none.
void UndefinedDomain::finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const Sets sets = arrays_.read(dtype, n, x);
  for (int64_t i = 0; i < n && sees_undefined_; ++i) {
    note_seen(kIsFinite, element(n, x, i), sets_.conditions(at(sets, static_cast<size_t>(i))));
  }
  ring_->finite(dtype, n, x, out);
  arrays_.write(DType::pred, n, {}, out);
}

bool UndefinedDomain::sees_alike() const {
  return !seen_otherwise_ && ring_->undecided().empty() &&
         std::all_of(seen_.begin(), seen_.end(), [](const auto& seen) { return seen.second.size() == 1; });
}

void UndefinedDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  Sets left = arrays_.read(DType::pred, n, x);
  const Sets right = op == Logic::negation ? Sets{} : arrays_.read(DType::pred, n, y);
  if (op != Logic::negation && !(left.empty() && right.empty())) {
    const std::vector<Element> p = arrays_.weights(n, x), q = arrays_.weights(n, y);
    left.resize(static_cast<size_t>(n), 0);
    for (size_t i = 0; i < left.size(); ++i) left[i] = rules_.logic(op, {p[i], left[i]}, {q[i], at(right, i)});
  }
  ring_->logic(op, n, x, y, out);
  arrays_.write(DType::pred, n, left, out);
}

void UndefinedDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  const Sets of_predicate = arrays_.read(DType::pred, n, predicate), left = arrays_.read(dtype, n, x),
             right = arrays_.read(dtype, n, y);
  Sets result(of_predicate.empty() && left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  const std::vector<Element> holds =
      left.empty() && right.empty() ? std::vector<Element>() : arrays_.weights(n, predicate);
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = sets_.conditions(at(left, i)), b = sets_.conditions(at(right, i));
    if (at(of_predicate, i) == 0) {
      if (!holds.empty()) result[i] = sets_.chosen(holds[i], a, b);
      continue;
    }
    // What it takes where nan was compared is not what its formula says.
    const std::array<Conditional, 3> operands{{{holds.empty() ? 0 : holds[i], of_predicate[i]}, {0, a}, {0, b}}};
    result[i] = sets_.decided(kSelect, operands);
  }
  ring_->select(dtype, n, predicate, x, y, out);
  arrays_.write(dtype, n, result, out);
}

void UndefinedDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const Sets left = arrays_.read(dtype, n, x), right = arrays_.read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const std::array<Conditional, 2> operands{{{element(n, x, place), sets_.conditions(at(left, i))},
                                               {element(n, y, place), sets_.conditions(at(right, i))}}};
    result[i] = sets_.of_extreme(named(kExtreme, op), operands);
  }
  ring_->extreme(op, dtype, n, x, y, out);
  arrays_.write(dtype, n, result, out);
}

void UndefinedDomain::row_weights(DType dtype, int64_t n, const std::byte* x, int64_t rows, bool clamp, DType to,
                                  std::byte* weights) const {
  ring_->row_weights(dtype, n, x, rows, clamp, to, weights);
  arrays_.write(to, n * rows, Sets(static_cast<size_t>(n * rows), UndefinedSets::kWeight), weights);
}

/// The conditions of a product of the weights that rows have, or of these weights turned, with floats of so many
/// columns.
UndefinedDomain::Sets UndefinedDomain::of_rows(const IndicesOf& indices, bool turned, DType dtype,
                                               const Sets& sets) const {
  if (sets.empty()) return {};
  const auto& [n, rows, columns, elements] = indices;
  const NewValue weights(TensorType{dtype, {n, rows}}, ring_->storage(dtype));
  ring_->row_weights(DType::i32, n, elements, rows, !turned, dtype, weights.data.get());
  const int64_t results = turned ? rows : n, terms = turned ? n : rows;
  Sets result;
  for (int64_t o = 0; o < results * columns; ++o) {
    Sets parts;
    for (int64_t t = 0; t < terms; ++t) {
      const Set set = sets_.conditions(sets[static_cast<size_t>(t * columns + o % columns)]);
      const int64_t index = turned ? t : o / columns, row = turned ? o / columns : t;
      if (set != 0) parts.push_back(sets_.guarded(set, element(n * rows, weights.data.get(), index * rows + row)));
    }
    result.push_back(sets_.unite(parts));
  }
  return result;
}

bool UndefinedDomain::take_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* out) const {
  if (!ring_->take_rows(indices, dtype, x, out)) return false;
  const Sets sets = arrays_.read(dtype, indices.rows * indices.columns, x);
  arrays_.write(dtype, indices.n * indices.columns, of_rows(indices, false, dtype, sets), out);
  return true;
}

bool UndefinedDomain::sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const {
  if (!ring_->sum_in_rows(indices, dtype, x, sum)) return false;
  const Sets sets = arrays_.read(dtype, indices.n * indices.columns, x);
  arrays_.write(dtype, indices.rows * indices.columns, of_rows(indices, true, dtype, sets), sum);
  return true;
}

void UndefinedDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                              std::byte* values, std::byte* indices) const {
  if (!is_float(dtype)) return ring_->largest(dtype, rows, length, k, x, values, indices);
  const Sets sets = arrays_.read(dtype, rows * length, x);
  ring_->largest(dtype, rows, length, k, x, values, indices);
  Sets result;
  for (int64_t r = 0; r < rows && !sets.empty(); ++r) {
    std::vector<Conditional> row;
    for (int64_t c = 0; c < length; ++c) {
      const int64_t at = r * length + c;
      row.emplace_back(element(rows * length, x, at), sets_.conditions(sets[static_cast<size_t>(at)]));
    }
    result.insert(result.end(), static_cast<size_t>(k), sets_.decided(named(kLargest, 0), row));
    seen_otherwise_ = seen_otherwise_ || result.back() != 0;
  }
  keep(result);
  arrays_.write(dtype, rows * k, result, values);
}

}  // namespace isoshard::sim
