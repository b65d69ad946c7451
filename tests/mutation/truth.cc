#include "tests/mutation/truth.h"

#include <algorithm>
#include <cmath>

#include "core/support/rational_gmp.h"
#include "tests/mutation/family_inputs.h"
#include "tests/property/generator/dice.h"
#include "tests/reference/numbers.h"

namespace isoshard::mutation {
namespace {

using reference::Rounded;
using Array = reference::Array<Rounded>;
using Element = reference::Element<Rounded>;

constexpr uint64_t kDraws = 8, kAttempts = 16;

double scale_of(uint64_t draw, Scales scales) {
  constexpr double kUsual[] = {1, 1, 0x1p-8, 0x1p8}, kBetween[] = {0x1p-2, 0x1p-1, 0x1p-4, 2};
  return (scales == Scales::usual ? kUsual : kBetween)[draw % 4];
}

std::optional<Rational> fixed_value(const Global& global) {
  if (global.role != Role::constant) return std::nullopt;
  if (global.init.kind == InitKind::zeros) return Rational(0);
  if (global.init.kind == InitKind::ones) return Rational(1);
  return global.init.kind == InitKind::value ? std::optional(global.init.value) : std::nullopt;
}

/// All sizes of dimensions: integers that are meant as indices are below one of them.
std::vector<int64_t> sizes_of(const Module& module) {
  std::vector<int64_t> sizes = {2};
  for (const Global& global : module.globals) {
    sizes.insert(sizes.end(), global.type.shape.begin(), global.type.shape.end());
  }
  return sizes;
}

/// Small numbers with repeats; in odd draws indices. Each element is once negative and once beyond all sizes there.
int64_t integer(testing::Dice& dice, uint64_t draw, int64_t element, const std::vector<int64_t>& sizes, DType dtype) {
  if (dtype == DType::key) return static_cast<int64_t>(dice.below(size_t{1} << 62));
  if (draw % 2 == 0) return dice.in(0, 1 + static_cast<int64_t>(draw) / 2);
  const int64_t turn = (element + static_cast<int64_t>(draw) / 2) % 4;
  const int64_t largest = *std::max_element(sizes.begin(), sizes.end());
  if (turn == 0) return reference::wrapped(dice.in(-3, -1), dtype);
  return turn == 1 ? dice.in(largest, largest + 2) : dice.in(0, dice.pick(sizes));
}

Array drawn(const Global& global, uint64_t draw, Scales scales, const std::vector<int64_t>& sizes, bool magnitude,
            testing::Dice& dice) {
  Array result{global.type, {}};
  const Shape& shape = global.type.shape;
  const int64_t count = element_count(shape);
  const int64_t row = shape.size() < 2 || count == 0 ? 3 : count / shape[0];
  const std::optional<Rational> fixed = fixed_value(global);
  int64_t density = 50;
  for (int64_t i = 0; i < count; ++i) {
    if (i % row == 0) density = dice.in(0, 100);
    if (is_float(global.type.dtype)) {
      const double bent = scale_of(draw, scales) * dice.bell(), x = magnitude ? std::abs(bent) : bent;
      result.elements.push_back(Element{fixed ? reference::from_rational(*fixed, Rounded()) : Rounded(x), 0});
    } else if (fixed) {
      result.elements.push_back(Element{Rounded(), to_mpq(*fixed).get_num().get_si()});
    } else if (global.type.dtype == DType::pred) {
      result.elements.push_back(Element{Rounded(), draw != 1 && dice.in(1, 100) <= density ? 1 : 0});
    } else {
      result.elements.push_back(Element{Rounded(), integer(dice, draw, i, sizes, global.type.dtype)});
    }
  }
  return result;
}

std::vector<std::string> names_of(const Program& program) {
  std::vector<std::string> names;
  for (const Output& output : program.outputs()) names.push_back(output.name);
  for (const Output& update : program.updates()) names.push_back(">" + update.name);
  return names;
}

bool reads_padding(const Program& program) {
  for (size_t i = 0; i < program.op_count(); ++i) {
    const View* view = std::get_if<View>(&program.op(OpId(i)).data);
    if (view == nullptr) continue;
    for (const ViewEntry& entry : view->layout) {
      if (entry.split == Split::uneven) return true;
    }
  }
  return false;
}

}  // namespace

std::string_view name(Truth truth) {
  constexpr std::string_view kNames[] = {"SAME", "WRONG", "DOES NOT RUN", "UNKNOWN"};
  return kNames[static_cast<size_t>(truth)];
}

/// Some element differs by more than rounding explains, or is no number where it was one.
bool Judge::differs(const Array& a, const Array& b, Counts counts) {
  for (size_t i = 0; i < a.elements.size(); ++i) {
    const Element &x = a.elements[i], &y = b.elements[i];
    if (is_float(a.type.dtype) ? beyond_rounding(x.x, y.x) : x.i != y.i) return true;
    if (counts == Counts::nothing || !std::isfinite(y.x.value)) continue;
    if (std::isnan(x.x.value) || (counts == Counts::not_finite && std::isinf(x.x.value) && std::isfinite(y.x.error)))
      return true;
  }
  return false;
}

/// False where the program cannot be interpreted.
bool Judge::add(const Module& module, Draw draw) {
  try {
    draw.with_nan = reference::run<Rounded>(module, reference_, draw.globals, reference::Padding::first);
    Rounded::ties = 0;
    draw.expected = reference::run<Rounded>(module, reference_, draw.globals, reference::Padding::second);
  } catch (const reference::Unsupported&) {
    return false;
  }
  const auto agrees = [](const reference::AssembledOutput<Rounded>& o) { return o.covered && o.replicas_agree; };
  if (!std::all_of(draw.expected.all.begin(), draw.expected.all.end(), agrees)) return false;
  if (Rounded::ties == 0) draws_.push_back(std::move(draw));
  return true;
}

Judge::Judge(const Module& module, ProgramId id, uint64_t seed, const std::set<std::string>& magnitudes, Scales scales)
    : reference_(id), seed_(seed), magnitudes_(magnitudes), names_(names_of(module.program(id))) {
  const std::vector<int64_t> sizes = sizes_of(module);
  for (uint64_t attempt = 0; attempt < kAttempts && draws_.size() < kDraws; ++attempt) {
    testing::Dice dice(seed * kAttempts + attempt);
    Draw draw;
    draw.counts = scale_of(attempt % kDraws, scales) > 1 ? Counts::nothing : Counts::nan;
    for (const Global& global : module.globals) {
      const bool magnitude = magnitudes.contains(global.name);
      draw.globals.push_back(drawn(global, attempt % kDraws, scales, sizes, magnitude, dice));
    }
    if (!add(module, std::move(draw))) return;
  }
}

Judge::Judge(const Module& module, ProgramId id, const std::vector<Inputs>& inputs)
    : reference_(id), names_(names_of(module.program(id))) {
  for (const Inputs& globals : inputs) {
    if (!add(module, Draw{globals, {}, {}, Counts::not_finite})) return;
  }
}

Truth Judge::judge_on_more(const Module& module, ProgramId program) const {
  constexpr uint64_t kMore = 16;
  const auto is_wrong = [](Truth truth) { return truth == Truth::wrong || truth == Truth::does_not_run; };
  for (uint64_t more = 1; more <= kMore; ++more) {
    for (const Scales scales : {Scales::usual, Scales::between}) {
      const Judge other(module, reference_, seed_ + (more << 32), magnitudes_, scales);
      if (!other.usable()) continue;
      const Truth truth = other.judge(module, program);
      if (is_wrong(truth)) return truth;
    }
  }
  if (!magnitudes_.empty()) return Truth::same;
  const Judge beside_constants(module, reference_, family_inputs(module, seed_).draws);
  const Truth truth = beside_constants.usable() ? beside_constants.judge(module, program) : Truth::same;
  return is_wrong(truth) ? truth : Truth::same;
}

bool Judge::lets_padding_through() const {
  for (const Draw& draw : draws_) {
    for (size_t o = 0; o < draw.expected.all.size(); ++o) {
      if (differs(draw.with_nan.all[o].whole, draw.expected.all[o].whole, Counts::nan)) return true;
    }
  }
  return false;
}

Truth Judge::judge(const Module& module, ProgramId id) const {
  const Program& program = module.program(id);
  const bool padded = reads_padding(program);
  std::optional<Truth> verdict;
  for (const Draw& draw : draws_) {
    const std::optional<Truth> truth = judge(module, program, id, draw, padded);
    if (truth == Truth::wrong || truth == Truth::does_not_run) return *truth;
    if (truth && verdict != Truth::unknown) verdict = truth;
  }
  return verdict.value_or(Truth::unknown);
}

std::optional<Truth> Judge::judge(const Module& module, const Program& program, ProgramId id, const Draw& draw,
                                  bool padded) const {
  Outputs outputs, with_nan;
  try {
    Rounded::open = 0;
    if (padded) with_nan = reference::run<Rounded>(module, id, draw.globals, reference::Padding::first);
    Rounded::ties = 0;
    outputs = reference::run<Rounded>(module, id, draw.globals, reference::Padding::second);
  } catch (const reference::AssertFailed&) {
    return Truth::does_not_run;
  } catch (const reference::Unsupported&) {
    return std::nullopt;
  }
  if (Rounded::ties != 0) return std::nullopt;
  const bool open = Rounded::open != 0;
  const Counts counts = open ? Counts::nothing : draw.counts;
  const std::vector<std::string> names = names_of(program);
  Truth result = Truth::same;
  for (size_t o = 0; o < names.size(); ++o) {
    const auto at = static_cast<size_t>(std::find(names_.begin(), names_.end(), names[o]) - names_.begin());
    const Array &actual = outputs.all[o].whole, &expected = draw.expected.all[at].whole;
    if (!outputs.all[o].replicas_agree || differs(actual, expected, counts)) return Truth::wrong;
    // An output that was a number and becomes nan with the padding depends on it.
    if (padded && !open && differs(with_nan.all[o].whole, expected, Counts::nan) &&
        !differs(draw.with_nan.all[at].whole, expected, Counts::nan)) {
      return Truth::wrong;
    }
    if (draw.counts == Counts::not_finite && differs(actual, expected, draw.counts)) result = Truth::unknown;
  }
  return result;
}

}  // namespace isoshard::mutation
