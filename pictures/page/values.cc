#include <algorithm>

#include "pictures/markup/escape.h"
#include "pictures/page/section.h"

namespace isoshard::pictures {
namespace {

/// What a state says of the devices along an axis.
const char* state_words(State state) {
  switch (state) {
    case State::replicated:
      return "equal on all devices, its gradient is a term of a sum";
    case State::invariant:
      return "equal on all devices, as is its gradient";
    case State::varying:
      return "each device has its own";
    case State::partial:
      return "each device has a term of a sum";
    case State::equal:
      return "equal on all devices, without a gradient";
    case State::unknown:
      return "an error was reported before";
  }
  return "";
}

const char* state_class(State state) {
  return state == State::varying      ? "sV"
         : state == State::partial    ? "sP"
         : state == State::replicated ? "sR"
         : state == State::unknown    ? "sU"
                                      : "sI";
}

std::string states_html(const ListedValue& value, const Mesh& mesh) {
  std::string html;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    html += "<td>";
    if (a < value.states.size()) {
      html += std::string("<b class=\"") + state_class(value.states[a]) + "\">" + letter(value.states[a]) + "</b>";
    }
    html += "</td>";
  }
  return html;
}

/// A row below a value, over all columns.
std::string wide_row(const char* classes, const std::string& markup, const Mesh& mesh) {
  return std::string("<tr class=\"") + classes + "\"><td colspan=\"" + std::to_string(4 + mesh.axis_count()) + "\">" +
         markup + "</td></tr>\n";
}

/// What is wrong with the value that the diagnosis is about.
std::string why_html(const Section& section) {
  const verify::Diagnosis& found = *section.diagnosis;
  std::string markup = "<strong>\xe2\x9c\x97 " +
                       escaped(found.role.empty() ? "the first value without a counterpart" : found.role) + "</strong>";
  if (!found.cause.empty()) markup += ": " + escaped(found.cause);
  for (const std::string& fact : found.facts) markup += "<br/>" + escaped(fact);
  const std::string_view line = found.location.source_line();
  if (!line.empty()) markup += "<pre>" + escaped(line) + "</pre>";
  return wide_row("why", markup, *section.plan.mesh);
}

/// `wrong` is the wrong value; those that it is made of, and those made of it, are near.
const char* mark_of(const Section& section, size_t index, std::optional<size_t> wrong) {
  if (!wrong) return "";
  const auto has = [&](size_t of, size_t operand) {
    const std::vector<size_t>& operands = section.listing.values[of].operands;
    return std::find(operands.begin(), operands.end(), operand) != operands.end();
  };
  return index == *wrong ? " wrong" : has(*wrong, index) || has(index, *wrong) ? " near" : "";
}

/// The file that most of a section is from: that of its first value with a place.
std::string_view file_of(const Section& section) {
  for (const ListedValue& value : section.listing.values) {
    if (value.location.known()) return value.location.file();
  }
  return "";
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Line and column, behind the name of the file where that is another one than the section's.
std::string place_html(const Section& section, const ListedValue& value) {
  if (!value.location.known()) return "<td class=\"at\"></td>";
  const std::string_view file = value.location.file();
  std::string place = file == file_of(section) ? "" : std::string(last_part(file)) + ":";
  place += std::to_string(value.location.line());
  if (value.location.column() > 0) place += ":" + std::to_string(value.location.column());
  return "<td class=\"at\">" + escaped(place) + "</td>";
}

std::string value_html(const Section& section, size_t index, std::optional<size_t> wrong) {
  const ListedValue& value = section.listing.values[index];
  const Mesh& mesh = *section.plan.mesh;
  const std::string number = std::to_string(index);
  std::string html;
  if (!value.function.empty()) html += wide_row("func", "func <code>@" + escaped(value.function) + "</code>", mesh);
  html += "<tr class=\"value" + std::string(mark_of(section, index, wrong)) + "\" id=\"p" +
          std::to_string(section.number) + "v" + number + "\" data-i=\"" + number + "\" tabindex=\"" +
          (index == wrong.value_or(0) ? "0" : "-1") + "\">";
  html += "<th scope=\"row\"" +
          (value.depth == 0
               ? ""
               : " style=\"padding-left:" + std::to_string(8 + 14 * std::min<size_t>(value.depth, 8)) + "px\"") +
          ">" + escaped(value.name) + "</th><td><i>" + escaped(value.op) + "</i> " + escaped(value.text) +
          "</td><td class=\"ty\">" + escaped(value.type) + "</td>" + states_html(value, mesh) +
          place_html(section, value) + "</tr>\n";
  for (const std::string& error : value.errors) {
    html += wide_row("why", "<strong>\xe2\x9c\x97 state error</strong>: " + escaped(error), mesh);
  }
  return index == wrong ? html + why_html(section) : html;
}

}  // namespace

namespace {

/// What the letters of states mean.
std::string legend_html() {
  std::string html = "<p class=\"legend\">";
  for (const State state : {State::varying, State::partial, State::replicated, State::invariant, State::equal}) {
    html +=
        std::string("<b class=\"") + state_class(state) + "\">" + letter(state) + "</b> " + state_words(state) + ". ";
  }
  return html + "</p>\n";
}

/// The places along the last axis, which the columns are.
std::string mesh_head(const Mesh& mesh) {
  const MeshAxis& last = mesh.axes().back();
  std::string html = mesh.axis_count() > 1 ? "<thead><tr><td class=\"corner\"></td>" : "<thead><tr>";
  for (int64_t i = 0; i < last.size; ++i) {
    html += "<th scope=\"col\">" + escaped(last.name) + "=" + std::to_string(i) + "</th>";
  }
  return html + "</tr></thead>";
}

/// The place of the device at `position` on all axes but the last.
std::string mesh_row_head(const Mesh& mesh, int64_t position) {
  std::string text;
  for (size_t a = 0; a + 1 < mesh.axis_count(); ++a) {
    text += (a == 0 ? "" : " ") + mesh.axes()[a].name + "=" + std::to_string(mesh.coordinate(position, AxisId(a)));
  }
  return "<th scope=\"row\">" + escaped(text) + "</th>";
}

}  // namespace

std::string values_html(const Section& section) {
  const std::optional<size_t> wrong = section.wrong();
  std::string html =
      "<table class=\"values\"><thead><tr><th scope=\"col\">value</th><th scope=\"col\">made by</th>"
      "<th scope=\"col\">type</th>";
  for (const MeshAxis& axis : section.plan.mesh->axes()) html += "<th scope=\"col\">" + escaped(axis.name) + "</th>";
  html += "<th scope=\"col\" class=\"at\">" + escaped(last_part(file_of(section))) + "</th></tr></thead><tbody>\n";
  for (size_t i = 0; i < section.listing.values.size(); ++i) html += value_html(section, i, wrong);
  html += "</tbody></table>\n";
  if (section.plan.mesh->axis_count() > 0 && section.kind == "program") html += legend_html();
  if (section.listing.left_out > 0) {
    html += "<p class=\"cut\">Cut: the first " + std::to_string(section.listing.values.size()) + " of " +
            std::to_string(section.listing.values.size() + section.listing.left_out) + " values are listed</p>\n";
  }
  return html;
}

std::string mesh_html(const Mesh& mesh) {
  const int64_t columns = mesh.axis_count() == 0 ? 1 : std::min<int64_t>(mesh.axes().back().size, 16);
  const int64_t shown = std::min(kMostDevices, mesh.device_count());
  const bool headed = mesh.axis_count() > 0 && mesh.axes().back().size == columns;
  std::string html = "<div class=\"meshbox\"><table class=\"mesh\">" + (headed ? mesh_head(mesh) : "") + "<tbody>";
  for (int64_t first = 0; first < shown; first += columns) {
    html += "<tr>" + (headed && mesh.axis_count() > 1 ? mesh_row_head(mesh, first) : "");
    for (int64_t position = first; position < std::min(first + columns, shown); ++position) {
      html += "<td data-d=\"" + std::to_string(position) + "\" title=\"" + escaped(mesh.place(position)) + "\"><span>" +
              std::to_string(mesh.device(position)) + "</span><em></em></td>";
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>";
  if (shown < mesh.device_count()) {
    html += "<p class=\"cut\">Cut: the first " + std::to_string(shown) + " of " + std::to_string(mesh.device_count()) +
            " devices are shown</p>";
  }
  return html + "\n";
}

}  // namespace isoshard::pictures
