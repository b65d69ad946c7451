#include "verify/facts/contents.h"

#include "verify/is_one_of.h"
#include "verify/order_facts.h"

namespace isoshard::verify {

Contents contents_of(const Pair& pair) {
  Contents result;
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    result.order = result.order || order_facts(*plan).present;
    for (const Instruction& i : plan->instructions) {
      const LocalOp* local = std::get_if<LocalOp>(&i.data);
      if (local == nullptr) continue;
      result.exponential |= is_one_of<Exponential, Log, Logistic, Tanh>(local->op);
    }
  }
  return result;
}

}  // namespace isoshard::verify
