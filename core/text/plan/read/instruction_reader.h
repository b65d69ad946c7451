#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "core/text/plan/read/plan_header.h"
#include "core/text/plan/read/plan_lines.h"

namespace isoshard::text {

/// Reads instructions of a Plan file, line by line. The header must outlive it.
class InstructionReader {
 public:
  /// `loops`: the counts of the loops around, innermost last; they change while it reads.
  InstructionReader(TokenReader& reader, const Scope& scope, PlanHeader& header, const std::vector<int64_t>& loops)
      : reader_(reader), scope_(scope), header_(header), loops_(loops) {}

  /// The instruction that begins with the next token, a `#`, on `queue`. An error throws SyntaxError.
  InstructionLine read(QueueId queue);

  /// The text behind the word `action`: `"2F0"`, or `"2F0" of 1` of the second pipeline.
  ActionId read_action();
  /// `#3, previous #4`; in a function also `given 0`.
  std::vector<TokenLine> read_tokens();
  /// Whether what is read stands in a function.
  void set_in_function(bool in_function) { in_function_ = in_function; }
  bool in_function() const { return in_function_; }

 private:
  void operation(const Word& word, QueueId queue, InstructionLine& line);
  void load(LoadBlock& op);
  void part(LoadBlock& op);
  void local(const Word& word, InstructionLine& line);
  void clauses(InstructionLine& line);
  TokenLine token();
  ActionId find_action(const PlanAction& action);

  TokenReader& reader_;
  const Scope& scope_;
  PlanHeader& header_;
  const std::vector<int64_t>& loops_;
  bool in_function_ = false;
};

}  // namespace isoshard::text
