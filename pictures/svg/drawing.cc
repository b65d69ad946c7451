#include "pictures/svg/drawing.h"

#include "pictures/markup/escape.h"

namespace isoshard::pictures {
namespace {

std::string number(std::string_view name, int64_t value) {
  return " " + std::string(name) + "=\"" + std::to_string(value) + "\"";
}

std::string class_of(std::string_view classes) {
  return classes.empty() ? "" : " class=\"" + std::string(classes) + "\"";
}

constexpr std::string_view kStyle = R"css(
svg.isoshard{--ink:#1b1f24;--muted:#57606a;--rule:#d0d7de;--back:#ffffff;--band:#f3f5f7;--wrong:#b3261e;
 font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){svg.isoshard{--ink:#e6edf3;--muted:#9aa4af;--rule:#3a424c;--back:#0d1117;--band:#161c24;--wrong:#ff8a80}}
.isoshard .back{fill:var(--back)}.isoshard .band{fill:var(--band)}.isoshard .rule{stroke:var(--rule);stroke-width:1;fill:none}
.isoshard rect{rx:2px}.isoshard text{fill:var(--ink)}.isoshard text.muted{fill:var(--muted)}.isoshard text.head{font-weight:700}
.isoshard text.end{text-anchor:end}.isoshard text.mid{text-anchor:middle}.isoshard text.note{fill:var(--muted);font-style:italic}
.isoshard text.small{font-size:10px}
.isoshard .F rect,.isoshard rect.F,.isoshard .local rect,.isoshard rect.local{fill:#0072b2}.isoshard .F text,.isoshard .local text{fill:#ffffff}
.isoshard .B rect,.isoshard rect.B,.isoshard .comm rect,.isoshard rect.comm{fill:#e69f00}.isoshard .B text,.isoshard .comm text{fill:#1b1200}
.isoshard .I rect,.isoshard rect.I{fill:#56b4e9}.isoshard .I text{fill:#04141f}
.isoshard .W rect,.isoshard rect.W{fill:#009e73}.isoshard .W text{fill:#00140e}
.isoshard .move rect,.isoshard rect.move{fill:#8c959f}.isoshard .move text{fill:#0b0e11}
.isoshard .stuck rect,.isoshard rect.stuck{fill:none;stroke:var(--wrong);stroke-width:2;stroke-dasharray:4 2}.isoshard .stuck text{fill:var(--wrong)}
.isoshard .wait{stroke:var(--muted);stroke-width:1.5;fill:none;opacity:.75}
.isoshard .curve0,.isoshard .curve1,.isoshard .curve2,.isoshard .curve3{fill:none;stroke-width:2}
.isoshard .curve0{stroke:#0072b2}.isoshard .curve1{stroke:#d55e00;stroke-dasharray:7 3}.isoshard .curve2{stroke:#009e73;stroke-dasharray:2 3}
.isoshard .curve3{stroke:#cc79a7;stroke-dasharray:9 3 2 3}.isoshard .peak{fill:var(--wrong)}
@media (prefers-color-scheme:dark){.isoshard .curve0{stroke:#56b4e9}}
)css";

}  // namespace

void Drawing::rect(const Box& box, std::string_view classes) {
  out_ += "<rect" + class_of(classes) + number("x", box.x) + number("y", box.y) + number("width", box.width) +
          number("height", box.height) + "/>\n";
}

void Drawing::text(int64_t x, int64_t y, std::string_view classes, std::string_view text) {
  out_ += "<text" + class_of(classes) + number("x", x) + number("y", y) + ">" + escaped(text) + "</text>\n";
}

void Drawing::line(int64_t x1, int64_t y1, int64_t x2, int64_t y2, std::string_view classes) {
  out_ +=
      "<line" + class_of(classes) + number("x1", x1) + number("y1", y1) + number("x2", x2) + number("y2", y2) + "/>\n";
}

void Drawing::path(std::string_view d, std::string_view classes) {
  out_ += "<path" + class_of(classes) + " d=\"" + std::string(d) + "\"/>\n";
}

void Drawing::begin_group(std::string_view classes, std::string_view title, std::string_view attributes) {
  out_ += "<g" + class_of(classes) + std::string(attributes) + "><title>" + escaped(title) + "</title>";
}

std::string Drawing::svg(int64_t width, int64_t height, std::string_view name, std::string_view description) const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"isoshard\" role=\"img\"" + number("width", width) +
         number("height", height) + " viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) +
         "\" aria-label=\"" + escaped(name) + "\">\n<desc>" + escaped(description) + "</desc>\n" + out_ + "</svg>\n";
}

std::string_view picture_style() { return kStyle; }

std::string standalone(std::string svg) {
  const size_t at = svg.find("<desc>");
  return svg.insert(at, "<style>" + std::string(kStyle) + "</style>\n");
}

}  // namespace isoshard::pictures
