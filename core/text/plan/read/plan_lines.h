#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/plan/plan.h"
#include "core/text/syntax/syntax_expression.h"

/// A Plan file as it is written: values by their names, instructions by their numbers. Everything else is resolved.
namespace isoshard::text {

/// `#7` or `previous #7` behind `after`; in a function also `given 0`.
struct TokenLine {
  int64_t number = 0;
  bool previous = false;
  bool given = false;  ///< `number` counts what the call gives
  Span span;
};

/// `#7 %y = op %x {...} : f32[4]  after #3  frees %x`.
struct InstructionLine {
  int64_t number = 0;
  Span span;                   ///< of the number
  NewInstruction instruction;  ///< without operands, results, waits and last uses
  std::vector<Word> results, operands, frees;
  std::vector<TensorType> types;  ///< of the results
  std::vector<TokenLine> waits;
};

/// `%c = %h` in the head of a loop: what stands inside for what outside.
struct BindingLine {
  Word inside, outside;
};

struct BlockLines;

/// `%y = repeat 4 (%c = %h) over (%w = %ws) { ... yield %n stack %p }`.
struct LoopLines {
  int64_t count = 0;
  int64_t ahead = 1;
  std::vector<Word> results;  ///< the stacks behind them
  std::vector<BindingLine> carries, slices;
  std::vector<Word> yields, parts;
  std::vector<BlockLines> body;
  Span span;
  Location location;
  CallId call;
};

struct QueueLines {
  QueueId queue;
  std::vector<InstructionLine> lines;
};

struct BlockLines {
  std::vector<QueueLines> queues;
  std::vector<QueueLines> called;  ///< lines of calls, which stand between those of the queues as their numbers say
  std::optional<LoopLines> loop;
  std::vector<Word> frees;
};

/// `function @layer(%x, %w) { ... }`.
struct FunctionLines {
  std::unordered_map<std::string, size_t> parameters;  ///< their places, by name
  std::vector<BlockLines> body;
  std::unordered_set<std::string> results;
  int64_t given = 0;  ///< how many tokens a call gives
};

/// `ranks pp=0 [0, 2] { ... }`.
struct GroupLines {
  std::string name;
  std::vector<int64_t> positions;  ///< empty: all
  std::vector<BlockLines> blocks;
};

}  // namespace isoshard::text
