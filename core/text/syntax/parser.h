#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/syntax/syntax.h"

namespace isoshard::text {

/// Thrown by the parser after it has reported an error, to reach the next place where it can go on.
struct SyntaxError {};

/// Walks over the tokens of one file: lookahead, expectations, nesting limit, outline.
class TokenReader {
 public:
  TokenReader(const std::shared_ptr<const SourceFile>& file, const TokenStream& stream, DiagnosticSink& sink)
      : file_(file), stream_(stream), sink_(sink) {}

  const std::shared_ptr<const SourceFile>& file() const { return file_; }
  const Token& peek(size_t ahead = 0) const { return stream_.tokens[std::min(at_ + ahead, stream_.tokens.size() - 1)]; }
  /// The token read last.
  const Token& last() const { return stream_.tokens[at_ - 1]; }
  const Token& take();
  bool at_end() const { return peek().kind == TokenKind::end; }
  bool is(std::string_view punctuation, size_t ahead = 0) const { return peek(ahead).is(punctuation); }
  bool is_word(std::string_view word) const;
  bool accept(std::string_view punctuation);
  /// Takes `punctuation` or reports that it is missing; `where` says in what ("after the axes").
  void expect(std::string_view punctuation, std::string_view where);
  Word expect_kind(TokenKind kind, std::string_view what);

  /// Reports `found X; expected what` at the next token and throws.
  [[noreturn]] void fail_expected(std::string_view what);
  [[noreturn]] void fail(std::string rule, const Span& span, std::string message);
  /// Reports that the block which begins at the brace `open` has no end before the next token, and throws.
  [[noreturn]] void fail_unclosed(const Span& open);
  bool too_many_errors() const { return errors_ >= kMaxErrors; }

  /// Skips the rest of a statement: to the first token of a later line, or the brace that closes the block.
  void skip_statement(size_t begin);
  /// Skips the line of the token at `begin` from there on, and the block that it opens.
  void skip_line(size_t begin);
  size_t position() const { return at_; }

  /// Notes that an item or statement starts with the next token.
  void note_start() { outline_.starts.push_back(peek().span.offset); }
  /// Notes a block from the brace at `open` to the one just read.
  void note_block(uint32_t open) { outline_.blocks.push_back({open, last().span.offset}); }
  /// Notes that the parenthesis that comes next has the arguments of what stands before it.
  void note_call() { outline_.calls.push_back(peek().span.offset); }
  /// Notes that the next token begins an expression, or a layout behind one.
  void note_other() { outline_.others.push_back(peek().span.offset); }
  Outline take_outline() { return std::move(outline_); }

  /// Counts one level of nesting while it lives; more than 256 are an error.
  class Nest {
   public:
    explicit Nest(TokenReader& reader) : reader_(reader) { reader_.enter(); }
    ~Nest() { --reader_.depth_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    TokenReader& reader_;
  };

 private:
  static constexpr size_t kMaxErrors = 20;
  static constexpr size_t kMaxDepth = 256;

  void enter();

  const std::shared_ptr<const SourceFile>& file_;
  const TokenStream& stream_;
  DiagnosticSink& sink_;
  size_t at_ = 0;
  size_t depth_ = 0;
  size_t errors_ = 0;
  Outline outline_;
};

/// `@m [data=2, model=4] devices=[...]`, from behind the word `mesh` or `on` of a Plan.
MeshSyntax parse_mesh(TokenReader& reader);
/// A global from behind its word.
GlobalSyntax parse_global(TokenReader& reader);
Expr parse_expression(TokenReader& reader);
/// `a < b`.
Condition parse_condition(TokenReader& reader);
/// `a..b`.
Range parse_range(TokenReader& reader);
ValueName parse_value_name(TokenReader& reader);
/// A number, a name or a function of integers.
Expr parse_number_part(TokenReader& reader);
/// The number `-inner`, written at `span`.
Expr negated_number(Expr inner, const Span& span);
/// Reports a value that follows a number on its line: a remainder without a blank.
void check_end_of_number(TokenReader& reader);
/// Reports the comparison at `sign` of what are numbers.
[[noreturn]] void fail_comparison(TokenReader& reader, const Span& sign);
/// A value, a number, or an expression over values.
Operand parse_operand(TokenReader& reader);
/// Whether a statement goes on with an expression, and not with the name of an op and its operands.
bool starts_expression(const TokenReader& reader);
/// The op that an expression ends with; results and types are others' to read.
OpSyntax parse_expression_statement(TokenReader& reader);
/// The string of an `einsum`.
Word parse_equation(TokenReader& reader);
/// One or more operands, separated by commas.
std::vector<Operand> parse_operands(TokenReader& reader);
/// The value of a field.
FieldValue parse_field_value(TokenReader& reader);
/// `{name=value, ...}`, or nothing when there is no brace.
std::vector<FieldSyntax> parse_fields(TokenReader& reader);
/// What stands behind the word `view`, into `op`.
void read_view_form(TokenReader& reader, OpSyntax& op);
/// `[-, model-k, (data, model), stack c*2+pp of 8]`.
LayoutSyntax parse_layout(TokenReader& reader);
/// What may stand behind the layout of a view.
ViewSyntax parse_view(TokenReader& reader);
/// Whether the parenthesis that comes next holds a comma of its own, and so a tuple.
bool is_tuple(const TokenReader& reader);
/// `f32[b, d]` or `f32[*]`, then `{V: data}` where `with_states` allows it.
TypeSyntax parse_type(TokenReader& reader, bool with_states);
/// `: f32[b, d] {V: data}, ...` behind an op, or nothing.
std::vector<TypeSyntax> parse_annotations(TokenReader& reader);
/// A scan from the word `scan` on; its results have been read.
Statement parse_scan(TokenReader& reader, std::vector<ValueName> results);
/// From the word `yield` on.
YieldSyntax parse_yield(TokenReader& reader);
/// A check from behind the word `check` on.
CheckSyntax parse_check(TokenReader& reader);
/// Whether an item begins here: one of its words, first on its line.
bool starts_item(const Token& token);
/// The end of a message about a word that is none of `words`.
std::string did_you_mean(const TokenReader& reader, std::span<const std::string_view> words);
/// The item `pipeline` from its name on.
PipelineSyntax parse_pipeline_item(TokenReader& reader);
/// `{ statements }`.
Block parse_block(TokenReader& reader);
/// `word, word, ...` up to the closing `end`, which is taken.
std::vector<Word> parse_words(TokenReader& reader, std::string_view end, std::string_view what);

}  // namespace isoshard::text
