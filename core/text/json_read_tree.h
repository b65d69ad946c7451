#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/token.h"

namespace isoshard::text {

enum class JsonKind : uint8_t { null, boolean, number, string, array, object };

/// One value of a JSON text with its place.
struct JsonNode {
  JsonKind kind = JsonKind::null;
  Span span;
  std::string text;             ///< the characters of a string; others as written, containers empty
  std::vector<JsonNode> items;  ///< of an object: key, value, key, value, ...

  /// The value under `key` of an object, or null.
  const JsonNode* find(std::string_view key) const;
};

/// Reads `file` as one JSON value (RFC 8259); nothing after an error.
///
/// Errors: what is no JSON, invalid UTF-8 and what follows the value (P-json), a key that is given twice (P-key), more
/// than 256 levels (P-nesting).
std::optional<JsonNode> read_json_tree(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink);

}  // namespace isoshard::text
