#pragma once

#include <variant>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// What every rank computes alike, where `i` is that; null where it is not.
inline const LocalOp* local_op(const Instruction& i) { return std::get_if<LocalOp>(&i.data()); }

/// Whether `op` is one of `Ops`.
template <class... Ops>
bool is_one_of(const OpData& op) {
  return (std::holds_alternative<Ops>(op) || ...);
}

/// The same of an instruction's op; false where `local` is null.
template <class... Ops>
bool is_one_of(const LocalOp* local) {
  return local != nullptr && is_one_of<Ops...>(local->op);
}

/// The op of `i` where it is an `Op`; null where it is not.
template <class Op>
const Op* op_of(const Instruction& i) {
  const LocalOp* local = local_op(i);
  return local == nullptr ? nullptr : std::get_if<Op>(&local->op);
}

}  // namespace isoshard::verify
