// Reads what stands before the groups of ranks in a Plan file. The mesh and the globals are items of the text of
// programs, so they are parsed and elaborated as such, with all of their rules; outputs, communicators and checks are
// said in Plans alone. Names of queues may have several words, so they end with their line. An item with an error is
// skipped to the next line, so that several are reported at once. Cost: the length of the header.
#include "core/text/plan/read/plan_header.h"

#include <algorithm>
#include <utility>

#include "core/text/elaborate/elaborate.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/plan/read/communicator_syntax.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

constexpr std::string_view kPlanWords[] = {"plan",         "global",   "output", "update",
                                           "communicator", "function", "ranks",  "check"};

/// An output or update before its type is read.
struct OutputLine {
  bool is_update = false;
  Word name;
  TypeSyntax type;
};

struct CommunicatorLine {
  CommunicatorSyntax groups;
  Word queue;
};

class HeaderReader {
 public:
  HeaderReader(TokenReader& reader, const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink)
      : reader_(reader), file_(file), sink_(sink) {}

  std::optional<PlanHeader> run() {
    version();
    reader_.take();  // `plan`
    header_.file.plan.program = reader_.expect_kind(TokenKind::global, "the name of a plan, as in `plan @p`").text;
    mesh();
    while (!reader_.at_end() && !ends() && !reader_.too_many_errors()) item();
    const size_t before = sink_.error_count();
    std::optional<Module> module = elaborate(items_, file_, {}, sink_);
    if (!module) return std::nullopt;
    Plan& plan = header_.file.plan;
    plan.mesh = module->meshes.empty() ? std::make_shared<const Mesh>() : module->meshes.front();
    plan.globals = std::move(module->globals);
    const FileScope names{file_, sink_, {plan.mesh}, {}};
    const Scope scope(names, plan.mesh.get());
    header_.queues = {"compute"};
    header_.queue_ids["compute"] = QueueId(0);
    for (const OutputLine& line : outputs_) output(line, scope);
    for (const CommunicatorLine& line : communicators_) communicator(line, scope);
    if (sink_.error_count() != before) return std::nullopt;
    return std::move(header_);
  }

 private:
  bool ends() const { return reader_.is_word("ranks") || reader_.is_word("function"); }

  void version() {
    if (reader_.at_end())
      reader_.fail("P-empty", Span(), "the file is empty; expected the first line `isoshard-plan 1`");
    const bool marked = reader_.is_word("isoshard") && reader_.is("-", 1);
    if (!marked) reader_.fail_expected("the first line `isoshard-plan 1`, which names the version of the format");
    reader_.take();
    reader_.take();
    if (!reader_.is_word("plan")) reader_.fail_expected("the first line `isoshard-plan 1`");
    reader_.take();
    const Word number = reader_.expect_kind(TokenKind::number, "the version of the format, as in `isoshard-plan 1`");
    if (number.text != "1") {
      reader_.fail("P-version", number.span,
                   "the format version " + number.text + " of Plans is unknown; this isoshard knows version 1");
    }
    if (!reader_.is_word("plan")) reader_.fail_expected("`plan @name on @mesh [data=2, model=4]`");
  }

  void mesh() {
    if (!reader_.is_word("on")) return;
    const Span begin = reader_.take().span;
    Item item;
    item.data = parse_mesh(reader_);
    item.span = begin.to(reader_.last().span);
    items_.items.push_back(std::move(item));
  }

  void item() {
    const size_t begin = reader_.position();
    try {
      if (!starts_plan_item(reader_.peek())) {
        reader_.fail_expected(std::string("an item: global, output, update, communicator, function, ranks or check") +
                              did_you_mean(reader_, kPlanWords));
      }
      const Token word = reader_.peek();
      if (word.text == "check") return header_.file.checks.push_back(read_plan_check(reader_, file_));
      reader_.take();
      if (word.text == "plan") reader_.fail("E-duplicate", word.span, "a file holds one plan; expected another item");
      if (word.text == "global") global(word.span);
      if (word.text == "output" || word.text == "update") output_line(word.text == "update");
      if (word.text == "communicator") communicator_line();
    } catch (const SyntaxError&) {
      reader_.skip_line(begin);
    }
  }

  void global(const Span& begin) {
    Item item;
    item.data = parse_global(reader_);
    item.span = begin.to(reader_.last().span);
    items_.items.push_back(std::move(item));
  }

  void output_line(bool is_update) {
    OutputLine line;
    line.is_update = is_update;
    line.name = reader_.expect_kind(TokenKind::global, "the name of an output, as in `output @y: f32[8]`");
    reader_.expect(":", "and the type of the whole array");
    line.type = parse_type(reader_, false);
    outputs_.push_back(std::move(line));
  }

  void communicator_line() {
    CommunicatorLine line;
    line.groups = parse_communicator(reader_);
    if (!reader_.is_word("on")) reader_.fail_expected("`on` and the name of the communicator's queue");
    reader_.take();
    line.queue = read_plain_name(reader_, file_, "", "the name of the communicator's queue");
    communicators_.push_back(std::move(line));
  }

  // What the items mean.

  bool claim(const std::string& key, const Word& name, const Scope& scope) {
    const auto [known, is_new] = seen_.insert({key, name});
    if (is_new) return true;
    sink_.error("E-duplicate", scope.at(name.span), key + " is declared twice; expected a new name")
        .note(scope.at(known->second.span), "it is first declared here");
    return false;
  }

  void output(const OutputLine& line, const Scope& scope) {
    Plan& plan = header_.file.plan;
    const std::optional<TensorType> type = read_type(line.type, scope);
    if (!claim((line.is_update ? "update @" : "output @") + line.name.text, line.name, scope) || !type) return;
    Output made{line.name.text, *type, {}, {}};
    std::vector<std::string> names;
    for (size_t g = 0; g < plan.globals.size(); ++g) {
      names.push_back(plan.globals[g].name);
      if (line.is_update && plan.globals[g].name == line.name.text) made.updates = GlobalId(g);
    }
    if (line.is_update && !made.updates.valid()) {
      return scope.error("E-global", line.name.span,
                         "there is no global @" + line.name.text + suggestion(line.name.text, names, "@", "globals"));
    }
    if (line.is_update) check_update(plan.globals[made.updates.index()], *type, line, scope);
    plan.outputs.push_back(std::move(made));
    header_.outputs.push_back(scope.at(line.name.span));
  }

  static void check_update(const Global& global, const TensorType& type, const OutputLine& line, const Scope& scope) {
    if (!global.can_be_updated()) {
      scope.error("V-update", line.name.span,
                  "@" + global.name + " is an " + std::string(name(global.role)) +
                      " and cannot be updated; expected a param, state or key");
    } else if (global.type != type) {
      scope.error("V-update", line.type.span,
                  "the update of @" + global.name + " is " + to_string(type) + "; expected " + to_string(global.type) +
                      ", the type of the global");
    }
  }

  void communicator(const CommunicatorLine& line, const Scope& scope) {
    const bool is_new = line.queue.text != "compute" && claim("queue " + line.queue.text, line.queue, scope);
    if (line.queue.text == "compute") {
      scope.error("E-duplicate", line.queue.span,
                  "the queue `compute` has no communicator; expected a queue of its own");
    }
    std::optional<Communicator> communicator = read_communicator(line.groups, scope);
    if (!is_new || !communicator) return;
    communicator->queue = QueueId(header_.queues.size());
    header_.file.plan.communicators.push_back(std::move(*communicator));
    header_.queue_ids[line.queue.text] = QueueId(header_.queues.size());
    header_.queues.push_back(line.queue.text);
  }

  TokenReader& reader_;
  const std::shared_ptr<const SourceFile>& file_;
  DiagnosticSink& sink_;
  PlanHeader header_;
  FileSyntax items_;                  ///< the mesh and the globals
  std::map<std::string, Word> seen_;  ///< outputs, updates and queues, and where
  std::vector<OutputLine> outputs_;
  std::vector<CommunicatorLine> communicators_;
};

}  // namespace

bool starts_plan_item(const Token& token) {
  return token.kind == TokenKind::name && token.first_on_line &&
         std::find(std::begin(kPlanWords), std::end(kPlanWords), token.text) != std::end(kPlanWords);
}

Word read_plain_name(TokenReader& reader, const std::shared_ptr<const SourceFile>& file, std::string_view stop,
                     const std::string& what) {
  if (reader.at_end() || reader.peek().first_on_line || (!stop.empty() && reader.is(stop))) reader.fail_expected(what);
  const Span begin = reader.take().span;
  while (!reader.at_end() && !reader.peek().first_on_line && (stop.empty() || !reader.is(stop))) reader.take();
  const Span span = begin.to(reader.last().span);
  return Word{file->text.substr(span.offset, span.end - span.offset), span};
}

PlanCheck read_plan_check(TokenReader& reader, const std::shared_ptr<const SourceFile>& file) {
  const char* expected = "`check plan == @program in \"file.shard\"`";
  const Span begin = reader.take().span;
  if (!reader.is_word("plan")) reader.fail_expected(expected);
  reader.take();
  if (!reader.accept("==")) reader.fail_expected(expected);
  PlanCheck check;
  check.program = reader.expect_kind(TokenKind::global, expected).text;
  if (!reader.is_word("in")) reader.fail_expected(expected);
  reader.take();
  check.file = reader.expect_kind(TokenKind::string, expected).text;
  check.location = locate(file, begin.to(reader.last().span));
  return check;
}

std::optional<PlanHeader> read_plan_header(TokenReader& reader, const std::shared_ptr<const SourceFile>& file,
                                           DiagnosticSink& sink) {
  return HeaderReader(reader, file, sink).run();
}

}  // namespace isoshard::text
