// `map @W = @V [layout]` of a check: what two files call differently.

#include "core/ir/builder.h"
#include "core/text/elaboration.h"

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

}  // namespace

std::optional<GlobalMap> elaborate_map(const Elaboration& elaboration, const MapSyntax& syntax, const Scope& scope) {
  const std::optional<GlobalId> global = elaboration.find_global(syntax.global, scope);
  const std::optional<GlobalId> source = elaboration.find_global(syntax.source, scope);
  if (!global || !source) return std::nullopt;
  const Global &target = elaboration.module.global(*global), &origin = elaboration.module.global(*source);
  const std::optional<Layout> layout =
      syntax.layout ? scope.layout(*syntax.layout) : std::optional(Layout(origin.type.shape.size()));
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
  return GlobalMap{*global, *source, *layout, scope.at(syntax.span)};
}

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

}  // namespace isoshard::text
