// Arrays of floats of which some have tables. The planes of an element with a table hold its mean, so that an op that
// knows no tables is right without them; a plane says which table it is, 0 for none, and the last one which number
// (soft_number_arrays.cc).
#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/domains/reduce_offsets.h"
#include "sim/domains/soft/soft_domain.h"

namespace isoshard::sim {
namespace {

bool is_ring_op(BinaryOp op) { return op == BinaryOp::add || op == BinaryOp::subtract || op == BinaryOp::multiply; }

}  // namespace

/// The plane behind those of the ring.
std::byte* SoftDomain::table_plane(DType dtype, int64_t n, std::byte* x) const {
  return x + ring_->storage(dtype).element_bytes * ring_->storage(dtype).planes * static_cast<size_t>(n);
}

SoftFloats::Id SoftDomain::table_of(DType dtype, int64_t n, const std::byte* x, int64_t i) const {
  SoftFloats::Id id = 0;
  const size_t width = ring_->storage(dtype).element_bytes;
  std::memcpy(&id, table_plane(dtype, n, const_cast<std::byte*>(x)) + static_cast<size_t>(i) * width, sizeof id);
  return id;
}

void SoftDomain::set_table(SoftFloats::Id id, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  const size_t width = ring_->storage(dtype).element_bytes;
  std::memcpy(table_plane(dtype, n, out) + static_cast<size_t>(i) * width, &id, sizeof id);
}

void SoftDomain::no_tables(DType dtype, int64_t n, std::byte* out) const {
  const size_t bytes = 2 * ring_->storage(dtype).element_bytes * static_cast<size_t>(n);  // numbers, too
  if (bytes != 0) std::memset(table_plane(dtype, n, out), 0, bytes);
}

/// Nearly always there is no table: that is seen in one sweep over the plane.
std::vector<SoftFloats::Id> SoftDomain::tables(DType dtype, int64_t n, const std::byte* x) const {
  return ids_in(table_plane(dtype, n, const_cast<std::byte*>(x)), n, ring_->storage(dtype).element_bytes);
}

std::vector<uint32_t> SoftDomain::ids_in(const std::byte* plane, int64_t n, size_t width) {
  const size_t bytes = width * static_cast<size_t>(n);
  const bool none = bytes == 0 || (plane[0] == std::byte{0} && std::memcmp(plane, plane + 1, bytes - 1) == 0);
  std::vector<uint32_t> result(none ? 0 : static_cast<size_t>(n));
  for (size_t i = 0; i < result.size(); ++i) std::memcpy(&result[i], plane + i * width, sizeof result[i]);
  return result;
}

/// Of a table over these that goes through + - x and selects.
size_t SoftDomain::most_entries(const SoftTables::Variables& variables) const {
  return variables.size() == 1 ? options_.most_entries : SoftIntegers::kMostEntries;
}

SoftTables::Variables SoftDomain::variables_of(std::span<const SoftFloats::Id> ids) const {
  SoftTables::Variables result;
  for (const SoftFloats::Id id : ids) {
    if (id != 0) result = SoftTables::united(result, floats_.at(id).variables);
  }
  return result;
}

std::vector<std::byte> SoftDomain::spread(SoftFloats::Id id, DType dtype, int64_t n, const std::byte* x, int64_t i,
                                          const SoftTables::Variables& variables) const {
  if (id != 0) return floats_.spread(&floats_.at(id), {}, variables, dtype);
  return floats_.spread(nullptr, floats_.element(dtype, n, x, i), variables, dtype);
}

/// Keeps `elements`, over the entries of `variables`, as element i of n, where they have a mean.
void SoftDomain::keep(std::vector<std::byte> elements, const SoftTables::Variables& variables, DType dtype, int64_t n,
                      int64_t i, std::byte* out) const {
  const auto entries = static_cast<int64_t>(elements.size() / floats_.element_bytes(dtype));
  set_table(floats_.keep(SoftFloat{variables, std::move(elements), entries}, dtype, n, i, out), dtype, n, i, out);
}

/// f(n, x, out) on elements, and on the tables of at most `most` entries.
template <class Function>
void SoftDomain::on_tables(DType dtype, int64_t n, const std::byte* x, std::byte* out, size_t most,
                           const Function& f) const {
  const std::vector<SoftFloats::Id> ids = tables(dtype, n, x);  // before out, which may be x, is written
  f(n, x, out);
  no_tables(dtype, n, out);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == 0) continue;
    const SoftFloat& table = floats_.at(ids[i]);
    if (static_cast<size_t>(table.entries) > most) continue;
    std::vector<std::byte> elements(table.elements.size());
    f(table.entries, table.elements.data(), elements.data());
    keep(std::move(elements), table.variables, dtype, n, static_cast<int64_t>(i), out);
  }
}

/// The same of two operands, whose tables become joint ones.
template <class Function>
void SoftDomain::on_joint_tables(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out,
                                 size_t most, const Function& f) const {
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
    const SoftTables::Variables variables = variables_of(ids);
    const size_t limit = std::min(most, most_entries(variables)), entries = integers_.entries(variables, limit);
    if (entries > limit) continue;
    std::vector<std::byte> elements = spread(ids[0], dtype, n, left.data(), i, variables);
    const std::vector<std::byte> other = spread(ids[1], dtype, n, right.data(), i, variables);
    f(static_cast<int64_t>(entries), elements.data(), other.data(), elements.data());
    keep(std::move(elements), variables, dtype, n, i, out);
  }
}

void SoftDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const size_t most = op == UnaryOp::negate ? SoftIntegers::kMostCounts : SoftFloats::kMostEverywhere;
  const KnownFloats known = known_floats(dtype, n, x);
  const std::vector<std::byte> argument = options_.ordered ? copy_of(dtype, n, x) : std::vector<std::byte>();
  on_tables(dtype, n, x, out, most,
            [&](int64_t count, const std::byte* from, std::byte* to) { ring_->unary(op, dtype, count, from, to); });
  take_numbers(op, known, out);
  if (options_.ordered && op == UnaryOp::exponential) note_exponentials(dtype, n, argument.data(), out);
}

void SoftDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<std::byte> from = options_.cases ? copy_of(dtype, n, x) : std::vector<std::byte>();
  const KnownFloats known = known_floats(dtype, n, x);
  on_tables(dtype, n, x, out, SoftFloats::kMostEverywhere,
            [&](int64_t count, const std::byte* a, std::byte* to) { ring_->sign(op, dtype, count, a, to); });
  if (options_.cases && op == SignOp::abs) {
    std::vector<std::byte> opposite(from.size());
    unary(UnaryOp::negate, dtype, n, from.data(), opposite.data());
    choose_by_cases({dtype, n, from.data(), opposite.data(), Extreme::maximum}, out);
  }
  if (cells_.cut()) signs_in_cells(op, {dtype, n, from.data(), nullptr, Extreme::maximum}, out);
  take_numbers(op, known, out);
}

void SoftDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                        std::byte* out) const {
  const size_t most = is_ring_op(op) ? SoftIntegers::kMostCounts : SoftFloats::kMostEverywhere;
  const KnownFloats left = known_floats(dtype, n, x), right = known_floats(dtype, n, y);
  const bool ordered = options_.ordered && op == BinaryOp::divide;
  const std::vector<std::byte> dividend = ordered ? copy_of(dtype, n, x) : std::vector<std::byte>();
  const std::vector<std::byte> divisor = ordered ? copy_of(dtype, n, y) : std::vector<std::byte>();
  on_joint_tables(dtype, n, x, y, out, most, [&](int64_t count, const std::byte* a, const std::byte* b, std::byte* to) {
    ring_->binary(op, dtype, count, a, b, to);
  });
  take_numbers(op, left, right, out);
  if (ordered) note_quotients(n, dividend.data(), divisor.data(), out);
}

void SoftDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  const std::vector<std::byte> left = options_.cases ? copy_of(dtype, n, x) : std::vector<std::byte>();
  const std::vector<std::byte> right = options_.cases ? copy_of(dtype, n, y) : std::vector<std::byte>();
  const KnownFloats known_left = known_floats(dtype, n, x), known_right = known_floats(dtype, n, y);
  on_joint_tables(dtype, n, x, y, out, SoftFloats::kMostEverywhere,
                  [&](int64_t count, const std::byte* a, const std::byte* b, std::byte* to) {
                    ring_->extreme(op, dtype, count, a, b, to);
                  });
  if (options_.cases) choose_by_cases({dtype, n, left.data(), right.data(), op}, out);
  if (cells_.cut()) extremes_in_cells(op, {dtype, n, left.data(), right.data(), op}, out);
  take_numbers(op, known_left, known_right, out);
}

/// With the planes of tables and numbers.
std::vector<std::byte> SoftDomain::copy_of(DType dtype, int64_t n, const std::byte* x) const {
  const Storage storage = ring_->storage(dtype);
  return {x, x + storage.element_bytes * (storage.planes + 2) * static_cast<size_t>(n)};
}

void SoftDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  binary(BinaryOp::add, dtype, n, acc, x, acc);
}

void SoftDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  const std::vector<SoftFloats::Id> ids = tables(from, n, x);
  const std::vector<SoftNumbers::Id> known = numbers(from, n, x);
  ring_->convert(from, to, n, x, out);
  no_tables(to, n, out);
  for (size_t i = 0; i < ids.size(); ++i) set_table(ids[i], to, n, static_cast<int64_t>(i), out);
  for (size_t i = 0; i < known.size(); ++i) set_number(known[i], to, n, static_cast<int64_t>(i), out);
}

/// Rows of a, or columns of b, whose elements have small tables over the same few variables.
void SoftDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                     std::byte* out) const {
  ring_->dot(dtype, m, n, k, a, b, out);
  no_tables(dtype, m * n, out);
  const std::vector<SoftFloats::Id> left = tables(dtype, m * k, a), right = tables(dtype, k * n, b);
  if (!left.empty() && !right.empty()) return correct_products(dtype, {m, n, k}, left, right, a, b, out);
  if (left.empty() && right.empty()) return;
  const bool rows = !left.empty();
  const std::vector<SoftFloats::Id>& ids = rows ? left : right;
  const std::byte* soft = rows ? a : b;
  const int64_t lines = rows ? m : n;
  for (int64_t line = 0; line < lines; ++line) {
    const auto at = [&](int64_t t) { return rows ? line * k + t : t * n + line; };
    std::vector<SoftFloats::Id> of_line;
    for (int64_t t = 0; t < k; ++t) of_line.push_back(ids[static_cast<size_t>(at(t))]);
    const SoftTables::Variables variables = variables_of(of_line);
    const size_t entries = integers_.entries(variables, SoftIntegers::kMostEntries);
    const int64_t others = rows ? n : m;
    const bool cheap = entries <= SoftFloats::kMostEverywhere ||
                       static_cast<int64_t>(entries) * k * others <= SoftFloats::kMostProducts;
    if (variables.empty() || entries > SoftIntegers::kMostEntries || !cheap) continue;
    const auto count = static_cast<int64_t>(entries);
    std::vector<std::byte> matrix(floats_.element_bytes(dtype) * entries * static_cast<size_t>(k));
    for (int64_t t = 0; t < k; ++t) {
      const std::vector<std::byte> column =
          spread(of_line[static_cast<size_t>(t)], dtype, static_cast<int64_t>(ids.size()), soft, at(t), variables);
      for (int64_t e = 0; e < count; ++e) {
        floats_.move(dtype, count, column.data(), e, count * k, rows ? e * k + t : t * count + e, matrix.data());
      }
    }
    std::vector<std::byte> result(floats_.element_bytes(dtype) * entries * static_cast<size_t>(others));
    if (rows) {
      ring_->dot(dtype, count, n, k, matrix.data(), b, result.data());
    } else {
      ring_->dot(dtype, m, count, k, a, matrix.data(), result.data());
    }
    for (int64_t j = 0; j < others; ++j) {
      std::vector<std::byte> elements(floats_.element_bytes(dtype) * entries);
      for (int64_t e = 0; e < count; ++e) {
        floats_.move(dtype, count * others, result.data(), rows ? e * others + j : j * count + e, count, e,
                     elements.data());
      }
      keep(std::move(elements), variables, dtype, m * n, rows ? line * n + j : j * n + line, out);
    }
  }
}

/// The mean of a product of two tables over the same variables is not the product of their means.
void SoftDomain::correct_products(DType dtype, const DotSizes& sizes, const std::vector<SoftFloats::Id>& left,
                                  const std::vector<SoftFloats::Id>& right, const std::byte* a, const std::byte* b,
                                  std::byte* out) const {
  const auto [m, n, k] = sizes;
  if (m * n * k > SoftFloats::kMostTerms) return;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      std::vector<std::byte> total = floats_.element(dtype, m * n, out, i * n + j);
      for (int64_t t = 0; t < k; ++t) {
        const SoftFloats::Id ids[] = {left[static_cast<size_t>(i * k + t)], right[static_cast<size_t>(t * n + j)]};
        if (ids[0] == 0 || ids[1] == 0) continue;
        const SoftTables::Variables variables = variables_of(ids);
        const size_t own = floats_.at(ids[0]).variables.size() + floats_.at(ids[1]).variables.size();
        const size_t entries = integers_.entries(variables, SoftIntegers::kMostEntries);
        if (variables.size() == own || entries > SoftIntegers::kMostEntries) continue;  // independent: right as it is
        SoftFloat product{variables, spread(ids[0], dtype, m * k, a, i * k + t, variables),
                          static_cast<int64_t>(entries)};
        const std::vector<std::byte> other = spread(ids[1], dtype, k * n, b, t * n + j, variables);
        ring_->binary(BinaryOp::multiply, dtype, product.entries, product.elements.data(), other.data(),
                      product.elements.data());
        const std::optional<std::vector<std::byte>> mean = floats_.mean(product, dtype);
        if (!mean) continue;
        std::vector<std::byte> means = floats_.element(dtype, m * k, a, i * k + t);
        const std::vector<std::byte> second = floats_.element(dtype, k * n, b, t * n + j);
        ring_->binary(BinaryOp::multiply, dtype, 1, means.data(), second.data(), means.data());
        ring_->binary(BinaryOp::subtract, dtype, 1, mean->data(), means.data(), means.data());
        ring_->accumulate(dtype, 1, total.data(), means.data());
      }
      floats_.move(dtype, 1, total.data(), 0, m * n, i * n + j, out);
    }
  }
}

void SoftDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  ring_->sum(dtype, plan, x, out);
  no_tables(dtype, plan.output_size(), out);
  if (options_.ordered) note_sums(plan, x, out);
  const std::vector<SoftFloats::Id> ids = tables(dtype, plan.input_size(), x);
  if (ids.empty()) return;
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (int64_t i = 0; i < plan.output_size(); ++i) {
    std::vector<SoftFloats::Id> terms;
    for (const int64_t j : reduced) terms.push_back(ids[static_cast<size_t>(kept[static_cast<size_t>(i)] + j)]);
    const SoftTables::Variables variables = variables_of(terms);
    const size_t entries = integers_.entries(variables, SoftFloats::kMostEverywhere);
    if (variables.empty() || entries > SoftFloats::kMostEverywhere) continue;
    std::vector<std::byte> total;
    for (size_t j = 0; j < terms.size(); ++j) {
      std::vector<std::byte> term =
          spread(terms[j], dtype, plan.input_size(), x, kept[static_cast<size_t>(i)] + reduced[j], variables);
      if (total.empty()) {
        total = std::move(term);
      } else {
        ring_->accumulate(dtype, static_cast<int64_t>(entries), total.data(), term.data());
      }
    }
    keep(std::move(total), variables, dtype, plan.output_size(), i, out);
  }
}

/// Where a predicate is soft: entry by entry of the joint table, otherwise y + weight (x - y).
void SoftDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                        std::byte* out) const {
  if (dtype == DType::pred) return integer_select(DType::i64, n, predicate, x, y, out);
  std::vector<std::byte> weights(ring_->storage(DType::pred).element_bytes * ring_->storage(DType::pred).planes *
                                 static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) put_mean(words(predicate)[i], dtype, n, i, weights.data());
  const std::vector<SoftFloats::Id> a = tables(dtype, n, x), b = tables(dtype, n, y);
  const std::vector<SoftNumbers::Id> of_x = numbers(dtype, n, x), of_y = numbers(dtype, n, y);
  const size_t bytes = floats_.element_bytes(dtype) * static_cast<size_t>(n);
  const std::vector<std::byte> left(x, x + bytes), right(y, y + bytes);  // out may be an operand
  ring_->select(dtype, n, weights.data(), left.data(), right.data(), out);
  no_tables(dtype, n, out);
  for (int64_t i = 0; i < n; ++i) {
    const Word word = words(predicate)[i];
    const SoftNumbers::Id known[] = {of_x.empty() ? 0 : of_x[static_cast<size_t>(i)],
                                     of_y.empty() ? 0 : of_y[static_cast<size_t>(i)]};
    const SoftNumbers::Id number = numbers_.choose(word, known[0], known[1]);
    const SoftFloats::Id ids[] = {a.empty() ? 0 : a[static_cast<size_t>(i)], b.empty() ? 0 : b[static_cast<size_t>(i)]};
    if (integers_.is_known(word)) {
      set_table(ids[integers_.value(word) != 0 ? 0 : 1], dtype, n, i, out);
      set_number(number, dtype, n, i, out);
      continue;
    }
    set_number(number, dtype, n, i, out);
    const bool varies = number != 0 && !(numbers_.variables(known[0]).empty() && numbers_.variables(known[1]).empty());
    if (varies && put_number(number, dtype, n, i, out)) continue;  // of two constants the ring's own is the mean, too
    if (!options_.tabled || integers_.is_opaque_integer(word)) continue;
    const SoftTables::Variables variables = SoftTables::united(variables_of(ids), integers_.variables_of(word));
    const size_t limit = most_entries(variables), entries = integers_.entries(variables, limit);
    if (entries > limit) continue;
    std::vector<std::byte> elements = spread(ids[0], dtype, n, left.data(), i, variables);
    const std::vector<std::byte> other = spread(ids[1], dtype, n, right.data(), i, variables);
    const std::vector<int64_t> holds = integers_.dense(word, variables);
    for (size_t e = 0; e < entries; ++e) {
      if (holds[e] != 0) continue;
      const auto at = static_cast<int64_t>(e), count = static_cast<int64_t>(entries);
      floats_.move(dtype, count, other.data(), at, count, at, elements.data());
    }
    keep(std::move(elements), variables, dtype, n, i, out);
  }
}

/// The numbers of a word as a table, where that is small.
void SoftDomain::put_float(Word word, DType dtype, int64_t n, int64_t i, std::byte* out) const {
  put_mean(word, dtype, n, i, out);
  set_table(0, dtype, n, i, out);
  set_number(numbers_.of_integer(word), dtype, n, i, out);
  if (!options_.tabled || integers_.is_known(word) || integers_.is_opaque_integer(word)) return;
  const SoftTables::Variables variables = integers_.variables_of(word);
  if (const size_t limit = most_entries(variables); integers_.entries(variables, limit) > limit) return;
  const std::vector<int64_t> numbers = integers_.dense(word, variables);
  std::vector<std::byte> elements(floats_.element_bytes(dtype) * numbers.size());
  ring_->from_integers(dtype, std::ssize(numbers), numbers.data(), elements.data());
  keep(std::move(elements), variables, dtype, n, i, out);
}

}  // namespace isoshard::sim
