// Random typed programs, differentiated: the adjoint identity in exact arithmetic, with scans, calls, tuples of axes,
// partial= and every other feature of the generator; the whole derivative and its parts, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "core/transform/as_function.h"
#include "core/transform/autodiff/adjoint.h"
#include "core/transform/autodiff/split_backward.h"
#include "tests/autodiff/adjoint_identity.h"
#include "tests/autodiff/parts.h"
#include "tests/property/generator/dice.h"
#include "tests/property/generator/random_program.h"
#include "tests/sanitized.h"

namespace isoshard::autodiff::random_test {
namespace {

using reference::Array;
using reference::Formal;

/// A random program as a function of what its views read.
class RandomFunction {
 public:
  explicit RandomFunction(uint64_t seed) : seed_(seed) {
    isoshard::testing::RandomProgramOptions options;
    options.seed = seed;
    options.doubles = true;
    isoshard::testing::RandomProgram random = isoshard::testing::random_program(options);
    module_ = std::move(random.module);
    DiagnosticSink none;
    const std::optional<FunctionOfGlobals> outputs = as_function(module_, random.program, "outputs", none);
    if (!outputs) return;  // no output has a gradient
    function_ = outputs->function;
    for (size_t i = 0; i < outputs->views.size(); ++i) wrt_.push_back(i);
    vjp_ = build_vjp(module_, function_, wrt_, sink_);
    if (!vjp_) return;
    for (const ProgramId part : {vjp_->forward, vjp_->backward}) {
      for (const Diagnostic& error : module_.state_errors(part)) problem_ += error.message + "\n";
    }
    note_ops();
  }

  /// Whether anything depends on the globals in a differentiable way.
  bool usable() const { return vjp_ && !wrt_.empty(); }
  const std::set<std::string>& ops() const { return ops_; }
  std::string problem() const {
    const bool failed = sink_.has_errors();
    return failed ? sink_.diagnostics()[0].message : problem_;
  }
  Module& module() { return module_; }
  const Vjp& vjp() const { return *vjp_; }
  ProgramId function() const { return function_; }
  AdjointIdentity identity() const { return identity_of(*vjp_); }
  /// The gradients at the same point when scans compute their iterations again.
  Values gradients_with_recomputation() {
    const std::optional<Vjp> vjp =
        build_vjp(module_, function_, wrt_, sink_, Location::here(), GradOptions{Remat::full});
    return identity_of(*vjp).gradients(module_, vjp->backward);
  }

 private:
  AdjointIdentity identity_of(const Vjp& vjp) const {
    return AdjointIdentity(module_, function_, vjp, seed_, {.least = 0, .most = 5}, inner_globals());
  }

  /// Globals that bodies of scans and funcs view as well, which stay where they are.
  std::vector<Array<Formal>> inner_globals() const {
    isoshard::testing::Dice dice(seed_ + 1);
    std::vector<Array<Formal>> globals;
    for (const Global& global : module_.globals) {
      const ValueType type{global.type, {}, false};
      static const Mesh one;
      globals.push_back(draw_value(type, one, {.least = 0, .most = 5}, dice)[0]);
      for (auto& element : globals.back().elements) element.x.slope = 0;
    }
    return globals;
  }

  /// The ops that the derivative passes.
  void note_ops() {
    const Program function = module_.program(function_);
    const std::optional<Analysis> analysis = analyse(module_, function, arguments_of(function, wrt_), sink_);
    for (size_t i = 0; i < function.op_count(); ++i) {
      const Op& op = function.op(OpId(i));
      const auto active = [&](ValueId id) { return analysis->active[id.index()]; };
      if (std::any_of(op.results.begin(), op.results.end(), active)) ops_.insert(std::string(op_name(op.data)));
    }
  }

  uint64_t seed_;
  Module module_;
  DiagnosticSink sink_;
  ProgramId function_;
  std::vector<size_t> wrt_;
  std::optional<Vjp> vjp_;
  std::set<std::string> ops_;
  std::string problem_;
};

TEST(Gradient, OfRandomProgramsFollowsDualNumbers) {
  int judged = 0, kinks = 0, useless = 0, beyond = 0, with_scans = 0;
  std::set<std::string> ops;
  const uint64_t seeds = kSanitized ? 300 : 1500;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    RandomFunction random(seed);
    ASSERT_EQ(random.problem(), "") << "seed " << seed;
    if (!random.usable()) {
      ++useless;
      continue;
    }
    try {
      const AdjointIdentity at = random.identity();
      if (!at.smooth()) {
        ++kinks;
        continue;
      }
      const Values gradients = at.gradients(random.module(), random.vjp().backward);
      ASSERT_EQ(at.problem(gradients), "") << "seed " << seed;
      ASSERT_EQ(parts_problem(random.module(), random.vjp(), at, gradients, seed), "") << "seed " << seed;
      if (random.ops().contains("scan")) {
        ++with_scans;
        ASSERT_TRUE(same(random.gradients_with_recomputation(), gradients))
            << "seed " << seed << ": remat=full differs";
      }
      ++judged;
      ops.insert(random.ops().begin(), random.ops().end());
    } catch (const reference::Unsupported&) {
      ++beyond;
    }
  }
  std::printf("%d programs judged, %d at kinks, %d with inf, /0 or assert_equal, %d without a gradient\n", judged,
              kinks, beyond, useless);
  EXPECT_GT(judged, kSanitized ? 100 : 500);
  if (kSanitized) return;
  EXPECT_GT(with_scans, 40);
  for (const char* name : {"negate",
                           "exponential",
                           "tanh",
                           "logistic",
                           "sqrt",
                           "rsqrt",
                           "log",
                           "sine",
                           "cosine",
                           "add",
                           "subtract",
                           "multiply",
                           "divide",
                           "power",
                           "maximum",
                           "minimum",
                           "clamp",
                           "abs",
                           "select",
                           "convert",
                           "broadcast_in_dim",
                           "reshape",
                           "transpose",
                           "slice",
                           "concatenate",
                           "pad",
                           "reverse",
                           "cumsum",
                           "reduce",
                           "dot_general",
                           "convolution",
                           "dynamic_slice",
                           "dynamic_update_slice",
                           "gather",
                           "scatter_add",
                           "top_k",
                           "all_reduce",
                           "all_gather",
                           "reduce_scatter",
                           "all_to_all",
                           "collective_permute",
                           "convert_state",
                           "reinterpret",
                           "slice_block",
                           "place_block",
                           "assert_equal",
                           "call",
                           "scan"}) {
    EXPECT_TRUE(ops.contains(name)) << name << " is differentiated in no program";
  }
}

}  // namespace
}  // namespace isoshard::autodiff::random_test
