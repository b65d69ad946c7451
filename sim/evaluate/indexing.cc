// Gathers, scatters and slices at starts that are values. Indices that are known numbers are looked up by copying rows;
// where a domain has integers that are none, the same ops are made of weights (indexing_any.cc;
// docs/adr/0031-soft-integers.md). Starts are clamped so that the block lies inside, as in StableHLO; gather clamps
// indices, and scatter drops those outside. A scatter adds several updates to one row in the order of the indices, as
// one would by hand: pairs are sorted into rounds in which no target occurs twice, so that the domain adds whole
// arrays. Cost: one pass over the result, and as many rounds as the most frequent index has.
#include "sim/evaluate/indexing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/evaluate/indexing_any.h"
#include "sim/integers/integer_ops.h"
#include "sim/value/movement.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

size_t position(int64_t i) { return static_cast<size_t>(i); }

using Sizes = IndexedSizes;

/// Known indices as 64-bit numbers.
std::vector<int64_t> numbers(const Value& x, const Domain& domain) {
  const DType dtype = x.type.dtype;
  std::vector<std::byte> machine(position(x.size()) * info(dtype).bytes);
  domain.to_machine(dtype, x.size(), x.data.get(), machine.data());
  std::vector<int64_t> result(position(x.size()));
  integer::widen_indices(dtype, x.size(), machine.data(), result.data());
  return result;
}

bool is_known(const Value& x, const Domain& domain) { return domain.are_known(x.type.dtype, x.size(), x.data.get()); }

bool are_known(std::span<const Value> starts, const Domain& domain) {
  return std::all_of(starts.begin(), starts.end(), [&](const Value& x) { return is_known(x, domain); });
}

/// Row `to` of the result takes up row `from` of the updates.
struct RowPair {
  int64_t to, from;
};

/// Every pair of rows of a scatter, in rounds: round r has the (r+1)-th pair of each target, in the order of the ids.
std::vector<std::vector<RowPair>> rounds_of(const std::vector<int64_t>& ids, const Sizes& s) {
  std::vector<std::vector<RowPair>> rounds;
  for (int64_t b = 0; b < s.b; ++b) {
    std::vector<size_t> seen(position(s.n), 0);
    for (int64_t i = 0; i < s.i; ++i) {
      const int64_t id = ids[position(b * s.i + i)];
      if (id < 0 || id >= s.n) continue;
      const size_t round = seen[position(id)]++;
      if (round == rounds.size()) rounds.emplace_back();
      for (int64_t p = b * s.p; p < (b + 1) * s.p; ++p) rounds[round].push_back(RowPair{p * s.n + id, p * s.i + i});
    }
  }
  return rounds;
}

/// Adds the rows of one round, whose targets differ, as one array.
void add_rows(const std::vector<RowPair>& pairs, int64_t length, const Value& updates, const NewValue& out,
              const Domain& domain) {
  const TensorType type{out.type.dtype, {static_cast<int64_t>(pairs.size()), length}};
  const NewValue sums(type, out.storage), terms(type, out.storage);
  const size_t bytes = position(length) * out.storage.element_bytes;
  const auto row = [&](int64_t i) { return position(i) * bytes; };
  for (size_t p = 0; p < out.storage.planes; ++p) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::memcpy(sums.plane(p) + i * bytes, out.plane(p) + row(pairs[i].to), bytes);
      const std::byte* from = updates.data.get() + p * updates.plane_bytes();
      std::memcpy(terms.plane(p) + i * bytes, from + row(pairs[i].from), bytes);
    }
  }
  if (is_float(type.dtype)) {
    domain.accumulate(type.dtype, sums.size(), sums.data.get(), terms.data.get());
  } else {
    domain.integer_op(IntegerOp::add, type.dtype, sums.size(), sums.data.get(), terms.data.get(), sums.data.get());
  }
  for (size_t p = 0; p < out.storage.planes; ++p) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::memcpy(out.plane(p) + row(pairs[i].to), sums.plane(p) + i * bytes, bytes);
    }
  }
}

}  // namespace

std::vector<int64_t> clamped_starts(std::span<const Value> starts, const Shape& shape, const Shape& sizes,
                                    const Domain& domain) {
  std::vector<int64_t> result;
  for (size_t d = 0; d < shape.size(); ++d) {
    result.push_back(std::clamp<int64_t>(numbers(starts[d], domain)[0], 0, shape[d] - sizes[d]));
  }
  return result;
}

Value dynamic_slice(const Value& x, std::span<const Value> starts, const Shape& sizes, const Domain& domain) {
  if (!are_known(starts, domain)) return slice_anywhere(x, starts, sizes, domain);
  const std::vector<int64_t> start = clamped_starts(starts, x.type.shape, sizes, domain);
  Shape limit = sizes;
  for (size_t d = 0; d < limit.size(); ++d) limit[d] += start[d];
  return slice(x, start, limit);
}

Value dynamic_update_slice(const Value& x, const Value& update, std::span<const Value> starts, const Domain& domain) {
  if (!are_known(starts, domain)) return update_anywhere(x, update, starts, domain);
  return overwrite(x, update, clamped_starts(starts, x.type.shape, update.type.shape, domain));
}

Value gather(const Value& x, const Value& ids, int64_t dim, int64_t batch, const TensorType& result,
             const Domain& domain) {
  if (!is_known(ids, domain)) return gather_any(x, ids, dim, batch, result, domain);
  NewValue out(result, x.storage);
  if (out.size() == 0) return std::move(out).finish();
  const Sizes s(x.type.shape, ids.type.shape, dim, batch);
  const std::vector<int64_t> rows = numbers(ids, domain);
  const size_t bytes = position(s.q) * x.storage.element_bytes;
  for (size_t plane = 0; plane < x.storage.planes; ++plane) {
    const std::byte* from = x.data.get() + plane * x.plane_bytes();
    std::byte* to = out.plane(plane);
    for (int64_t p = 0; p < s.b * s.p; ++p) {
      const int64_t first = p / s.p * s.i;
      for (int64_t i = first; i < first + s.i; ++i, to += bytes) {
        const int64_t id = std::clamp<int64_t>(rows[position(i)], 0, s.n - 1);
        std::memcpy(to, from + position(p * s.n + id) * bytes, bytes);
      }
    }
  }
  return std::move(out).finish();
}

Value scatter_add(const Value& x, const Value& ids, const Value& updates, int64_t dim, int64_t batch,
                  const Domain& domain) {
  if (!is_known(ids, domain)) return scatter_add_any(x, ids, updates, dim, batch, domain);
  const Sizes s(x.type.shape, ids.type.shape, dim, batch);
  const std::vector<std::vector<RowPair>> rounds = rounds_of(numbers(ids, domain), s);
  if (x.size() == 0 || rounds.empty()) return x;
  NewValue out(x.type, x.storage);
  std::memcpy(out.data.get(), x.data.get(), x.bytes());
  for (const std::vector<RowPair>& pairs : rounds) add_rows(pairs, s.q, updates, out, domain);
  if (is_float(x.type.dtype)) domain.finish_sum(x.type.dtype, out.size(), out.data.get());
  return std::move(out).finish();
}

}  // namespace isoshard::sim
