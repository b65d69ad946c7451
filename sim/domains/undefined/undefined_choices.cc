// What choices do with the conditions of their operands. What is compared where it has no value has some answer: it is
// named by the function and its operands, so that the other program's same comparison has the same one. A select keeps
// the conditions of either side where its predicate holds, a lookup those of each row where that is looked up, guarded
// by the predicate or the weight; predicates multiply, so that nested selects are one guard. An integer that is made of
// such floats has no set: what it needs is kept for the whole program, and listed (docs/spec/verdict.md, "Where a
// formula has no value"). Cost: as undefined_functions.cc.
#include <algorithm>
#include <array>
#include <utility>

#include "sim/domains/undefined/condition_names.h"
#include "sim/domains/undefined/undefined_domain.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

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

}  // namespace

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

/// Rings know a comparison by the difference of its operands, up to its sign.
void UndefinedDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const Sets left = read(dtype, n, x), right = read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  const NewValue differences(TensorType{dtype, {n}}, ring_->storage(dtype));
  if (!result.empty()) ring_->binary(BinaryOp::subtract, dtype, n, x, y, differences.data.get());
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = sets_.conditions(at(left, i)), b = sets_.conditions(at(right, i));
    const Element difference = element(n, differences.data.get(), static_cast<int64_t>(i));
    const Element other = sets_.negative(difference);
    const bool turned = other < difference;
    const std::array<Conditional, 2> operands{{{turned ? other : difference, turned ? b : a}, {0, turned ? a : b}}};
    result[i] = sets_.decided(named(kCompare, turned ? reversed(direction) : direction), operands);
  }
  ring_->compare(direction, dtype, n, x, y, out);
  write(DType::pred, n, result, out);
}

/// Has a value wherever x has none.
void UndefinedDomain::finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const Sets sets = read(dtype, n, x);
  for (int64_t i = 0; i < n; ++i) {
    seen_finite_[element(n, x, i)].insert(sets_.conditions(at(sets, static_cast<size_t>(i))));
  }
  ring_->finite(dtype, n, x, out);
  write(DType::pred, n, {}, out);
}

bool UndefinedDomain::finite_is_a_function() const {
  return std::all_of(seen_finite_.begin(), seen_finite_.end(),
                     [](const auto& seen) { return seen.second.size() == 1; });
}

/// What is and-ed with false does not count, so that the answer has a name of its own.
void UndefinedDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  Sets left = read(DType::pred, n, x);
  const Sets right = op == Logic::negation ? Sets{} : read(DType::pred, n, y);
  if (op != Logic::negation && !(left.empty() && right.empty())) {
    const std::vector<Element> p = weights(n, x), q = weights(n, y);
    left.resize(static_cast<size_t>(n), 0);
    for (size_t i = 0; i < left.size(); ++i) {
      std::array<Conditional, 2> both{{{p[i], left[i]}, {q[i], at(right, i)}}};
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
  write(dtype, n, result, out);
}

void UndefinedDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                              std::byte* out) const {
  const Sets left = read(dtype, n, x), right = read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const auto place = static_cast<int64_t>(i);
    const std::array<Conditional, 2> operands{{{element(n, x, place), sets_.conditions(at(left, i))},
                                               {element(n, y, place), sets_.conditions(at(right, i))}}};
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
  const Sets sets = read(dtype, indices.rows * indices.columns, x);
  write(dtype, indices.n * indices.columns, of_rows(indices, false, dtype, sets), out);
  return true;
}

bool UndefinedDomain::sum_in_rows(const IndicesOf& indices, DType dtype, const std::byte* x, std::byte* sum) const {
  if (!ring_->sum_in_rows(indices, dtype, x, sum)) return false;
  const Sets sets = read(dtype, indices.n * indices.columns, x);
  write(dtype, indices.rows * indices.columns, of_rows(indices, true, dtype, sets), sum);
  return true;
}

void UndefinedDomain::largest(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                              std::byte* values, std::byte* indices) const {
  if (!is_float(dtype)) return ring_->largest(dtype, rows, length, k, x, values, indices);
  const Sets sets = read(dtype, rows * length, x);
  ring_->largest(dtype, rows, length, k, x, values, indices);
  Sets result;
  for (int64_t r = 0; r < rows && !sets.empty(); ++r) {
    std::vector<Conditional> row;
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
