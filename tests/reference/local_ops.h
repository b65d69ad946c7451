#pragma once

#include <optional>

#include "core/ir/program.h"
#include "tests/reference/local_op.h"

namespace isoshard::reference {

template <class T>
using Results = std::optional<std::vector<Array<T>>>;

/// The results of one op that every device computes on its own operands, by StableHLO's semantics.
///
/// `op` must be local: views, collectives, state ops, scans and calls belong to the interpreter.
template <class T>
std::vector<Array<T>> evaluate_local(const OpData& op, const std::vector<const Array<T>*>& operands,
                                     const std::vector<TensorType>& results);

// The families; nothing for an op of another one.
template <class T>
Results<T> elementwise(const OpData& op, const LocalOp<T>& local);
template <class T>
Results<T> movement(const OpData& op, const LocalOp<T>& local);
template <class T>
Results<T> random(const OpData& op, const LocalOp<T>& local);
template <class T>
Results<T> contraction(const OpData& op, const LocalOp<T>& local);

/// What `family.apply(op)` gives where the family has the op.
template <class Family>
auto apply_if_known(const OpData& data, const Family& family) {
  return std::visit(
      [&](const auto& op) -> std::optional<std::vector<typename Family::A>> {
        if constexpr (requires { family.apply(op); }) {
          return family.apply(op);
        } else {
          return std::nullopt;
        }
      },
      data);
}

}  // namespace isoshard::reference
