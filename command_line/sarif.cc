// SARIF 2.1.0: a log with one run of one tool, whose results name their rules by id and by index. Regions count lines
// and columns from 1, an end column is one past the last; columns of isoshard are bytes and become code points here. A
// result without a known file has no location. Notes are related locations, or part of the message where they stand
// nowhere. A path is a reference relative to the root of the repository, percent-encoded (RFC 3986).
#include "command_line/sarif.h"

#include <isoshard/version.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "command_line/json_output.h"
#include "command_line/paths.h"
#include "command_line/rules.h"
#include "core/text/print/json_fields.h"

namespace isoshard::command_line {
namespace {

using SarifJson = nlohmann::ordered_json;

/// Where isoshard gives no rule: options and files that are not there.
std::string rule_of(const Diagnostic& diagnostic) { return diagnostic.rule.empty() ? "input" : diagnostic.rule; }

std::string uri_of(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return path.starts_with('/') ? "file://" + uri : uri;
}

/// The column in code points of a column in bytes, both from 1.
uint32_t code_point(std::string_view line, uint32_t column) {
  const std::string_view before = line.substr(0, std::min<size_t>(line.size(), column - 1));
  const auto continued = std::count_if(before.begin(), before.end(),
                                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; });
  return column - static_cast<uint32_t>(continued);
}

SarifJson location_json(const Location& at) {
  SarifJson region{{"startLine", at.line()}};
  if (at.column() > 0) {
    region["startColumn"] = code_point(at.source_line(), at.column());
    if (at.end_column() > at.column()) region["endColumn"] = code_point(at.source_line(), at.end_column());
  }
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri_of(relative_path(at.file()))}}}, {"region", std::move(region)}}}};
}

SarifJson result_json(const Diagnostic& diagnostic, size_t rule_index) {
  std::string message = diagnostic.message;
  SarifJson related = SarifJson::array();
  for (const Note& note : diagnostic.notes) {
    if (!note.location.known()) {
      message += "; " + note.message;
      continue;
    }
    SarifJson place = location_json(note.location);
    place["message"] = {{"text", note.message}};
    related.push_back(std::move(place));
  }
  SarifJson result{{"ruleId", rule_of(diagnostic)},
                   {"ruleIndex", rule_index},
                   {"level", name(diagnostic.severity)},
                   {"message", {{"text", message}}}};
  if (diagnostic.location.known()) result["locations"] = SarifJson::array({location_json(diagnostic.location)});
  if (!related.empty()) result["relatedLocations"] = std::move(related);
  return result;
}

}  // namespace

std::string to_sarif(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> ids;
  SarifJson rules = SarifJson::array(), results = SarifJson::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    const std::string id = rule_of(diagnostic);
    const auto known = std::find(ids.begin(), ids.end(), id);
    const size_t index = static_cast<size_t>(known - ids.begin());
    if (known == ids.end()) {
      ids.push_back(id);
      SarifJson rule{{"id", id}};
      if (const std::string meaning = rule_meaning(id); !meaning.empty()) {
        rule["shortDescription"] = {{"text", meaning}};
      }
      rules.push_back(std::move(rule));
    }
    results.push_back(result_json(diagnostic, index));
  }
  const SarifJson driver{{"name", "isoshard"}, {"version", ISOSHARD_VERSION}, {"rules", std::move(rules)}};
  const SarifJson run{
      {"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}, {"results", std::move(results)}};
  return text::json_to_text(SarifJson{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                                      {"version", "2.1.0"},
                                      {"runs", SarifJson::array({run})}});
}

}  // namespace isoshard::command_line
