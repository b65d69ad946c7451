// Arrays of floats of which some are in known cells (SoftCells): inputs have a table with one entry per cell from the
// start, and where the entries of both operands of a comparison have places it is decided entry by entry.
#include "sim/domains/soft/soft_cell_arrays.h"

#include <utility>

#include "core/support/rational_gmp.h"

namespace isoshard::sim {

/// Each input is itself between the constants, and one of them at it.
void SoftCellArrays::put_cells(int64_t n, std::byte* inputs) const {
  const auto cells = static_cast<int64_t>(cells_.cells());
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t variable = cells_.variable_of(arrays_.element_of(n, inputs, i));
    std::vector<std::byte> table(arrays_.floats().element_bytes(DType::f32) * cells_.cells());
    for (int64_t cell = 0; cell < cells; ++cell) {
      if (cell % 2 == 0) {
        arrays_.floats().move(DType::f32, n, inputs, i, cells, cell, table.data());
        continue;
      }
      std::vector<std::byte> constant(arrays_.floats().element_bytes(DType::f32));
      arrays_.ring().constant(from_mpq(cells_.constants()[static_cast<size_t>(cell / 2)]), DType::f32, constant.data());
      arrays_.floats().move(DType::f32, 1, constant.data(), 0, cells, cell, table.data());
    }
    arrays_.keep(std::move(table), arrays_.integers().partition_of_variable(variable), DType::f32, n, i, inputs);
  }
}

/// The table of an element, which a constant has, too; nothing where it has none that is small.
std::optional<SoftFloat> SoftCellArrays::in_cells(const FloatAt& x) const {
  if (const SoftFloats::Id id = arrays_.table_of(x.dtype, x.n, x.x, x.i); id != 0) {
    const SoftFloat& table = arrays_.floats().at(id);
    return static_cast<size_t>(table.parts) <= arrays_.integers().limits().everywhere ? std::optional(table)
                                                                                      : std::nullopt;
  }
  SoftFloat single{SoftPartitions::kWhole, arrays_.floats().element(x.dtype, x.n, x.x, x.i), 1};
  return arrays_.number_id(x.dtype, x.n, x.x, x.i) != 0 ? std::optional(std::move(single)) : std::nullopt;
}

/// In which cell the table's entry is, where it is an input, its opposite or a constant that cuts.
std::optional<size_t> SoftCellArrays::place_of(const PlacedTable& x, int64_t entry) const {
  const std::vector<uint64_t> element = arrays_.element_of(x.table.parts, x.table.elements.data(), entry);
  for (size_t c = 0; c < cells_.constants().size(); ++c) {
    std::vector<std::byte> constant(arrays_.floats().element_bytes(x.dtype));
    arrays_.ring().constant(from_mpq(cells_.constants()[c]), x.dtype, constant.data());
    if (element == arrays_.element_of(1, constant.data(), 0)) return 2 * c + 1;
  }
  for (size_t v = 0; v < x.variables.size(); ++v) {
    const auto cell = static_cast<size_t>(x.entry_of[v][static_cast<size_t>(entry)]);
    if (const auto place = cells_.place(element, x.variables[v], cell)) return place;
  }
  return std::nullopt;
}

/// Empty where the order is not known at some entry: two elements between the same constants may be in any.
std::vector<int> SoftCellArrays::orders(const PlacedTable& x, const PlacedTable& y) const {
  std::vector<int> result;
  for (int64_t e = 0; e < x.table.parts; ++e) {
    const std::optional<size_t> a = place_of(x, e), b = place_of(y, e);
    if (!a || !b) return {};
    const bool same = *a % 2 == 1 || arrays_.element_of(x.table.parts, x.table.elements.data(), e) ==
                                         arrays_.element_of(y.table.parts, y.table.elements.data(), e);
    if (*a == *b && !same) return {};
    result.push_back(*a < *b ? -1 : *a > *b ? 1 : 0);
  }
  return result;
}

/// Both as tables over the same variables; nothing where their order is not known.
std::optional<SoftCellArrays::PlacedPair> SoftCellArrays::placed(const FloatAt& x, const FloatAt& y) const {
  const std::optional<SoftFloat> a = in_cells(x), b = in_cells(y);
  if (!a || !b || (a->parts == 1 && b->parts == 1)) return std::nullopt;
  std::optional<SoftIntegers::Partition> over = arrays_.integers().joint(a->partition, b->partition);
  const SoftTables::Variables variables = over ? arrays_.integers().variables(*over) : SoftTables::Variables();
  for (const uint32_t variable : variables) {  // what is the same in two cells is placed in each of them
    if (over) over = arrays_.integers().joint(*over, arrays_.integers().partition_of_variable(variable));
  }
  if (!over) return std::nullopt;
  std::vector<std::vector<uint32_t>> entry_of;
  for (const uint32_t variable : variables) {
    entry_of.push_back(arrays_.integers().places(arrays_.integers().partition_of_variable(variable), *over));
  }
  const auto spread_out = [&](const SoftFloat& table) {
    return PlacedTable{{*over, arrays_.floats().spread(&table, {}, *over, x.dtype), std::ssize(entry_of[0])},
                       variables,
                       entry_of,
                       x.dtype};
  };
  PlacedPair pair{spread_out(*a), spread_out(*b), {}};
  pair.orders = orders(pair.x, pair.y);
  return pair.orders.empty() ? std::nullopt : std::optional(std::move(pair));
}

void SoftCellArrays::take_extremes(Extreme op, const SoftPair& pair, std::byte* out) const {
  const int worse = op == Extreme::maximum ? -1 : 1;
  for (int64_t i = 0; i < pair.n; ++i) {
    std::optional<PlacedPair> both = placed({pair.dtype, pair.n, i, pair.x}, {pair.dtype, pair.n, i, pair.y});
    if (!both) continue;
    SoftFloat& result = both->x.table;
    for (int64_t e = 0; e < result.parts; ++e) {
      if (both->orders[static_cast<size_t>(e)] != worse) continue;
      arrays_.floats().move(pair.dtype, result.parts, both->y.table.elements.data(), e, result.parts, e,
                            result.elements.data());
    }
    arrays_.keep(std::move(result.elements), result.partition, pair.dtype, pair.n, i, out);
  }
}

void SoftCellArrays::take_signs(SignOp op, const SoftPair& of, std::byte* out) const {
  std::vector<std::byte> zero(arrays_.floats().element_bytes(of.dtype) +
                              2 * arrays_.ring().storage(of.dtype).element_bytes);
  arrays_.put_constant(Rational(0), of.dtype, zero.data());
  for (int64_t i = 0; i < of.n; ++i) {
    std::optional<PlacedPair> both = placed({of.dtype, of.n, i, of.x}, {of.dtype, 1, 0, zero.data()});
    if (!both) continue;
    const SoftFloat& table = both->x.table;
    const std::vector<int64_t> signs(both->orders.begin(), both->orders.end());
    std::vector<std::byte> elements(table.elements.size());
    arrays_.ring().from_integers(of.dtype, table.parts, signs.data(), elements.data());
    if (op == SignOp::abs) {
      arrays_.ring().binary(BinaryOp::multiply, of.dtype, table.parts, elements.data(), table.elements.data(),
                            elements.data());
    }
    arrays_.keep(std::move(elements), table.partition, of.dtype, of.n, i, out);
  }
}

void SoftCellArrays::compare(Direction direction, const SoftPair& pair, SoftIntegers::Word* out) const {
  for (int64_t i = 0; i < pair.n; ++i) {
    const std::optional<PlacedPair> both = placed({pair.dtype, pair.n, i, pair.x}, {pair.dtype, pair.n, i, pair.y});
    if (!both) continue;
    std::vector<int64_t> holds;
    for (const int order : both->orders) holds.push_back(holds_at(direction, order) ? 1 : 0);
    out[i] = arrays_.integers().table(both->x.table.partition, std::move(holds)).value_or(out[i]);
  }
}

}  // namespace isoshard::sim
