#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "core/text/plan/plan_header.h"
#include "core/text/plan/plan_lines.h"

namespace isoshard::text {

/// Reads instructions of a Plan file, line by line. The header must outlive it.
class InstructionReader {
 public:
  /// `loops`: the counts of the loops around, innermost last; they change while it reads.
  InstructionReader(TokenReader& reader, const Scope& scope, PlanHeader& header, const std::vector<int64_t>& loops)
      : reader_(reader), scope_(scope), header_(header), loops_(loops) {}

  /// The instruction that begins with the next token, a `#`, on `queue`. An error throws SyntaxError.
  InstructionLine read(QueueId queue);

 private:
  void operation(const Word& word, QueueId queue, InstructionLine& line);
  void load(LoadBlock& op);
  void part(LoadBlock& op);
  void local(const Word& word, InstructionLine& line);
  void clauses(InstructionLine& line);
  void action(InstructionLine& line);
  std::vector<TokenLine> tokens();
  ActionId find_action(const PlanAction& action);

  TokenReader& reader_;
  const Scope& scope_;
  PlanHeader& header_;
  const std::vector<int64_t>& loops_;
};

}  // namespace isoshard::text
