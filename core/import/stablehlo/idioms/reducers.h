#pragma once

#include "core/import/stablehlo/lower/lowering.h"

namespace isoshard::stablehlo {

/// Which reducer a region of two scalars is: one op of both and a return of it; none where it is another.
Reducer reducer_of(const Region& region);
/// The same of the name of an op, `stablehlo.add`; of predicates `add` is no sum but unsupported.
Reducer reducer_of_name(std::string_view name);
/// What a reduction begins with so that it changes nothing.
Rational neutral_of(Reducer op, DType dtype);
/// Of predicates a maximum is `or` and a minimum `and`.
Reducer reducer_for(Reducer op, DType dtype);
/// The op that a reducer is between two elements.
OpData elementwise_op(Reducer op);
/// `max` where a region of four scalars, (value, index) and (value, index), gives the larger value and its index, of
/// equal ones the smaller index, as argmax of JAX does; `min` where it gives the smaller value, as argmin does; none
/// where neither. It is tried on all orders of values, nan among them, and indices.
Reducer reducer_with_index(const Region& region);
/// Whether the comparator of a sort, tried on numbers of array `key` below, equal to and above each other, puts the
/// lesser first; nothing where it is neither less nor greater, or looks at another array.
std::optional<bool> is_ascending(const Region& comparator, size_t key);

}  // namespace isoshard::stablehlo
