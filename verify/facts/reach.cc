// Forwards, a value is followed to its readers when it is met first, so that a walk costs the values that it reaches,
// and loops need no rounds. Backwards, marks spread over the whole Plan until nothing grows; each round marks at least
// one value more, and programs are in order, so that only loops need a second one.
#include "verify/facts/reach.h"

#include <algorithm>

#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

/// The values met so far, in the order in which they were.
class ForwardWalk {
 public:
  ForwardWalk(const Readers& readers, const TypeTest& carries, const InstructionTest& passes)
      : readers_(readers), carries_(carries), passes_(passes), marked_(readers.plan().values.size(), false) {}

  void mark(const Instruction& i) {
    for (const PlanValueId id : i.results) mark(id);
  }

  /// Calls `store` with each StoreBlock that is met.
  template <class Store>
  void run(const Store& store) {
    for (size_t next = 0; next < values_.size(); ++next) {
      for (const InstructionId id : readers_.of(values_[next])) {
        const Instruction& i = readers_.plan().instruction(id);
        if (!passes_ || passes_(i)) mark(i);
        if (const StoreBlock* stores = std::get_if<StoreBlock>(&i.data())) store(*stores);
      }
      for (const PlanValueId id : readers_.renamed(values_[next])) mark(id);
    }
  }

  const std::vector<PlanValueId>& values() const { return values_; }
  std::vector<bool>& marked() { return marked_; }

 private:
  void mark(PlanValueId id) {
    if (marked_[id.index()] || (carries_ && !carries_(readers_.plan().value(id).type()))) return;
    marked_[id.index()] = true;
    values_.push_back(id);
  }

  const Readers& readers_;
  const TypeTest& carries_;
  const InstructionTest& passes_;
  std::vector<bool> marked_;
  std::vector<PlanValueId> values_;
};

/// Which instructions load each global.
std::vector<std::vector<InstructionId>> loads_of(const Plan& plan) {
  std::vector<std::vector<InstructionId>> loads(plan.globals.size());
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    const LoadBlock* load = std::get_if<LoadBlock>(&plan.instructions[i].data());
    if (load != nullptr) loads[load->global.index()].push_back(InstructionId(i));
  }
  return loads;
}

/// Marks spread backwards.
class Marks {
 public:
  explicit Marks(const Plan& plan) : marked_(plan.values.size(), false) {}

  bool any(const PlanValueIds& ids) const {
    return std::any_of(ids.begin(), ids.end(), [&](PlanValueId id) { return marked_[id.index()]; });
  }
  bool is_marked(PlanValueId id) const { return marked_[id.index()]; }
  void mark(PlanValueId id) {
    grown_ = grown_ || !marked_[id.index()];
    marked_[id.index()] = true;
  }

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
  std::vector<bool> marked_;
  bool grown_ = false;
};

}  // namespace

std::vector<bool> reached_from(const Plan& plan, const InstructionTest& source, const TypeTest& carries,
                               const InstructionTest& passes, int64_t steps) {
  return reached_from(Readers(plan), source, carries, passes, steps);
}

std::vector<bool> reached_from(const Readers& readers, const InstructionTest& source, const TypeTest& carries,
                               const InstructionTest& passes, int64_t steps) {
  const Plan& plan = readers.plan();
  ForwardWalk walk(readers, carries, passes);
  for (const Instruction& i : plan.instructions) {
    if (source(i)) walk.mark(i);
  }
  std::vector<std::vector<InstructionId>> loads;
  if (steps > 1) loads = loads_of(plan);
  walk.run([&](const StoreBlock& store) {
    const GlobalId updated = plan.outputs[store.output].updates;
    if (steps <= 1 || !updated.valid()) return;
    for (const InstructionId id : loads[updated.index()]) walk.mark(plan.instruction(id));
    loads[updated.index()].clear();
  });
  return std::move(walk.marked());
}

std::vector<PlanValueId> values_reached(const Readers& readers, const std::vector<InstructionId>& sources,
                                        const InstructionTest& passes) {
  const TypeTest all;
  ForwardWalk walk(readers, all, passes);
  for (const InstructionId id : sources) walk.mark(readers.plan().instruction(id));
  walk.run([](const StoreBlock&) {});
  return walk.values();
}

std::vector<bool> reaching(const Plan& plan, const InstructionTest& sink, const OperandTest& passes) {
  const std::vector<Renaming> renamed = renamings(plan);
  Marks marks(plan);
  return marks.spread([&] {
    for (size_t n = plan.instructions.size(); n-- > 0;) {
      const Instruction i = plan.instructions[n];
      if (!marks.any(i.results) && !sink(i)) continue;
      for (size_t o = 0; o < i.operands.size(); ++o) {
        if (!passes || passes(i, o)) marks.mark(i.operands[o]);
      }
    }
    for (const Renaming& r : renamed) {
      if (marks.is_marked(r.to)) marks.mark(r.from);
    }
  });
}

}  // namespace isoshard::verify
