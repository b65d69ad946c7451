#include "core/text/elaborate_call.h"

#include <utility>

#include "core/text/fields.h"
#include "core/text/signature.h"
#include "core/text/suggest.h"
#include "core/transform/autodiff/vjp.h"

namespace isoshard::text {

std::optional<OpData> Calls::call(const OpSyntax& syntax, const std::vector<ValueId>& operands, const Span& span) {
  if (!syntax.fields.empty()) {
    scope_.error("E-field", syntax.fields.front().name.span,
                 "call has no field `" + syntax.fields.front().name.text + "`; there are no fields");
    return std::nullopt;
  }
  const std::optional<ProgramId> program = instance(syntax, operands, span);
  if (!program) return std::nullopt;
  return Call{*program};
}

std::optional<OpData> Calls::grad(const OpSyntax& syntax, const std::vector<ValueId>& operands, const Span& span) {
  const std::optional<GradFields> fields = read_grad(syntax, scope_);
  const std::optional<ProgramId> program = instance(syntax, operands, span);
  if (!program || !fields || !check_convention(*fields, span)) return std::nullopt;
  const std::vector<int64_t>& wrt = fields->wrt;
  for (const int64_t i : wrt) {
    if (i >= 0) continue;
    scope_.error("A-wrt", span, "grad: wrt " + std::to_string(i) + " is no argument; expected numbers from 0");
    return std::nullopt;
  }
  const std::optional<ProgramId> derived = autodiff::build_grad(elaboration_.module, *program, {wrt.begin(), wrt.end()},
                                                                elaboration_.scope.sink, scope_.at(span));
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
                                         const Span& span) {
  const BodySyntax* callee = find_callee(syntax.target);
  if (callee == nullptr) return std::nullopt;
  std::vector<ValueType> types;
  for (const ValueId operand : operands) {
    if (!operand.valid()) return std::nullopt;
    types.push_back(builder_.type(operand));
  }
  const bool fits = arguments_fit(elaboration_, *callee, *mesh_, types);
  if (!fits && callee->any_shape()) {
    report_arguments(elaboration_, *callee, scope_, types, span);
    return std::nullopt;
  }
  // Arguments of wrong types get the instance with the declared ones; the Builder then reports the difference.
  return fits ? elaboration_.instance(*callee, types, typed(), &scope_, span)
              : elaboration_.stateless_instance(*callee, &scope_, span);
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
  const std::shared_ptr<const Mesh> mesh = elaboration_.find_mesh(it->second->mesh, scope_);
  if (mesh == nullptr) return nullptr;
  if (mesh == mesh_) return it->second;
  const auto place = [](const Mesh& m) { return m.name().empty() ? "on no mesh" : "on @" + m.name(); };
  scope_.error("E-mesh", target.span,
               "the func @" + target.text + " is " + place(*mesh) + " and its caller @" + caller_ + " is " +
                   place(*mesh_) + "; expected the same mesh");
  return nullptr;
}

}  // namespace isoshard::text
