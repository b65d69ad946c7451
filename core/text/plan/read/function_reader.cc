// Reads functions of a Plan file and writes their calls out (docs/spec/plan.md, "Text"). A Plan is one flat list, so a
// call stands for the lines of its function: numbers count on from that of the call, values have its name in front,
// parameters are what it is given. All that a body names is looked up when it is read, so that an error is reported
// once and at its line, whoever calls; places of written lines say both. A function calls no other one: what a file can
// ask for is then at most the square of its length, which is bounded. Cost: the lines that are written.
#include "core/text/plan/read/function_reader.h"

#include <algorithm>
#include <utility>

#include "core/support/call_chain.h"
#include "core/text/plan/read/plan_tokens.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

constexpr size_t kMostWritten = 1'000'000;  ///< blocks, lines and names in them: a tenth to half a kilobyte each

std::string counted(size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

/// A call that was read.
struct FunctionReader::Call {
  int64_t first = 0;  ///< the number of its first line
  Word name;          ///< what names of its values begin with
  std::vector<Word> arguments;
  std::vector<TokenLine> given;
  ActionId action;
  CallId id;
  Location location;

  /// Makes a copy of the body of the function what the call writes; how many blocks, lines and names it has.
  size_t write(const FunctionLines& function, std::vector<BlockLines>& body) const {
    size_t count = body.size();
    for (BlockLines& block : body) {
      count += rename(function, block.frees);
      if (block.loop) count += write(function, *block.loop);
      for (QueueLines& queue : block.queues) {
        for (InstructionLine& line : queue.lines) count += write(function, line);
      }
    }
    return count;
  }

 private:
  size_t write(const FunctionLines& function, LoopLines& loop) const {
    size_t count = loop.carries.size() + loop.slices.size();
    for (auto* words : {&loop.results, &loop.yields, &loop.parts}) count += rename(function, *words);
    for (auto* bindings : {&loop.carries, &loop.slices}) {
      for (BindingLine& binding : *bindings) {
        rename(function, binding.inside);
        rename(function, binding.outside);
      }
    }
    loop.call = id;
    loop.location = written(loop.location);
    return count + write(function, loop.body);
  }

  size_t write(const FunctionLines& function, InstructionLine& line) const {
    size_t count = 1 + line.waits.size();
    line.number += first;
    for (auto* words : {&line.results, &line.operands, &line.frees}) count += rename(function, *words);
    for (TokenLine& token : line.waits) {
      if (token.given) {
        token = given[static_cast<size_t>(token.number)];
      } else {
        token.number += first;
      }
    }
    line.instruction.action = action;
    line.instruction.set_call(id);
    line.instruction.set_location(written(line.instruction.location()));
    return count;
  }

  Location written(const Location& in_function) const { return in_function.within(location, std::string(kInlined)); }

  size_t rename(const FunctionLines& function, std::vector<Word>& words) const {
    for (Word& word : words) rename(function, word);
    return words.size();
  }
  void rename(const FunctionLines& function, Word& word) const {
    if (function.results.contains(word.text)) {
      word.text = name.text + "." + word.text;
    } else {
      word = arguments[function.parameters.at(word.text)];
    }
  }
};

Word FunctionReader::head() {
  reader_.take();  // `function`
  const Word name = reader_.expect_kind(TokenKind::global, "the name of a function, as in `function @layer(%x) {`");
  if (functions_.contains(name.text)) {
    reader_.fail("E-duplicate", name.span, "there is a function @" + name.text + " above; expected a new name");
  }
  instructions_.set_in_function(true);
  made_ = FunctionLines();
  reader_.expect("(", "and the parameters of the function, which may be ()");
  while (!reader_.accept(")")) {
    if (!made_.parameters.empty()) reader_.expect(",", "or `)` after the parameter");
    const Word parameter = reader_.expect_kind(TokenKind::value, "a parameter, as in %x");
    if (!made_.parameters.emplace(parameter.text, made_.parameters.size()).second) {
      reader_.fail("E-duplicate", parameter.span, "%" + parameter.text + " is a parameter twice; expected a new name");
    }
  }
  return name;
}

void FunctionReader::add(const Word& name, std::vector<BlockLines> body) {
  instructions_.set_in_function(false);
  numbers_.clear();
  define(body);
  expect_known(body);
  made_.body = std::move(body);
  functions_.emplace(name.text, std::move(made_));
}

/// Notes what the body defines.
void FunctionReader::define(const std::vector<BlockLines>& body) {
  for (const BlockLines& block : body) {
    if (block.loop) {
      for (const auto* bindings : {&block.loop->carries, &block.loop->slices}) {
        for (const BindingLine& binding : *bindings) define(binding.inside);
      }
      define(block.loop->body);
      for (const Word& result : block.loop->results) define(result);
    }
    for (const QueueLines& queue : block.queues) {
      for (const InstructionLine& line : queue.lines) {
        numbers_.insert(line.number);
        for (const Word& result : line.results) define(result);
        for (const TokenLine& token : line.waits) {
          if (token.given) made_.given = std::max(made_.given, token.number + 1);
        }
      }
    }
  }
}

void FunctionReader::define(const Word& result) {
  if (!made_.parameters.contains(result.text) && made_.results.insert(result.text).second) return;
  reader_.fail("E-duplicate", result.span,
               "%" + result.text + " is defined twice in the function; expected a new name");
}

/// Reports a value or a number that the function does not have.
void FunctionReader::expect_known(const std::vector<BlockLines>& body) const {
  for (const BlockLines& block : body) {
    expect_known(block.frees);
    if (block.loop) {
      for (const auto* bindings : {&block.loop->carries, &block.loop->slices}) {
        for (const BindingLine& binding : *bindings) expect_known({binding.outside});
      }
      expect_known(block.loop->body);
      expect_known(block.loop->yields);
      expect_known(block.loop->parts);
    }
    for (const QueueLines& queue : block.queues) {
      for (const InstructionLine& line : queue.lines) {
        expect_known(line.operands);
        expect_known(line.frees);
        for (const TokenLine& token : line.waits) {
          if (token.given || numbers_.contains(token.number)) continue;
          reader_.fail("L-token", token.span,
                       "there is no instruction #" + std::to_string(token.number) +
                           " in the function to wait for; what a call gives is `given 0`");
        }
      }
    }
  }
}

void FunctionReader::expect_known(const std::vector<Word>& words) const {
  for (const Word& word : words) {
    if (made_.results.contains(word.text) || made_.parameters.contains(word.text)) continue;
    std::vector<std::string> all(made_.results.begin(), made_.results.end());
    for (const auto& [parameter, place] : made_.parameters) all.push_back(parameter);
    std::sort(all.begin(), all.end());
    reader_.fail("E-undefined", word.span,
                 "the function has no value %" + word.text + suggestion(word.text, all, "%", "values") +
                     "; what comes from outside is a parameter");
  }
}

bool FunctionReader::is_call() const {
  return reader_.peek(2).kind == TokenKind::value && reader_.is("=", 3) && reader_.peek(4).text == "invoke";
}

std::vector<BlockLines> FunctionReader::call() {
  Call call;
  const Span begin = reader_.take().span;
  call.first = read_count(reader_, "the number of the call, as in #7");
  call.name = reader_.expect_kind(TokenKind::value, "the name of the call, as in %layer.3");
  reader_.take();  // `=`
  reader_.take();  // `invoke`
  const Word name = reader_.expect_kind(TokenKind::global, "the name of a function, as in `invoke @layer(%x)`");
  if (instructions_.in_function()) {
    reader_.fail("L-function", name.span, "a function calls no other one; expected its lines");
  }
  const FunctionLines& function = find(name);
  arguments(call);
  clauses(call);
  if (!reader_.at_end() && !reader_.peek().first_on_line) {
    reader_.fail_expected("the end of the line, or one of action and given");
  }
  expect_matches(function, name, call);
  call.location = scope_.at(begin.to(reader_.last().span));
  call.id = add_call(name.text, call);
  std::vector<BlockLines> written = function.body;
  written_ += call.write(function, written);
  if (written_ > kMostWritten) {
    reader_.fail("L-limit", name.span,
                 "calls write more than " + std::to_string(kMostWritten) +
                     " instructions, loops and values; expected fewer, or loops around calls");
  }
  return written;
}

const FunctionLines& FunctionReader::find(const Word& name) {
  const auto known = functions_.find(name.text);
  if (known != functions_.end()) return known->second;
  std::vector<std::string> names;
  for (const auto& [other, function] : functions_) names.push_back(other);
  std::sort(names.begin(), names.end());
  reader_.fail("E-func", name.span,
               "there is no function @" + name.text + " above" + suggestion(name.text, names, "@", "functions"));
}

void FunctionReader::arguments(Call& call) {
  reader_.expect("(", "and the arguments of the call, which may be ()");
  while (!reader_.accept(")")) {
    if (!call.arguments.empty()) reader_.expect(",", "or `)` after the argument");
    call.arguments.push_back(reader_.expect_kind(TokenKind::value, "an argument, as in %x"));
  }
}

void FunctionReader::clauses(Call& call) {
  const auto is_clause = [&](std::string_view word) { return reader_.is_word(word) && !reader_.peek().first_on_line; };
  if (is_clause("action")) {
    reader_.take();
    call.action = instructions_.read_action();
  }
  if (is_clause("given")) {
    reader_.take();
    call.given = instructions_.read_tokens();
  }
}

void FunctionReader::expect_matches(const FunctionLines& function, const Word& name, const Call& call) {
  if (call.arguments.size() != function.parameters.size()) {
    reader_.fail("L-function", name.span,
                 "the call has " + counted(call.arguments.size(), "argument") + " and @" + name.text + " " +
                     counted(function.parameters.size(), "parameter") + "; expected one for each");
  }
  if (call.given.size() != static_cast<size_t>(function.given)) {
    reader_.fail("L-function", name.span,
                 "the call gives " + counted(call.given.size(), "token") + " and @" + name.text + " waits for " +
                     counted(static_cast<size_t>(function.given), "given one") + "; expected as many");
  }
}

/// The name of a call in an action may begin with the text of that.
CallId FunctionReader::add_call(const std::string& function, const Call& call) {
  std::vector<PlanCall>& calls = header_.file.plan.calls;
  PlanCall made{function, call.name.text, false, CallId()};
  if (call.action.valid()) {
    const std::string text = schedule::to_string(header_.file.plan.action(call.action).action);
    made.in_action = made.name == text || made.name.starts_with(text + ".");
    if (made.in_action) made.name.erase(0, std::min(made.name.size(), text.size() + 1));
  }
  calls.push_back(std::move(made));
  return CallId(calls.size() - 1);
}

}  // namespace isoshard::text
