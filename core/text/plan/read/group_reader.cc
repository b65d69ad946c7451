// Reads the groups of ranks of a Plan file. A group is a list of statements: `queue NAME` with instructions below it,
// `frees` at the end of a block, `block` where another one begins, and loops with lists of their own. Statements end
// with their lines; after an error the rest of its line is skipped, so that several are reported at once. Loops nest by
// recursion, which the reader of tokens limits. Cost: the length of the text.
#include "core/text/plan/read/group_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text/plan/read/plan_tokens.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

constexpr std::string_view kStatements[] = {"queue", "block", "frees", "repeat", "yield"};
constexpr int64_t kMostIterations = int64_t{1} << 40;

}  // namespace

GroupLines GroupReader::read() {
  const Span begin = reader_.take().span;  // `ranks`
  GroupLines group;
  group.name = read_plain_name(reader_, file_, "[", "the name of the group, as in `ranks all [0..4] {`").text;
  const bool is_first = taken_.empty();
  group.positions = positions();
  if (is_first) first_ = begin.to(reader_.last().span);
  loops_.clear();
  group.blocks = blocks(nullptr);
  return group;
}

void GroupReader::read_function() {
  const Word name = functions_.head();
  loops_.clear();
  functions_.add(name, blocks(nullptr));
}

void GroupReader::expect_all_positions() {
  const auto missing = std::find(taken_.begin(), taken_.end(), false);
  if (missing == taken_.end()) return;
  scope_.error("L-group", first_,
               "no group of ranks has position " + std::to_string(missing - taken_.begin()) +
                   "; expected each position of the mesh in one group, which may be without statements");
}

/// `[0..8]` is every position, otherwise they are listed.
std::vector<int64_t> GroupReader::positions() {
  const Span begin = reader_.peek().span;
  reader_.expect("[", "and the positions of the group, as in [0..4] or [0, 2]");
  std::vector<int64_t> result{read_count(reader_, "a position of the mesh")};
  claim(result[0]);
  if (reader_.accept("..")) {
    const int64_t limit = read_count(reader_, "the number of devices, as in [0..4]");
    reader_.expect("]", "after the positions");
    if (result[0] == 0 && limit == scope_.mesh().device_count()) {
      for (int64_t position = 1; position < limit; ++position) claim(position);
      return {};
    }
    reader_.fail("L-group", begin.to(reader_.last().span),
                 "a range of positions is all of them, [0.." + std::to_string(scope_.mesh().device_count()) +
                     "]; expected that, or a list as in [0, 2]");
  }
  while (reader_.accept(",")) {
    result.push_back(read_count(reader_, "a position of the mesh"));
    claim(result.back());
  }
  reader_.expect("]", "after the positions");
  return result;
}

/// A position that was read is on the mesh, and in one group.
void GroupReader::claim(int64_t position) {
  const int64_t devices = scope_.mesh().device_count();
  const std::string text = "position " + std::to_string(position);
  if (position >= devices) {
    reader_.fail("L-group", reader_.last().span,
                 text + " of " + std::to_string(devices) + "; expected 0 to " + std::to_string(devices - 1));
  }
  taken_.resize(static_cast<size_t>(devices));
  if (!taken_[static_cast<size_t>(position)]) {
    taken_[static_cast<size_t>(position)] = true;
    return;
  }
  reader_.fail("L-group", reader_.last().span, text + " is in this group or another one already; expected it once");
}

std::vector<BlockLines> GroupReader::blocks(LoopLines* loop) {
  const TokenReader::Nest nest(reader_);
  reader_.expect("{", "and the queues");
  std::vector<BlockLines> result;
  closed_ = true;
  yielded_ = false;
  for (;;) {
    if (reader_.accept("}")) return result;
    if (reader_.at_end()) reader_.fail_expected("`}` at the end of the " + std::string(loop ? "loop" : "group"));
    const size_t begin = reader_.position();
    try {
      const bool inline_statement = !reader_.peek().first_on_line && begin > 0 && !reader_.is("#");
      if (inline_statement) reader_.fail_expected("the end of the line");
      statement(result, loop);
    } catch (const SyntaxError&) {
      if (reader_.too_many_errors() || starts_plan_item(reader_.peek())) throw;
      reader_.skip_line(begin);
    }
  }
}

void GroupReader::statement(std::vector<BlockLines>& blocks, LoopLines* loop) {
  if (reader_.is("#")) return instruction(blocks);
  if (reader_.is_word("queue")) return queue(blocks);
  if (reader_.is_word("yield")) return yield(loop);
  if (reader_.is_word("repeat") || reader_.peek().kind == TokenKind::value) return repeat(blocks);
  if (reader_.is_word("block")) {
    reader_.take();
    blocks.emplace_back();
    closed_ = false;
    return;
  }
  if (reader_.is_word("frees")) {
    reader_.take();
    open(blocks).frees = read_value_list(reader_);
    closed_ = true;
    return;
  }
  reader_.fail_expected("a statement: queue, block, frees, repeat, yield or an instruction, as in `#0 ...`" +
                        did_you_mean(reader_, kStatements));
}

/// The block that takes queues.
BlockLines& GroupReader::open(std::vector<BlockLines>& blocks) {
  if (closed_ || blocks.empty() || blocks.back().loop) blocks.emplace_back();
  closed_ = false;
  return blocks.back();
}

void GroupReader::queue(std::vector<BlockLines>& blocks) {
  reader_.take();
  const Word name = read_plain_name(reader_, file_, "", "the name of a queue, as in `queue compute`");
  const auto known = header_.queue_ids.find(name.text);
  if (known == header_.queue_ids.end()) {
    reader_.fail("L-queue", name.span,
                 "there is no queue `" + name.text + "`" + suggestion(name.text, header_.queues, "", "queues") +
                     "; a queue of communication is declared by `communicator AXES on NAME`");
  }
  open(blocks).queues.push_back({known->second, {}});
}

void GroupReader::instruction(std::vector<BlockLines>& blocks) {
  if (functions_.is_call()) return put(functions_.call(), blocks);
  const bool inside = !closed_ && !blocks.empty() && !blocks.back().loop && !blocks.back().queues.empty();
  if (!inside) reader_.fail_expected("the queue of the instruction before it, as in `queue compute`");
  QueueLines& queue = blocks.back().queues.back();
  queue.lines.push_back(instructions_.read(queue.queue));
}

/// What a call writes: its first block goes on with the one that is open, and its last one stays open.
void GroupReader::put(std::vector<BlockLines> written, std::vector<BlockLines>& blocks) {
  for (size_t i = 0; i < written.size(); ++i) {
    BlockLines& block = written[i];
    if (block.loop) {
      blocks.push_back(std::move(block));
      closed_ = true;
      continue;
    }
    if (i > 0) {
      blocks.emplace_back();
      closed_ = false;
    }
    BlockLines& open = this->open(blocks);
    open.called.insert(open.called.end(), std::make_move_iterator(block.queues.begin()),
                       std::make_move_iterator(block.queues.end()));
    open.frees.insert(open.frees.end(), block.frees.begin(), block.frees.end());
    closed_ = !block.frees.empty();
  }
}

void GroupReader::repeat(std::vector<BlockLines>& blocks) {
  BlockLines block;
  LoopLines loop;
  head(loop, block);
  loops_.push_back(loop.count);
  loop.body = this->blocks(&loop);
  loops_.pop_back();
  if (!yielded_) {
    reader_.fail("E-yield", loop.span,
                 "the body of the repeat has no `yield`; expected one at its end, which may be empty");
  }
  closed_ = true;
  yielded_ = false;
  block.loop = std::move(loop);
  blocks.push_back(std::move(block));
}

/// `%y = repeat 4 (%c = %h) over (%w = %ws) {ahead=0} frees %h`.
void GroupReader::head(LoopLines& loop, BlockLines& block) {
  const Span begin = reader_.peek().span;
  if (reader_.peek().kind == TokenKind::value) {
    loop.results = read_value_list(reader_);
    reader_.expect("=", "after the results of the loop");
  }
  if (!reader_.is_word("repeat")) {
    reader_.fail_expected(
        "`repeat` and the number of iterations; instructions begin with their number, as in `#0 ...`");
  }
  reader_.take();
  loop.count = read_count(reader_, "the number of iterations, as in `repeat 4 (%c = %h) {`");
  if (loop.count > kMostIterations) {
    reader_.fail("L-loop", reader_.last().span,
                 "the repeat has " + std::to_string(loop.count) + " iterations; expected at most 2^40");
  }
  bindings(loop.carries);
  if (reader_.is_word("over")) {
    reader_.take();
    bindings(loop.slices);
  }
  if (reader_.is("{") && reader_.peek(1).text == "ahead") {
    reader_.take();
    reader_.take();
    reader_.expect("=", "after `ahead`");
    loop.ahead = read_count(reader_, "how many iterations queues may be apart, as in {ahead=0}");
    if (loop.ahead > kMostIterations) {
      reader_.fail("L-loop", reader_.last().span,
                   "the repeat has ahead=" + std::to_string(loop.ahead) + "; expected at most 2^40");
    }
    reader_.expect("}", "after the field");
  }
  if (reader_.is_word("frees")) {
    reader_.take();
    block.frees = read_value_list(reader_);
  }
  loop.span = begin.to(reader_.last().span);
  loop.location = scope_.at(loop.span);
}

void GroupReader::bindings(std::vector<BindingLine>& list) {
  reader_.expect("(", "and what the loop takes, as in (%c = %h), which may be ()");
  while (!reader_.accept(")")) {
    if (!list.empty()) reader_.expect(",", "or `)` after the value");
    BindingLine line;
    line.inside = reader_.expect_kind(TokenKind::value, "a value inside of the loop, as in %c = %h");
    reader_.expect("=", "after the value inside");
    line.outside = reader_.expect_kind(TokenKind::value, "a value outside, as in %c = %h");
    list.push_back(std::move(line));
  }
}

void GroupReader::yield(LoopLines* loop) {
  const Span begin = reader_.take().span;
  if (loop == nullptr || yielded_) {
    reader_.fail("E-yield", begin, "`yield` stands at the end of a repeat, once; expected a queue or an instruction");
  }
  if (reader_.peek().kind == TokenKind::value && !reader_.peek().first_on_line) loop->yields = read_value_list(reader_);
  if (reader_.is_word("stack")) {
    reader_.take();
    loop->parts = read_value_list(reader_);
  }
  yielded_ = true;
  if (!reader_.is("}")) reader_.fail_expected("`}` after `yield`, which ends the body of a repeat");
}

}  // namespace isoshard::text
