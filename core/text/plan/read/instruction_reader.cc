// Reads one instruction of a Plan file: its number, results, operation, operands and fields, and behind them what it
// waits for, frees and comes from. Local ops are read by the fields that they declare, as in the text of programs, the
// other instructions by the lists of instruction_fields.h. Values and numbers of instructions stay as written, since
// a queue may name what another one defines below it; they are resolved when all is read (link_plan.cc). An error ends
// the line only. Cost: the length of the line.
#include "core/text/plan/read/instruction_reader.h"

#include <algorithm>
#include <utility>

#include "core/plan/instruction_op.h"
#include "core/plan/local_ops.h"
#include "core/text/elaborate/fields.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/plan/instruction_fields.h"
#include "core/text/plan/read/field_slots.h"
#include "core/text/plan/read/plan_tokens.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

/// The words that may stand behind an operation.
constexpr std::string_view kClauses[] = {"from", "action", "after", "frees"};

}  // namespace

InstructionLine InstructionReader::read(QueueId queue) {
  InstructionLine line;
  const Span begin = reader_.take().span;
  line.number = read_count(reader_, "the number of the instruction, as in #7");
  line.span = begin.to(reader_.last().span);
  if (reader_.peek().kind == TokenKind::value) {
    line.results = read_value_list(reader_);
    reader_.expect("=", "after the results");
  }
  const Word word = reader_.expect_kind(TokenKind::name, "an instruction, as in `#0 %x = load @x [-] : f32[4]`");
  operation(word, queue, line);
  line.instruction.set_op(std::string(instruction_op(line.instruction.data(), header_.file.plan)));
  if (reader_.accept(":")) {
    do {
      const std::optional<TensorType> type = read_type(parse_type(reader_, false), scope_);
      if (!type) throw SyntaxError{};
      line.types.push_back(*type);
    } while (reader_.accept(","));
  }
  if (line.types.size() != line.results.size()) {
    reader_.fail("L-type", word.span,
                 word.text + " has " + std::to_string(line.results.size()) + " results and " +
                     std::to_string(line.types.size()) + " types; expected one for each, as in `%x = ... : f32[4]`");
  }
  clauses(line);
  if (!reader_.at_end() && !reader_.peek().first_on_line) {
    reader_.fail_expected("the end of the line, or one of from, action, after and frees" +
                          did_you_mean(reader_, kClauses));
  }
  line.instruction.set_location(scope_.at(begin.to(reader_.last().span)));
  return line;
}

void InstructionReader::operation(const Word& word, QueueId queue, InstructionLine& line) {
  std::optional<InstructionData> data = instruction_of(word.text);
  if (!data) return local(word, line);
  line.instruction = NewInstruction(std::move(*data), {}, {}, Location(), "");
  InstructionData& made = line.instruction.own_data();
  if (LoadBlock* op = std::get_if<LoadBlock>(&made)) return load(*op);
  if (reader_.peek().kind == TokenKind::value) line.operands = read_value_list(reader_);
  FieldSlots slots(reader_, scope_, header_, loops_, queue);
  const auto read = [&](auto& op) {
    if constexpr (requires { visit_fields(slots, op); }) {
      visit_fields(slots, op);
      slots.read(word);
    }
  };
  std::visit(read, made);
}

/// `@W [model of 4, -][0:2, 0:8]`.
void InstructionReader::load(LoadBlock& op) {
  const Word name = reader_.expect_kind(TokenKind::global, "a global, as in `load @W [model of 4, -]`");
  const std::vector<Global>& globals = header_.file.plan.globals;
  const auto known = std::find_if(globals.begin(), globals.end(), [&](const Global& g) { return g.name == name.text; });
  if (known == globals.end()) {
    std::vector<std::string> names;
    for (const Global& global : globals) names.push_back(global.name);
    reader_.fail("E-global", name.span,
                 "there is no global @" + name.text + suggestion(name.text, names, "@", "globals"));
  }
  op.global = GlobalId(static_cast<size_t>(known - globals.begin()));
  read_blocks(reader_, scope_, loops_, op.block, op.count);
  if (reader_.is("[")) part(op);
}

void InstructionReader::part(LoadBlock& op) {
  const Span begin = reader_.take().span;
  do {
    const int64_t start = read_count(reader_, "the start of the part, as in [0:2, 0:8]");
    reader_.expect(":", "between the start and the end of the part");
    const int64_t limit = read_count(reader_, "the end of the part, as in [0:2, 0:8]");
    if (limit < start) {
      reader_.fail("L-block", begin.to(reader_.last().span),
                   "the part is from " + std::to_string(start) + " to " + std::to_string(limit) +
                       "; expected an end of at least the start");
    }
    op.start.push_back(start);
    op.size.push_back(limit - start);
  } while (reader_.accept(","));
  reader_.expect("]", "after the part");
}

void InstructionReader::local(const Word& word, InstructionLine& line) {
  if (reader_.peek().kind == TokenKind::value && !reader_.peek().first_on_line)
    line.operands = read_value_list(reader_);
  OpSyntax syntax;
  syntax.op = word;
  if (!reader_.peek().first_on_line) syntax.fields = parse_fields(reader_);
  std::optional<OpData> op = read_op(syntax, scope_);
  if (!op) throw SyntaxError{};
  if (!is_local_op(*op)) {
    reader_.fail("E-op", word.span,
                 word.text +
                     " is an op of programs that a Plan has in another form; expected what "
                     "`isoshard show --plan` prints for it");
  }
  line.instruction = NewInstruction(LocalOp{std::move(*op)}, {}, {}, Location(), "");
}

void InstructionReader::clauses(InstructionLine& line) {
  std::vector<std::string_view> seen;
  while (reader_.peek().kind == TokenKind::name && !reader_.peek().first_on_line) {
    const auto clause = std::find(std::begin(kClauses), std::end(kClauses), reader_.peek().text);
    if (clause == std::end(kClauses)) return;
    const Span span = reader_.take().span;
    if (std::find(seen.begin(), seen.end(), *clause) != seen.end()) {
      reader_.fail("E-field", span, "`" + std::string(*clause) + "` is given twice; expected one list");
    }
    seen.push_back(*clause);
    if (*clause == "from") line.instruction.set_op(reader_.expect_kind(TokenKind::name, "the op it comes from").text);
    if (*clause == "action" && in_function_) {
      reader_.fail("L-function", span, "the action of a function is that of its call; expected it there");
    }
    if (*clause == "action") line.instruction.action = read_action();
    if (*clause == "after") line.waits = read_tokens();
    if (*clause == "frees") line.frees = read_value_list(reader_);
  }
}

ActionId InstructionReader::read_action() {
  const Word text = reader_.expect_kind(TokenKind::string, "an action, as in action \"2F0\"");
  const std::optional<schedule::Action> read = schedule::parse_action(text.text);
  if (!read) {
    reader_.fail("P-action", text.span,
                 scope_.quote(text.span) +
                     " is no action; expected stage, one of F, I, W, B, and micro-batch, as in "
                     "action \"2F0\"");
  }
  PlanAction action{0, *read};
  if (reader_.is_word("of")) {
    reader_.take();
    const int64_t pipeline = read_count(reader_, "the number of the pipeline, as in action \"2F0\" of 1");
    if (pipeline > UINT16_MAX) {
      reader_.fail(
          "E-index", reader_.last().span,
          "the pipeline has number " + std::to_string(pipeline) + "; expected at most " + std::to_string(UINT16_MAX));
    }
    action.pipeline = static_cast<uint32_t>(pipeline);
  }
  return find_action(action);
}

/// Instructions in a row are often part of one action.
ActionId InstructionReader::find_action(const PlanAction& action) {
  PlanActionList& all = header_.file.plan.actions;
  if (all.empty() || all.back() != action) all.push_back(action);
  return ActionId(all.size() - 1);
}

std::vector<TokenLine> InstructionReader::read_tokens() {
  std::vector<TokenLine> result;
  do {
    result.push_back(token());
  } while (reader_.accept(","));
  return result;
}

TokenLine InstructionReader::token() {
  TokenLine token;
  token.span = reader_.peek().span;
  token.previous = reader_.is_word("previous");
  token.given = in_function_ && reader_.is_word("given");
  if (token.previous || token.given) reader_.take();
  if (!token.given) reader_.expect("#", "and the number of an instruction, as in `after #3` or `after previous #3`");
  token.number = read_count(reader_, token.given ? "which token of the call, as in `after given 0`"
                                                 : "the number of an instruction, as in #3");
  token.span = token.span.to(reader_.last().span);
  return token;
}

}  // namespace isoshard::text
