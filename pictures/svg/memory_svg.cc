#include <algorithm>
#include <string>

#include "core/plan/memory/live_memory.h"
#include "core/support/byte_size.h"
#include "pictures/svg/plan_svg.h"

namespace isoshard::pictures {
namespace {

constexpr int64_t kMemoryWidth = 1000, kMemoryHeight = 180, kMemoryLeft = 96, kMemoryTop = 46;
constexpr size_t kMostCurves = 4;

struct Curve {
  std::string group;
  int64_t devices = 0;
  std::vector<MemoryMoment> moments;
  size_t peak = 0;  ///< the moment of the most

  double most() const { return moments.empty() ? 0 : moments[peak].bytes; }
};

std::vector<Curve> curves_of(const Plan& plan) {
  std::vector<Curve> curves;
  for (const RankGroup& group : plan.groups) {
    Curve curve{group.name, group.size(*plan.mesh), memory_over_time(plan, group)};
    for (size_t m = 0; m < curve.moments.size(); ++m) {
      if (curve.moments[m].bytes > curve.most()) curve.peak = m;
    }
    curves.push_back(std::move(curve));
  }
  std::stable_sort(curves.begin(), curves.end(), [](const Curve& a, const Curve& b) { return a.most() > b.most(); });
  return curves;
}

int64_t y_of(double bytes, double most) {
  return kMemoryTop + kMemoryHeight -
         static_cast<int64_t>(most <= 0 ? 0 : bytes / most * static_cast<double>(kMemoryHeight));
}

/// The largest of the moments that share a pixel.
std::string curve_path(const Curve& curve, double most) {
  const auto count = static_cast<int64_t>(curve.moments.size());
  const int64_t columns = std::min(count, kMemoryWidth);
  std::string d;
  for (int64_t c = 0; c < columns; ++c) {
    double bytes = 0;
    for (int64_t m = c * count / columns; m < (c + 1) * count / columns; ++m) {
      bytes = std::max(bytes, curve.moments[static_cast<size_t>(m)].bytes);
    }
    const std::string y = std::to_string(y_of(bytes, most));
    d += (c == 0 ? "M" + std::to_string(kMemoryLeft) + " " + y : "V" + y) + "H" +
         std::to_string(kMemoryLeft + (c + 1) * kMemoryWidth / columns);
  }
  return d;
}

/// `peak 1.2 MiB at %z = dot_general`.
std::string peak_text(const Plan& plan, const Curve& curve) {
  std::string text = (curve.group.empty() || curve.group == "all" ? "" : curve.group + ": ") + "peak " +
                     binary_size(curve.most()) + " on each of " + std::to_string(curve.devices) +
                     (curve.devices == 1 ? " device" : " devices");
  if (curve.moments.empty()) return text;
  const MemoryMoment& moment = curve.moments[curve.peak];
  if (!moment.instruction) return text + ", where a loop begins";
  const Instruction& at = plan.instruction(*moment.instruction);
  text += ", at " + at.op();
  if (!at.results.empty()) text += " %" + plan.value(at.results[0]).name();
  return moment.loop == nullptr ? text : text + " in a loop of " + std::to_string(moment.loop->count);
}

}  // namespace

Picture draw_memory(const Plan& plan) {
  const std::vector<Curve> curves = curves_of(plan);
  const size_t drawn = std::min(curves.size(), kMostCurves);
  const double most = curves.empty() ? 0 : curves[0].most();
  Picture picture;
  picture.name = "Memory over time";
  picture.description = "What a device holds from instruction to instruction, in issue order";
  picture.width = kMemoryLeft + kMemoryWidth + 24;
  Drawing& drawing = picture.drawing;
  drawing.text(12, 18, "head", "memory");
  drawing.text(80, 18, "muted", "held from instruction to instruction, in issue order; of a loop one iteration");
  for (int64_t part = 0; part <= 2; ++part) {
    const int64_t y = kMemoryTop + kMemoryHeight - part * kMemoryHeight / 2;
    drawing.line(kMemoryLeft, y, kMemoryLeft + kMemoryWidth, y, "rule");
    drawing.text(kMemoryLeft - 8, y + 4, "small muted end", binary_size(most * static_cast<double>(part) / 2));
  }
  int64_t y = kMemoryTop + kMemoryHeight + 22;
  for (size_t c = 0; c < drawn; ++c, y += 18) {
    const std::string classes = "curve" + std::to_string(c);
    drawing.begin_group("memory", peak_text(plan, curves[c]));
    drawing.path(curve_path(curves[c], most), classes);
    drawing.end_group();
    drawing.line(kMemoryLeft, y - 4, kMemoryLeft + 36, y - 4, classes);
    drawing.text(kMemoryLeft + 44, y, "", peak_text(plan, curves[c]));
  }
  if (drawn < curves.size()) {
    picture.cut = "Cut: the " + std::to_string(drawn) + " of " + std::to_string(curves.size()) +
                  " groups of ranks that hold most are drawn";
    drawing.text(kMemoryLeft, y, "note", picture.cut);
    y += 18;
  }
  picture.height = y;
  return picture;
}

}  // namespace isoshard::pictures
