#pragma once

#include <variant>

#include "core/plan/plan.h"

namespace isoshard::verify {

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

}  // namespace isoshard::verify
