#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/calls/call_list.h"
#include "core/plan/calls/fusion/epilogue.h"
#include "core/plan/calls/fusion/inlining.h"
#include "core/plan/calls/fusion/reducing.h"
#include "core/plan/calls/fusion/value_uses.h"

namespace isoshard::calls {

/// An instruction on a stream.
struct Launch {
  uint32_t stream = 0;
  InstructionId id{};
};

/// Issues calls, and holds back the chains of values that only chains to come read, so that these compute them instead
/// of reading them: elementwise ops become one kernel. A product is held back for whoever reads its value, which may be
/// its epilogue. Uses and list must outlive it.
class Fuser {
 public:
  Fuser(const ValueUses& uses, CallList& list, bool enabled) : uses_(uses), list_(list), enabled_(enabled) {}

  /// Issues a call behind what was held back and may not come after it.
  void issue(Call call);
  /// Issues the chains of the values that the call to come reads.
  void settle(std::span<const PlanValueId> operands);
  /// Issues the chain of `value`, or holds it back if `may_wait`. Operands that were held back become part of it where
  /// they can.
  void issue(Launch launch, Chain chain, std::span<const PlanValueId> operands, PlanValueId value, Held held,
             bool may_wait);
  /// Issues the product of which `value` is the result, or holds it back if `may_wait`.
  void issue(Launch launch, const Product& product, PlanValueId value, Held held, bool may_wait);
  /// What a value is made of that is held back, as a number.
  const Chain* number(PlanValueId operand) const;
  /// One of those who read such a value has it as a number.
  void took_number(PlanValueId operand);
  /// Issues the reduction of a value that is held back as one that computes it, if it can; false where it does not. The
  /// call that joins its chunks comes right behind it.
  bool issue(Launch launch, const ReductionOf& reduction, PlanValueId operand);

 private:
  struct Waiting {
    Launch launch;
    PlanValueId value;
    int64_t uses = 0;  ///< to come
    MadeValue made;
  };

  struct WaitingProduct {
    Launch launch;
    PlanValueId value;
    HeldProduct made;
  };

  Chain with_operands(Launch launch, Chain chain, std::span<const PlanValueId> operands, const Held& held);
  /// Whether a value that is held back could become part of the chain.
  bool take_in(PlanValueId value, Launch launch, Chain& chain, const Held& held);
  /// Whether a chain that is held back will write over what that of this value reads, which may be its own where others
  /// read it still; not so if whoever takes it in is issued now.
  bool reads_what_will_go(const Waiting& waiting, bool now) const;
  void issue_now(Waiting waiting);
  void issue_behind(uint32_t stream, const Extent& written);
  void issue_readers(uint32_t stream);
  /// Issues the first that `which` is true of, until there is none.
  template <class Which>
  void issue_while(const Which& which);
  /// Issues, as they are, the products of which `which` is true.
  template <class Which>
  void issue_products(const Which& which);
  /// Issues those whose values the chain reads.
  void issue_products_of(const Chain& chain);
  /// Issues the one product whose value the chain reads with the chain as its epilogue, if it can; false where it does
  /// not.
  bool issue_as_epilogue(const Waiting& waiting);
  /// Issues the chain of a value, if it is held back.
  void issue_held(PlanValueId value);
  std::vector<Waiting>::iterator find(PlanValueId value);

  const ValueUses& uses_;
  CallList& list_;
  bool enabled_;
  std::vector<Waiting> waiting_;          ///< in issue order
  std::vector<WaitingProduct> products_;  ///< in issue order
};

}  // namespace isoshard::calls
