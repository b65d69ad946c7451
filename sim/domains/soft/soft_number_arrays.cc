// Arrays of floats of which some are made of constants and integers only: the last plane says which number of
// SoftNumbers an element is, 0 where an input has a part in it. Where the ring knows no law of a function (floor,
// remainder, the larger of two), its element is made of the number; elsewhere it is the ring's own, which other
// programs may reach without knowing the number.
#include "sim/domains/soft/soft_float_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"

namespace isoshard::sim {
namespace {

constexpr uint64_t kFromFloat = uint64_t{1} << 36;

bool is_mask(const mpq_class& x) { return abs(x) >= static_cast<long>(kLeastMask); }

/// A constant that is read as another number is somewhere between both: what it is compared with must not lie there,
/// since a reading is for what rounding explains, and no rounding explains a decision.
std::optional<RealNumber> number_of(const Rational& written, const ConstantReading& reading) {
  if (!written.finite() || !reading.factor.finite()) return std::nullopt;
  const RealNumber exact = RealNumber::exactly(to_mpq(written));
  if (reading.roots.empty() && reading.factor == written) return exact;
  const RealNumber other = RealNumber::exactly(mpq_class(reading.to_double()));
  constexpr double kRoom = 0x1p-50;  // of to_double()
  const double low = std::min(exact.low(), other.low()), high = std::max(exact.high(), other.high());
  return RealNumber::between(low - kRoom * std::abs(low), high + kRoom * std::abs(high));
}

}  // namespace

void SoftFloatArrays::put_constant(const Rational& constant, DType dtype, std::byte* out) const {
  ring_.constant(constant, dtype, out);
  no_tables(dtype, 1, out);
  if (const std::optional<RealNumber> number = number_of(constant, options_.constants.of(constant, dtype))) {
    set_number(numbers_.number(*number), dtype, 1, 0, out);
  }
}

std::byte* SoftFloatArrays::number_plane(DType dtype, int64_t n, std::byte* x) const {
  return table_plane(dtype, n, x) + ring_.storage(dtype).element_bytes * static_cast<size_t>(n);
}

void SoftFloatArrays::set_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  const size_t width = ring_.storage(dtype).element_bytes;
  std::memcpy(number_plane(dtype, n, out) + static_cast<size_t>(i) * width, &id, sizeof id);
}

SoftNumbers::Id SoftFloatArrays::number_id(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  SoftNumbers::Id id = 0;
  const size_t width = ring_.storage(dtype).element_bytes;
  std::memcpy(&id, number_plane(dtype, n, const_cast<std::byte*>(x)) + static_cast<size_t>(i) * width, sizeof id);
  return id;
}

/// Empty where nothing is known of any.
std::vector<SoftNumbers::Id> SoftFloatArrays::numbers(DType dtype, int64_t n, const std::byte* x) const {
  return ids_in(number_plane(dtype, n, const_cast<std::byte*>(x)), n, ring_.storage(dtype).element_bytes);
}

SoftFloatArrays::KnownFloats SoftFloatArrays::known_floats(DType dtype, int64_t n, const std::byte* x) const {
  std::vector<SoftNumbers::Id> ids = numbers(dtype, n, x);
  std::vector<std::byte> elements = ids.empty() ? std::vector<std::byte>() : copy_of(dtype, n, x);
  return {dtype, n, std::move(ids), std::move(elements)};
}

/// Element i becomes the number, and in the ring its mean; false, and nothing changes, where it is not known exactly or
/// may be a mask, of which the ring has laws.
bool SoftFloatArrays::put_number(SoftNumbers::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  const std::optional<std::vector<mpq_class>> exact = id == 0 ? std::nullopt : numbers_.exact(id);
  if (!exact || std::any_of(exact->begin(), exact->end(), is_mask)) return false;
  const size_t bytes = floats_.element_bytes(dtype);
  SoftFloat table{numbers_.partition(id), std::vector<std::byte>(bytes * exact->size()), std::ssize(*exact)};
  for (int64_t e = 0; e < table.parts; ++e) {
    std::vector<std::byte> element(bytes);
    ring_.constant(from_mpq((*exact)[static_cast<size_t>(e)]), dtype, element.data());
    floats_.move(dtype, 1, element.data(), 0, table.parts, e, table.elements.data());
  }
  set_number(id, dtype, n, i, out);
  set_table(0, dtype, n, i, out);
  if (table.parts == 1) {
    floats_.move(dtype, 1, table.elements.data(), 0, n, i, out);
  } else if (options_.tabled && exact->size() <= most_parts(table.partition)) {
    keep(std::move(table.elements), table.partition, dtype, n, i, out);
  } else if (const std::optional<std::vector<std::byte>> mean = floats_.mean(table, dtype)) {
    floats_.move(dtype, 1, mean->data(), 0, n, i, out);
  }
  return true;
}

void SoftFloatArrays::take_numbers(UnaryOp op, const KnownFloats& x, std::byte* out) const {
  for (size_t k = 0; k < x.ids.size(); ++k) {
    if (x.ids[k] == 0) continue;
    const auto i = static_cast<int64_t>(k);
    if (op != UnaryOp::floor) {
      set_number(numbers_.apply(op, x.ids[k]), x.dtype, x.n, i, out);
    } else if (const std::optional<Word> whole = numbers_.floor(x.ids[k])) {
      put_float(*whole, x.dtype, x.n, i, out);
    }
  }
}

void SoftFloatArrays::take_numbers(BinaryOp op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const {
  for (size_t k = 0; k < x.ids.size() && !y.ids.empty(); ++k) {
    const SoftNumbers::Id id = numbers_.apply(op, x.ids[k], y.ids[k]);
    const auto i = static_cast<int64_t>(k);
    if (id != 0) set_number(id, x.dtype, x.n, i, out);
    if (op == BinaryOp::remainder) put_number(id, x.dtype, x.n, i, out);
  }
}

/// Element i becomes that of x where a predicate of the integers holds, otherwise that of y.
void SoftFloatArrays::put_larger(const KnownFloats& x, const KnownFloats& y, Word x_it_is, int64_t i,
                                 std::byte* out) const {
  const auto k = static_cast<size_t>(i);
  const SoftNumbers::Id id = numbers_.choose(x_it_is, x.ids[k], y.ids[k]);
  if (!integers_.is_known(x_it_is)) {
    put_number(id, x.dtype, x.n, i, out);
    return;
  }
  const KnownFloats& from = integers_.value(x_it_is) != 0 ? x : y;
  floats_.move(x.dtype, x.n, from.elements.data(), i, x.n, i, out);
  set_table(table_of(x.dtype, x.n, from.elements.data(), i), x.dtype, x.n, i, out);
  set_number(id, x.dtype, x.n, i, out);
}

void SoftFloatArrays::take_numbers(Extreme op, const KnownFloats& x, const KnownFloats& y, std::byte* out) const {
  const Direction x_it_is = op == Extreme::maximum ? Direction::ge : Direction::le;
  for (size_t k = 0; k < x.ids.size() && !y.ids.empty(); ++k) {
    const std::optional<Word> chosen = numbers_.compare(x_it_is, x.ids[k], y.ids[k]);
    if (chosen) put_larger(x, y, *chosen, static_cast<int64_t>(k), out);
  }
}

/// A sign is one of the comparisons with 0 less the other one; an absolute value is the number or its opposite.
void SoftFloatArrays::take_numbers(SignOp op, const KnownFloats& x, std::byte* out) const {
  const SoftNumbers::Id zero = x.ids.empty() ? 0 : numbers_.number(RealNumber::whole(0));
  for (size_t k = 0; k < x.ids.size(); ++k) {
    const std::optional<Word> positive = numbers_.compare(Direction::gt, x.ids[k], zero);
    const std::optional<Word> negative = numbers_.compare(Direction::lt, x.ids[k], zero);
    if (!positive || !negative) continue;
    const auto i = static_cast<int64_t>(k);
    if (op == SignOp::sign) {
      put_float(integers_.apply(IntegerOp::subtract, DType::i64, *positive, *negative), x.dtype, x.n, i, out);
    } else {
      const SoftNumbers::Id opposite = numbers_.apply(UnaryOp::negate, x.ids[k]);
      put_number(numbers_.choose(*negative, opposite, x.ids[k]), x.dtype, x.n, i, out);
    }
  }
}

/// Numbers are truncated. Of one that is only known to lie about a whole number, the integer is a variable among those
/// that it may be; of other floats, an opaque function.
SoftFloatArrays::Word SoftFloatArrays::integer_of(DType from, DType to, int64_t n, const std::byte* x,
                                                  int64_t i) const {
  if (ring_.is_number(n, x, i)) {
    int64_t number = 0;
    ring_.to_integers(from, 1, floats_.element(from, n, x, i).data(), to, &number);
    return integers_.number(number);
  }
  std::vector<uint64_t> parts = element_of(n, x, i);
  parts.push_back(static_cast<uint64_t>(to));
  const std::vector<SoftNumbers::Id> ids = numbers(from, n, x);
  const std::vector<int64_t> few =
      ids.empty() ? std::vector<int64_t>() : numbers_.truncations(ids[static_cast<size_t>(i)], to);
  if (few.empty()) return integers_.opaque(integers_.name(kFromFloat, parts));
  for (const int64_t number : few) parts.push_back(static_cast<uint64_t>(number));
  return integers_.variable(integers_.name(kFromFloat, parts), few);
}

}  // namespace isoshard::sim
