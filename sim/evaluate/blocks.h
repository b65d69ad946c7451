#pragma once

#include <cstdint>
#include <span>

#include "sim/domains/domain.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {

/// Writes `part` into `whole` from index `begin` on; the part lies inside, dtypes and storage are equal.
void copy_into(const Value& part, std::span<const int64_t> begin, const NewValue& whole);

/// `x` at the beginning of a larger value of shape `shape`, the rest padding that no result may depend on: poison of
/// the domain; random bits for predicates.
Value with_padding(const Value& x, Shape shape, const Domain& domain, const PaddingOf& padding);

/// The elements from `begin` of a block of `shape`; those beyond the end of `whole` are padding. Shares the storage of
/// `whole` where the block lies in it in one piece.
Value read_block(const Value& whole, const Shape& begin, const Shape& shape, const Domain& domain,
                 const PaddingOf& padding);

}  // namespace isoshard::sim
