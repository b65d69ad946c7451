// Lets that nothing reads. The numbers of lets are used up while items are elaborated, by many functions, in branches
// that are taken and in others that are not; so reads are looked for in the text: a name that is that of the let,
// anywhere but where the let is declared and before the `=` of a field. A name that means something else there, as that
// of an op, counts as a read: a missing warning is better than a wrong one. Files that are imported may read a let of
// the importer; their own are nobody's finding here, as others may import them for these.
// Cost: the tokens of the files once more, and nothing for a file without lets.
#include "core/text/elaborate/unused_lets.h"

#include <set>
#include <string>

#include "core/text/syntax/token.h"

namespace isoshard::text {
namespace {

/// Whether token `i` of `tokens` declares a let or names a field, `d` of `let d in {a, b}` and of `{d=1}`.
bool declares_name(const std::vector<Token>& tokens, size_t i) {
  return (i > 0 && tokens[i - 1].text == "let") || (i + 1 < tokens.size() && tokens[i + 1].text == "=");
}

void add_reads(const std::shared_ptr<const SourceFile>& file, std::set<std::string, std::less<>>& reads) {
  DiagnosticSink known;  // whoever parsed the file has told
  const TokenStream stream = tokenize(file, known);
  for (size_t i = 0; i < stream.tokens.size(); ++i) {
    const Token& token = stream.tokens[i];
    if (token.kind == TokenKind::name && !declares_name(stream.tokens, i)) reads.emplace(token.text);
  }
}

std::set<std::string, std::less<>> names_read(const std::vector<PlacedItem>& items) {
  std::set<std::string, std::less<>> reads;
  std::set<const SourceFile*> seen;
  for (const PlacedItem& item : items) {
    if (seen.insert(item.file.get()).second) add_reads(item.file, reads);
  }
  return reads;
}

}  // namespace

std::vector<Diagnostic> unused_lets(const std::vector<PlacedItem>& items) {
  std::vector<PlacedItem> lets;
  for (const PlacedItem& item : items) {
    if (!item.import.known() && std::holds_alternative<LetSyntax>(item.item->data)) lets.push_back(item);
  }
  if (lets.empty()) return {};
  const auto reads = names_read(items);
  std::vector<Diagnostic> result;
  for (const PlacedItem& item : lets) {
    const Word& name = std::get<LetSyntax>(item.item->data).name;
    if (reads.contains(name.text)) continue;
    result.push_back({Severity::warning,
                      "W-unused-let",
                      locate(item.file, name.span),
                      "nothing reads the let `" + name.text + "`; use it, or leave it out",
                      {}});
  }
  return result;
}

}  // namespace isoshard::text
