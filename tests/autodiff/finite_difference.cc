#include "tests/autodiff/finite_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "core/ir/builder/builder.h"
#include "core/text/text.h"
#include "core/transform/autodiff/vjp.h"
#include "tests/golden/module_run.h"

namespace isoshard::autodiff {
namespace {

std::string shown(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) text += render(d);
  return text;
}

/// The one call of a program and its place.
const Op& call_of(const Program& program) {
  for (const OpId id : program.body().ops) {
    if (std::holds_alternative<Call>(program.op(id).data)) return program.op(id);
  }
  throw std::runtime_error("@loss calls nothing");
}

/// Reduces what is P and returns what every device holds in the layout of the view it belongs to.
class GradientProgram {
 public:
  GradientProgram(Module& module, const Program& loss, DiagnosticSink& sink)
      : out_(module, "gradients", loss.shared_mesh(), sink, BuilderOptions{}) {
    for (const ValueId operand : call_of(loss).operands) {
      const Op& view = loss.op(loss.value(operand).definition);
      views_.push_back(&std::get<View>(view.data));
      operands_.push_back(out_.add_op(view.data, {}));
    }
  }

  Builder& out() { return out_; }
  const std::vector<ValueId>& operands() const { return operands_; }
  std::vector<size_t> wrt() const {
    std::vector<size_t> result;
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (out_.type(operands_[i]).has_gradient) result.push_back(i);
    }
    return result;
  }

  ProgramId finish(const Module& module, ValueId loss, const std::vector<ValueId>& gradients) {
    if (loss.valid()) out_.output("loss", reduced(loss, {}), {});
    for (size_t k = 0; k < gradients.size(); ++k) {
      const View& view = *views_[wrt()[k]];
      out_.output(module.global(view.global).name, reduced(gradients[k], view.layout), view.layout);
    }
    const std::optional<ProgramId> id = out_.finish();
    if (!id) throw std::runtime_error("the program of the gradients does not build");
    return *id;
  }

 private:
  ValueId reduced(ValueId value, const Layout& layout) {
    Group group, varying;
    const AxisSet splitting = splitting_axes(layout);
    for (size_t i = 0; i < out_.type(value).states.size(); ++i) {
      const State state = out_.type(value).states[i];
      if (state == State::partial) group.axes.push_back(AxisId(i));
      if (state == State::varying && !splitting.contains(AxisId(i))) varying.axes.push_back(AxisId(i));
    }
    if (!varying.empty()) value = out_.add_op(Reinterpret{varying, State::partial}, {value});
    group.axes.insert(group.axes.end(), varying.axes.begin(), varying.axes.end());
    return group.empty() ? value : out_.add_op(AllReduce{group, std::nullopt}, {value});
  }

  Builder out_;
  std::vector<const View*> views_;
  std::vector<ValueId> operands_;
};

}  // namespace

GradientTest::GradientTest(const std::string& text) {
  DiagnosticSink sink;
  std::optional<Module> parsed =
      text::parse_module(std::make_shared<const SourceFile>(SourceFile{"t.shard", text}), {}, sink);
  if (!parsed) throw std::runtime_error(shown(sink));
  module = std::move(*parsed);
  loss_ = *module.find_program("loss");
  std::mt19937_64 random(7);
  for (const Global& global : module.globals) {
    std::vector<double> values(static_cast<size_t>(element_count(global.type.shape)));
    for (double& x : values) x = static_cast<double>(random() % 10007) / 5000 - 1 + 1e-4;
    if (global.type.dtype == DType::f64) {
      given_[global.name] = Tensor::from<double>(DType::f64, global.type.shape, values);
    } else {
      std::vector<int32_t> ids;
      for (const double x : values) ids.push_back(static_cast<int32_t>(std::floor((x + 1) * 3)));
      given_[global.name] = Tensor::from<int32_t>(DType::i32, global.type.shape, ids);
    }
  }
}

std::map<std::string, Tensor> GradientTest::run(ProgramId program, const std::map<std::string, Tensor>& given) const {
  return golden::run_program(module, program, given);
}

std::map<std::string, Tensor> GradientTest::by_differences() const {
  std::map<std::string, Tensor> result;
  for (const auto& given : given_) {
    const std::string& name = given.first;
    const Tensor& array = given.second;
    if (array.dtype() != DType::f64) continue;
    std::vector<double> slopes;
    for (size_t i = 0; i < static_cast<size_t>(array.size()); ++i) {
      const auto loss_at = [&](double by) {
        std::map<std::string, Tensor> moved = given_;
        std::vector<double> values(array.as<double>().begin(), array.as<double>().end());
        values[i] += by;
        moved[name] = Tensor::from<double>(DType::f64, array.shape(), values);
        return run(loss_, moved).at("loss").as<double>()[0];
      };
      constexpr double kStep = 1e-5;
      slopes.push_back((loss_at(kStep) - loss_at(-kStep)) / (2 * kStep));
    }
    result[name] = Tensor::from<double>(DType::f64, array.shape(), slopes);
  }
  return result;
}

std::map<std::string, Tensor> GradientTest::run_gradients(bool parts) {
  DiagnosticSink sink;
  const Program loss = module.program(loss_);
  const ProgramId callee = std::get<Call>(call_of(loss).data).callee;
  std::vector<size_t> wrt = GradientProgram(module, loss, sink).wrt();
  std::optional<Vjp> vjp;
  std::optional<ProgramId> grad;
  if (parts) {
    vjp = build_vjp(module, callee, wrt, sink);
  } else {
    grad = build_grad(module, callee, wrt, sink);
  }
  if (!vjp && !grad) throw std::runtime_error(shown(sink));
  GradientProgram program(module, loss, sink);
  ValueId value;
  std::vector<ValueId> gradients;
  if (grad) {
    gradients = program.out().append(Call{*grad}, program.operands(), {});
    value = gradients.front();
    gradients.erase(gradients.begin());
  } else {
    std::vector<ValueId> forward = program.out().append(Call{vjp->forward}, program.operands(), {});
    const Program& backward = module.program(vjp->backward);
    const ValueType& type = backward.value(backward.body().arguments.front()).type;
    ValueId one = program.out().add_op(Constant{Rational(1), DType::f64, {}}, {});
    Group replicated;
    for (size_t i = 0; i < type.states.size(); ++i) {
      if (type.states[i] == State::partial) replicated.axes.push_back(AxisId(i));
    }
    if (!replicated.empty()) one = program.out().add_op(ConvertState{replicated, State::partial, 0}, {one});
    forward.front() = one;
    gradients = program.out().append(Call{vjp->backward}, forward, {});
  }
  if (!gradients.empty() && !gradients.front().valid()) throw std::runtime_error(shown(sink));
  return run(program.finish(module, value, gradients), given_);
}

std::map<std::string, Tensor> GradientTest::by_autodiff() {
  std::map<std::string, Tensor> result = run_gradients(false);
  EXPECT_DOUBLE_EQ(result.at("loss").as<double>()[0], run(loss_, given_).at("loss").as<double>()[0]);
  result.erase("loss");
  return result;
}

std::map<std::string, Tensor> GradientTest::by_parts() { return run_gradients(true); }

void GradientTest::compare() {
  const std::map<std::string, Tensor> expected = by_differences(), got = by_autodiff(), parts = by_parts();
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [name, array] : expected) {
    for (size_t i = 0; i < static_cast<size_t>(array.size()); ++i) {
      const double slope = array.as<double>()[i], x = got.at(name).as<double>()[i];
      EXPECT_NEAR(x, slope, 1e-7 + 1e-6 * std::abs(slope)) << "@" << name << " element " << i;
      EXPECT_DOUBLE_EQ(parts.at(name).as<double>()[i], x) << "@" << name << " element " << i << " by parts";
    }
  }
}

}  // namespace isoshard::autodiff
