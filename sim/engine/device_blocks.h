#pragma once

#include "sim/engine/run_context.h"
#include "sim/engine/stored_block.h"

namespace isoshard::sim {

/// The block of its global that a device reads. Padding differs per device, load and iteration.
Value load_block(const RunContext& context, const LoadBlock& op, PlanValueId result, const Whereabouts& at);

/// The part of an output that a device stores, without padding.
StoredBlock stored_block(const Plan& plan, const StoreBlock& op, const Value& value, const Whereabouts& at);

/// `x` as block `block` of several, zeros elsewhere.
Value put_block(const Value& x, const PutBlock& put, int64_t block, const Domain& domain);

/// Row `row` of `count` along dimension 0, of shape `shape`: not copied while `whole` lives, a copy of it alone where
/// that is about to be let go or has several planes.
Value row_of(const Value& whole, int64_t row, int64_t count, const Shape& shape, bool last);

}  // namespace isoshard::sim
