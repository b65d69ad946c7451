// The instructions of a Plan in 16 bytes each, with a table of what they do, and their lists in one pool of ids. A
// Plan of 22 million instructions is walked as it is, so each of them has to be small; and what repeats, since calls of
// a function are copied, is stored once (docs/adr/0114-instructions-in-tables.md). The four lists of an instruction lie
// behind each other. Last uses are often some of the operands in their order, or the result, and then they are these,
// not a list of their own. Lists that become longer are written anew at the end of the pool, where they do not stand
// already; those that the bits of an instruction cannot count are vectors of their own. Cost: of each call, the lists
// of the instruction.
#include "core/plan/instruction_list.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"

namespace isoshard {
namespace {

// What the bits of a step count.
constexpr uint32_t kMostOperands = 255, kMostResults = 127, kMostWaits = 63, kMostLastUses = 31, kMostPlace = 31;

}  // namespace

size_t InstructionList::add_to_lists(std::span<const PlanValueId> list) {
  made_.ids.insert(made_.ids.end(), list.begin(), list.end());
  return list.size();
}
size_t InstructionList::add_to_lists(std::span<const Token> list) {
  for (const Token& token : list) made_.ids.push_back(StoredTokens::write(token));
  return list.size();
}
size_t InstructionList::add_to_lists(const Tokens& list) {
  for (const Token& token : list) made_.ids.push_back(StoredTokens::write(token));
  return list.size();
}

void InstructionList::add_operands_and_results(const Instruction& of) {
  begin_lists();
  made_.operands = add_to_lists(of.operands);
  made_.results = add_to_lists(of.results);
}

InstructionId InstructionList::add(const NewInstruction& instruction) {
  const InstructionId id(size());
  ISOSHARD_CHECK(id.value < StoredTokens::kInvalid, "more instructions than a token can name");
  steps_.push_back(Step{});
  set(id, instruction);
  return id;
}

InstructionId InstructionList::add_copy(InstructionId like, const std::vector<PlanValueId>& operands,
                                        const std::vector<PlanValueId>& results, ActionId action) {
  const InstructionId id(size());
  ISOSHARD_CHECK(id.value < StoredTokens::kInvalid, "more instructions than a token can name");
  Step step;
  step.work = steps_[like.index()].work;
  step.action = action;
  begin_lists();
  made_.operands = add_to_lists(operands);
  made_.results = add_to_lists(results);
  made_.waits = made_.last_uses = 0;
  store(step);
  steps_.push_back(step);
  return id;
}

NewInstruction InstructionList::copy(InstructionId id) const {
  const Instruction from = (*this)[id.index()];
  NewInstruction result;
  result.operands = std::vector<PlanValueId>(from.operands);
  result.results = std::vector<PlanValueId>(from.results);
  result.last_uses = std::vector<PlanValueId>(from.last_uses);
  result.waits = std::vector<Token>(from.waits);
  result.action = from.action;
  result.place_ = steps_[id.index()].work;
  result.work_ = works_[result.place_];
  return result;
}

void InstructionList::set(InstructionId id, const NewInstruction& instruction) {
  Step& step = steps_[id.index()];
  step.work = place_of(instruction);
  step.action = instruction.action;
  begin_lists();
  made_.operands = add_to_lists(instruction.operands);
  made_.results = add_to_lists(instruction.results);
  made_.waits = add_to_lists(instruction.waits);
  made_.last_uses = add_to_lists(instruction.last_uses);
  store(step);
}

/// Where the work of one that comes from this list, or one with the same works, is; else a new place.
uint32_t InstructionList::place_of(const NewInstruction& instruction) {
  const size_t known = instruction.place_;
  if (known < works_.size() && works_[known].is(instruction.work_)) return static_cast<uint32_t>(known);
  works_.push_back(instruction.work_);
  return static_cast<uint32_t>(works_.size() - 1);
}

void InstructionList::set_waits(InstructionId id, std::span<const Token> waits) {
  const Instruction now = (*this)[id.index()];
  add_operands_and_results(now);
  made_.waits = add_to_lists(waits);
  made_.last_uses = add_to_lists(now.last_uses);
  store(steps_[id.index()]);
}

void InstructionList::set_last_uses(InstructionId id, std::span<const PlanValueId> values) {
  const Instruction now = (*this)[id.index()];
  add_operands_and_results(now);
  made_.waits = add_to_lists(now.waits);
  made_.last_uses = add_to_lists(values);
  store(steps_[id.index()]);
}

void InstructionList::clear() {
  steps_.clear();
  ids_.clear();
  long_.clear();
  lost_ = 0;
}

size_t InstructionList::bytes() const {
  size_t result = steps_.bytes() + ids_.bytes() + works_.capacity() * sizeof(works_[0]) +
                  works_.size() * sizeof(InstructionWork) + long_.capacity() * sizeof(Lists) +
                  made_.ids.capacity() * sizeof(PlanValueId);
  for (const Lists& lists : long_) result += lists.ids.capacity() * sizeof(PlanValueId);
  return result;
}

/// Where the last uses of the lists being stored are: among the operands and results, if they are some of these that
/// follow each other, or else behind the other lists.
size_t InstructionList::place_of_last_uses() const {
  if (made_.last_uses == 0) return 0;
  const auto begin = made_.ids.begin(), end = begin + static_cast<std::ptrdiff_t>(made_.operands + made_.results);
  const auto last_uses = made_.ids.end() - static_cast<std::ptrdiff_t>(made_.last_uses);
  const auto found = std::search(begin, end, last_uses, made_.ids.end());
  return static_cast<size_t>((found == end ? last_uses : found) - begin);
}

/// Ids of the step in the pool.
size_t InstructionList::stored(const Step& step) {
  if (step.is_long != 0) return 0;
  const size_t operands = step.operands, results = step.results, waits = step.waits;
  const size_t last_uses_at = step.last_uses_at, last_uses = step.last_uses;
  return std::max(operands + results + waits, last_uses_at + last_uses);
}

void InstructionList::store(Step& step) {
  const size_t at = place_of_last_uses();
  const bool fits = made_.operands <= kMostOperands && made_.results <= kMostResults && made_.waits <= kMostWaits &&
                    made_.last_uses <= kMostLastUses && at <= kMostPlace;
  if (!fits) return store_long(step);
  if (ids_.empty()) ids_.extend(1);  // a place for lists without ids
  if (at < made_.operands + made_.results) made_.ids.resize(made_.ids.size() - made_.last_uses);
  step.begin = place_in_pool(step, made_.ids.size());
  if (!made_.ids.empty()) std::copy(made_.ids.begin(), made_.ids.end(), &ids_[step.begin]);
  step.operands = static_cast<uint32_t>(made_.operands) & kMostOperands;
  step.results = static_cast<uint32_t>(made_.results) & kMostResults;
  step.waits = static_cast<uint32_t>(made_.waits) & kMostWaits;
  step.last_uses = static_cast<uint32_t>(made_.last_uses) & kMostLastUses;
  step.last_uses_at = static_cast<uint32_t>(at) & kMostPlace;
  step.is_long = 0;
}

/// Where `size` ids of the step, which may have some there, are to be.
uint32_t InstructionList::place_in_pool(const Step& step, size_t size) {
  const size_t old = stored(step);
  if (size <= old) {
    lost_ += old - size;
    return step.begin;
  }
  const bool grows = old > 0 && step.begin + old == ids_.size() && step.begin % ids_.kEach + size <= ids_.kEach;
  const size_t first = ids_.extend(grows ? size - old : size);
  ISOSHARD_CHECK(first <= UINT32_MAX, "more than 2^32 ids of instructions");
  if (grows) return step.begin;
  lost_ += old;
  return static_cast<uint32_t>(first);
}

void InstructionList::store_long(Step& step) {
  if (step.is_long == 0) {
    lost_ += stored(step);
    step.begin = static_cast<uint32_t>(long_.size());
    step.is_long = 1;
    long_.emplace_back();
  }
  long_[step.begin] = made_;
}

}  // namespace isoshard
