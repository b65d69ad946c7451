#pragma once  // internal

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/text/plan/read/instruction_reader.h"
#include "core/text/plan/read/plan_header.h"
#include "core/text/plan/read/plan_lines.h"

namespace isoshard::text {

/// Reads what a Plan file says of functions but for their bodies, and writes calls out. The header must outlive it.
class FunctionReader {
 public:
  FunctionReader(TokenReader& reader, const Scope& scope, PlanHeader& header, InstructionReader& instructions)
      : reader_(reader), scope_(scope), header_(header), instructions_(instructions) {}

  /// `function @layer(%x, %w)`: the name. An error throws SyntaxError, as all errors here do.
  Word head();
  /// The body of the function whose head was read last.
  void add(const Word& name, std::vector<BlockLines> body);

  /// Whether the line that begins with the next token is a call.
  bool is_call() const;
  /// `#7 %layer.3 = invoke @layer(%x, %w)  action "2F0"  given #3`: what it writes.
  std::vector<BlockLines> call();

 private:
  struct Call;

  void define(const std::vector<BlockLines>& body);
  void define(const Word& result);
  void expect_known(const std::vector<BlockLines>& body) const;
  void expect_known(const std::vector<Word>& words) const;
  const FunctionLines& find(const Word& name);
  void clauses(Call& call);
  void arguments(Call& call);
  void expect_matches(const FunctionLines& function, const Word& name, const Call& call);
  CallId add_call(const std::string& function, const Call& call);

  TokenReader& reader_;
  const Scope& scope_;
  PlanHeader& header_;
  InstructionReader& instructions_;
  FunctionLines made_;  ///< of which the head was read
  std::unordered_map<std::string, FunctionLines> functions_;
  std::unordered_set<int64_t> numbers_;  ///< of the lines of the function that is added
  size_t written_ = 0;                   ///< by calls: blocks, lines and names in them
};

}  // namespace isoshard::text
