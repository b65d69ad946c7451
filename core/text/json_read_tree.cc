#include "core/text/json_read_tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/support/quoted.h"

namespace isoshard::text {
namespace {

/// Builds the tree from the events of the parser, which tell no places: each event is one token, so that it begins
/// behind the one before, and blanks, commas and colons.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink)
      : file_(file), text_(file->text), sink_(sink) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = line_start_ = 3;
  }

  /// The parser takes a NUL for the end of the text.
  bool check_bytes() {
    const size_t at = text_.find('\0');
    return at == std::string_view::npos || error("P-json", place(at), "this is no JSON: it has a NUL byte");
  }

  JsonNode take() { return std::move(root_); }

  bool null() override { return add(JsonKind::null, token(4)) != nullptr; }
  bool boolean(bool value) override { return add(JsonKind::boolean, token(value ? 4 : 5)) != nullptr; }
  bool number_integer(number_integer_t) override { return number(); }
  bool number_unsigned(number_unsigned_t) override { return number(); }
  bool number_float(number_float_t, const string_t&) override { return number(); }
  bool binary(binary_t&) override { return false; }  // not in JSON texts

  bool string(string_t& value) override {
    JsonNode* node = add(JsonKind::string, string_token());
    node->text = std::move(value);
    return true;
  }

  bool key(string_t& value) override {
    JsonNode node{JsonKind::string, string_token(), value, {}};
    if (!keys_.back().insert(value).second) {
      return error("P-key", node.span, "the key " + isoshard::quoted(value) + " is given twice; expected it once");
    }
    open_.back()->items.push_back(std::move(node));
    return true;
  }

  bool start_object(std::size_t) override { return open(JsonKind::object); }
  bool start_array(std::size_t) override { return open(JsonKind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& problem) override {
    const std::string why = reason(problem.what());
    skip();
    const size_t last = std::min(std::max<size_t>(position, 1) - 1, text_.size());
    // A broken string is long; the byte that breaks it is where to look, unless it is the end of the file.
    const bool inside = why.rfind("invalid string", 0) == 0 && last < text_.size();
    const size_t begin = inside ? last : std::min(at_, last);
    return error("P-json", place(begin), "this is no JSON: " + why);
  }

 private:
  static constexpr size_t kMaxDepth = 256;

  /// What the library says, without its prefix and what it read last, which may be long and no UTF-8.
  static std::string reason(const std::string& what) {
    const size_t dash = what.find(" - "), bracket = what.find("] ");
    const std::string text = dash != std::string::npos      ? what.substr(dash + 3)
                             : bracket != std::string::npos ? what.substr(bracket + 2)
                                                            : what;
    return text.substr(0, std::min(text.find("; last read: "), text.find(" parsing '")));
  }

  bool error(const char* rule, const Span& span, std::string message) {
    sink_.error(rule, locate(file_, span), std::move(message));
    return false;
  }

  /// The byte at `offset`.
  Span place(size_t offset) const {
    const std::string_view before = text_.substr(0, offset);
    const auto line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n') + 1);
    const size_t start = before.rfind('\n') + 1;  // 0 on the first line
    const size_t end = std::min(offset + 1, text_.size());
    return Span{static_cast<uint32_t>(offset), static_cast<uint32_t>(end), line,
                static_cast<uint32_t>(offset - start + 1)};
  }

  void skip() {
    for (; at_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_start_ = at_ + 1;
    }
  }

  Span token(size_t length) {
    skip();
    const Span span{static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length), line_,
                    static_cast<uint32_t>(at_ - line_start_ + 1)};
    at_ += length;
    return span;
  }

  Span string_token() {
    skip();
    size_t end = at_ + 1;
    while (text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
    return token(end + 1 - at_);
  }

  bool number() {
    skip();
    const size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    JsonNode* node = add(JsonKind::number, token(end - at_));
    node->text = text_.substr(node->span.offset, node->span.end - node->span.offset);
    return true;
  }

  JsonNode* add(JsonKind kind, const Span& span) {
    JsonNode node{kind, span, {}, {}};
    if (kind == JsonKind::boolean) node.text = text_.substr(span.offset, span.end - span.offset);
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    open_.back()->items.push_back(std::move(node));
    return &open_.back()->items.back();
  }

  /// The pointer to an open container stays valid: its parent grows only when it is closed.
  bool open(JsonKind kind) {
    const Span span = token(1);
    if (open_.size() == kMaxDepth) {
      return error("P-nesting", span, "nesting is deeper than 256 levels; expected fewer arrays and objects");
    }
    open_.push_back(add(kind, span));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.back()->span.end = token(1).end;
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  const std::shared_ptr<const SourceFile>& file_;
  std::string_view text_;
  DiagnosticSink& sink_;
  JsonNode root_;
  std::vector<JsonNode*> open_;                        ///< containers, innermost last
  std::vector<std::unordered_set<std::string>> keys_;  ///< of each of them, so far
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view key) const {
  if (kind != JsonKind::object) return nullptr;
  for (size_t i = 0; i < items.size(); i += 2) {
    if (items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

std::optional<JsonNode> read_json_tree(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink) {
  TreeBuilder builder(file, sink);
  if (!builder.check_bytes()) return std::nullopt;
  if (!nlohmann::json::sax_parse(file->text, &builder)) return std::nullopt;
  return builder.take();
}

}  // namespace isoshard::text
