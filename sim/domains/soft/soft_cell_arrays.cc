// Arrays of floats of which some are in known cells (SoftCells): inputs have a table with one entry per cell from the
// start, and where the entries of both operands of a comparison have places it is decided entry by entry.
#include <algorithm>
#include <array>
#include <utility>

#include "core/support/rational_gmp.h"
#include "sim/domains/soft/soft_domain.h"

namespace isoshard::sim {

void SoftDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  ring_->random(n, word, out);
  no_tables(DType::f32, n, out);  // all float dtypes are stored alike
  if (cells_.cut()) put_cells(n, out);
}

/// Each input is itself between the constants, and one of them at it.
void SoftDomain::put_cells(int64_t n, std::byte* inputs) const {
  const auto cells = static_cast<int64_t>(cells_.cells());
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t variable = cells_.variable_of(element_of(n, inputs, i));
    std::vector<std::byte> table(floats_.element_bytes(DType::f32) * cells_.cells());
    for (int64_t cell = 0; cell < cells; ++cell) {
      if (cell % 2 == 0) {
        floats_.move(DType::f32, n, inputs, i, cells, cell, table.data());
        continue;
      }
      std::vector<std::byte> constant(floats_.element_bytes(DType::f32));
      ring_->constant(from_mpq(cells_.constants()[static_cast<size_t>(cell / 2)]), DType::f32, constant.data());
      floats_.move(DType::f32, 1, constant.data(), 0, cells, cell, table.data());
    }
    keep(std::move(table), {variable}, DType::f32, n, i, inputs);
  }
}

/// The table of an element, which a constant has, too; nothing where it has none that is small.
std::optional<SoftFloat> SoftDomain::in_cells(const FloatAt& x) const {
  if (const SoftFloats::Id id = table_of(x.dtype, x.n, x.x, x.i); id != 0) {
    const SoftFloat& table = floats_.at(id);
    return static_cast<size_t>(table.entries) <= SoftFloats::kMostEverywhere ? std::optional(table) : std::nullopt;
  }
  SoftFloat single{{}, floats_.element(x.dtype, x.n, x.x, x.i), 1};
  return number_id(x.dtype, x.n, x.x, x.i) != 0 ? std::optional(std::move(single)) : std::nullopt;
}

/// In which cell the table's entry is, where it is an input, its opposite or a constant that cuts.
std::optional<size_t> SoftDomain::place_of(const PlacedTable& x, int64_t entry) const {
  const std::vector<uint64_t> element = element_of(x.table.entries, x.table.elements.data(), entry);
  for (size_t c = 0; c < cells_.constants().size(); ++c) {
    std::vector<std::byte> constant(floats_.element_bytes(x.dtype));
    ring_->constant(from_mpq(cells_.constants()[c]), x.dtype, constant.data());
    if (element == element_of(1, constant.data(), 0)) return 2 * c + 1;
  }
  for (size_t v = 0; v < x.table.variables.size(); ++v) {
    const auto cell = static_cast<size_t>(x.entry_of[v][static_cast<size_t>(entry)]);
    if (const auto place = cells_.place(element, x.table.variables[v], cell)) return place;
  }
  return std::nullopt;
}

/// Empty where the order is not known at some entry: two elements between the same constants may be in any.
std::vector<int> SoftDomain::orders(const PlacedTable& x, const PlacedTable& y) const {
  std::vector<int> result;
  for (int64_t e = 0; e < x.table.entries; ++e) {
    const std::optional<size_t> a = place_of(x, e), b = place_of(y, e);
    if (!a || !b) return {};
    const bool same = *a % 2 == 1 || element_of(x.table.entries, x.table.elements.data(), e) ==
                                         element_of(y.table.entries, y.table.elements.data(), e);
    if (*a == *b && !same) return {};
    result.push_back(*a < *b ? -1 : *a > *b ? 1 : 0);
  }
  return result;
}

/// Both as tables over the same variables; nothing where their order is not known.
std::optional<SoftDomain::PlacedPair> SoftDomain::placed(const FloatAt& x, const FloatAt& y) const {
  const std::optional<SoftFloat> a = in_cells(x), b = in_cells(y);
  if (!a || !b || (a->variables.empty() && b->variables.empty())) return std::nullopt;
  const SoftTables::Variables variables = SoftTables::united(a->variables, b->variables);
  const size_t entries = integers_.entries(variables, SoftIntegers::kMostEntries);
  if (entries > SoftIntegers::kMostEntries) return std::nullopt;
  std::vector<std::vector<int64_t>> entry_of;
  for (const uint32_t variable : variables) entry_of.push_back(integers_.places({variable}, variables));
  const auto spread_out = [&](const SoftFloat& table) {
    const SoftFloat* from = table.variables.empty() ? nullptr : &table;
    return PlacedTable{{variables, floats_.spread(from, table.elements, variables, x.dtype), std::ssize(entry_of[0])},
                       entry_of,
                       x.dtype};
  };
  PlacedPair pair{spread_out(*a), spread_out(*b), {}};
  pair.orders = orders(pair.x, pair.y);
  return pair.orders.empty() ? std::nullopt : std::optional(std::move(pair));
}

void SoftDomain::extremes_in_cells(Extreme op, const FloatPair& pair, std::byte* out) const {
  const int worse = op == Extreme::maximum ? -1 : 1;
  for (int64_t i = 0; i < pair.n; ++i) {
    std::optional<PlacedPair> both = placed({pair.dtype, pair.n, i, pair.x}, {pair.dtype, pair.n, i, pair.y});
    if (!both) continue;
    SoftFloat& result = both->x.table;
    for (int64_t e = 0; e < result.entries; ++e) {
      if (both->orders[static_cast<size_t>(e)] != worse) continue;
      floats_.move(pair.dtype, result.entries, both->y.table.elements.data(), e, result.entries, e,
                   result.elements.data());
    }
    keep(std::move(result.elements), result.variables, pair.dtype, pair.n, i, out);
  }
}

void SoftDomain::signs_in_cells(SignOp op, const FloatPair& of, std::byte* out) const {
  std::vector<std::byte> zero(floats_.element_bytes(of.dtype) + 2 * ring_->storage(of.dtype).element_bytes);
  constant(Rational(0), of.dtype, zero.data());
  for (int64_t i = 0; i < of.n; ++i) {
    std::optional<PlacedPair> both = placed({of.dtype, of.n, i, of.x}, {of.dtype, 1, 0, zero.data()});
    if (!both) continue;
    const SoftFloat& table = both->x.table;
    const std::vector<int64_t> signs(both->orders.begin(), both->orders.end());
    std::vector<std::byte> elements(table.elements.size());
    ring_->from_integers(of.dtype, table.entries, signs.data(), elements.data());
    if (op == SignOp::abs) {
      ring_->binary(BinaryOp::multiply, of.dtype, table.entries, elements.data(), table.elements.data(),
                    elements.data());
    }
    keep(std::move(elements), table.variables, of.dtype, of.n, i, out);
  }
}

void SoftDomain::compare_in_cells(Direction direction, const FloatPair& pair, std::byte* out) const {
  for (int64_t i = 0; i < pair.n; ++i) {
    const std::optional<PlacedPair> both = placed({pair.dtype, pair.n, i, pair.x}, {pair.dtype, pair.n, i, pair.y});
    if (!both) continue;
    std::vector<int64_t> holds;
    for (const int order : both->orders) holds.push_back(holds_at(direction, order) ? 1 : 0);
    words(out)[i] = integers_.table(both->x.table.variables, std::move(holds)).value_or(words(out)[i]);
  }
}

}  // namespace isoshard::sim
