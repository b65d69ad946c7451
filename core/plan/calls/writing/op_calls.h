#pragma once  // internal

#include "core/ir/all_ops.h"
#include "core/plan/calls/writing/call_writer.h"

/// The calls of each local op that more than the steps of a Map are to be said of; each file *_calls.cc holds a family.
namespace isoshard::calls {

// Elementwise: elementwise_calls.cc
/// Writes an op that is one step of a Map, or two; false where it is another one.
bool write_elementwise(const OpData& op, CallWriter& writer);
void write(const Constant& op, CallWriter& writer);
void write(const Convert& op, CallWriter& writer);

// Movement: movement_calls.cc
void write(const Iota& op, CallWriter& writer);
void write(const BroadcastInDim& op, CallWriter& writer);
void write(const Transpose& op, CallWriter& writer);
void write(const Slice& op, CallWriter& writer);
void write(const Concatenate& op, CallWriter& writer);
void write(const Pad& op, CallWriter& writer);
void write(const Reverse& op, CallWriter& writer);
void write(const BitcastConvert& op, CallWriter& writer);

// At indices: indexed_calls.cc
void write(const DynamicSlice& op, CallWriter& writer);
void write(const DynamicUpdateSlice& op, CallWriter& writer);
void write(const Gather& op, CallWriter& writer);
void write(const ScatterAdd& op, CallWriter& writer);
/// The scalars from operand `first` on as starts of a block of `block` in an array of `whole`.
Starts starts_of(const CallWriter& writer, size_t first, const Shape& whole, const Shape& block);
/// Whether so many starts fit a kernel; refuses otherwise.
bool starts_fit(const Shape& whole, const Shape& block, CallWriter& writer);

// Sums and order: sum_calls.cc
void write(const DotGeneral& op, CallWriter& writer);
void write(const Reduce& op, CallWriter& writer);
void write(const Cumsum& op, CallWriter& writer);
void write(const TopK& op, CallWriter& writer);

// Random numbers: random_calls.cc
void write(const RngFoldIn& op, CallWriter& writer);
void write(const RngSplit& op, CallWriter& writer);
void write(const RngBits& op, CallWriter& writer);

}  // namespace isoshard::calls
