// Arrays of floats of a soft domain. The ring's planes of an element with a table hold its mean, so that an op that
// knows no tables is right without them, and movement, which copies planes, moves tables too. A known integer that
// becomes a float must be below the ring's primes, or it might be 0 there: otherwise the answer ends. Cost: two more
// planes, and a scan of them per op.
#include "sim/domains/soft/soft_float_arrays.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/support/rational_gmp.h"

namespace isoshard::sim {
namespace {

constexpr int64_t kLeastLarge = int64_t{1} << 24;  ///< below all primes of rings

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

std::vector<uint64_t> SoftFloatArrays::residues_of(int64_t n, const std::byte* x, int64_t i) const {
  std::vector<uint64_t> residues(integers_.residues());
  ring().read_residues(n, x, i, residues);
  return residues;
}

std::vector<uint64_t> SoftFloatArrays::element_of(int64_t n, const std::byte* x, int64_t i) const {
  std::vector<uint64_t> residues = residues_of(n, x, i);
  residues.resize(ring().lanes());
  return residues;
}

/// A number that is a multiple of the prime would be 0 as a float.
void SoftFloatArrays::note_large(Word word) const {
  if (SoftIntegers::is_small(word) && static_cast<int64_t>(word) >> 1 < kLeastLarge &&
      static_cast<int64_t>(word) >> 1 > -kLeastLarge) {
    return;
  }
  if (integers_.is_opaque_integer(word)) return;
  const SoftRange range = integers_.range(word);
  if (range.low <= -kLeastLarge || range.high >= kLeastLarge) {
    integers_.note_undecided("a float made of an integer that may be as large as the ring's prime");
  }
}

void SoftFloatArrays::put_mean(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  note_large(word);
  if (!integers_.is_known(word)) {
    std::vector<uint64_t> mean(integers_.residues());
    integers_.collapse(word, mean);
    return ring().write_residues(n, i, mean, out);
  }
  std::vector<std::byte> element(floats_.element_bytes(dtype));
  const int64_t number = integers_.value(word);
  ring().from_integers(dtype, 1, &number, element.data());
  floats_.move(dtype, 1, element.data(), 0, n, i, out);
}

size_t SoftFloatArrays::most_parts(Partition partition) const {
  return integers_.variables(partition).size() == 1 ? options_.most_entries : integers_.limits().joint;
}

SoftFloatArrays::Partition SoftFloatArrays::partition_of(SoftFloats::Id id) const {
  return id == 0 ? Partition{SoftPartitions::kWhole} : floats_.at(id).partition;
}

std::optional<SoftFloatArrays::Partition> SoftFloatArrays::joint(std::span<const SoftFloats::Id> ids,
                                                                 size_t most) const {
  const auto large = [&](SoftFloats::Id id) { return id != 0 && static_cast<size_t>(floats_.at(id).parts) > most; };
  if (std::any_of(ids.begin(), ids.end(), large)) return std::nullopt;
  std::optional<Partition> result = SoftPartitions::kWhole;
  for (const SoftFloats::Id id : ids) {
    if (id != 0) result = integers_.joint(*result, floats_.at(id).partition);
    if (!result || integers_.parts(*result) > most) return std::nullopt;
  }
  return result;
}

std::vector<std::byte> SoftFloatArrays::spread(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i,
                                               Partition over) const {
  if (id != 0) return floats_.spread(&floats_.at(id), {}, over, dtype);
  return floats_.spread(nullptr, floats_.element(dtype, n, x, i), over, dtype);
}

void SoftFloatArrays::keep(std::vector<std::byte> elements, Partition partition, DType dtype, int64_t n, int64_t i,
                           std::byte* out) const {
  const auto parts = static_cast<int64_t>(elements.size() / floats_.element_bytes(dtype));
  set_table(floats_.keep(SoftFloat{partition, std::move(elements), parts}, dtype, n, i, out), dtype, n, i, out);
}

void SoftFloatArrays::on_tables(DType dtype, int64_t n, const std::byte* x, std::byte* out, size_t most,
                                const std::function<void(int64_t, const std::byte*, std::byte*)>& f) const {
  const std::vector<SoftFloats::Id> ids = tables(dtype, n, x);  // before out, which may be x, is written
  f(n, x, out);
  no_tables(dtype, n, out);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == 0) continue;
    const SoftFloat& table = floats_.at(ids[i]);
    if (static_cast<size_t>(table.parts) > most) continue;
    std::vector<std::byte> elements(table.elements.size());
    f(table.parts, table.elements.data(), elements.data());
    keep(std::move(elements), table.partition, dtype, n, static_cast<int64_t>(i), out);
  }
}

void SoftFloatArrays::on_joint_tables(
    DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out, size_t most,
    const std::function<void(int64_t, const std::byte*, const std::byte*, std::byte*)>& f) const {
  const std::vector<SoftFloats::Id> a = tables(dtype, n, x), b = tables(dtype, n, y);
  if (a.empty() && b.empty()) {
    f(n, x, y, out);
    return no_tables(dtype, n, out);
  }
  const size_t bytes = floats_.element_bytes(dtype) * static_cast<size_t>(n);
  const std::vector<std::byte> left(x, x + bytes), right(y, y + bytes);  // out may be an operand
  f(n, left.data(), right.data(), out);
  no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    const SoftFloats::Id ids[] = {a.empty() ? 0 : a[static_cast<size_t>(i)], b.empty() ? 0 : b[static_cast<size_t>(i)]};
    if (ids[0] == 0 && ids[1] == 0) continue;
    const std::optional<Partition> over = joint(ids, most);
    const size_t parts = over ? integers_.parts(*over) : 0;
    if (!over || parts > most_parts(*over)) continue;
    std::vector<std::byte> elements = spread(ids[0], dtype, n, left.data(), i, *over);
    const std::vector<std::byte> other = spread(ids[1], dtype, n, right.data(), i, *over);
    f(static_cast<int64_t>(parts), elements.data(), other.data(), elements.data());
    keep(std::move(elements), *over, dtype, n, i, out);
  }
}

void SoftFloatArrays::put_constant(const Rational& constant, DType dtype, std::byte* out) const {
  ring().constant(constant, dtype, out);
  no_tables(dtype, 1, out);
  if (const std::optional<RealNumber> number = number_of(constant, options_.constants.of(constant, dtype))) {
    set_number(numbers_.number(*number), dtype, 1, 0, out);
  }
}

void SoftFloatArrays::put_float(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  put_mean(word, dtype, n, i, out);
  set_table(0, dtype, n, i, out);
  set_number(numbers_.of_integer(word), dtype, n, i, out);
  if (!options_.tabled || integers_.is_known(word) || integers_.is_opaque_integer(word)) return;
  const std::optional<Partition> partition = integers_.partition_of(word);
  if (!partition || integers_.parts(*partition) > most_parts(*partition)) return;
  const std::vector<int64_t> numbers = integers_.numbers(word, *partition);
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * numbers.size());
  ring().from_integers(dtype, std::ssize(numbers), numbers.data(), elements.data());
  keep(std::move(elements), *partition, dtype, n, i, out);
}

}  // namespace isoshard::sim
