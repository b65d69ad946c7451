// Arrays of floats of which some are made of constants and integers only: a number of SoftNumbers is known of them.
// Where the ring knows no law of a function (floor, remainder, the larger of two), its element is made of the number;
// elsewhere it is the ring's own, which other programs may reach without knowing the number. Cost: an op of
// SoftNumbers per element that is one.
#include "sim/domains/soft/soft_number_arrays.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {
namespace {

constexpr uint64_t kFromFloat = uint64_t{1} << 36;

bool is_mask(const mpq_class& x) { return abs(x) >= static_cast<long>(kLeastMask); }

}  // namespace

KnownFloats SoftNumberArrays::known_floats(DType dtype, int64_t n, const std::byte* x) const {
  std::vector<SoftNumbers::Id> ids = arrays_.numbers(dtype, n, x);
  std::vector<std::byte> elements = ids.empty() ? std::vector<std::byte>() : arrays_.copy_of(dtype, n, x);
  return {dtype, n, std::move(ids), std::move(elements)};
}

bool SoftNumberArrays::put_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  const std::optional<std::vector<mpq_class>> exact = id == 0 ? std::nullopt : arrays_.known().exact(id);
  if (!exact || std::any_of(exact->begin(), exact->end(), is_mask)) return false;
  const size_t bytes = arrays_.floats().element_bytes(dtype);
  SoftFloat table{arrays_.known().partition(id), std::vector<std::byte>(bytes * exact->size()), std::ssize(*exact)};
  for (int64_t e = 0; e < table.parts; ++e) {
    std::vector<std::byte> element(bytes);
    arrays_.ring().constant(from_mpq((*exact)[static_cast<size_t>(e)]), dtype, element.data());
    arrays_.floats().move(dtype, 1, element.data(), 0, table.parts, e, table.elements.data());
  }
  arrays_.set_number(id, dtype, n, i, out);
  arrays_.set_table(0, dtype, n, i, out);
  if (table.parts == 1) {
    arrays_.floats().move(dtype, 1, table.elements.data(), 0, n, i, out);
  } else if (options_.tabled && exact->size() <= arrays_.most_parts(table.partition)) {
    arrays_.keep(std::move(table.elements), table.partition, dtype, n, i, out);
  } else if (const std::optional<std::vector<std::byte>> mean = arrays_.floats().mean(table, dtype)) {
    arrays_.floats().move(dtype, 1, mean->data(), 0, n, i, out);
  }
  return true;
}

void SoftNumberArrays::take_numbers(UnaryOp op, const KnownFloats& x, std::byte* out) const {
  for (size_t k = 0; k < x.ids.size(); ++k) {
    if (x.ids[k] == 0) continue;
    const auto i = static_cast<int64_t>(k);
    if (op != UnaryOp::floor) {
      arrays_.set_number(arrays_.known().apply(op, x.ids[k]), x.dtype, x.n, i, out);
    } else if (const std::optional<Word> whole = arrays_.known().floor(x.ids[k])) {
      arrays_.put_float(*whole, x.dtype, x.n, i, out);
    }
  }
}

void SoftNumberArrays::take_numbers(BinaryOp op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const {
  for (size_t k = 0; k < x.ids.size() && !y.ids.empty(); ++k) {
    const SoftNumbers::Id id = arrays_.known().apply(op, x.ids[k], y.ids[k]);
    const auto i = static_cast<int64_t>(k);
    if (id != 0) arrays_.set_number(id, x.dtype, x.n, i, out);
    if (op == BinaryOp::remainder) put_number(id, x.dtype, x.n, i, out);
  }
}

/// Element i becomes that of x where a predicate of the integers holds, otherwise that of y.
void SoftNumberArrays::put_larger(const KnownFloats& x, const KnownFloats& y, Word x_it_is, int64_t i,
                                  std::byte* out) const {
  const auto k = static_cast<size_t>(i);
  const SoftNumbers::Id id = arrays_.known().choose(x_it_is, x.ids[k], y.ids[k]);
  if (!arrays_.integers().is_known(x_it_is)) {
    put_number(id, x.dtype, x.n, i, out);
    return;
  }
  const KnownFloats& from = arrays_.integers().value(x_it_is) != 0 ? x : y;
  arrays_.floats().move(x.dtype, x.n, from.elements.data(), i, x.n, i, out);
  arrays_.set_table(arrays_.table_of(x.dtype, x.n, from.elements.data(), i), x.dtype, x.n, i, out);
  arrays_.set_number(id, x.dtype, x.n, i, out);
}

void SoftNumberArrays::take_numbers(Extreme op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const {
  const Direction x_it_is = op == Extreme::maximum ? Direction::ge : Direction::le;
  for (size_t k = 0; k < x.ids.size() && !y.ids.empty(); ++k) {
    const std::optional<Word> chosen = arrays_.known().compare(x_it_is, x.ids[k], y.ids[k]);
    if (chosen) put_larger(x, y, *chosen, static_cast<int64_t>(k), out);
  }
}

/// A sign is one of the comparisons with 0 less the other one; an absolute value is the number or its opposite.
void SoftNumberArrays::take_numbers(SignOp op, const KnownFloats& x, std::byte* out) const {
  const SoftNumbers::Id zero = x.ids.empty() ? 0 : arrays_.known().number(RealNumber::whole(0));
  for (size_t k = 0; k < x.ids.size(); ++k) {
    const std::optional<Word> positive = arrays_.known().compare(Direction::gt, x.ids[k], zero);
    const std::optional<Word> negative = arrays_.known().compare(Direction::lt, x.ids[k], zero);
    if (!positive || !negative) continue;
    const auto i = static_cast<int64_t>(k);
    if (op == SignOp::sign) {
      arrays_.put_float(arrays_.integers().apply(IntegerOp::subtract, DType::i64, *positive, *negative), x.dtype, x.n,
                        i, out);
    } else {
      const SoftNumbers::Id opposite = arrays_.known().apply(UnaryOp::negate, x.ids[k]);
      put_number(arrays_.known().choose(*negative, opposite, x.ids[k]), x.dtype, x.n, i, out);
    }
  }
}

void SoftNumberArrays::take_sums(const ReducePlan& plan, DType dtype, const std::vector<SoftNumbers::Id>& terms,
                                 std::byte* out) const {
  if (terms.empty() || plan.input_size() > SoftFloats::kMostTerms) return;
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    SoftNumbers::Id sum = arrays_.known().number(RealNumber::whole(0));
    for (size_t j = 0; j < reduced.size() && sum != 0; ++j) {
      sum = arrays_.known().apply(BinaryOp::add, sum,
                                  terms[static_cast<size_t>(kept[static_cast<size_t>(i)] + reduced[j])]);
    }
    arrays_.set_number(sum, dtype, plan.output_size(), i, out);
  }
}

void SoftNumberArrays::take_products(const DotSizes& sizes, DType dtype, const std::vector<SoftNumbers::Id>& left,
                                     const std::vector<SoftNumbers::Id>& right, std::byte* out) const {
  const auto [m, n, k] = sizes;
  if (left.empty() || right.empty() || m * n * k > SoftFloats::kMostTerms) return;
  SoftNumbers& known = arrays_.known();
  for (int64_t i = 0; i < m * n; ++i) {
    SoftNumbers::Id sum = known.number(RealNumber::whole(0));
    for (int64_t t = 0; t < k && sum != 0; ++t) {
      const SoftNumbers::Id x = left[static_cast<size_t>(i / n * k + t)], y = right[static_cast<size_t>(t * n + i % n)];
      sum = known.apply(BinaryOp::add, sum, known.apply(BinaryOp::multiply, x, y));
    }
    arrays_.set_number(sum, dtype, m * n, i, out);
  }
}

SoftNumberArrays::Word SoftNumberArrays::integer_of(DType from, DType to, int64_t n, const std::byte* x,
                                                    int64_t i) const {
  if (arrays_.ring().is_number(n, x, i)) {
    int64_t number = 0;
    arrays_.ring().to_integers(from, 1, arrays_.floats().element(from, n, x, i).data(), to, &number);
    return arrays_.integers().number(number);
  }
  std::vector<uint64_t> parts = arrays_.element_of(n, x, i);
  parts.push_back(static_cast<uint64_t>(to));
  parts.push_back(from == DType::f64 ? 1 : 0);  // what f64 holds, f32 may round to another integer
  const std::vector<SoftNumbers::Id> ids = arrays_.numbers(from, n, x);
  const std::vector<int64_t> few =
      ids.empty() ? std::vector<int64_t>() : arrays_.known().truncations(from, ids[static_cast<size_t>(i)], to);
  if (few.empty()) return arrays_.integers().opaque(arrays_.integers().name(kFromFloat, parts));
  for (const int64_t number : few) parts.push_back(static_cast<uint64_t>(number));
  return arrays_.integers().variable(arrays_.integers().name(kFromFloat, parts), few);
}

}  // namespace isoshard::sim
