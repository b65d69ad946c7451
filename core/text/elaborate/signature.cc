// Compares the arguments of a call with the types that a func declares. A type `f32[*]` of any shape takes the shape of
// what is given, so that one func serves several shapes (docs/language.md, "Funcs of any shape"). Whether arguments fit
// is asked without reporting; the declared types are elaborated again, with errors, when the instance is made or the
// first difference is reported.
#include "core/text/elaborate/signature.h"

#include "core/text/elaborate/numbers.h"
namespace isoshard::text {

std::optional<TensorType> declared_type(const TypeSyntax& syntax, const TensorType& given, const Scope& scope) {
  if (syntax.inferred) return given;
  if (!syntax.any_shape) return read_type(syntax, scope);
  TypeSyntax scalar = syntax;
  scalar.any_shape = false;
  std::optional<TensorType> type = read_type(scalar, scope);
  if (type) type->shape = given.shape;
  return type;
}

std::string show_declared(const TypeSyntax& syntax, const TensorType& declared) {
  return syntax.any_shape ? syntax.dtype.text + "[*]" : to_string(declared);
}

bool arguments_fit(const Elaboration& elaboration, const BodySyntax& callee, const Mesh& mesh,
                   const std::vector<CallArgument>& arguments) {
  if (callee.parameters.size() != arguments.size()) return false;
  DiagnosticSink ignored;  // errors in the declared types are reported when the instance is made
  const FileScope quiet{elaboration.scope.file, ignored, elaboration.scope.meshes, elaboration.scope.lets};
  const Scope inside(quiet, &mesh, callee.file);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ValueType* given = std::get_if<ValueType>(&arguments[i]);
    if (given == nullptr) continue;  // numbers are given only where there is no type
    const std::optional<TensorType> declared = declared_type(callee.parameters[i].type, given->tensor, inside);
    if (!declared || !(*declared == given->tensor)) return false;
  }
  return true;
}

void report_arguments(const Elaboration& elaboration, const BodySyntax& callee, const Scope& caller,
                      const std::vector<CallArgument>& arguments, const Span& call) {
  const std::string& name = callee.name.text;
  if (callee.parameters.size() != arguments.size()) {
    caller.error("T-call", call,
                 "call: @" + name + " takes " + std::to_string(callee.parameters.size()) + " arguments and gets " +
                     std::to_string(arguments.size()));
    return;
  }
  const Scope inside(elaboration.scope, &caller.mesh(), callee.file);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterSyntax& parameter = callee.parameters[i];
    const ValueType* given = std::get_if<ValueType>(&arguments[i]);
    if (given == nullptr) continue;
    const std::optional<TensorType> declared = declared_type(parameter.type, given->tensor, inside);
    if (!declared) return;
    if (*declared == given->tensor) continue;
    caller.error("T-call", call,
                 "call: argument " + std::to_string(i) + " is " + to_string(given->tensor) + "; expected " +
                     show_declared(parameter.type, *declared) + " for %" + parameter.name.base + " of @" + name);
    return;
  }
}

}  // namespace isoshard::text
