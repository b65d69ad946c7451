// Lookups and scattered sums where indices are no known numbers: the sum over v of [index = v] times what is at v,
// which at indices that are numbers is the lookup itself. Integers and predicates choose instead of adding, so that
// they stay integers. An index is clamped first, so that every number that it may be is a row. It uses nothing of the
// domain but comparisons, selects and sums, so it is right in every domain that has these. One slice per index and
// number: the cost of a product with a one-hot matrix.
#include "sim/evaluate/indexing_any.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/check.h"
#include "core/value/integers.h"
#include "sim/evaluate/conversion.h"
#include "sim/value/movement.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

size_t as_size(int64_t i) { return static_cast<size_t>(i); }

/// The indices in a dtype that holds `last`, the greatest number that they are compared with, and whose numbers are
/// ordered as those of an int64_t are.
Value comparable(const Value& ids, int64_t last, const Domain& domain) {
  const DType dtype = ids.type.dtype;
  if (dtype != DType::u64 && last <= integer_ends(dtype).greatest) return ids;
  NewValue near(ids.type, ids.storage);
  const Value far = splat(ids.type, Rational(integer_ends(dtype).greatest), domain);
  domain.integer_op(IntegerOp::minimum, dtype, ids.size(), ids.data.get(), far.data.get(), near.data.get());
  NewValue result(TensorType{DType::i64, ids.type.shape}, domain.integer_storage(DType::i64));
  domain.integers_to_integers(dtype, DType::i64, ids.size(), near.data.get(), result.data.get());
  return std::move(result).finish();
}

/// One integer, limited to low..high.
class AnyIndex {
 public:
  AnyIndex(const Value& all, int64_t i, const Domain& domain) : domain_(domain) {
    const Value flat = reshape(all, {all.size()});
    const int64_t from[] = {i}, to[] = {i + 1};
    value_ = reshape(slice(flat, from, to), {});
  }

  void clamp(int64_t low, int64_t high) {
    for (const auto& [op, end] : {std::pair(IntegerOp::maximum, low), std::pair(IntegerOp::minimum, high)}) {
      NewValue result(value_.type, value_.storage);
      const Value limit = splat(value_.type, Rational(end), domain_);
      domain_.integer_op(op, value_.type.dtype, 1, value_.data.get(), limit.data.get(), result.data.get());
      value_ = std::move(result).finish();
    }
  }

  std::vector<int64_t> possible() const { return domain_.possible(value_.type.dtype, value_.data.get()); }

  /// A scalar predicate.
  Value is(int64_t number) const {
    NewValue result(TensorType{DType::pred, {}}, domain_.storage(DType::pred));
    const Value other = splat(value_.type, Rational(number), domain_);
    domain_.integer_compare(Direction::eq, value_.type.dtype, 1, value_.data.get(), other.data.get(),
                            result.data.get());
    return std::move(result).finish();
  }

 private:
  const Domain& domain_;
  Value value_;
};

Value combined(BinaryOp op, const Value& x, const Value& y, const Domain& domain) {
  NewValue result(x.type, x.storage);
  domain.binary(op, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  return std::move(result).finish();
}

/// x where the scalar predicate holds, otherwise y.
Value choose(const Value& predicate, const Value& x, const Value& y, const Domain& domain) {
  const Value holds = broadcast(predicate, {}, x.type.shape);
  NewValue result(x.type, x.storage);
  const DType dtype = x.type.dtype;
  if (is_float(dtype) || dtype == DType::pred) {
    domain.select(dtype, x.size(), holds.data.get(), x.data.get(), y.data.get(), result.data.get());
  } else {
    domain.integer_select(dtype, x.size(), holds.data.get(), x.data.get(), y.data.get(), result.data.get());
  }
  return std::move(result).finish();
}

/// x where the predicate holds, otherwise 0.
Value weighted(const Value& predicate, const Value& x, const Domain& domain) {
  if (!is_float(x.type.dtype)) return choose(predicate, x, zeros(x.type, domain), domain);
  NewValue weight(TensorType{x.type.dtype, {}}, x.storage);
  domain.weigh(x.type.dtype, 1, predicate.data.get(), weight.data.get());
  return combined(BinaryOp::multiply, broadcast(std::move(weight).finish(), {}, x.type.shape), x, domain);
}

Value sum(const Value& x, const Value& y, const Domain& domain) {
  if (is_float(x.type.dtype)) return combined(BinaryOp::add, x, y, domain);
  NewValue result(x.type, x.storage);
  domain.integer_op(IntegerOp::add, x.type.dtype, x.size(), x.data.get(), y.data.get(), result.data.get());
  return std::move(result).finish();
}

/// What `part(v)` is at the number v that the index is.
template <class Part>
Value mixture(const AnyIndex& index, const Domain& domain, const Part& part) {
  const std::vector<int64_t> numbers = index.possible();
  ISOSHARD_CHECK(!numbers.empty(), "an index that may be nothing");
  Value result = part(numbers[0]);
  if (numbers.size() == 1) return result;
  const bool adds = is_float(result.type.dtype);
  if (adds) result = weighted(index.is(numbers[0]), result, domain);
  for (size_t k = 1; k < numbers.size(); ++k) {
    const Value holds = index.is(numbers[k]), x = part(numbers[k]);
    result = adds ? sum(result, weighted(holds, x, domain), domain) : choose(holds, x, result, domain);
  }
  return result;
}

Value rows(const Value& x, int64_t dim, int64_t first, int64_t count) {
  Shape from(x.type.shape.size(), 0), to = x.type.shape;
  from[as_size(dim)] = first;
  to[as_size(dim)] = first + count;
  return slice(x, from, to);
}

/// The indices of one batch.
Value rows_of(const Value& ids, int64_t b, const IndexedSizes& s) {
  return reshape(rows(reshape(ids, {s.b, s.i}), 0, b, 1), {s.i});
}

/// [indices, rows]
Value row_weights(const Value& indices, int64_t count, bool clamp, DType dtype, const Domain& domain) {
  NewValue result(TensorType{dtype, {indices.size(), count}}, domain.storage(dtype));
  domain.row_weights(indices.type.dtype, indices.size(), indices.data.get(), count, clamp, dtype, result.data.get());
  return std::move(result).finish();
}

/// make(matrix, result) of each matrix x[1, p, k, q], a matrix [m, q]; nothing where it is false.
template <class Make>
std::optional<Value> of_matrices(const Value& x, int64_t m, const IndexedSizes& s, const Make& make) {
  std::vector<Value> parts;
  for (int64_t p = 0; p < s.p; ++p) {
    const Value matrix = rows(x, 1, p, 1);
    NewValue result(TensorType{x.type.dtype, {1, 1, m, s.q}}, x.storage);
    if (!make(matrix.data.get(), result.data.get())) return std::nullopt;
    parts.push_back(std::move(result).finish());
  }
  return concatenate(parts, 1);
}

/// weights[m, k] . x[1, p, k, q] for each p.
Value products(const Value& weights, const Value& x, const IndexedSizes& s, const Domain& domain) {
  const int64_t m = weights.type.shape[0], k = weights.type.shape[1];
  return *of_matrices(x, m, s, [&](const std::byte* matrix, std::byte* result) {
    domain.dot(x.type.dtype, m, s.q, k, weights.data.get(), matrix, result);
    return true;
  });
}

/// x[1, p, k, q] at indices for each p, where the domain has a way of its own.
std::optional<Value> taken_rows(const Value& indices, const Value& x, const IndexedSizes& s, const Domain& domain) {
  const IndicesOf of{s.i, s.n, s.q, indices.data.get()};
  return of_matrices(x, s.i, s, [&](const std::byte* matrix, std::byte* result) {
    return domain.take_rows(of, x.type.dtype, matrix, result);
  });
}

/// Sums of x[1, p, i, q] by rows for each p, where the domain has a way of its own.
std::optional<Value> summed_rows(const Value& indices, const Value& x, const IndexedSizes& s, const Domain& domain) {
  const IndicesOf of{s.i, s.n, s.q, indices.data.get()};
  return of_matrices(x, s.n, s, [&](const std::byte* matrix, std::byte* result) {
    return domain.sum_in_rows(of, x.type.dtype, matrix, result);
  });
}

/// Whether the numbers of all indices are known to be among some; the domain has noted those that are not.
bool any_without_end(const Value& ids, const Domain& domain) {
  const size_t bytes = ids.storage.element_bytes;
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (domain.possible(ids.type.dtype, ids.data.get() + as_size(i) * bytes).empty()) return true;
  }
  return false;
}

/// Whether some index of floats does not even have a weight for each row.
bool any_without_weights(const Value& ids, int64_t count, const Domain& domain) {
  const size_t bytes = ids.storage.element_bytes;
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (!domain.has_row_weights(ids.type.dtype, ids.data.get() + as_size(i) * bytes, count)) return true;
  }
  return false;
}

/// The clamped starts, or nothing where one may be any number.
std::vector<AnyIndex> indices_of(std::span<const Value> starts, const Shape& shape, const Shape& sizes,
                                 const Domain& domain) {
  std::vector<AnyIndex> result;
  for (size_t d = 0; d < starts.size(); ++d) {
    const int64_t last = shape[d] - sizes[d];
    const Value start = comparable(starts[d], last, domain);
    if (any_without_end(start, domain)) return {};
    result.emplace_back(start, 0, domain);
    result.back().clamp(0, last);
  }
  return result;
}

/// One way in which all starts may lie, and the predicate that they do.
struct Placement {
  std::vector<int64_t> start;
  Value holds;
};

std::vector<Placement> placements(const std::vector<AnyIndex>& indices, const Domain& domain) {
  std::vector<Placement> result{{{}, splat(TensorType{DType::pred, {}}, Rational(1), domain)}};
  for (const AnyIndex& index : indices) {
    std::vector<Placement> longer;
    for (const Placement& placement : result) {
      for (const int64_t number : index.possible()) {
        const Value is = index.is(number);
        NewValue both(is.type, is.storage);
        domain.logic(Logic::conjunction, 1, placement.holds.data.get(), is.data.get(), both.data.get());
        longer.push_back({placement.start, std::move(both).finish()});
        longer.back().start.push_back(number);
      }
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace

IndexedSizes::IndexedSizes(const Shape& x, const Shape& ids, int64_t dim, int64_t batch) {
  const auto product = [](const Shape& shape, int64_t first, int64_t last) {
    return element_count(Shape(shape.begin() + first, shape.begin() + last));
  };
  b = product(x, 0, batch);
  p = product(x, batch, dim);
  n = x[as_size(dim)];
  q = product(x, dim + 1, static_cast<int64_t>(x.size()));
  i = product(ids, batch, static_cast<int64_t>(ids.size()));
}

Value slice_anywhere(const Value& x, std::span<const Value> starts, const Shape& sizes, const Domain& domain) {
  const std::vector<AnyIndex> indices = indices_of(starts, x.type.shape, sizes, domain);
  if (indices.empty()) return zeros(TensorType{x.type.dtype, sizes}, domain);
  Value result = x;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    result = mixture(indices[d], domain, [&](int64_t start) { return rows(result, dim, start, sizes[d]); });
  }
  return result;
}

/// Elements that no start reaches stay what they are.
Value update_anywhere(const Value& x, const Value& update, std::span<const Value> starts, const Domain& domain) {
  const std::vector<AnyIndex> indices = indices_of(starts, x.type.shape, update.type.shape, domain);
  if (indices.empty()) return x;
  Value result = x;
  for (const Placement& place : placements(indices, domain)) {
    Shape limit = update.type.shape;
    for (size_t d = 0; d < limit.size(); ++d) limit[d] += place.start[d];
    const Value here = slice(result, place.start, limit);
    result = overwrite(result, choose(place.holds, update, here, domain), place.start);
  }
  return result;
}

Value gather_any(const Value& x, const Value& given, int64_t dim, int64_t batch, const TensorType& result,
                 const Domain& domain) {
  if (element_count(result.shape) == 0) return zeros(result, domain);
  const IndexedSizes s(x.type.shape, given.type.shape, dim, batch);
  const Value ids = comparable(given, s.n - 1, domain);
  const bool weighed = is_float(x.type.dtype);
  if (weighed ? any_without_weights(ids, s.n, domain) : any_without_end(ids, domain)) return zeros(result, domain);
  const Value from = reshape(x, {s.b, s.p, s.n, s.q});
  std::vector<Value> batches;
  for (int64_t b = 0; b < s.b; ++b) {
    const Value of_batch = rows(from, 0, b, 1);
    if (is_float(x.type.dtype)) {
      const Value indices = rows_of(ids, b, s);
      std::optional<Value> taken = taken_rows(indices, of_batch, s, domain);
      if (!taken) taken = products(row_weights(indices, s.n, true, x.type.dtype, domain), of_batch, s, domain);
      batches.push_back(std::move(*taken));
      continue;
    }
    std::vector<Value> parts;
    for (int64_t i = 0; i < s.i; ++i) {
      AnyIndex index(ids, b * s.i + i, domain);
      index.clamp(0, s.n - 1);
      parts.push_back(mixture(index, domain, [&](int64_t row) { return rows(of_batch, 2, row, 1); }));
    }
    batches.push_back(concatenate(parts, 2));
  }
  return reshape(concatenate(batches, 0), result.shape);
}

Value scatter_add_any(const Value& x, const Value& given, const Value& updates, int64_t dim, int64_t batch,
                      const Domain& domain) {
  if (x.size() == 0 || updates.size() == 0) return x;
  const IndexedSizes s(x.type.shape, given.type.shape, dim, batch);
  const Value ids = comparable(given, s.n - 1, domain);
  const bool weighed = is_float(x.type.dtype);
  if (weighed ? any_without_weights(ids, s.n, domain) : any_without_end(ids, domain)) return x;
  Value result = reshape(x, {s.b, s.p, s.n, s.q});
  const Value terms = reshape(updates, {s.b, s.p, s.i, s.q});
  for (int64_t b = 0; b < s.b; ++b) {
    if (is_float(x.type.dtype)) {
      const Value indices = rows_of(ids, b, s), of_batch = rows(terms, 0, b, 1);
      std::optional<Value> more = summed_rows(indices, of_batch, s, domain);
      if (!more) {
        const int64_t turned[] = {1, 0};
        const Value weights = transpose(row_weights(indices, s.n, false, x.type.dtype, domain), turned);
        more = products(weights, of_batch, s, domain);
      }
      result = overwrite(result, sum(rows(result, 0, b, 1), *more, domain), Shape{b, 0, 0, 0});
      continue;
    }
    for (int64_t i = 0; i < s.i; ++i) {
      const AnyIndex index(ids, b * s.i + i, domain);
      const Value term = rows(rows(terms, 0, b, 1), 2, i, 1);
      for (const int64_t row : index.possible()) {
        if (row < 0 || row >= s.n) continue;
        const Value more = sum(rows(rows(result, 0, b, 1), 2, row, 1), weighted(index.is(row), term, domain), domain);
        result = overwrite(result, more, Shape{b, 0, row, 0});
      }
    }
  }
  return reshape(result, x.type.shape);
}

}  // namespace isoshard::sim
