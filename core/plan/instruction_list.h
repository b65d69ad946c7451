#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/instruction.h"
#include "core/support/block_list.h"
#include "core/support/value_iterator.h"

namespace isoshard {

/// The instructions of a Plan, of which there may be millions: 16 bytes each, and 4 for each id in their lists.
///
/// What an Instruction of it says holds until that instruction is changed, also while others are added and changed.
class InstructionList {
 public:
  using value_type = Instruction;
  using const_iterator = ValueIterator<ItemsOf<InstructionList>>;

  size_t size() const { return steps_.size(); }
  bool empty() const { return steps_.empty(); }
  [[gnu::always_inline]] Instruction operator[](size_t i) const;
  Instruction back() const { return (*this)[size() - 1]; }
  const_iterator begin() const { return {{this}, 0}; }
  const_iterator end() const { return {{this}, size()}; }

  InstructionId add(const NewInstruction& instruction);
  /// Adds what does the same as `like` for others, without tokens and last uses.
  InstructionId add_copy(InstructionId like, const std::vector<PlanValueId>& operands,
                         const std::vector<PlanValueId>& results, ActionId action);

  /// One that is as `id` is, to be added somewhere or to be changed.
  NewInstruction copy(InstructionId id) const;
  void set(InstructionId id, const NewInstruction& instruction);
  /// `change(NewInstruction&)` says what becomes of `id`.
  template <class Change>
  void change(InstructionId id, const Change& change) {
    NewInstruction own = copy(id);
    change(own);
    set(id, own);
  }
  void set_waits(InstructionId id, std::span<const Token> waits);
  void set_last_uses(InstructionId id, std::span<const PlanValueId> values);

  /// Removes all of them; what they did is kept, so that it is shared by what is added and was copied from them.
  void clear();

  /// Of the heap, without what data, names of ops and locations have there.
  size_t bytes() const;
  /// Those of `bytes` that lists had before they grew.
  size_t lost_bytes() const { return lost_ * sizeof(PlanValueId); }

 private:
  /// Where the lists of an instruction are: operands, results, waits and last uses behind each other in `ids_`, last
  /// uses also among the operands and results. Longer ones are in `long_`, at `begin`.
  struct Step {
    uint32_t work = 0;
    uint32_t begin = 0;
    ActionId action;
    uint32_t operands : 8 = 0, results : 7 = 0, waits : 6 = 0, last_uses : 5 = 0;
    uint32_t last_uses_at : 5 = 0;  ///< behind `begin`
    uint32_t is_long : 1 = 0;
  };
  static_assert(sizeof(Step) == 16);
  /// Operands, results, waits and last uses behind each other.
  struct Lists {
    std::vector<PlanValueId> ids;
    size_t operands = 0, results = 0, waits = 0, last_uses = 0;
  };

  void begin_lists() { made_.ids.clear(); }
  size_t add_to_lists(std::span<const PlanValueId> list);
  size_t add_to_lists(std::span<const Token> list);
  size_t add_to_lists(const Tokens& list);
  void add_operands_and_results(const Instruction& of);
  void store(Step& step);
  void store_long(Step& step);
  size_t place_of_last_uses() const;
  static size_t stored(const Step& step);
  uint32_t place_in_pool(const Step& step, size_t size);
  uint32_t place_of(const NewInstruction& instruction);

  BlockList<Step> steps_;
  BlockList<PlanValueId> ids_;
  std::vector<Lists> long_;
  std::vector<Shared<InstructionWork>> works_;
  Lists made_;  ///< those being stored; kept for its memory
  size_t lost_ = 0;
};

/// Where it is inlined, what the caller does not ask for is not computed: most ask for one thing.
inline Instruction InstructionList::operator[](size_t i) const {
  const Step& step = steps_[i];
  const PlanValueId* first = nullptr;
  size_t operands = step.operands, results = step.results, waits = step.waits;
  size_t last_uses = step.last_uses, last_uses_at = step.last_uses_at;
  if (step.is_long == 0) {
    first = &ids_[step.begin];
  } else {
    const Lists& lists = long_[step.begin];
    first = lists.ids.data();
    operands = lists.operands, results = lists.results, waits = lists.waits, last_uses = lists.last_uses;
    last_uses_at = lists.ids.size() - last_uses;
  }
  Instruction result(InstructionId(i), *works_[step.work]);
  result.action = step.action;
  result.operands = PlanValueIds(first, operands);
  result.results = PlanValueIds(first + operands, results);
  result.waits = Tokens(first + operands + results, waits);
  result.last_uses = PlanValueIds(first + last_uses_at, last_uses);
  return result;
}

}  // namespace isoshard
