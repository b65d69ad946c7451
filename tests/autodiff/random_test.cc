// Random typed programs, differentiated: the adjoint identity <gradient, tangent> = slope of the loss along the tangent
// (equivalence.md 6). The slope is that of the naive interpreter on dual numbers, which knows no rule of autodiff and
// no state; the pairing follows the states: V and P gradients are summed over devices, = is counted once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/transform/as_function.h"
#include "core/transform/autodiff/adjoint.h"
#include "core/transform/autodiff/vjp.h"
#include "tests/property/dice.h"
#include "tests/property/random_program.h"
#include "tests/reference/dual.h"
#include "tests/reference/interpreter.h"

namespace isoshard::autodiff {
namespace {

using reference::Array;
using reference::Dual;

/// A random program as a loss: @loss views globals and calls a func of them; @pairing views them, too, and the tangent
/// of each, and adds up the products of gradients and tangents.
class RandomLoss {
 public:
  explicit RandomLoss(uint64_t seed) : seed_(seed) {
    testing::RandomProgramOptions options;
    options.seed = seed;
    options.doubles = true;
    options.exponentials = false;
    testing::RandomProgram random = testing::random_program(options);
    module_ = std::move(random.module);
    const Program program = module_.program(random.program);
    const std::optional<FunctionOfGlobals> outputs = as_function(module_, random.program, "outputs", sink_);
    if (!outputs) return;  // no output has a gradient
    outputs_ = *outputs;
    views_ = outputs_.views;
    find_inner_views(program);
    function_ = loss_function(program);
    if (function_) build_programs(program);
  }

  /// Whether anything depends on the globals in a differentiable way.
  bool usable() const { return pairing_.has_value(); }
  const std::set<std::string>& ops() const { return ops_; }
  const std::string& problem() const { return problem_; }

  /// The derivative along the tangent, in both ways.
  struct Slopes {
    double forward = 0, reverse = 0, size = 0;
    bool smooth = true;
  };
  Slopes slopes() const {
    std::vector<Array<Dual>> duals;
    std::vector<Array<double>> plain;
    testing::Dice dice(seed_ + 1);
    const size_t originals = module_.globals.size() - tangents_.size();
    for (size_t g = 0; g < module_.globals.size(); ++g) {
      const TensorType& type = module_.globals[g].type;
      Array<Dual> dual{type, {}};
      Array<double> number{type, {}};
      for (int64_t n = element_count(type.shape); n > 0; --n) {
        const double x = static_cast<double>(dice.in(-1000, 1000)) / 700;
        const double t = static_cast<double>(dice.in(-1000, 1000)) / 900;
        const bool moves = g < originals && tangents_.contains(g) && !inner_.contains(g);
        const int64_t i = is_float(type.dtype) ? 0 : type.dtype == DType::pred ? dice.in(0, 1) : dice.in(0, 5);
        dual.elements.push_back({is_float(type.dtype) ? Dual(x, moves ? t : 0) : Dual(), i});
        number.elements.push_back({is_float(type.dtype) ? x : 0, i});
      }
      duals.push_back(std::move(dual));
      plain.push_back(std::move(number));
    }
    for (const auto& [global, tangent] : tangents_) {
      for (size_t n = 0; n < duals[global].elements.size(); ++n) {
        plain[tangent].elements[n].x = duals[global].elements[n].x.slope;
        duals[tangent].elements[n].x = duals[global].elements[n].x.slope;
      }
    }
    Dual::ties = 0;
    const auto loss = reference::run(module_, *loss_, duals, reference::Padding::zero).all.at(0).whole.elements[0].x;
    const auto pairs = reference::run(module_, *pairing_, plain, reference::Padding::zero).all;
    const double sum = pairs.at(0).whole.elements[0].x, size = pairs.at(1).whole.elements[0].x;
    return {loss.slope, sum, size,
            Dual::ties == 0 && std::isfinite(loss.slope) && std::isfinite(sum) && std::fabs(loss.value) < 1e12};
  }

 private:
  /// Globals that bodies of scans and funcs view as well, which stay where they are.
  void find_inner_views(const Program& program) {
    const auto collect = [&](const Program& all, const auto& skip) {
      for (size_t i = 0; i < all.op_count(); ++i) {
        const View* view = std::get_if<View>(&all.op(OpId(i)).data);
        if (view != nullptr && !skip(OpId(i))) inner_.insert(view->global.index());
      }
    };
    for (const Program& other : module_.programs) {
      if (other.kind() == ProgramKind::function) collect(other, [](OpId) { return false; });
    }
    collect(program, [&](OpId id) { return std::find(views_.begin(), views_.end(), id) != views_.end(); });
  }

  /// A func from what the views read to the sum of all outputs, every element weighted, P over all axes.
  std::optional<ProgramId> loss_function(const Program& program) {
    Builder out(module_, "f", program.shared_mesh(), sink_, BuilderOptions{ProgramKind::function, true, {}});
    std::vector<ValueId> arguments;
    for (const OpId id : views_) arguments.push_back(out.argument("", program.value(program.op(id).results[0]).type));
    ValueId total;
    for (const ValueId value : out.append(Call{outputs_.function}, std::move(arguments), {})) {
      const ValueId term = summed(out, value);
      total = total.valid() ? out.add_op(Add{}, {total, term}) : term;
    }
    if (!total.valid()) return std::nullopt;
    out.results({total});
    return out.finish();
  }

  static ValueId summed(Builder& out, ValueId value) {
    const TensorType type = out.type(value).tensor;
    const Shape flat{element_count(type.shape)};
    ValueId weights = out.add_op(Iota{type.dtype, flat, 0}, {});
    weights = out.add_op(Add{}, {weights, out.add_op(Constant{Rational(3, 2), type.dtype, flat}, {})});
    const ValueId product = out.add_op(Multiply{}, {out.add_op(Reshape{flat}, {value}), weights});
    return as_terms(out, out.add_op(Reduce{Reducer::add, {0}, {}}, {product}), true);
  }

  /// P over all axes: V as the terms of a sum; what is equal on one device only (`once`).
  static ValueId as_terms(Builder& out, ValueId value, bool once) {
    for (size_t i = 0; i < out.mesh().axis_count(); ++i) {
      const Group axis{{AxisId(i)}};
      const State state = out.type(value).states[i];
      if (state == State::varying) value = out.add_op(Reinterpret{axis, State::partial}, {value});
      if (once && state != State::varying && state != State::partial) {
        value = out.add_op(ConvertState{axis, State::partial, 0}, {value});
      }
    }
    return value;
  }

  /// The sum over devices where the value is P.
  static ValueId total(Builder& out, ValueId value) {
    Group group;
    for (size_t i = 0; i < out.mesh().axis_count(); ++i) {
      if (out.type(value).states[i] == State::partial) group.axes.push_back(AxisId(i));
    }
    const std::optional<State> to = out.type(value).has_gradient ? std::optional(State::replicated) : std::nullopt;
    return group.empty() ? value : out.add_op(AllReduce{group, to}, {value});
  }

  void build_programs(const Program& program) {
    std::vector<size_t> wrt;
    for (size_t i = 0; i < views_.size(); ++i) wrt.push_back(i);
    if (wrt.empty()) return;
    const std::optional<ProgramId> grad = build_grad(module_, *function_, wrt, sink_);
    if (!grad) {
      problem_ = sink_.diagnostics().empty() ? "no gradient" : sink_.diagnostics()[0].message;
      return;
    }
    for (const Diagnostic& error : module_.state_errors(*grad)) problem_ += error.message + "\n";
    note_ops(wrt);
    Builder loss(module_, "loss_of", program.shared_mesh(), sink_);
    loss.output("loss", total(loss, loss.append(Call{*function_}, views(loss, program), {})[0]), {});
    loss_ = loss.finish();
    Builder out(module_, "pairing", program.shared_mesh(), sink_);
    const std::vector<ValueId> gradients = out.append(Call{*grad}, views(out, program), {});
    std::vector<ValueId> sums(2);
    for (size_t k = 0; k < views_.size(); ++k) add_pair(out, program, views_[k], gradients[k + 1], sums);
    out.output("sum", sums[0], {});
    out.output("size", sums[1], {});
    pairing_ = out.finish();
  }

  /// The ops that the derivative passes.
  void note_ops(const std::vector<size_t>& wrt) {
    const Program function = module_.program(outputs_.function);
    const std::optional<Analysis> analysis = analyse(module_, function, wrt, sink_);
    for (size_t i = 0; i < function.op_count(); ++i) {
      const Op& op = function.op(OpId(i));
      const auto active = [&](ValueId id) { return analysis->active[id.index()]; };
      if (std::any_of(op.results.begin(), op.results.end(), active)) ops_.insert(std::string(op_name(op.data)));
    }
  }

  std::vector<ValueId> views(Builder& out, const Program& program) const {
    std::vector<ValueId> values;
    for (const OpId id : views_) values.push_back(out.add_op(std::get<View>(program.op(id).data), {}));
    return values;
  }

  /// <gradient, tangent> of one view, and the sum of the absolute products.
  void add_pair(Builder& out, const Program& program, OpId id, ValueId gradient, std::vector<ValueId>& sums) {
    View view = std::get<View>(program.op(id).data);
    const size_t global = view.global.index();
    if (!tangents_.contains(global)) {
      Global tangent = module_.globals[global];
      tangent.name += ".tangent";
      tangents_[global] = module_.globals.size();
      module_.globals.push_back(std::move(tangent));
    }
    view.global = GlobalId(tangents_[global]);
    const ValueId tangent = out.add_op(StopGradient{}, {out.add_op(view, {})});
    const ValueId product = out.add_op(Multiply{}, {gradient, tangent});
    std::vector<int64_t> dims;
    for (size_t d = 0; d < out.type(product).tensor.shape.size(); ++d) dims.push_back(static_cast<int64_t>(d));
    const auto whole = [&](ValueId x) {
      const ValueId sum = dims.empty() ? x : out.add_op(Reduce{Reducer::add, dims, {}}, {x});
      return total(out, as_terms(out, sum, false));
    };
    const ValueId sum = whole(product);
    const ValueId size = out.add_op(Abs{}, {sum});
    sums[0] = sums[0].valid() ? out.add_op(Add{}, {sums[0], sum}) : sum;
    sums[1] = sums[1].valid() ? out.add_op(Add{}, {sums[1], size}) : size;
  }

  uint64_t seed_;
  Module module_;
  DiagnosticSink sink_;
  std::vector<OpId> views_;
  FunctionOfGlobals outputs_;
  std::optional<ProgramId> function_, loss_, pairing_;
  std::map<size_t, size_t> tangents_;  ///< the global of each global's tangent
  std::set<size_t> inner_;
  std::set<std::string> ops_;
  std::string problem_;
};

TEST(Gradient, OfRandomProgramsFollowsDualNumbers) {
  int judged = 0, kinks = 0, useless = 0;
  std::set<std::string> ops;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const RandomLoss loss(seed);
    ASSERT_EQ(loss.problem(), "") << "seed " << seed;
    if (!loss.usable()) {
      ++useless;
      continue;
    }
    const RandomLoss::Slopes slopes = loss.slopes();
    if (!slopes.smooth) {
      ++kinks;
      continue;
    }
    ++judged;
    ops.insert(loss.ops().begin(), loss.ops().end());
    EXPECT_NEAR(slopes.reverse, slopes.forward, 1e-7 * (1 + slopes.size + std::fabs(slopes.forward)))
        << "seed " << seed;
  }
  std::printf("%d programs judged, %d at kinks or overflowing, %d without a gradient\n", judged, kinks, useless);
  EXPECT_GT(judged, 500);
  for (const char* name : {"negate",
                           "add",
                           "subtract",
                           "multiply",
                           "divide",
                           "power",
                           "maximum",
                           "minimum",
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
}  // namespace isoshard::autodiff
