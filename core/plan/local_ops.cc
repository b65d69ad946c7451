#include "core/plan/local_ops.h"

namespace isoshard {

bool is_local_op(const OpData& op) {
  const Reduce* reduce = std::get_if<Reduce>(&op);
  if (reduce != nullptr && is_pairwise(reduce->op)) return false;
  return std::visit([]<class Op>(const Op&) { return kIsLocalOp<Op>; }, op);
}

}  // namespace isoshard
