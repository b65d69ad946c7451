// Formats a source by setting blanks between its tokens (docs/adr/0013-fmt.md; docs/language.md, "Formatting"). The
// tokens and comments are walked once and put into lines: a statement or a brace that closes a block begins a line,
// other line breaks stay where the author made them, and indentation follows the depth of blocks. Then comments behind
// adjacent lines of one indent are moved to one column, which is measured per group of lines. What begins a statement
// and which braces are blocks comes from the parser's outline, since tokens alone do not tell. At the end the text is
// tokenized again and compared, so that nothing but blanks can have changed. Cost: linear in the source, but for a
// search by halves per token.
#include "core/text/print/format.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/support/check.h"
#include "core/text/print/spacing.h"
#include "core/text/syntax/syntax.h"

namespace isoshard::text {
namespace {

constexpr size_t kIndent = 2;
/// Longer lines do not move the comments of their neighbours.
constexpr size_t kWidest = 100;

struct Line {
  size_t indent = 0;
  std::string text;
  std::string comment;  ///< behind `text`
  bool blank_before = false;
  bool is_comment = false;  ///< `text` is a comment
};

std::string trimmed(std::string_view text) {
  const size_t end = text.find_last_not_of(" \t\r");
  return std::string(text.substr(0, end == std::string_view::npos ? 0 : end + 1));
}

/// Puts tokens and comments into lines.
class Formatter {
 public:
  Formatter(const TokenStream& stream, const Outline& outline)
      : stream_(stream), outline_(outline), spacing_(stream.tokens, outline) {}

  std::vector<Line> run() {
    for (at_ = 0; at_ < stream_.tokens.size(); ++at_) {
      comments();
      if (token().kind != TokenKind::end) place();
    }
    return std::move(lines_);
  }

 private:
  const Token& token() const { return stream_.tokens[at_]; }
  bool closes() const { return spacing_.closes_block(at_); }
  bool starts() const {
    return at_ == 0 || std::binary_search(outline_.starts.begin(), outline_.starts.end(), token().span.offset);
  }
  /// Whether the token belongs to a statement that an earlier line began.
  bool continues() const { return token().kind != TokenKind::end && !starts() && !closes() && !is_else(); }
  bool is_else() const {
    return at_ > 0 && token().kind == TokenKind::name && token().text == "else" && spacing_.closes_block(at_ - 1);
  }
  /// Whether nothing stands between the brace that opens a block and what comes next, except a comment behind it.
  bool is_first_in_block() const { return at_ > 0 && spacing_.opens_block(at_ - 1) && !lines_.back().is_comment; }

  /// Starts a line for what stands on line `source_line` of the file.
  void open_line(size_t indent, uint32_t source_line, bool may_be_apart) {
    Line line;
    line.indent = indent;
    line.blank_before = may_be_apart && !lines_.empty() && source_line > last_line_ + 1;
    lines_.push_back(std::move(line));
  }

  /// The comments before the token: behind the last token, or on lines of their own.
  void comments() {
    for (; comment_ < token().comments_before; ++comment_) {
      const Comment& comment = stream_.comments[comment_];
      const bool behind = at_ > 0 && !fresh_ && comment.span.line == stream_.tokens[at_ - 1].span.line;
      if (behind) {
        lines_.back().comment = trimmed(comment.text);
      } else {
        open_line(depth_ * kIndent + (continues() ? 2 * kIndent : 0), comment.span.line,
                  !continues() && !is_first_in_block());
        lines_.back().text = trimmed(comment.text);
        lines_.back().is_comment = true;
      }
      fresh_ = true;
      last_line_ = comment.span.line;
    }
  }

  /// Whether the token stands on a line of its own or begins one.
  bool breaks() const {
    if (at_ == 0 || fresh_) return true;
    if (is_else() || spacing_.opens_block(at_)) return false;
    const bool one_line = !one_line_.empty() && one_line_.back();
    if (starts() || closes()) return !one_line;
    return token().first_on_line;
  }

  void place() {
    if (closes()) --depth_;
    if (breaks()) {
      const std::string_view text = token().text;
      const bool closing = token().kind == TokenKind::punctuation && (text == ")" || text == "]" || text == "}");
      open_line(depth_ * kIndent + (continues() && !closing ? 2 * kIndent : 0), token().span.line,
                starts() && !is_first_in_block());
    } else if (spacing_.blank_before(at_)) {
      lines_.back().text += ' ';
    }
    fresh_ = false;
    const Span& span = token().span;
    lines_.back().text.append(source_text());
    last_line_ = span.line;
    if (closes()) one_line_.pop_back();
    if (spacing_.opens_block(at_)) {
      ++depth_;
      one_line_.push_back(is_one_line());
    }
    spacing_.pass(at_);
  }

  /// Whether the block that the token opens ends on its line.
  bool is_one_line() const {
    const uint32_t close = spacing_.closing(at_);
    const auto it = std::lower_bound(stream_.tokens.begin(), stream_.tokens.end(), close,
                                     [](const Token& t, uint32_t offset) { return t.span.offset < offset; });
    return it->span.line == token().span.line;
  }

  /// The token with its sign: `%x`, `@W`, `.w`.
  std::string source_text() const {
    if (token().kind == TokenKind::string) return std::string(1, '"').append(token().text) + '"';
    const size_t sign = token().span.end - token().span.offset - token().text.size();
    return std::string(token().text.data() - sign, token().text.size() + sign);
  }

  const TokenStream& stream_;
  const Outline& outline_;
  Spacing spacing_;
  std::vector<Line> lines_;
  std::vector<bool> one_line_;  ///< of the open blocks
  size_t at_ = 0, comment_ = 0, depth_ = 0;
  uint32_t last_line_ = 0;
  bool fresh_ = false;  ///< the last line is complete: a comment ended it
};

/// Whether line `i` continues a group of lines whose comments stand in one column.
bool is_grouped(const std::vector<Line>& lines, size_t i) {
  return i > 0 && !lines[i].blank_before && !lines[i].is_comment && !lines[i - 1].is_comment &&
         lines[i].indent == lines[i - 1].indent;
}

size_t width(const Line& line) { return line.indent + line.text.size(); }

std::string join(const std::vector<Line>& lines) {
  std::string out;
  size_t column = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!is_grouped(lines, i)) {
      column = 0;
      for (size_t j = i; j == i || (j < lines.size() && is_grouped(lines, j)); ++j) {
        if (!lines[j].comment.empty() && width(lines[j]) <= kWidest) column = std::max(column, width(lines[j]));
      }
    }
    const Line& line = lines[i];
    if (line.blank_before) out += '\n';
    out.append(line.indent, ' ');
    out += line.text;
    if (!line.comment.empty()) {
      out.append(std::max(column, width(line)) - width(line) + 2, ' ');
      out += line.comment;
    }
    out += '\n';
  }
  return out;
}

/// The formatter is right only if nothing but blanks changed.
void check_unchanged(const TokenStream& before, const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"", text});
  const TokenStream after = tokenize(file, sink);
  const bool same_tokens =
      std::equal(before.tokens.begin(), before.tokens.end(), after.tokens.begin(), after.tokens.end(),
                 [](const Token& a, const Token& b) {
                   return a.kind == b.kind && a.text == b.text && a.comments_before == b.comments_before;
                 });
  const bool same_comments =
      std::equal(before.comments.begin(), before.comments.end(), after.comments.begin(), after.comments.end(),
                 [](const Comment& a, const Comment& b) { return trimmed(a.text) == b.text; });
  ISOSHARD_CHECK(same_tokens && same_comments, "formatting changes blanks only");
}

}  // namespace

std::optional<std::string> format_source(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink) {
  const std::optional<FileSyntax> tree = parse(file, sink);
  if (!tree) return std::nullopt;
  const TokenStream stream = tokenize(file, sink);
  std::string text = join(Formatter(stream, tree->outline).run());
  check_unchanged(stream, text);
  return text;
}

}  // namespace isoshard::text
