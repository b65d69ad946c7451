// Items.
// The parser descends by recursion over the grammar of docs/language.md and builds a syntax tree; nothing is looked up
// or evaluated here. Each form has a function of its own, in this file or in one of parse_*.cc. Each item and statement
// notes where it begins, and each block where its braces are, in an outline that the formatter uses. An error ends its
// statement only (token_reader.cc). Cost: linear in the tokens.

#include "core/text/syntax/parser.h"

#include <utility>

#include "core/support/diagnostic.h"
#include "core/support/quoted.h"

namespace isoshard::text {
namespace {

constexpr std::string_view kVersion = "1";
constexpr std::string_view kItemWords[] = {"import",  "mesh",    "let",   "global",  "func",
                                           "program", "untyped", "check", "pipeline"};

LetSyntax parse_let(TokenReader& reader) {
  LetSyntax let;
  let.name = reader.expect_kind(TokenKind::name, "a name, as in `let d = 64`");
  if (reader.is_word("in")) {
    reader.take();
    reader.expect("{", "and the words, as in `let act in {silu, gelu}`");
    let.words = parse_words(reader, "}", "a word, as in `let act in {silu, gelu}`");
    return let;
  }
  reader.expect("=", "after the name of the let");
  let.value = parse_expression(reader);
  return let;
}

ValueRangeSyntax parse_value_range(TokenReader& reader) {
  const Span begin = reader.take().span;
  ValueRangeSyntax result;
  result.range = parse_range(reader);
  while (reader.accept(",")) result.others.push_back(parse_expression(reader));
  result.span = begin.to(reader.last().span);
  return result;
}

/// `: f32[8]`, `= 1e-6`, or nothing: the type of what is given.
void parse_parameter_type(TokenReader& reader, ParameterSyntax& parameter) {
  if (reader.accept(":")) {
    parameter.type = parse_type(reader, true);
    return;
  }
  const bool ends = reader.is(",") || reader.is(")");
  if (!ends) reader.expect("=", "and a number, `:` and a type, or `,`, as in (%x, %w: f32[8], %eps = 1e-6)");
  parameter.type.inferred = true;
  parameter.type.span = parameter.name.span;
  if (!ends) parameter.number = parse_expression(reader);
}

void parse_signature(TokenReader& reader, BodySyntax& body) {
  reader.expect("(", "and the parameters, as in (%x: f32[8, 16])");
  while (!reader.accept(")")) {
    if (!body.parameters.empty()) reader.expect(",", "or `)` after the parameter");
    ParameterSyntax parameter;
    parameter.name = parse_value_name(reader);
    parse_parameter_type(reader, parameter);
    const bool is_last = body.parameters.empty() || !body.parameters.back().number || parameter.number;
    if (!is_last) {
      reader.fail("P-expected", parameter.name.span,
                  "a parameter without a number stands behind one that has one; expected those with numbers last");
    }
    body.parameters.push_back(std::move(parameter));
  }
}

void parse_result_types(TokenReader& reader, BodySyntax& body) {
  body.infers_results = reader.is("{");
  if (body.infers_results) return;
  reader.expect("->", "and the types of the results, as in `-> f32[]`, or the body, which then says what they are");
  do {
    body.results.push_back(parse_type(reader, false));
  } while (reader.accept(","));
}

BodySyntax parse_body(TokenReader& reader, bool is_function) {
  BodySyntax body;
  body.is_function = is_function;
  body.file = reader.file();
  body.name = reader.expect_kind(
      TokenKind::global, is_function ? "a name, as in `func @f(...)`" : "a name, as in `program @p on @m { ... }`");
  if (is_function) parse_signature(reader, body);
  if (reader.is_word("on")) {
    reader.take();
    body.mesh = reader.expect_kind(TokenKind::global, "a mesh, as in `on @m`");
  }
  if (is_function) parse_result_types(reader, body);
  body.body = parse_block(reader);
  return body;
}

Item parse_item_data(TokenReader& reader) {
  Item item;
  const Token& word = reader.peek();
  item.span = word.span;
  const bool known = starts_item(Token{word.kind, word.span, word.text, true, 0});
  if (!known && (reader.is_word("if") || reader.is_word("for"))) {
    reader.fail_expected("an item; `if` and `for` stand only in the body of a program or func");
  }
  if (!known)
    reader.fail_expected(std::string("an item: import, mesh, let, global, func, program, pipeline or check") +
                         did_you_mean(reader, kItemWords));
  reader.take();
  if (word.text == "import") {
    item.data =
        ImportSyntax{reader.expect_kind(TokenKind::string, "a file in quotes, as in `import \"std/nn.shard\"`")};
  }
  if (word.text == "mesh") item.data = parse_mesh(reader);
  if (word.text == "let") item.data = parse_let(reader);
  if (word.text == "global") item.data = parse_global(reader);
  if (word.text == "check") item.data = parse_check(reader);
  if (word.text == "func" || word.text == "program") item.data = parse_body(reader, word.text == "func");
  if (word.text == "untyped") {
    if (!reader.is_word("program")) reader.fail_expected("`program` after `untyped`");
    reader.take();
    BodySyntax body = parse_body(reader, false);
    body.untyped = true;
    item.data = std::move(body);
  }
  if (word.text == "pipeline") item.data = parse_pipeline_item(reader);
  item.span = item.span.to(reader.last().span);
  return item;
}

void skip_item(TokenReader& reader, size_t begin) {
  while (!reader.at_end() && (reader.position() == begin || !starts_item(reader.peek()))) reader.take();
}

void parse_version(TokenReader& reader) {
  if (reader.at_end()) {
    reader.fail("P-empty", Span(), "the file is empty; expected the first line `isoshard 1`");
  }
  if (!reader.is_word("isoshard")) {
    reader.fail_expected("the first line `isoshard 1`, which names the version of the format");
  }
  reader.take();
  const Token& version = reader.peek();
  if (version.kind != TokenKind::number || version.first_on_line) {
    reader.fail_expected("the version of the format after `isoshard`, as in `isoshard 1`");
  }
  reader.take();
  if (version.text == kVersion) return;
  reader.fail("P-version", version.span,
              "the format version " + std::string(version.text) + " is unknown; this isoshard knows version 1");
}

void parse_items(TokenReader& reader, FileSyntax& file, bool& failed) {
  while (!reader.too_many_errors()) {
    if (reader.at_end()) return;
    const size_t begin = reader.position();
    try {
      reader.note_start();
      file.items.push_back(parse_item_data(reader));
    } catch (const SyntaxError&) {
      failed = true;
      skip_item(reader, begin);
    }
  }
}

}  // namespace

MeshSyntax parse_mesh(TokenReader& reader) {
  MeshSyntax mesh;
  mesh.name = reader.expect_kind(TokenKind::global, "a name, as in `mesh @m [data=2, model=4]`");
  reader.expect("[", "and the axes, as in [data=2, model=4]");
  while (!reader.accept("]")) {
    if (!mesh.axes.empty()) reader.expect(",", "or `]` after the axis");
    Word axis = reader.expect_kind(TokenKind::name, "an axis, as in model=4");
    reader.expect("=", "after the axis, as in model=4");
    mesh.axes.push_back({std::move(axis), parse_expression(reader)});
  }
  if (!reader.is_word("devices")) return mesh;
  reader.take();
  reader.expect("=", "after `devices`");
  reader.expect("[", "and the device of each position, as in devices=[1, 0]");
  mesh.devices.emplace();
  while (!reader.accept("]")) {
    if (!mesh.devices->empty()) reader.expect(",", "or `]` after the device");
    mesh.devices->push_back(parse_expression(reader));
  }
  return mesh;
}

GlobalSyntax parse_global(TokenReader& reader) {
  GlobalSyntax global;
  do {
    global.names.push_back(reader.expect_kind(TokenKind::global, "a name, as in `global @x : f32[8, 16] input`"));
  } while (reader.accept(","));
  reader.expect(":", "and the type of the global");
  global.type = parse_type(reader, false);
  constexpr std::string_view kRole =
      "a role behind the type: input, param, const, key or state, as in `global @x : f32[8, 16] input`";
  if (reader.peek().first_on_line) reader.fail_expected(kRole);
  global.role = reader.expect_kind(TokenKind::name, kRole);
  if (reader.is_word("in")) global.range = parse_value_range(reader);
  if (reader.is_word("init")) {
    reader.take();
    reader.expect("=", "after `init`");
    global.init = parse_expression(reader);
  }
  return global;
}

bool starts_item(const Token& token) {
  if (token.kind != TokenKind::name || !token.first_on_line) return false;
  for (const std::string_view word : kItemWords) {
    if (token.text == word) return true;
  }
  return false;
}

std::string did_you_mean(const TokenReader& reader, std::span<const std::string_view> words) {
  if (reader.peek().kind != TokenKind::name) return "";
  const std::string close = closest_name(reader.peek().text, std::vector<std::string>(words.begin(), words.end()));
  return close.empty() ? "" : "; did you mean `" + close + "`?";
}

std::optional<FileSyntax> parse(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink) {
  const size_t before = sink.error_count();
  const TokenStream stream = tokenize(file, sink);
  if (sink.error_count() != before) return std::nullopt;
  TokenReader reader(file, stream, sink);
  FileSyntax result;
  bool failed = false;
  try {
    parse_version(reader);
    parse_items(reader, result, failed);
  } catch (const SyntaxError&) {
    failed = true;
  }
  if (failed || sink.error_count() != before) return std::nullopt;
  result.outline = reader.take_outline();
  return result;
}

}  // namespace isoshard::text
