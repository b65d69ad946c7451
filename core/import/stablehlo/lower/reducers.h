#pragma once  // internal

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// Which reducer a region of two scalars is: one op of both and a return of it; none where it is another.
Reducer reducer_of(const Region& region);
/// The same of the name of an op, `stablehlo.add`; of predicates `add` is no sum but unsupported.
Reducer reducer_of_name(std::string_view name);
/// What a reduction begins with so that it changes nothing.
Rational neutral_of(Reducer op, DType dtype);
/// Whether a region of four scalars, (value, index) and (value, index), gives the larger value and its index, of equal
/// ones the smaller index: argmax of JAX. It is tried on all orders of values, nan among them, and indices.
bool is_argmax(const Region& region);
/// Whether the comparator of a sort of one array, tried on numbers below, equal to and above each other, puts the
/// lesser first; nothing where it is neither less nor greater.
std::optional<bool> is_ascending(const Region& comparator);

}  // namespace isoshard::stablehlo
