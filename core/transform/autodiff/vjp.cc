// Reverse mode by source transformation (docs/spec/autodiff.md): makes of one function a forward one, which also
// returns residuals, and a backward one. The backward one is built first, and asks for forward values as it goes; each
// value that is asked for becomes an argument of it, and so a residual: nothing is kept that no rule reads. build_grad
// puts both parts into one function, whose loss begins with 1 (docs/spec/states.md, "Cotangents"). As programs, and not
// as a tape of values, derivatives are printed, lowered and proved like everything else. Cost: a few ops per op of the
// function.
#include "core/transform/autodiff/vjp.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/transform/autodiff/adjoint.h"
#include "core/transform/autodiff/no_derivative.h"

namespace isoshard::autodiff {
namespace {

/// The values of the forward program as arguments of the backward one, each made when it is first asked for.
class ResidualArguments final : public Primals {
 public:
  ResidualArguments(const Module& module, const Program& program, const Analysis& analysis, Builder& out)
      : module_(module), program_(program), analysis_(analysis), out_(out) {}

  ValueId value(ValueId original) override {
    ValueId& known = values_[original.index()];
    if (!known.valid()) known = argument(KeptValue{original, {}}, program_.value(original).type);
    return known;
  }
  ValueId extra(const ExtraResult& which) override {
    ValueId& known = extras_[which];
    if (!known.valid()) known = argument(KeptValue{{}, which}, extra_type(module_, program_, analysis_, which));
    return known;
  }
  const std::vector<KeptValue>& all() const { return all_; }

 private:
  ValueId argument(const KeptValue& residual, ValueType type) {
    all_.push_back(residual);
    return out_.argument("", std::move(type));
  }

  const Module& module_;
  const Program& program_;
  const Analysis& analysis_;
  Builder& out_;
  std::map<size_t, ValueId> values_;
  std::map<ExtraResult, ValueId> extras_;
  std::vector<KeptValue> all_;
};

bool check_wrt(const Program& program, const std::vector<size_t>& wrt, const Location& location, DiagnosticSink& sink) {
  const std::vector<ValueId>& arguments = program.body().arguments;
  for (const size_t i : wrt) {
    const std::string which = "@" + program.name() + ": wrt " + std::to_string(i);
    if (i >= arguments.size()) {
      sink.error("A-wrt", location, which + " is no argument; expected 0 to " + std::to_string(arguments.size() - 1));
      return false;
    }
    const Value& value = program.value(arguments[i]);
    if (value.type.has_gradient) continue;
    sink.error("A-wrt", location,
               which + ", %" + value.name + ", is " + to_string(value.type, program.mesh()) +
                   " without a gradient; expected an argument that depends on a param or a float input");
    return false;
  }
  return true;
}

BuilderOptions function_like(const Program& program) {
  return BuilderOptions{ProgramKind::function, program.typed(), program.location()};
}

/// Copies the arguments and the body of a function.
bool copy_function(const Program& program, Builder& out, RegionCopy& copy) {
  for (const ValueId id : program.body().arguments) {
    copy.bind(id, out.argument(program.value(id).name, program.value(id).type, program.value(id).location));
  }
  return copy.copy(program.body());
}

std::optional<ProgramId> build_forward(Module& module, const Program& program, const Analysis& analysis,
                                       const std::vector<KeptValue>& residuals, DiagnosticSink& sink) {
  Builder out(module, program.name() + ".forward", program.shared_mesh(), sink, function_like(program));
  RegionCopy copy(program, out, analysis.copy);
  if (!copy_function(program, out, copy)) return std::nullopt;
  std::vector<ValueId> results;
  for (const ValueId id : program.body().results) results.push_back(copy.value(id));
  for (const KeptValue& residual : residuals) results.push_back(copy.kept(residual));
  out.results(std::move(results), program.location());
  return out.finish();
}

/// The cotangent of a loss: 1 everywhere, but on one device for R, whose cotangent is P. Invalid after an error.
ValueId seed(const Program& program, Builder& out, const Location& location, DiagnosticSink& sink) {
  const Value& loss = program.value(program.body().results.front());
  Emitter at(out, program.location());
  ValueId one = at.constant(Rational(1), loss.type.tensor);
  if (!program.typed()) return one;
  const Group varying = axes_in(loss.type.states, State::varying);
  if (!varying.empty()) {
    const std::string& axis = program.mesh().axes()[varying.axes.front().index()].name;
    sink.error("A-loss", location,
               "@" + program.name() + ": the result %" + loss.name + " is V over `" + axis +
                   "`, every device has a loss of its own; expected one loss: sum it (partial={" + axis +
                   "} on the reduce) or all_reduce it");
    return {};
  }
  const Group replicated = axes_in(loss.type.states, State::replicated);
  return replicated.empty() ? one : at.op(ConvertState{replicated, State::partial, 0}, {one});
}

/// Whether `value` depends on something with a gradient through ops that end it, but for stop_gradient; reports them at
/// their locations (A-not-differentiable).
bool report_ends(const Program& program, ValueId value, std::set<size_t>& seen, DiagnosticSink& sink) {
  const OpId id = program.value(value).definition;
  if (!id.valid() || !seen.insert(id.index()).second) return false;
  const Op& op = program.op(id);
  if (std::holds_alternative<StopGradient>(op.data)) return false;
  bool ends = false, reported = false;
  for (const ValueId operand : op.operands) ends |= program.value(operand).type.has_gradient;
  const DType dtype = program.value(op.results.front()).type.tensor.dtype;
  std::string reason(no_derivative(op.data));
  if (std::holds_alternative<Convert>(op.data)) reason = "its result is " + std::string(name(dtype));
  if (ends && !reason.empty()) {
    sink.error("A-not-differentiable", op.location,
               std::string(op_name(op.data)) + " has no derivative: " + reason +
                   "; expected a loss that also depends on the arguments in another way");
    return true;
  }
  for (const ValueId operand : op.operands) reported |= report_ends(program, operand, seen, sink);
  return reported;
}

bool check_loss(const Program& program, const Location& location, DiagnosticSink& sink) {
  const std::vector<ValueId>& results = program.body().results;
  const auto error = [&](const std::string& message) {
    sink.error("A-loss", location, "@" + program.name() + ": " + message);
    return false;
  };
  if (results.empty()) return error("no result; expected the loss");
  const Value& loss = program.value(results.front());
  if (!loss.type.tensor.shape.empty() || !is_float(loss.type.tensor.dtype)) {
    return error("the result %" + loss.name + " is " + to_string(loss.type.tensor) + "; expected a float scalar");
  }
  if (loss.type.has_gradient) return true;
  std::set<size_t> seen;
  if (report_ends(program, results.front(), seen, sink)) return false;
  return error("the result %" + loss.name +
               " has no gradient; expected a value that depends on the arguments, and not "
               "only through stop_gradient or grad, whose results have none");
}

}  // namespace

std::optional<Vjp> build_vjp(Module& module, ProgramId function, const std::vector<size_t>& wrt, DiagnosticSink& sink,
                             const Location& location, const GradOptions& options) {
  const Program program = module.program(function);  // a copy: the module grows
  if (!check_wrt(program, wrt, location, sink)) return std::nullopt;
  const std::optional<Analysis> analysis = analyse(module, program, arguments_of(program, wrt), sink, options);
  if (!analysis) return std::nullopt;
  Vjp result{{}, {}, 0, wrt, {}};
  Builder out(module, program.name() + ".backward", program.shared_mesh(), sink, function_like(program));
  ResidualArguments primals(module, program, *analysis, out);
  Adjoint pass(out, program, *analysis, primals);
  const std::vector<ValueId>& results = program.body().results;
  for (size_t r = 0; r < results.size(); ++r) {
    if (!pass.active(results[r])) continue;
    result.active_results.push_back(r);
    pass.give(results[r], out.argument("", cotangent_type(program, results[r])), program.location());
  }
  if (!pass.run(program.body(), sink)) return std::nullopt;
  std::vector<ValueId> gradients;
  for (const size_t i : wrt) {
    gradients.push_back(pass.cotangent_or_zeros(program.body().arguments[i], program.location()));
  }
  out.results(std::move(gradients), program.location());
  const std::optional<ProgramId> backward = out.finish();
  const std::optional<ProgramId> forward = build_forward(module, program, *analysis, primals.all(), sink);
  if (!backward || !forward) return std::nullopt;
  result.backward = *backward;
  result.forward = *forward;
  result.residuals = primals.all().size();
  return result;
}

std::optional<ProgramId> build_grad(Module& module, ProgramId function, const std::vector<size_t>& wrt,
                                    DiagnosticSink& sink, const Location& location, const GradOptions& options) {
  const Program program = module.program(function);  // a copy: the module grows
  if (!check_wrt(program, wrt, location, sink) || !check_loss(program, location, sink)) return std::nullopt;
  const std::optional<Analysis> analysis = analyse(module, program, arguments_of(program, wrt), sink, options);
  if (!analysis) return std::nullopt;
  Builder out(module, program.name() + ".grad", program.shared_mesh(), sink, function_like(program));
  RegionCopy copy(program, out, analysis->copy);
  if (!copy_function(program, out, copy)) return std::nullopt;
  CopiedPrimals primals(copy);
  Adjoint pass(out, program, *analysis, primals);
  const ValueId one = seed(program, out, location, sink);
  if (!one.valid()) return std::nullopt;
  const ValueId loss = program.body().results.front();
  pass.give(loss, one, program.location());
  if (!pass.run(program.body(), sink)) return std::nullopt;
  std::vector<ValueId> results;
  for (const ValueId id : program.body().results) {
    const ValueId value = copy.value(id);
    const bool has_gradient = out.type(value).has_gradient;
    results.push_back(has_gradient ? out.add_op(StopGradient{}, {value}, "", program.location()) : value);
  }
  for (const size_t i : wrt) {
    results.push_back(pass.cotangent_or_zeros(program.body().arguments[i], program.location()));
  }
  out.results(std::move(results), program.location());
  return out.finish();
}

}  // namespace isoshard::autodiff
