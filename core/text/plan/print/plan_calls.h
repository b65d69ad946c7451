#pragma once  // internal

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::text {

/// A call that the text of a Plan has as one line: parts of blocks that follow each other, which a function writes out.
struct CallLine {
  std::string name;     ///< wanted for what its values are called
  size_t function = 0;  ///< of PlanCalls
  size_t group = 0;
  CallId call;
  ActionId action;
  InstructionId first;                                 ///< the one that is issued first
  const std::vector<isoshard::Block>* list = nullptr;  ///< of blocks, where it stands
  size_t first_block = 0, last_block = 0;              ///< of these
  std::vector<isoshard::Block> body;                   ///< what it has of these
  std::vector<PlanValueId> arguments;                  ///< values from outside, by their first use
  std::vector<isoshard::Token> given;                  ///< what it waits for outside, by its first use

  /// Whether it is part of one block, among whose lines it stands.
  bool is_in_block() const { return body.size() == 1 && !body[0].repeat; }
};

/// What several calls have in common: all but arguments, and tokens from outside.
struct CallFunction {
  std::string name;                  ///< without `@`, unique
  std::vector<std::string> results;  ///< what the values that it defines are called inside, in the order of the text
  size_t example = 0;                ///< the call that is issued first
};

/// The calls of a Plan that are written alike often enough for functions to make its text shorter.
class PlanCalls {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// None at all.
  PlanCalls() = default;
  /// `line_of` says of each instruction which line has it, or kNone.
  PlanCalls(std::vector<CallFunction> functions, std::vector<CallLine> lines, std::vector<uint32_t> line_of)
      : functions_(std::move(functions)), lines_(std::move(lines)), line_of_(std::move(line_of)) {}

  const std::vector<CallFunction>& functions() const { return functions_; }
  const std::vector<CallLine>& lines() const { return lines_; }
  /// The line that has the instruction; null where it has a line of its own.
  const CallLine* of(InstructionId id) const {
    if (line_of_.empty() || line_of_[id.index()] == kNone) return nullptr;
    return &lines_[line_of_[id.index()]];
  }
  size_t index(const CallLine& line) const { return static_cast<size_t>(&line - lines_.data()); }
  /// What the values of a call are called inside of its function.
  const std::vector<std::string>& results(const CallLine& line) const { return functions_[line.function].results; }

 private:
  std::vector<CallFunction> functions_;
  std::vector<CallLine> lines_;
  std::vector<uint32_t> line_of_;  ///< by instruction
};

}  // namespace isoshard::text
