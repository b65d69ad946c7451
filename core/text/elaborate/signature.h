#pragma once  // internal

#include <optional>
#include <vector>

#include "core/text/elaborate/elaboration.h"

/// The declared types of a func: `f32[*]` takes the shape of what is given, a parameter without a type all of it.
namespace isoshard::text {

/// The type that `syntax` declares for a value of type `given`; an error is reported to `scope`.
std::optional<TensorType> declared_type(const TypeSyntax& syntax, const TensorType& given, const Scope& scope);

inline bool declares_no_shape(const TypeSyntax& syntax) { return syntax.any_shape || syntax.inferred; }

/// `f32[8,16]`, or `f32[*]` as written.
std::string show_declared(const TypeSyntax& syntax, const TensorType& declared);

/// Whether `callee` on `mesh` may be called with values of these types; reports nothing.
bool arguments_fit(const Elaboration& elaboration, const BodySyntax& callee, const Mesh& mesh,
                   const std::vector<CallArgument>& arguments);

/// Says what does not fit (T-call), as the Builder does for a func that has an instance with the declared types.
void report_arguments(const Elaboration& elaboration, const BodySyntax& callee, const Scope& caller,
                      const std::vector<CallArgument>& arguments, const Span& call);

}  // namespace isoshard::text
