// The degree rules of ops that move entries: transposes, slices, joins, gathers, loops' slices. None of them changes a
// degree. What has to be kept is along which dimensions entries and denominators differ, since a sum over a dimension
// along which a denominator is the same costs no degree, and which denominators stand side by side
// (degree_operands.cc). Ops whose data is chosen by an index that stands for all its values count as a weighted sum of
// all rows. Constant time per instruction. (docs/spec/error_bound.md, "Degrees")
#include "verify/bounds/degree_movement.h"

#include <cstdint>
#include <vector>

#include "verify/bounds/degree_algebra.h"

namespace isoshard::verify {

Degree DegreeMovement::operator()(const BroadcastInDim& op) {
  Degree d = moved();
  d.dims = move_bits(d.dims, op.dims);
  d.denominator_dims = move_bits(d.denominator_dims, op.dims);
  return d;
}

Degree DegreeMovement::operator()(const Reshape&) {
  Degree d = moved();
  const uint64_t all = all_dims(shape(instruction_.results[0]));
  d.dims = d.dims != 0 ? all : 0;
  d.denominator_dims = d.denominator_dims != 0 ? all : 0;
  return d;
}

Degree DegreeMovement::operator()(const Transpose& op) {
  std::vector<int64_t> where(op.permutation.size());
  for (size_t d = 0; d < where.size(); ++d) where[static_cast<size_t>(op.permutation[d])] = static_cast<int64_t>(d);
  Degree d = moved();
  d.dims = move_bits(d.dims, where);
  d.denominator_dims = move_bits(d.denominator_dims, where);
  return d;
}

Degree DegreeMovement::operator()(const Slice&) { return moved(); }

Degree DegreeMovement::operator()(const Reverse&) { return moved(); }

Degree DegreeMovement::operator()(const Iota&) { return Degree{}; }

Degree DegreeMovement::operator()(const Concatenate& op) {
  return varying_along(joined(0, instruction_.operands.size()), op.dim);
}

Degree DegreeMovement::operator()(const Pad&) { return varying_everywhere(joined(0, 2)); }

Degree DegreeMovement::operator()(const DynamicSlice&) {
  Degree d = moved();
  for (size_t n = 1; n < instruction_.operands.size(); ++n) {
    d = mixed(d, operand(n), static_cast<double>(shape(instruction_.operands[0])[n - 1]));
  }
  return d;
}

Degree DegreeMovement::operator()(const DynamicUpdateSlice&) {
  Degree d = joined(0, 2);
  const Shape &whole = shape(instruction_.operands[0]), &block = shape(instruction_.operands[1]);
  for (size_t i = 0; i < whole.size(); ++i) {
    if (block[i] != whole[i]) d = varying_along(d, static_cast<int64_t>(i));
    d = mixed(d, operand(i + 2), static_cast<double>(whole[i]));
  }
  return d;
}

Degree DegreeMovement::operator()(const Gather& op) {
  const auto rows = static_cast<double>(shape(instruction_.operands[0])[static_cast<size_t>(op.dim)]);
  return mixed(picked(moved(), op.dim, op.batch), operand(1), rows);
}

Degree DegreeMovement::operator()(const ScatterAdd& op) {
  const Shape& ids = shape(instruction_.operands[1]);
  const double terms = static_cast<double>(element_count(Shape(ids.begin() + op.batch, ids.end())));
  const Degree updates = weighted(operand(2), operand(1));
  Degree d = terms == 0 ? operand(0) : add(operand(0), sum_terms(updates, terms, terms));
  d.denominator_id = moved_id(d.denominator_id);
  return varying_everywhere(d);
}

}  // namespace isoshard::verify
