// `check @a == @b {steps=K, map @W = @V [layout]}`: what two programs must have in common.
// Both programs must return outputs of the same names, dtypes and global shapes. A map says that a global starts as a
// view of another: the type of the view is asked of the Builder, by a program that is thrown away, so that maps follow
// the rules of views without a second copy of them. Maps may not form chains, each global is mapped at most once, and
// roles and ranges must agree, since the two would else be drawn differently. Steps above 1 need a program that updates
// something. Cost: outputs squared, and maps squared, both small.

#include <algorithm>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/layouts.h"
#include "core/text/elaborate/numbers.h"

namespace isoshard::text {
namespace {

/// What one device reads of `source`; nothing (reported) when the layout does not fit.
std::optional<TensorType> viewed_type(const Elaboration& elaboration, GlobalId source, const Layout& layout,
                                      const Location& location) {
  Module scratch;
  scratch.globals = elaboration.module.globals;
  Builder builder(scratch, "map", std::make_shared<const Mesh>(), elaboration.scope.sink);
  const ValueId value = builder.add_op(View{source, layout, {}, Coverage{0}}, {}, "", location);
  if (!value.valid()) return std::nullopt;
  return builder.type(value).tensor;
}

/// One map; nothing after an error (E-map).
std::optional<GlobalMap> elaborate_map(const Elaboration& elaboration, const MapSyntax& syntax, const Scope& scope) {
  const std::optional<GlobalId> global = elaboration.find_global(syntax.global, scope);
  const std::optional<GlobalId> source = elaboration.find_global(syntax.source, scope);
  if (!global || !source) return std::nullopt;
  const Global &target = elaboration.module.global(*global), &origin = elaboration.module.global(*source);
  const std::optional<Layout> layout =
      syntax.layout ? read_layout(*syntax.layout, scope) : std::optional(Layout(origin.type.shape.size()));
  if (!layout) return std::nullopt;
  const std::optional<TensorType> type = viewed_type(elaboration, *source, *layout, scope.at(syntax.span));
  if (!type) return std::nullopt;
  const std::string subject = "map: @" + target.name + " is ";
  if (!(*type == target.type)) {
    scope.error("E-map", syntax.span,
                subject + to_string(target.type) + " and the view of @" + origin.name + " is " + to_string(*type) +
                    "; expected one dtype and shape");
    return std::nullopt;
  }
  if (target.role != origin.role) {
    scope.error("E-map", syntax.span,
                subject + std::string(name(target.role)) + " and @" + origin.name + " is " +
                    std::string(name(origin.role)) + "; expected one role");
    return std::nullopt;
  }
  if (!(target.range == origin.range)) {
    const auto words = [](const std::optional<ValueRange>& range) {
      return range ? "in " + range->to_string() : "any";
    };
    scope.error(
        "E-map", syntax.span,
        subject + words(target.range) + " and @" + origin.name + " is " + words(origin.range) + "; expected one range");
    return std::nullopt;
  }
  return GlobalMap{*global, *source, *layout, scope.at(syntax.span)};
}

/// Adds `map` to `check`; false when it does not go with its other maps.
bool add_map(const GlobalMap& map, const MapSyntax& syntax, const Scope& scope, const Module& module, Check& check) {
  const auto complain = [&](GlobalId id, const std::string& what) {
    scope.error("E-map", syntax.span, "map: @" + module.global(id).name + " is " + what + "; expected another global");
    return false;
  };
  if (map.global == map.source) return complain(map.global, "mapped to itself");
  for (const GlobalMap& other : check.maps) {
    if (other.global == map.global) return complain(map.global, "mapped twice");
    if (other.source == map.global) return complain(map.global, "the source of another map");
    if (other.global == map.source) return complain(map.source, "mapped itself");
  }
  check.maps.push_back(map);
  return true;
}

bool add_maps(const Elaboration& elaboration, const CheckSyntax& syntax, const Scope& scope, Check& made) {
  bool good = true;
  for (const MapSyntax& written : syntax.maps) {
    const std::optional<GlobalMap> map = elaborate_map(elaboration, written, scope);
    good &= map && add_map(*map, written, scope, elaboration.module, made);
  }
  return good;
}

std::string list_outputs(const Program& program) {
  std::string text;
  for (const Output& output : program.outputs()) {
    text += (text.empty() ? "@" : ", @") + output.name + ": " + to_string(output.type);
  }
  return text;
}

bool same_outputs(const Program& left, const Program& right) {
  if (left.outputs().size() != right.outputs().size()) return false;
  return std::all_of(left.outputs().begin(), left.outputs().end(), [&](const Output& a) {
    return std::any_of(right.outputs().begin(), right.outputs().end(),
                       [&](const Output& b) { return a.name == b.name && a.type == b.type; });
  });
}

bool set_steps(const Elaboration& elaboration, const CheckSyntax& syntax, const Scope& scope, Check& made) {
  constexpr int64_t kMaxSteps = 1'000'000;
  if (!syntax.steps) return true;
  const std::optional<int64_t> count = read_integer(*syntax.steps, scope);
  if (!count) return false;
  if (*count < 1 || *count > kMaxSteps) {
    scope.error("E-steps", syntax.steps->span,
                "steps is " + std::to_string(*count) + "; expected 1 to " + std::to_string(kMaxSteps));
    return false;
  }
  const auto updates = [&](ProgramId id) { return !elaboration.module.program(id).updates().empty(); };
  if (*count > 1 && !updates(made.left) && !updates(made.right)) {
    scope.error("E-steps", syntax.steps->span,
                "neither program updates a global, so that all steps would be alike; leave `steps` out");
    return false;
  }
  made.steps = *count;
  return true;
}

}  // namespace

std::optional<Check> elaborate_check(const Elaboration& elaboration, const CheckSyntax& syntax, ProgramId left,
                                     ProgramId right, const Span& span) {
  const Scope scope(elaboration.scope);
  const Program &a = elaboration.module.program(left), &b = elaboration.module.program(right);
  if (!same_outputs(a, b)) {
    scope.error("E-check", span,
                "the outputs differ: @" + a.name() + " returns " + list_outputs(a) + "; @" + b.name() + " returns " +
                    list_outputs(b) + "; expected the same names, dtypes and shapes");
    return std::nullopt;
  }
  Check made{left, right, scope.at(span)};
  const bool good_steps = set_steps(elaboration, syntax, scope, made);
  const bool good_maps = add_maps(elaboration, syntax, scope, made);
  return good_steps && good_maps ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace isoshard::text
