#pragma once

#include "core/plan/plan.h"

namespace isoshard::text {

// The fields of the instructions that are no ops of programs, in the order in which they are written: one list for
// printing and reading. An Io takes `integer`, `expression`, `block` (an index of a count), `blocks` (one per
// dimension), `group` (that of the queue's communicator), `output` and `precision`, which may be left out.

template <class Io>
void visit_fields(Io& io, StoreBlock& op) {
  io.output(op.output);
  io.blocks("block", op.block, op.count);
}

template <class Io>
void visit_fields(Io& io, ScalarIndex& op) {
  io.expression("value", op.value);
}

template <class Io>
void visit_fields(Io& io, TakeBlock& op) {
  io.integer("dim", op.dim);
  io.block("block", op.block, op.count);
}

template <class Io>
void visit_fields(Io& io, PutBlock& op) {
  io.integer("dim", op.dim);
  io.block("block", op.block, op.count);
}

template <class Io>
void visit_fields(Io& io, KeepOn& op) {
  io.expression("index", op.index);
  io.integer("owner", op.owner);
}

template <class Io>
void visit_fields(Io& io, Collective& op) {
  io.group(op.communicator);
  if (op.kind == CollectiveKind::all_gather || op.kind == CollectiveKind::reduce_scatter) io.integer("dim", op.dim);
  if (op.kind == CollectiveKind::all_reduce || op.kind == CollectiveKind::reduce_scatter) io.precision(op.precision);
  if (op.kind != CollectiveKind::all_to_all) return;
  io.integer("split_dim", op.dim);
  io.integer("concat_dim", op.concat_dim);
}

template <class Io>
void visit_fields(Io& io, Permute& op) {
  io.group(op.communicator);
  io.expression("dst", op.target);
  io.expression("src", op.source);
}

template <class Io>
void visit_fields(Io& io, Send& op) {
  io.group(op.communicator);
  io.expression("dst", op.target);
}

template <class Io>
void visit_fields(Io& io, Recv& op) {
  io.group(op.communicator);
  io.expression("src", op.source);
}

}  // namespace isoshard::text
