#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ir/all_ops.h"
#include "core/ir/enum_names.h"
#include "core/text/elaborate/scope.h"
#include "core/transform/autodiff/grad_options.h"

namespace isoshard::autodiff {

inline constexpr EnumName<Remat> kRemats[] = {{Remat::none, "none"}, {Remat::full, "full"}};
constexpr const auto& enum_names(Remat) { return kRemats; }

}  // namespace isoshard::autodiff

namespace isoshard::text {

/// The op that `syntax` names, with its fields as written. `view` and `call` have forms of their own and are not read.
///
/// Reports unknown ops (E-op), unknown, doubled and missing fields (E-field) and values of a wrong kind
/// (E-field-value).
std::optional<OpData> read_op(const OpSyntax& syntax, const Scope& scope);

/// Whether an op is called so, `sum`, `einsum` and those with forms of their own among them.
bool is_op(std::string_view name);

/// The fields of `call @f(...) {vjp=@f_bwd}`.
struct CallFields {
  std::optional<Word> vjp;
};
std::optional<CallFields> read_call(const OpSyntax& syntax, const Scope& scope);

/// The fields of `einsum "..." %x, %w {partial={tp}}`.
struct EinsumFields {
  AxisSet partial;
};
std::optional<EinsumFields> read_einsum(const OpSyntax& syntax, const Scope& scope);

/// Says whose gradients `grad` gives.
enum class GradConvention : uint8_t {
  states,               ///< the states of values say what a gradient means
  shard_map_unchecked,  ///< jax.grad inside shard_map(check_rep=False): every device has a loss, gradients are of their
                        ///< sum
};
inline constexpr EnumName<GradConvention> kGradConventions[] = {
    {GradConvention::shard_map_unchecked, "shard_map_unchecked"}};
using isoshard::enum_names;
constexpr const auto& enum_names(GradConvention) { return kGradConventions; }

/// The fields of `grad @f(...) {wrt=[0, 2], convention=shard_map_unchecked, remat=full}`.
struct GradFields {
  std::vector<int64_t> wrt;
  GradConvention convention = GradConvention::states;
  autodiff::Remat remat = autodiff::Remat::none;
};
std::optional<GradFields> read_grad(const OpSyntax& syntax, const Scope& scope);

/// `{axis=model, to=I}` with the fields of `op` in the order of their declaration, or nothing when it has none to show.
std::string print_fields(const OpData& op, const Mesh& mesh);

/// `{data, model}`.
std::string print_axes(const AxisSet& axes, const Mesh& mesh);

}  // namespace isoshard::text
