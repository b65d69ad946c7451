#pragma once  // internal

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/plan/read/function_reader.h"
#include "core/text/plan/read/instruction_reader.h"
#include "core/text/plan/read/plan_header.h"
#include "core/text/plan/read/plan_lines.h"

namespace isoshard::text {

/// Reads the groups of ranks of a Plan file: their blocks, queues and loops.
class GroupReader {
 public:
  /// The header must outlive it.
  GroupReader(TokenReader& reader, const std::shared_ptr<const SourceFile>& file, const Scope& scope,
              PlanHeader& header)
      : reader_(reader),
        file_(file),
        scope_(scope),
        header_(header),
        instructions_(reader, scope, header, loops_),
        functions_(reader, scope, header, instructions_) {}

  /// From the word `ranks` on. An error of a line is reported and its line skipped; one of the head throws SyntaxError.
  GroupLines read();
  /// A function, which groups below it may call, from the word `function` on; errors as those of a group.
  void read_function();
  /// Reports (L-group) a position that no group has, when all groups are read; an idle rank has one without statements.
  void expect_all_positions();

 private:
  std::vector<int64_t> positions();
  void claim(int64_t position);
  std::vector<BlockLines> blocks(LoopLines* loop);
  void statement(std::vector<BlockLines>& blocks, LoopLines* loop);
  void queue(std::vector<BlockLines>& blocks);
  void instruction(std::vector<BlockLines>& blocks);
  void put(std::vector<BlockLines> written, std::vector<BlockLines>& blocks);
  void repeat(std::vector<BlockLines>& blocks);
  void head(LoopLines& loop, BlockLines& block);
  void bindings(std::vector<BindingLine>& list);
  void yield(LoopLines* loop);
  BlockLines& open(std::vector<BlockLines>& blocks);

  TokenReader& reader_;
  const std::shared_ptr<const SourceFile>& file_;
  const Scope& scope_;
  PlanHeader& header_;
  std::vector<int64_t> loops_;  ///< the counts of the loops around
  std::vector<bool> taken_;     ///< per position: a group so far has it
  Span first_{};                ///< the head of the first group
  InstructionReader instructions_;
  FunctionReader functions_;
  bool closed_ = true;    ///< the last block takes no more queues
  bool yielded_ = false;  ///< the body that was read last ended in `yield`
};

}  // namespace isoshard::text
