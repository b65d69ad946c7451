#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/instruction_data.h"
#include "core/plan/plan_ids.h"
#include "core/support/location.h"
#include "core/support/shared.h"
#include "core/support/value_iterator.h"

namespace isoshard {

/// Order between queues: the one that waits starts only when the latest instance of `instruction` that is issued before
/// it has finished, or, of an instruction in a common loop, the last one of the iteration before. No instance, no wait.
struct Token {
  InstructionId instruction;
  bool previous = false;
  auto operator<=>(const Token&) const = default;
};

/// Tokens as a list of instructions stores them, each in the bits of an id: a number with one bit for `previous`, so
/// that Plans have less than 2^31 - 1 instructions.
struct StoredTokens {
  using value_type = Token;
  static constexpr uint32_t kInvalid = InstructionId::kInvalid >> 1;

  static PlanValueId write(const Token& token);
  Token operator[](size_t i) const;

  const PlanValueId* first = nullptr;
};

/// The tokens of an instruction, read by value.
class Tokens {
 public:
  using value_type = Token;
  using iterator = ValueIterator<StoredTokens>;
  using const_iterator = iterator;

  Tokens() = default;
  Tokens(const PlanValueId* first, size_t size) : stored_{first}, size_(size) {}
  explicit operator std::vector<Token>() const { return {begin(), end()}; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Token operator[](size_t i) const { return stored_[i]; }
  const_iterator begin() const { return {stored_, 0}; }
  const_iterator end() const { return {stored_, size_}; }
  friend bool operator==(const Tokens& a, const Tokens& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  StoredTokens stored_;
  size_t size_ = 0;
};

/// Operands, results or last uses of an instruction.
class PlanValueIds : public std::span<const PlanValueId> {
 public:
  using std::span<const PlanValueId>::span;
  explicit operator std::vector<PlanValueId>() const { return {begin(), end()}; }
  friend bool operator==(const PlanValueIds& a, const PlanValueIds& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

/// What an instruction does, which many share.
struct InstructionWork {
  InstructionData data;
  std::string op;  ///< the IR op it came from, for messages
  Location location;
  CallId call;  ///< of a function, the innermost one that it is part of; invalid: of none
};

/// One step of each rank of a group, as InstructionList hands it out: it says what stands in the list, which outlives
/// it, and holds until that instruction is changed.
class Instruction {
 public:
  Instruction(InstructionId which, const InstructionWork& work) : id(which), work_(&work) {}
  /// Each is another one, and none stays where it is: keep the id, or a copy.
  const Instruction* operator&() const = delete;

  /// It stays where it is, unlike this.
  const InstructionWork& work() const { return *work_; }
  const InstructionData& data() const { return work_->data; }
  const std::string& op() const { return work_->op; }
  const Location& location() const { return work_->location; }
  CallId call() const { return work_->call; }

  InstructionId id;
  ActionId action;  ///< of a pipeline's schedule, which it is part of; invalid: of none
  PlanValueIds operands;
  PlanValueIds results;
  Tokens waits;  ///< for instructions on other queues
  /// Values that nothing reads once this instruction has finished: operands in most cases, a result that nobody reads,
  /// or a value whose uses on several queues are all ordered before this instruction. Yields are never listed.
  PlanValueIds last_uses;

 private:
  const InstructionWork* work_;
};

/// An instruction that is no part of a Plan: one that is to be added, or what one of a Plan is to become.
class NewInstruction {
 public:
  NewInstruction() = default;
  NewInstruction(InstructionData data, std::vector<PlanValueId> reads, std::vector<PlanValueId> makes, Location where,
                 std::string op)
      : operands(std::move(reads)),
        results(std::move(makes)),
        work_(InstructionWork{std::move(data), std::move(op), std::move(where), CallId()}) {}

  const InstructionData& data() const { return work_->data; }
  InstructionData& own_data() { return work_.own().data; }  ///< to be changed for this instruction alone
  const std::string& op() const { return work_->op; }
  void set_op(std::string op) { work_.own().op = std::move(op); }
  const Location& location() const { return work_->location; }
  void set_location(Location where) { work_.own().location = std::move(where); }
  void set_call(CallId call) { work_.own().call = call; }

  std::vector<PlanValueId> operands, results, last_uses;
  std::vector<Token> waits;
  ActionId action;

 private:
  friend class InstructionList;
  Shared<InstructionWork> work_;
  size_t place_ = 0;  ///< of the work in the list that it comes from
};

inline PlanValueId StoredTokens::write(const Token& token) {
  PlanValueId stored;
  stored.value = token.instruction.value << 1 | static_cast<uint32_t>(token.previous);
  return stored;
}

inline Token StoredTokens::operator[](size_t i) const {
  const uint32_t number = first[i].value, index = number >> 1;
  return {index == kInvalid ? InstructionId() : InstructionId(index), (number & 1) != 0};
}

}  // namespace isoshard
