#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isoshard::pictures {

/// A rectangle or a place in pixels.
struct Box {
  int64_t x = 0, y = 0, width = 0, height = 0;
};

/// Elements of SVG, one after another; texts are escaped here. Class names are CSS's (picture_style).
class Drawing {
 public:
  void rect(const Box& box, std::string_view classes);
  void text(int64_t x, int64_t y, std::string_view classes, std::string_view text);
  void line(int64_t x1, int64_t y1, int64_t x2, int64_t y2, std::string_view classes);
  /// A path with the data `d` of SVG.
  void path(std::string_view d, std::string_view classes);
  /// Begins a group with a tooltip and more attributes, which are markup; end_group ends it.
  void begin_group(std::string_view classes, std::string_view title, std::string_view attributes = "");
  void end_group() { out_ += "</g>\n"; }
  /// The elements of another drawing.
  void append(const Drawing& other) { out_ += other.out_; }

  /// The elements as one `<svg>` with a name and a description for those who do not see it.
  std::string svg(int64_t width, int64_t height, std::string_view name, std::string_view description) const;

 private:
  std::string out_;
};

/// The colours and fonts of pictures, light and dark, as CSS. Colours are Okabe and Ito's, which people tell apart who
/// see few of them.
std::string_view picture_style();

/// `svg` with its own style, as a file.
std::string standalone(std::string svg);

}  // namespace isoshard::pictures
