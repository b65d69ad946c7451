// Gradients of globals of random typed programs (docs/spec/autodiff.md, "How rules are tested"): the adjoint identity
// <cotangents, slopes of the outputs along a tangent> = <gradients, tangent>, exactly. The slopes are those of the
// naive interpreter on formal dual numbers, which knows neither rules nor states nor how gradients of several views and
// devices make up that of a global.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "core/transform/autodiff/gradient_check.h"
#include "tests/property/generator/dice.h"
#include "tests/property/generator/random_program.h"
#include "tests/reference/formal.h"
#include "tests/reference/interpreter.h"
#include "tests/sanitized.h"

namespace isoshard::autodiff::global_gradient_test {
namespace {

using reference::Array;
using reference::Formal;
namespace mod = reference::mod;

/// What is seen of the views of a differentiated program.
enum class Feature : uint8_t {
  several,
  not_once,
  part,
  owner,
  stack,
  uneven,
  offset,
  expression,
  inside_scan,
  invariant
};

class RandomVjp {
 public:
  explicit RandomVjp(uint64_t seed) : dice_(seed + 1) {
    testing::RandomProgramOptions options;
    options.seed = seed;
    options.doubles = true;
    options.exponentials = false;
    testing::RandomProgram random = testing::random_program(options);
    module_ = std::move(random.module);
    program_ = random.program;
    GradientSide side{program_, {}, true, {}, false, {}};
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      if (!module_.globals[g].has_gradient() || !is_wanted(GlobalId(g))) continue;
      side.wrt.push_back({GlobalId(g), module_.globals[g].name});
    }
    if (side.wrt.empty()) return;
    wrt_ = side.wrt;
    std::map<std::string, ProgramId> made;
    vjp_ = gradient_program(module_, side, made, sink_);
  }

  /// Some output depends on some global.
  bool usable() const { return vjp_.has_value(); }
  /// Only A-loss is to be expected: no output has a gradient.
  std::string problem() const {
    std::string text;
    for (const Diagnostic& d : sink_.diagnostics()) text += d.rule == "A-loss" ? "" : d.rule + ": " + d.message + "\n";
    if (vjp_) {
      for (const Diagnostic& d : module_.state_errors(*vjp_)) text += d.rule + ": " + d.message + "\n";
    }
    return text;
  }
  const std::set<Feature>& features() const { return features_; }

  struct Slopes {
    uint64_t forward = 0, reverse = 0;
    bool smooth = false;
  };
  Slopes slopes() {
    draw();
    Slopes result;
    try {
      Formal::ties = 0;
      const auto outputs = reference::run(module_, program_, moving_, reference::Padding::zero).all;
      const auto gradients = reference::run(module_, *vjp_, fixed_, reference::Padding::zero).all;
      result = {forward(outputs), reverse(gradients), Formal::ties == 0};
    } catch (const reference::Unsupported&) {
      // a division by 0, or an index out of a table of no entries
    }
    return result;
  }

 private:
  /// Read, and by no func: those stay as they are.
  bool is_wanted(GlobalId global) {
    for (const Program& other : module_.programs) {
      if (other.kind() == ProgramKind::function && reads(other, global)) return false;
    }
    const Program& program = module_.program(program_);
    note(program, program.body(), global, false);
    return reads(program, global);
  }

  void note(const Program& program, const Region& region, GlobalId global, bool inside) {
    size_t count = 0;
    for (const OpId id : region.ops) {
      const Op& op = program.op(id);
      for (const Region& inner : op.regions) note(program, inner, global, true);
      const View* view = std::get_if<View>(&op.data);
      if (view == nullptr || view->global != global) continue;
      if (++count > 1) features_.insert(Feature::several);
      if (inside) features_.insert(Feature::inside_scan);
      if (view->coverage.times != 1) features_.insert(Feature::not_once);
      if (!view->range.empty()) features_.insert(Feature::part);
      if (!view->only.empty()) features_.insert(Feature::owner);
      if (!view->invariant.empty()) features_.insert(Feature::invariant);
      for (const ViewEntry& entry : view->layout) {
        if (entry.split == Split::stack) features_.insert(Feature::stack);
        if (entry.split == Split::uneven) features_.insert(Feature::uneven);
        if (entry.offset != 0) features_.insert(Feature::offset);
        if (entry.of) features_.insert(Feature::expression);
      }
    }
  }

  using Outputs = std::vector<reference::AssembledOutput<Formal>>;

  /// <cotangents, slopes>
  uint64_t forward(const Outputs& outputs) const {
    uint64_t sum = 0;
    const Program& program = module_.program(program_);
    for (size_t o = 0; o < program.outputs().size(); ++o) {
      const std::optional<GlobalId> cotangent = module_.find_global(program.outputs()[o].name + ".cotangent");
      for (size_t n = 0; cotangent && n < outputs[o].whole.elements.size(); ++n) {
        const uint64_t weight = fixed_[cotangent->index()].elements[n].x.value;
        sum = mod::add(sum, mod::multiply(outputs[o].whole.elements[n].x.slope, weight));
      }
    }
    return sum;
  }

  /// <gradients, tangents>
  uint64_t reverse(const Outputs& gradients) const {
    uint64_t sum = 0;
    for (size_t w = 0; w < wrt_.size(); ++w) {
      EXPECT_TRUE(gradients[w].replicas_agree && gradients[w].covered) << wrt_[w].name;
      for (size_t n = 0; n < gradients[w].whole.elements.size(); ++n) {
        const uint64_t tangent = moving_[wrt_[w].global.index()].elements[n].x.slope;
        sum = mod::add(sum, mod::multiply(gradients[w].whole.elements[n].x.value, tangent));
      }
    }
    return sum;
  }

  uint64_t number() { return static_cast<uint64_t>(dice_.in(0, static_cast<int64_t>(Formal::kPrime) - 1)); }

  void draw() {
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      const TensorType& type = module_.globals[g].type;
      const bool moves = std::any_of(wrt_.begin(), wrt_.end(), [&](const Wanted& w) { return w.global.index() == g; });
      Array<Formal> moving{type, {}}, fixed{type, {}};
      for (int64_t n = element_count(type.shape); n > 0; --n) {
        const int64_t i = is_float(type.dtype) ? 0 : type.dtype == DType::pred ? dice_.in(0, 1) : dice_.in(0, 5);
        const uint64_t x = is_float(type.dtype) ? number() : 0;
        moving.elements.push_back({Formal(x, moves ? number() : 0), i});
        fixed.elements.push_back({Formal(x, 0), i});
      }
      moving_.push_back(std::move(moving));
      fixed_.push_back(std::move(fixed));
    }
  }

  testing::Dice dice_;
  Module module_;
  DiagnosticSink sink_;
  ProgramId program_;
  std::optional<ProgramId> vjp_;
  std::vector<Wanted> wrt_;
  std::vector<Array<Formal>> moving_, fixed_;  ///< the globals with and without their tangents
  std::set<Feature> features_;
};

TEST(GlobalGradient, OfRandomProgramsIsExact) {
  int judged = 0, kinks = 0, useless = 0;
  std::set<Feature> features;
  const uint64_t seeds = kSanitized ? 200 : 1200;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomVjp vjp(seed);
    ASSERT_EQ(vjp.problem(), "") << "seed " << seed;
    if (!vjp.usable()) {
      ++useless;
      continue;
    }
    const RandomVjp::Slopes slopes = vjp.slopes();
    if (!slopes.smooth) {
      ++kinks;
      continue;
    }
    ++judged;
    features.insert(vjp.features().begin(), vjp.features().end());
    EXPECT_EQ(slopes.reverse, slopes.forward) << "seed " << seed;
  }
  std::printf("%d programs judged, %d at kinks or dividing by 0, %d without a gradient\n", judged, kinks, useless);
  EXPECT_GT(judged, static_cast<int>(seeds) / 4);
  if (!kSanitized) {
    for (int f = 0; f <= static_cast<int>(Feature::invariant); ++f) {
      EXPECT_TRUE(features.contains(static_cast<Feature>(f))) << "feature " << f << " is in no program";
    }
  }
}

}  // namespace
}  // namespace isoshard::autodiff::global_gradient_test
