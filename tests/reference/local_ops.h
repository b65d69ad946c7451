#pragma once

#include <optional>
#include <variant>
#include <vector>

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

/// Sets `results` to `family.apply(op)` if `data` is an Op and the family has that op.
template <class Op, class Family, class Results>
void try_op(const OpVariant& data, const Family& family, Results& results) {
  if constexpr (requires(const Op& op) { family.apply(op); }) {
    if (const Op* op = std::get_if<Op>(&data)) results = family.apply(*op);
  }
}
template <class Family, class Results, class... Ops>
void try_ops(const std::variant<Ops...>& data, const Family& family, Results& results) {
  (try_op<Ops>(data, family, results), ...);
}

/// What `family.apply(op)` gives where the family has the op. Not std::visit: a family has few of the many ops, and
/// there are several families and number types.
template <class Family>
auto apply_if_known(const OpVariant& data, const Family& family) {
  std::optional<std::vector<typename Family::A>> results;
  try_ops(data, family, results);
  return results;
}

}  // namespace isoshard::reference
