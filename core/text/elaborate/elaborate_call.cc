// Elaborates ops that apply funcs: `call`, `grad` and `pipeline`. A func has no states of its own: it is elaborated
// once per list of argument types and states, and such an instance is shared by all calls that agree (elaboration.cc).
// `call` with `vjp=@b` makes an instance of @b too, with the arguments that the derivative of this instance passes
// (docs/adr/0021-user-written-derivatives.md). `grad` derives a new function and becomes a plain call of it
// (docs/adr/0019-autodiff.md). For `pipeline` the arguments of a stage are parts of the operands, one micro-batch each,
// and the loss takes the result of the stage first (docs/adr/0024-pipelines.md).
#include "core/text/elaborate/elaborate_call.h"

#include <algorithm>
#include <utility>

#include "core/ir/vjp_signature.h"
#include "core/text/elaborate/fields.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/elaborate/signature.h"
#include "core/text/syntax/suggest.h"
#include "core/transform/autodiff/vjp.h"

namespace isoshard::text {

std::optional<std::vector<Argument>> Calls::take_numbers(const OpSyntax& syntax, const std::vector<Argument>& arguments,
                                                         CallNumbers& numbers) const {
  const auto callee = elaboration_.functions.find(syntax.form->target.text);
  if (callee == elaboration_.functions.end()) return arguments;
  const std::vector<ParameterSyntax>& parameters = callee->second->parameters;
  std::vector<Argument> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (!argument.is_number() || i >= parameters.size() || !parameters[i].type.inferred) {
      values.push_back(argument);
      continue;
    }
    const std::optional<Rational> number =
        argument.literal != nullptr ? read_number(*argument.literal, scope_) : argument.number;
    if (!number) return std::nullopt;
    numbers.insert({i, *number});
  }
  return values;
}

std::optional<OpData> Calls::call(const OpSyntax& syntax, const std::vector<ValueId>& operands,
                                  const CallNumbers& numbers, const Span& span) {
  const std::optional<CallFields> fields = read_call(syntax, scope_);
  const std::optional<ProgramId> program = instance(syntax, operands, numbers, span);
  if (!program || !fields) return std::nullopt;
  Call call{*program};
  if (!fields->vjp) return call;
  const VjpSignature signature = vjp_signature(elaboration_.module.function(*program));
  if (signature.wrt.empty() || signature.results.empty()) return call;  // nothing is differentiated here
  const BodySyntax* callee = find_callee(*fields->vjp);
  if (callee == nullptr) return std::nullopt;
  const std::vector<ValueType>& types = signature.arguments;
  const std::optional<ProgramId> backward = instance(*callee, {types.begin(), types.end()}, span);
  if (!backward) return std::nullopt;
  call.vjp = *backward;
  return call;
}

std::optional<OpData> Calls::grad(const OpSyntax& syntax, const std::vector<ValueId>& operands, const Span& span) {
  const std::optional<GradFields> fields = read_grad(syntax, scope_);
  const std::optional<ProgramId> program = instance(syntax, operands, {}, span);
  if (!program || !fields || !check_convention(*fields, span)) return std::nullopt;
  const std::vector<int64_t>& wrt = fields->wrt;
  for (const int64_t i : wrt) {
    if (i >= 0) continue;
    scope_.error("A-wrt", span, "grad: wrt " + std::to_string(i) + " is no argument; expected numbers from 0");
    return std::nullopt;
  }
  const std::optional<ProgramId> derived =
      autodiff::build_grad(elaboration_.module, *program, {wrt.begin(), wrt.end()}, elaboration_.scope.sink,
                           scope_.at(span), autodiff::GradOptions{fields->remat});
  if (!derived) return std::nullopt;
  return Call{*derived};
}

bool Calls::check_convention(const GradFields& fields, const Span& span) const {
  const bool by_states = fields.convention == GradConvention::states;
  if (by_states == typed()) return true;
  scope_.error("A-untyped", span,
               by_states ? "grad in an untyped program: gradients follow from the states of values, and it has none; "
                           "expected a typed program, or convention=shard_map_unchecked for what JAX gives there"
                         : "grad: convention=shard_map_unchecked is about programs without states; expected an untyped "
                           "program, or leave it out");
  return false;
}

std::optional<ProgramId> Calls::instance(const OpSyntax& syntax, const std::vector<ValueId>& operands,
                                         const CallNumbers& numbers, const Span& span) {
  std::vector<CallArgument> arguments;
  const size_t count = operands.size() + numbers.size();
  for (size_t i = 0, next = 0; i < count; ++i) {
    const auto number = numbers.find(i);
    if (number != numbers.end()) {
      arguments.emplace_back(number->second);
      continue;
    }
    const ValueId operand = operands[next++];
    if (!operand.valid()) return find_callee(syntax.form->target), std::nullopt;
    arguments.emplace_back(builder_.type(operand));
  }
  const BodySyntax* callee = find_callee(syntax.form->target);
  if (callee == nullptr) return std::nullopt;
  return instance(*callee, arguments, span);
}

bool Calls::add_defaults(const BodySyntax& callee, std::vector<CallArgument>& arguments) const {
  const Scope inside(elaboration_.scope, mesh_.get(), callee.file);
  for (size_t i = arguments.size(); i < callee.parameters.size() && callee.parameters[i].number; ++i) {
    const std::optional<Rational> number = read_number(*callee.parameters[i].number, inside);
    if (!number) return false;
    arguments.emplace_back(*number);
  }
  return true;
}

std::optional<ProgramId> Calls::instance(const BodySyntax& callee, const std::vector<CallArgument>& given,
                                         const Span& span) {
  std::vector<CallArgument> types = given;
  if (!add_defaults(callee, types)) return std::nullopt;
  const bool fits = arguments_fit(elaboration_, callee, *mesh_, types);
  if (!fits && callee.any_shape()) {
    report_arguments(elaboration_, callee, scope_, types, span);
    return std::nullopt;
  }
  // Arguments of wrong types get the instance with the declared ones; the Builder then reports the difference.
  return fits ? elaboration_.instance(callee, mesh_, types, typed(), &scope_, span)
              : elaboration_.stateless_instance(callee, mesh_, &scope_, span);
}

std::optional<OpData> Calls::pipeline(const OpSyntax& syntax, const std::vector<ValueId>& operands, const Span& span) {
  std::optional<OpData> data = read_op(syntax, scope_);
  const BodySyntax *stage = find_callee(syntax.form->target), *loss = find_callee(syntax.form->loss);
  const bool known = std::all_of(operands.begin(), operands.end(), [](ValueId id) { return id.valid(); });
  if (!data || stage == nullptr || loss == nullptr || !known) return std::nullopt;
  PipelineRun& made = std::get<PipelineRun>(*data);
  const auto fail = [&](const std::string& message) {
    scope_.error("T-pipeline", span, "pipeline: " + message);
    return std::nullopt;
  };
  if (made.axis.axes.size() != 1)
    return fail("`axis` is a tuple of axes; expected one axis, along which the stages stand");
  if (made.microbatches < 1) {
    return fail("`microbatches` is " + std::to_string(made.microbatches) + "; expected at least 1");
  }
  const size_t own = stage->parameters.size(), others = loss->parameters.size();
  if (own == 0 || others == 0 || operands.size() != own + others - 1) {
    return fail("there are " + std::to_string(operands.size()) + " arguments; expected the " + std::to_string(own) +
                " of @" + syntax.form->target.text + " and those of @" + syntax.form->loss.text +
                " but its first, which is the output of the last stage");
  }
  std::vector<CallArgument> of_stage, of_loss;
  for (size_t i = 0; i < own; ++i) of_stage.push_back(argument_of(made, operands[i], *stage, i, i == 0));
  const std::optional<ProgramId> stage_made = instance(*stage, of_stage, span);
  if (!stage_made) return std::nullopt;
  const Program& function = elaboration_.module.program(*stage_made);
  of_loss.push_back(function.value(function.body().results[0]).type);
  for (size_t i = 1; i < others; ++i) of_loss.push_back(argument_of(made, operands[own + i - 1], *loss, i, false));
  const std::optional<ProgramId> loss_made = instance(*loss, of_loss, span);
  if (!loss_made) {
    report_whole_operands(made, *loss, {operands.begin() + static_cast<std::ptrdiff_t>(own), operands.end()}, span);
    return std::nullopt;
  }
  made.stage = *stage_made;
  made.loss = *loss_made;
  return data;
}

void Calls::report_whole_operands(const PipelineRun& pipeline, const BodySyntax& loss,
                                  const std::vector<ValueId>& operands, const Span& span) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    TensorType type = builder_.type(operands[i]).tensor;
    const ParameterSyntax& parameter = loss.parameters[i + 1];
    const bool divides = !type.shape.empty() && pipeline.microbatches > 1 && type.shape[0] % pipeline.microbatches == 0;
    if (!parameter.type.inferred || !divides) continue;
    const std::string whole = to_string(type), name = "%" + parameter.name.base;
    type.shape[0] /= pipeline.microbatches;
    scope_.error("T-pipeline", span,
                 "pipeline: " + name + " of @" + loss.name.text + " has no type, so each micro-batch gets all of it, " +
                     whole + "; where it is data, write `" + name + ": " + to_string(type) +
                     "`, which cuts it into micro-batches");
    return;
  }
}

ValueType Calls::argument_of(const PipelineRun& pipeline, ValueId operand, const BodySyntax& callee, size_t parameter,
                             bool activation) const {
  const ValueType given = builder_.type(operand);
  const Scope inside(elaboration_.scope, mesh_.get(), callee.file);
  const std::optional<TensorType> declared = declared_type(callee.parameters[parameter].type, given.tensor, inside);
  if (declared && pipeline.is_stacked(given.tensor, *declared)) {
    return stage_argument(given, pipeline, OperandPart::stage, activation);
  }
  TensorType part = given.tensor;
  const bool divides = !part.shape.empty() && part.shape[0] % pipeline.microbatches == 0;
  if (divides) part.shape[0] /= pipeline.microbatches;
  const bool cut =
      divides && (declared == part || (activation && declares_no_shape(callee.parameters[parameter].type)));
  return stage_argument(given, pipeline, cut ? OperandPart::micro_batch : OperandPart::whole, activation);
}

bool Calls::report_qualified(const Word& name) const {
  const size_t dot = name.text.rfind('.');
  if (dot == std::string::npos) return false;
  const std::string func = name.text.substr(dot + 1);
  if (elaboration_.functions.count(func) == 0 || is_op(func)) return false;
  scope_.error("E-op", name.span, "there is no op `" + name.text + "`; here it is `" + func + "`");
  return true;
}

const BodySyntax* Calls::find_callee(const Word& target) {
  const auto it = elaboration_.functions.find(target.text);
  if (it == elaboration_.functions.end()) {
    std::vector<std::string> names;
    for (const auto& [known, function] : elaboration_.functions) names.push_back(known);
    scope_.error("E-func", target.span,
                 "there is no func @" + target.text + suggestion(target.text, names, "@", "funcs"));
    return nullptr;
  }
  const std::shared_ptr<const Mesh> mesh = elaboration_.mesh_of(*it->second, mesh_, scope_);
  if (mesh == nullptr) return nullptr;
  if (mesh == mesh_) return it->second;
  const auto place = [](const Mesh& m) { return m.name().empty() ? "on no mesh" : "on @" + m.name(); };
  scope_.error("E-mesh", target.span,
               "the func @" + target.text + " is " + place(*mesh) + " and its caller @" + caller_ + " is " +
                   place(*mesh_) + "; expected the same mesh, or a func without `on`, which takes that of its caller");
  return nullptr;
}

}  // namespace isoshard::text
