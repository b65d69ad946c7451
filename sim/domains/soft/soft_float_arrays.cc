// Arrays of floats of a soft domain: the ring's planes, one plane that says which table an element is, 0 for none, and
// a last one that says which number (soft_number_arrays.cc). The ring's planes of an element with a table hold its
// mean, so that an op that knows no tables is right without them, and movement, which copies planes, moves tables too.
// A known integer that becomes a float must be below the ring's primes, or it might be 0 there: otherwise the answer
// ends. Cost: two more planes, and a scan of them per op.
#include "sim/domains/soft/soft_float_arrays.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/value/new_value.h"

namespace isoshard::sim {

namespace {

constexpr int64_t kLeastLarge = int64_t{1} << 24;  ///< below all primes of rings

}  // namespace

std::vector<uint64_t> SoftFloatArrays::residues_of(int64_t n, const std::byte* x, int64_t i) const {
  std::vector<uint64_t> residues(integers_.residues());
  ring_.read_residues(n, x, i, residues);
  return residues;
}

/// The residues of component 0, which tell one element from another.
std::vector<uint64_t> SoftFloatArrays::element_of(int64_t n, const std::byte* x, int64_t i) const {
  std::vector<uint64_t> residues = residues_of(n, x, i);
  residues.resize(ring_.lanes());
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

/// A word as a float of the ring.
void SoftFloatArrays::put_mean(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  note_large(word);
  if (!integers_.is_known(word)) {
    std::vector<uint64_t> mean(integers_.residues());
    integers_.collapse(word, mean);
    return ring_.write_residues(n, i, mean, out);
  }
  std::vector<std::byte> element(floats_.element_bytes(dtype));
  const int64_t number = integers_.value(word);
  ring_.from_integers(dtype, 1, &number, element.data());
  floats_.move(dtype, 1, element.data(), 0, n, i, out);
}

Value SoftFloatArrays::without_tables(const Value& x) const {
  NewValue result(x.type, x.storage);
  if (result.bytes() != 0) std::memcpy(result.data.get(), x.data.get(), result.bytes());
  no_tables(x.type.dtype, x.size(), result.data.get());
  return std::move(result).finish();
}

/// [index = row] as a table over the parts of the index.
void SoftFloatArrays::put_row_table(Word index, const RowOfIndex& which, DType dtype, int64_t n, int64_t i,
                                    std::byte* out) const {
  const std::optional<Partition> partition = integers_.partition_of(index);
  if (!partition || integers_.parts(*partition) > SoftIntegers::kMostEntries) return;
  std::vector<int64_t> is = integers_.numbers(index, *partition);
  for (int64_t& number : is) {
    if (which.clamp) number = std::clamp<int64_t>(number, 0, which.rows - 1);
    number = number == which.row ? 1 : 0;
  }
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * is.size());
  ring_.from_integers(dtype, std::ssize(is), is.data(), elements.data());
  keep(std::move(elements), *partition, dtype, n, i, out);
}

/// [index = row] of an index of which only the name is known: an opaque predicate.
void SoftFloatArrays::put_opaque_row(Word index, const RowOfIndex& which, DType index_dtype, DType dtype, int64_t n,
                                     int64_t i, std::byte* out) const {
  const Direction direction = !which.clamp                  ? Direction::eq
                              : which.rows == 1             ? Direction::none
                              : which.row == 0              ? Direction::le
                              : which.row == which.rows - 1 ? Direction::ge
                                                            : Direction::eq;
  const Word row = integers_.number(which.row);
  put_float(direction == Direction::none ? integers_.number(1) : integers_.compare(direction, index_dtype, index, row),
            dtype, n, i, out);
}

/// The plane behind those of the ring.
std::byte* SoftFloatArrays::table_plane(DType dtype, int64_t n, std::byte* x) const {
  return x + ring_.storage(dtype).element_bytes * ring_.storage(dtype).planes * static_cast<size_t>(n);
}

SoftFloats::Id SoftFloatArrays::table_of(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  SoftFloats::Id id = 0;
  const size_t width = ring_.storage(dtype).element_bytes;
  std::memcpy(&id, table_plane(dtype, n, const_cast<std::byte*>(x)) + static_cast<size_t>(i) * width, sizeof id);
  return id;
}

void SoftFloatArrays::set_table(SoftFloats::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  const size_t width = ring_.storage(dtype).element_bytes;
  std::memcpy(table_plane(dtype, n, out) + static_cast<size_t>(i) * width, &id, sizeof id);
}

void SoftFloatArrays::no_tables(DType dtype, int64_t n, std::byte* out) const {
  const size_t bytes = 2 * ring_.storage(dtype).element_bytes * static_cast<size_t>(n);  // numbers, too
  if (bytes != 0) std::memset(table_plane(dtype, n, out), 0, bytes);
}

/// Nearly always there is no table: that is seen in one sweep over the plane.
std::vector<SoftFloats::Id> SoftFloatArrays::tables(DType dtype, int64_t n, const std::byte* x) const {
  return ids_in(table_plane(dtype, n, const_cast<std::byte*>(x)), n, ring_.storage(dtype).element_bytes);
}

std::vector<uint32_t> SoftFloatArrays::ids_in(const std::byte* plane, int64_t n, size_t width) {
  const size_t bytes = width * static_cast<size_t>(n);
  const bool none = bytes == 0 || (plane[0] == std::byte{0} && std::memcmp(plane, plane + 1, bytes - 1) == 0);
  std::vector<uint32_t> result(none ? 0 : static_cast<size_t>(n));
  for (size_t i = 0; i < result.size(); ++i) std::memcpy(&result[i], plane + i * width, sizeof result[i]);
  return result;
}

/// Of a table over this that goes through + - x and selects.
size_t SoftFloatArrays::most_parts(Partition partition) const {
  return integers_.variables(partition).size() == 1 ? options_.most_entries : SoftIntegers::kMostEntries;
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

/// Keeps `elements`, one per part, as element i of n, where they have a mean.
void SoftFloatArrays::keep(std::vector<std::byte> elements, Partition partition, DType dtype, int64_t n, int64_t i,
                           std::byte* out) const {
  const auto parts = static_cast<int64_t>(elements.size() / floats_.element_bytes(dtype));
  set_table(floats_.keep(SoftFloat{partition, std::move(elements), parts}, dtype, n, i, out), dtype, n, i, out);
}

/// With the planes of tables and numbers.
std::vector<std::byte> SoftFloatArrays::copy_of(DType dtype, int64_t n, const std::byte* x) const {
  const Storage storage = ring_.storage(dtype);
  return {x, x + storage.element_bytes * (storage.planes + 2) * static_cast<size_t>(n)};
}

/// f(n, x, out) on elements, and on the tables of at most `most` parts.
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

/// The same of two operands, whose tables become joint ones.
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

/// The numbers of a word as a table, where that is small.
void SoftFloatArrays::put_float(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  put_mean(word, dtype, n, i, out);
  set_table(0, dtype, n, i, out);
  set_number(numbers_.of_integer(word), dtype, n, i, out);
  if (!options_.tabled || integers_.is_known(word) || integers_.is_opaque_integer(word)) return;
  const std::optional<Partition> partition = integers_.partition_of(word);
  if (!partition || integers_.parts(*partition) > most_parts(*partition)) return;
  const std::vector<int64_t> numbers = integers_.numbers(word, *partition);
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * numbers.size());
  ring_.from_integers(dtype, std::ssize(numbers), numbers.data(), elements.data());
  keep(std::move(elements), *partition, dtype, n, i, out);
}

}  // namespace isoshard::sim
