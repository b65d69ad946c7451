// What floats rung F draws (docs/soundness.md, "Rung F: the counterexample"). Ordinary runs are normal numbers at
// several scales, since a difference may drown in rounding at one of them and be cut off by a clip at another. Special
// runs have what random numbers hardly ever are: ties, zeros, one sign, sizes near the limits, constants of the
// programs, one large input. Guided runs go through the inputs one by one, in order or with one half or one column
// large, for decisions such as routing. The tables are short because each run costs both programs in f64.
#include "verify/floats/float_draws.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace isoshard::verify {
namespace {

constexpr double kScales[] = {1, 0x1p-8, 0x1p8};
/// For deep models: at scale 1 the bound grows with every norm and softmax, at 2^-8 what they do drowns in rounding.
constexpr double kScalesBetween[] = {0x1p-4, 0x1p-2};
constexpr double kFurtherScales[] = {0x1p-4, 0x1p4, 0x1p-16, 0x1p16, 0x1p-24, 0x1p24};
constexpr size_t kMostLarge = 4;

const FloatRun kSpecialRuns[] = {{{FloatKind::one, 0}, 0, "0", true},
                                 {{FloatKind::few}, 0, "from -2 to 2", true},
                                 {{FloatKind::sparse}, 1, "every other one 0", true},
                                 {{FloatKind::bell, 0x1p16}, 2, "of size 2^16", true},
                                 {{FloatKind::few}, 3, "from -2 to 2", true},
                                 {{FloatKind::one, 1}, 4, "1", true},
                                 {{FloatKind::one, -1}, 5, "-1", true},
                                 {{FloatKind::magnitude, 1}, 6, "positive", true},
                                 {{FloatKind::magnitude, -1}, 7, "negative", true},
                                 {{FloatKind::magnitude, 0x1p16}, 8, "positive of size 2^16", true},
                                 {{FloatKind::magnitude, -0x1p16}, 9, "negative of size 2^16", true},
                                 {{FloatKind::bell, 0x1p-16}, 10, "of size 2^-16", true},
                                 {{FloatKind::few}, 11, "from -2 to 2", true},
                                 {{FloatKind::few, 0x1p12}, 12, "from -8192 to 8192", true},
                                 {{FloatKind::sparse, 0x1p8}, 13, "of size 2^8, every other one 0", true},
                                 {{FloatKind::limits}, 14, "at the constants of the programs", true},
                                 {{FloatKind::limits}, 15, "at the constants of the programs", true},
                                 {{FloatKind::zeros}, 16, "zeros of both signs", true},
                                 {{FloatKind::zeros}, 17, "zeros of both signs", true},
                                 {{FloatKind::zeros}, 18, "zeros of both signs", true}};

constexpr std::pair<FloatKind, const char*> kShapes[] = {{FloatKind::ascending, "ascending"},
                                                         {FloatKind::descending, "descending"},
                                                         {FloatKind::first_half, "the first half large"},
                                                         {FloatKind::last_half, "the last half large"}};
constexpr int64_t kMostColumns = 16;

std::vector<GlobalId> float_globals(const Pair& pair) {
  std::vector<GlobalId> result;
  for (size_t g = 0; g < pair.used.size(); ++g) {
    if (pair.used[g] && is_float(pair.module->globals[g].type.dtype)) result.emplace_back(g);
  }
  return result;
}

FloatRun bell_run(double scale, uint32_t draw) { return {{FloatKind::bell, scale}, draw}; }

}  // namespace

std::vector<FloatRun> ordinary_runs(uint32_t draws) {
  std::vector<FloatRun> runs;
  for (const double scale : kScales) runs.push_back(bell_run(scale, 0));
  for (const double scale : kScalesBetween) runs.push_back(bell_run(scale, 0));
  const auto more = [&](double scale) {
    for (uint32_t d = 1; d < draws; ++d) runs.push_back(bell_run(scale, d));
  };
  for (const double scale : kScales) more(scale);
  for (const double scale : kScalesBetween) more(scale);
  return runs;
}

std::vector<FloatRun> further_scales() {
  std::vector<FloatRun> runs;
  for (const double scale : kFurtherScales) runs.push_back(bell_run(scale, 0));
  return runs;
}

std::vector<FloatRun> whole_runs() {
  return {{{FloatKind::whole}, 0, "whole numbers"}, {{FloatKind::whole}, 1, "whole numbers"}};
}

std::vector<FloatRun> special_runs(const Pair& pair) {
  std::vector<FloatRun> runs{std::begin(kSpecialRuns), std::end(kSpecialRuns)};
  for (const GlobalId id : float_globals(pair)) {
    if (runs.size() == std::size(kSpecialRuns) + kMostLarge) break;
    const auto draw = static_cast<uint32_t>(runs.size());
    runs.push_back({{}, draw, "of size 2^16 in one global", true, id, {FloatKind::bell, 0x1p16}});
  }
  return runs;
}

std::vector<FloatRun> guided_runs(const Pair& pair, size_t most) {
  std::vector<FloatRun> runs;
  const auto add = [&](GlobalId id, const FloatDraw& of_one, FloatKind others, const char* what) {
    if (runs.size() == most) return;
    const std::string words = std::string(what) + " in @" + pair.module->global(id).name;
    runs.push_back({{others}, static_cast<uint32_t>(runs.size()), words, true, id, of_one});
  };
  for (const auto& [kind, what] : kShapes) {
    for (const GlobalId id : float_globals(pair)) add(id, {kind}, FloatKind::bell, what);
  }
  for (const GlobalId id : float_globals(pair)) {
    const Shape& shape = pair.module->global(id).type.shape;
    for (int64_t place = 0; shape.size() > 1 && place < std::min(shape.back(), kMostColumns); ++place) {
      add(id, {FloatKind::column, 1, false, place}, FloatKind::magnitude, "one column large");
    }
  }
  return runs;
}

}  // namespace isoshard::verify
