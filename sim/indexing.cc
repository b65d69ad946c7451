#include "sim/indexing.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/support/check.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

size_t position(int64_t i) { return static_cast<size_t>(i); }

int64_t integer_at(const Value& x, int64_t i) {
  const size_t at = position(i);
  if (x.type.dtype == DType::i32) return x.plane<int32_t>(0)[at];
  if (x.type.dtype == DType::u32) return x.plane<uint32_t>(0)[at];
  ISOSHARD_CHECK(x.type.dtype == DType::i64, "indices are integers");
  return x.plane<int64_t>(0)[at];
}

/// The sizes of x[b, p, n, q] and ids[b, i] when each group of dimensions is one.
struct Sizes {
  int64_t b, p, n, q, i;

  Sizes(const Shape& x, const Shape& ids, int64_t dim, int64_t batch)
      : b(product(x, 0, batch)),
        p(product(x, batch, dim)),
        n(x[position(dim)]),
        q(product(x, dim + 1, static_cast<int64_t>(x.size()))),
        i(product(ids, batch, static_cast<int64_t>(ids.size()))) {}

  static int64_t product(const Shape& shape, int64_t first, int64_t last) {
    return element_count(Shape(shape.begin() + first, shape.begin() + last));
  }
};

/// Row `to` of the result takes up row `from` of the updates.
struct RowPair {
  int64_t to, from;
};

/// Every pair of rows of a scatter, in rounds: round r has the (r+1)-th pair of each target, in the order of the ids.
std::vector<std::vector<RowPair>> rounds_of(const Value& ids, const Sizes& s) {
  std::vector<std::vector<RowPair>> rounds;
  for (int64_t b = 0; b < s.b; ++b) {
    std::vector<size_t> seen(position(s.n), 0);
    for (int64_t i = 0; i < s.i; ++i) {
      const int64_t id = integer_at(ids, b * s.i + i);
      if (id < 0 || id >= s.n) continue;
      const size_t round = seen[position(id)]++;
      if (round == rounds.size()) rounds.emplace_back();
      for (int64_t p = b * s.p; p < (b + 1) * s.p; ++p) rounds[round].push_back(RowPair{p * s.n + id, p * s.i + i});
    }
  }
  return rounds;
}

template <class T>
void add_rows(const std::vector<RowPair>& pairs, int64_t length, const T* updates, T* out) {
  for (const RowPair& row : pairs) {
    for (int64_t e = 0; e < length; ++e) out[row.to * length + e] += updates[row.from * length + e];
  }
}

/// Adds the rows of one round, whose targets differ, as one array.
void add_float_rows(const std::vector<RowPair>& pairs, int64_t length, const Value& updates, const NewValue& out,
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
  domain.accumulate(type.dtype, sums.size(), sums.data.get(), terms.data.get());
  for (size_t p = 0; p < out.storage.planes; ++p) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::memcpy(out.plane(p) + row(pairs[i].to), sums.plane(p) + i * bytes, bytes);
    }
  }
}

}  // namespace

std::vector<int64_t> clamped_starts(std::span<const Value> starts, const Shape& shape, const Shape& sizes) {
  std::vector<int64_t> result;
  for (size_t d = 0; d < shape.size(); ++d) {
    result.push_back(std::clamp<int64_t>(integer_at(starts[d], 0), 0, shape[d] - sizes[d]));
  }
  return result;
}

Value gather(const Value& x, const Value& ids, int64_t dim, int64_t batch, const TensorType& result) {
  NewValue out(result, x.storage);
  if (out.size() == 0) return std::move(out).finish();
  const Sizes s(x.type.shape, ids.type.shape, dim, batch);
  const size_t bytes = position(s.q) * x.storage.element_bytes;
  for (size_t plane = 0; plane < x.storage.planes; ++plane) {
    const std::byte* from = x.data.get() + plane * x.plane_bytes();
    std::byte* to = out.plane(plane);
    for (int64_t p = 0; p < s.b * s.p; ++p) {
      const int64_t first = p / s.p * s.i;
      for (int64_t i = first; i < first + s.i; ++i, to += bytes) {
        const int64_t id = std::clamp<int64_t>(integer_at(ids, i), 0, s.n - 1);
        std::memcpy(to, from + position(p * s.n + id) * bytes, bytes);
      }
    }
  }
  return std::move(out).finish();
}

Value scatter_add(const Value& x, const Value& ids, const Value& updates, int64_t dim, int64_t batch,
                  const Domain& domain) {
  const Sizes s(x.type.shape, ids.type.shape, dim, batch);
  const std::vector<std::vector<RowPair>> rounds = rounds_of(ids, s);
  if (x.size() == 0 || rounds.empty()) return x;
  NewValue out(x.type, x.storage);
  std::memcpy(out.data.get(), x.data.get(), x.bytes());
  for (const std::vector<RowPair>& pairs : rounds) {
    if (is_float(x.type.dtype)) {
      add_float_rows(pairs, s.q, updates, out, domain);
    } else if (x.storage.element_bytes == sizeof(uint32_t)) {
      add_rows(pairs, s.q, updates.plane<uint32_t>(0).data(), out.elements<uint32_t>());
    } else {
      add_rows(pairs, s.q, updates.plane<uint64_t>(0).data(), out.elements<uint64_t>());
    }
  }
  if (is_float(x.type.dtype)) domain.finish_sum(x.type.dtype, out.size(), out.data.get());
  return std::move(out).finish();
}

}  // namespace isoshard::sim
