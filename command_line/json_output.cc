#include "command_line/json_output.h"

#include <nlohmann/json.hpp>

#include "core/text/print/json_fields.h"

namespace isoshard::command_line {

namespace {

Json notes_json(const Diagnostic& diagnostic) {
  Json notes = Json::array();
  for (const Location* at = &diagnostic.location; at->outer() != nullptr; at = at->outer()) {
    notes.push_back(Json{{"location", text::location_to_json(*at->outer())}, {"message", at->note()}});
  }
  for (const Note& note : diagnostic.notes) {
    notes.push_back(Json{{"location", text::location_to_json(note.location)}, {"message", note.message}});
  }
  return notes;
}

}  // namespace

Json json_envelope(int exit_code) { return Json{{"isoshard", 1}, {"exit_code", exit_code}}; }

Json to_json(const std::vector<Diagnostic>& diagnostics) {
  Json all = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    all.push_back(Json{{"severity", name(diagnostic.severity)},
                       {"rule", diagnostic.rule.empty() ? Json(nullptr) : Json(diagnostic.rule)},
                       {"location", text::location_to_json(diagnostic.location)},
                       {"message", diagnostic.message},
                       {"notes", notes_json(diagnostic)}});
  }
  return all;
}

}  // namespace isoshard::command_line
