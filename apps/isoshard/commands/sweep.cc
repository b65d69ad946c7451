// Reads `--sweep data=1..3,model=1,2,4` into meshes. A part between commas is an axis with sizes or, without `=`, more
// sizes of the axis before it; a size is a number or an inclusive range. The meshes are the product of all axes, the
// last one varying fastest, with a limit on sizes and meshes that is checked before any list grows. Several options
// join their axes. Every refusal quotes the whole text and shows one that is right.
#include "apps/isoshard/commands/sweep.h"

#include <algorithm>
#include <charconv>

#include "core/support/quoted.h"

namespace isoshard::app {
namespace {

struct SweepAxis {
  std::string name;
  std::vector<int64_t> sizes;
};

std::optional<int64_t> parse_size(std::string_view text) {
  int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size() || size < 1) return std::nullopt;
  return size;
}

/// Reads `--sweep` texts part by part, a part being what stands between commas.
class SweepReader {
 public:
  explicit SweepReader(DiagnosticSink& sink) : sink_(sink) {}

  bool read(const std::string& text) {
    text_ = &text;
    const size_t first_axis = axes_.size();
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find(',', begin), text.size());
      if (!read_part(text.substr(begin, end - begin), first_axis)) return false;
      begin = end + 1;
    }
    return true;
  }

  std::optional<std::vector<SweepPoint>> points() const {
    std::vector<SweepPoint> points(1);
    for (const SweepAxis& axis : axes_) {
      if (axis.sizes.size() * points.size() > kMaxSweep) {
        sink_.error("", {},
                    "--sweep asks for more than " + std::to_string(kMaxSweep) + " meshes; expected fewer sizes");
        return std::nullopt;
      }
      std::vector<SweepPoint> longer;
      for (const SweepPoint& point : points) {
        for (const int64_t size : axis.sizes) {
          longer.push_back(point);
          longer.back().axes.push_back(MeshAxis{axis.name, size});
        }
      }
      points = std::move(longer);
    }
    return points;
  }

 private:
  bool fail(const std::string& what) const {
    sink_.error(
        "", {},
        "--sweep " + isoshard::quoted(*text_) + ": " + what + "; expected for example --sweep data=1..3,model=1,2,4");
    return false;
  }

  bool read_part(const std::string& part, size_t first_axis) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) {
      if (axes_.size() == first_axis) return fail(isoshard::quoted(part) + " is not AXIS=SIZES");
      return read_sizes(part);
    }
    const std::string name = part.substr(0, equals);
    if (name.empty()) return fail(isoshard::quoted(part) + " names no axis");
    for (const SweepAxis& axis : axes_) {
      if (axis.name == name) return fail("the axis `" + name + "` is given twice");
    }
    axes_.push_back(SweepAxis{name, {}});
    return read_sizes(part.substr(equals + 1));
  }

  /// `4` or `1..8`.
  bool read_sizes(const std::string& text) {
    const size_t dots = text.find("..");
    const std::string last_text = dots == std::string::npos ? text : text.substr(dots + 2);
    const std::optional<int64_t> first = parse_size(text.substr(0, dots)), last = parse_size(last_text);
    if (!first || !last) return fail(isoshard::quoted(text) + " is no size of at least 1 and no range of sizes");
    if (*first > *last) return fail("the range " + text + " is empty");
    std::vector<int64_t>& sizes = axes_.back().sizes;
    if (static_cast<uint64_t>(*last - *first) + sizes.size() >= kMaxSweep) {
      return fail("that is more than " + std::to_string(kMaxSweep) + " sizes of `" + axes_.back().name + "`");
    }
    for (int64_t size = *first; size <= *last; ++size) sizes.push_back(size);
    return true;
  }

  DiagnosticSink& sink_;
  const std::string* text_ = nullptr;
  std::vector<SweepAxis> axes_;
};

}  // namespace

std::string SweepPoint::text() const {
  std::string text;
  for (const MeshAxis& axis : axes) text += (text.empty() ? "" : ",") + axis.name + "=" + std::to_string(axis.size);
  return text;
}

std::optional<std::vector<SweepPoint>> parse_sweep(const std::vector<std::string>& texts, DiagnosticSink& sink) {
  SweepReader reader(sink);
  for (const std::string& text : texts) {
    if (!reader.read(text)) return std::nullopt;
  }
  return reader.points();
}

}  // namespace isoshard::app
