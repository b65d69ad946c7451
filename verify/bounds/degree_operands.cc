// What moving entries of a tensor does to the degree of its entries. A moved entry has the degree that it had, but
// which denominators stand side by side is no longer known: so the id of the denominator becomes a function of the old
// id, of the instruction and of the iteration. What one instruction moves together stays together, and nothing else is
// taken for the same. Sets of dimensions along which entries differ are moved as the dimensions are. An index that
// depends on inputs makes a lookup a weighted sum of all rows. Constant time per instruction.
// (docs/spec/error_bound.md, "Degrees")
#include "verify/bounds/degree_operands.h"

#include "verify/bounds/degree_algebra.h"
#include "verify/compare/random.h"

namespace isoshard::verify {

Degree DegreeOperands::moved() const {
  Degree d = operand(0);
  d.denominator_id = moved_id(d.denominator_id);
  return d;
}

uint64_t DegreeOperands::moved_id(uint64_t id) const {
  return id == 0 ? 0 : mix(id ^ mix(id_.index() + 1) ^ context_.iteration);
}

Degree DegreeOperands::varying_along(Degree d, int64_t dim) {
  d.dims |= bit(static_cast<size_t>(dim));
  d.denominator_dims |= d.denominator > 0 ? bit(static_cast<size_t>(dim)) : 0;
  return d;
}

Degree DegreeOperands::varying_everywhere(Degree d) const {
  d.dims = all_dims(shape(instruction_.results[0]));
  d.denominator_dims = d.denominator > 0 ? d.dims : 0;
  return d;
}

Degree DegreeOperands::picked(Degree d, int64_t dim, int64_t batch) const {
  const auto indices = static_cast<int64_t>(shape(instruction_.operands[1]).size()) - batch;
  std::vector<int64_t> where;
  for (int64_t i = 0; i < std::ssize(shape(instruction_.operands[0])); ++i) {
    where.push_back(i < dim ? i : i == dim ? -1 : i - 1 + indices);
  }
  const auto moved = [&](uint64_t dims) {
    uint64_t result = move_bits(dims, where);
    if ((dims & bit(static_cast<size_t>(dim))) == 0) return result;
    for (int64_t i = 0; i < indices; ++i) result |= bit(static_cast<size_t>(dim + i));
    for (int64_t i = 0; i < batch; ++i) result |= bit(static_cast<size_t>(i));
    return result;
  };
  d.dims = moved(d.dims);
  d.denominator_dims = moved(d.denominator_dims);
  return d;
}

Degree DegreeOperands::joined(size_t first, size_t last) const {
  return side_by_side(std::span(instruction_.operands).subspan(first, last - first));
}

Degree DegreeOperands::weighted(Degree x, const Degree& integer) {
  x.numerator += integer.numerator;
  x.evaluations += integer.evaluations;
  x.dims |= integer.dims;
  return x;
}

Degree DegreeOperands::mixed(const Degree& x, const Degree& index, double rows) const {
  if (index.numerator == 0) return x;
  Degree d = sum_terms(weighted(x, index), rows, x.denominator > 0 ? rows : 1);
  d.denominator_id = moved_id(d.denominator_id);
  return varying_everywhere(d);
}

Degree DegreeOperands::from_all_ranks() const {
  std::vector<PlanValueId> values = context_.exchanges.brought_to(id_);
  if (values.empty()) return moved();
  if (!instruction_.operands.empty()) values.insert(values.begin(), instruction_.operands[0]);
  return side_by_side(values);
}

Degree DegreeOperands::side_by_side(std::span<const PlanValueId> values) const {
  Degree d = context_.values[values[0].index()];
  for (const PlanValueId id : values.subspan(1)) {
    const Degree& x = context_.values[id.index()];
    merge(d, x);
    d.denominator_id = product_id(d.denominator_id, x.denominator_id);
    d.dims |= x.dims;
    d.denominator_dims |= x.denominator_dims;
  }
  d.denominator_id = moved_id(d.denominator_id);
  return d;
}

}  // namespace isoshard::verify
