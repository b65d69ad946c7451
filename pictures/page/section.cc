// One section of a page: heading, globals, values beside the devices, pictures. Where a diagnosis names a value, its
// row is found by name and place; several values may have a name, since functions have their own, and a place may have
// several values. Cost: the length of the markup.
#include "pictures/page/section.h"

#include <nlohmann/json.hpp>

#include "core/text/print/print_items.h"
#include "pictures/markup/escape.h"
#include "pictures/svg/plan_svg.h"

namespace isoshard::pictures {
namespace {

std::string heading(const Section& section) {
  const Mesh& mesh = *section.plan.mesh;
  const std::string where = mesh.axis_count() == 0
                                ? "1 device"
                                : "mesh " + (mesh.name().empty() ? "" : "@" + mesh.name() + " ") +
                                      text::print_axes_of(mesh) + ", " + std::to_string(mesh.device_count()) +
                                      (mesh.device_count() == 1 ? " device" : " devices");
  return "<h2>" + section.kind + " <code>@" + escaped(section.plan.program) + "</code> <small>" + escaped(where) +
         "</small></h2>\n";
}

std::string globals_html(const Plan& plan) {
  if (plan.globals.empty()) return "";
  std::string lines;
  for (const Global& global : plan.globals) lines += escaped(text::print_global(global));
  return "<details><summary>" + std::to_string(plan.globals.size()) +
         (plan.globals.size() == 1 ? " global" : " globals") + "</summary><pre class=\"globals\">" + lines +
         "</pre></details>\n";
}

constexpr const char* kHint = "Point at a cell to read what it is, or focus the picture and use the arrow keys.";

/// A picture that scrolls by itself, with a line below, in place of which the script says what the cell in focus is.
std::string picture_html(const Picture& picture, const char* hint) {
  return "<figure><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escaped(picture.name) +
         "\">\n" + picture.svg() + "</div><figcaption class=\"told\" aria-live=\"polite\">" + hint +
         "</figcaption></figure>\n";
}

}  // namespace

std::optional<size_t> Section::wrong() const {
  if (diagnosis == nullptr || diagnosis->empty()) return std::nullopt;
  std::optional<size_t> same_name, same_place;
  for (size_t i = 0; i < listing.values.size(); ++i) {
    const ListedValue& value = listing.values[i];
    const bool named = value.name == diagnosis->value;
    const bool there = diagnosis->location.known() && value.location.to_string() == diagnosis->location.to_string();
    if (named && there) return i;
    if (named && !same_name) same_name = i;
    if (there && !same_place) same_place = i;
  }
  return same_name ? same_name : same_place;
}

std::string section_html(const Section& section) {
  std::string html = "<section id=\"p" + std::to_string(section.number) + "\">\n" + heading(section);
  html += globals_html(section.plan);
  html += "<div class=\"beside\"><div class=\"values\">\n" + values_html(section) + "</div>\n";
  html +=
      "<aside><h3 class=\"who\">devices</h3>\n" + mesh_html(*section.plan.mesh) +
      "<p class=\"said\" aria-live=\"polite\">Point at a value, or go to one with Tab and the arrow keys: its block on "
      "each device stands here.</p></aside></div>\n";
  for (const PipelineGrid& grid : pipeline_grids(section.plan)) html += picture_html(draw(grid), kHint);
  html += picture_html(draw(section.plan, queue_chart(section.plan)), kHint);
  return html + picture_html(draw_memory(section.plan), "") + "</section>\n";
}

std::string section_data(const Section& section) {
  using Json = nlohmann::ordered_json;
  Json json{{"axes", Json::array()}, {"values", Json::array()}};
  for (const MeshAxis& axis : section.plan.mesh->axes()) json["axes"].push_back({axis.name, axis.size});
  for (const ListedValue& value : section.listing.values) {
    Json entry{{"n", value.name}, {"t", value.type}};
    std::string states;
    for (const State state : value.states) states += letter(state);
    if (!states.empty()) entry["s"] = states;
    if (!value.operands.empty()) entry["o"] = value.operands;
    if (value.blocks) entry["b"] = value.blocks->blocks;
    if (value.blocks) entry["d"] = value.blocks->of_device;
    json["values"].push_back(std::move(entry));
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace isoshard::pictures
