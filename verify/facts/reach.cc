// Marks spread along instructions and renamings until nothing grows. Each round marks at least one value more, and
// programs are in order, so that only loops need a second one.
#include "verify/facts/reach.h"

#include <algorithm>

#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

class Marks {
 public:
  Marks(const Plan& plan, const TypeTest& carries)
      : plan_(plan), carries_(carries), marked_(plan.values.size(), false) {}

  bool any(const std::vector<PlanValueId>& ids) const {
    return std::any_of(ids.begin(), ids.end(), [&](PlanValueId id) { return marked_[id.index()]; });
  }

  void mark(PlanValueId id) {
    if (marked_[id.index()] || (carries_ && !carries_(plan_.value(id).type()))) return;
    marked_[id.index()] = grown_ = true;
  }
  void mark(const std::vector<PlanValueId>& ids) {
    for (const PlanValueId id : ids) mark(id);
  }

  /// The global has marked elements in the next step.
  void grow(std::vector<bool>& updated, GlobalId global) {
    grown_ = grown_ || !updated[global.index()];
    updated[global.index()] = true;
  }

  bool is_marked(PlanValueId id) const { return marked_[id.index()]; }

  /// Calls `round` until nothing grows.
  template <class Round>
  std::vector<bool> spread(const Round& round) {
    do {
      grown_ = false;
      round();
    } while (grown_);
    return std::move(marked_);
  }

 private:
  const Plan& plan_;
  const TypeTest& carries_;
  std::vector<bool> marked_;
  bool grown_ = false;
};

}  // namespace

std::vector<bool> reached_from(const Plan& plan, const InstructionTest& source, const TypeTest& carries,
                               const InstructionTest& passes, int64_t steps) {
  const std::vector<Renaming> renamed = renamings(plan);
  Marks marks(plan, carries);
  std::vector<bool> updated(plan.globals.size(), false);
  return marks.spread([&] {
    for (const Instruction& i : plan.instructions) {
      const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
      const bool again = load != nullptr && updated[load->global.index()];
      if (again || source(i) || (marks.any(i.operands) && (!passes || passes(i)))) marks.mark(i.results);
      const StoreBlock* store = steps > 1 ? std::get_if<StoreBlock>(&i.data()) : nullptr;
      if (store == nullptr || !plan.outputs[store->output].updates.valid() || !marks.any(i.operands)) continue;
      marks.grow(updated, plan.outputs[store->output].updates);
    }
    for (const Renaming& r : renamed) {
      if (marks.is_marked(r.from)) marks.mark(r.to);
    }
  });
}

std::vector<bool> reaching(const Plan& plan, const InstructionTest& sink, const OperandTest& passes) {
  const std::vector<Renaming> renamed = renamings(plan);
  const TypeTest all;
  Marks marks(plan, all);
  return marks.spread([&] {
    for (auto i = plan.instructions.rbegin(); i != plan.instructions.rend(); ++i) {
      if (!marks.any(i->results) && !sink(*i)) continue;
      for (size_t o = 0; o < i->operands.size(); ++o) {
        if (!passes || passes(*i, o)) marks.mark(i->operands[o]);
      }
    }
    for (const Renaming& r : renamed) {
      if (marks.is_marked(r.to)) marks.mark(r.from);
    }
  });
}

}  // namespace isoshard::verify
