// What the elaboration of one file keeps between its items: meshes, globals and the instances of funcs. A func is
// elaborated when it is called, once per list of argument types, because its states follow from those of the call; an
// instance is found by comparing with those of the same name. A func that has failed once is not tried again, so that
// an error is reported once. The stack of funcs that are being elaborated finds recursion, which would never end, and
// limits how deeply calls are nested. A counter of steps limits what loops may unroll to.
#include "core/text/elaborate/elaboration.h"

#include <algorithm>
#include <utility>

#include "core/support/call_chain.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {

std::shared_ptr<const Mesh> Elaboration::find_mesh(const std::optional<Word>& name, const Scope& at) {
  if (!name) return one_device_;
  std::vector<std::string> names;
  for (const auto& mesh : scope.meshes) {
    if (mesh->name() == name->text) return mesh;
    names.push_back(mesh->name());
  }
  at.error("E-mesh", name->span, "there is no mesh @" + name->text + suggestion(name->text, names, "@", "meshes"));
  return nullptr;
}

std::optional<GlobalId> Elaboration::find_global(const Word& name, const Scope& at) const {
  const auto known = globals.find(name.text);
  if (known != globals.end()) return known->second;
  std::vector<std::string> names;
  for (const auto& [other, id] : globals) names.push_back(other);
  at.error("E-global", name.span, "there is no global @" + name.text + suggestion(name.text, names, "@", "globals"));
  return std::nullopt;
}

std::optional<ProgramId> Elaboration::program(const BodySyntax& syntax) {
  const std::shared_ptr<const Mesh> mesh = find_mesh(syntax.mesh, Scope(scope));
  if (mesh == nullptr) return std::nullopt;
  return elaborate_body(*this, syntax, Scope(scope, mesh.get()), mesh, {}, !syntax.untyped);
}

std::shared_ptr<const Mesh> Elaboration::mesh_of(const BodySyntax& function, const std::shared_ptr<const Mesh>& caller,
                                                 const Scope& at) {
  return function.mesh ? find_mesh(function.mesh, Scope(scope, &at.mesh(), function.file)) : caller;
}

void Elaboration::check_uncalled(const BodySyntax& syntax) {
  const std::shared_ptr<const Mesh> mesh = find_mesh(syntax.mesh, Scope(scope));
  if (mesh == nullptr) {
    failed_.insert(syntax.name.text);
    return;
  }
  stateless_instance(syntax, mesh, nullptr, Span());
}

std::optional<ProgramId> Elaboration::stateless_instance(const BodySyntax& syntax,
                                                         const std::shared_ptr<const Mesh>& mesh, const Scope* caller,
                                                         const Span& call) {
  if (syntax.any_shape()) return std::nullopt;
  std::vector<CallArgument> arguments;
  for (const ParameterSyntax& parameter : syntax.parameters) {
    const std::optional<TensorType> type = read_type(parameter.type, Scope(scope, mesh.get(), syntax.file));
    if (!type) {
      failed_.insert(syntax.name.text);
      return std::nullopt;
    }
    arguments.push_back(ValueType{*type, States(mesh->axis_count(), State::unknown), is_float(type->dtype)});
  }
  return instance(syntax, mesh, arguments, true, caller, call);
}

std::optional<ProgramId> Elaboration::instance(const BodySyntax& syntax, std::shared_ptr<const Mesh> mesh,
                                               const std::vector<CallArgument>& arguments, bool typed,
                                               const Scope* caller, const Span& call) {
  const std::string& name = syntax.name.text;
  if (!check_recursion(name, caller, call)) return std::nullopt;
  called_.insert(name);
  if (failed_.count(name) != 0) return std::nullopt;
  for (const Instance& known : instances_[name]) {
    const bool same = known.key.mesh == mesh && known.key.arguments == arguments && known.key.typed == typed;
    if (same) return known.program;
  }
  const InstanceKey key{name, std::move(mesh), arguments, typed};
  const std::optional<ProgramId> made = make_instance(syntax, key, caller, call);
  if (!made) failed_.insert(name);
  return made;
}

std::optional<ProgramId> Elaboration::make_instance(const BodySyntax& syntax, const InstanceKey& key,
                                                    const Scope* caller, const Span& call) {
  Scope inside(scope, key.mesh.get(), syntax.file);
  if (caller != nullptr) inside.reach_from(caller->at(call), std::string(kCalled));
  active_.push_back(key.name);
  const std::optional<ProgramId> made = elaborate_body(*this, syntax, inside, key.mesh, key.arguments, key.typed);
  active_.pop_back();
  if (made) instances_[key.name].push_back(Instance{key, *made});
  return made;
}

void Elaboration::forget_instances(size_t programs) {
  const auto forgotten = [&](const Instance& instance) { return instance.program.index() >= programs; };
  for (auto& [name, instances] : instances_) std::erase_if(instances, forgotten);
  auto& all = module.programs;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(programs), all.end());
}

bool Elaboration::check_recursion(const std::string& name, const Scope* caller, const Span& call) {
  constexpr size_t kMaxDepth = 256;
  const auto first = std::find(active_.begin(), active_.end(), name);
  if (first == active_.end() && active_.size() < kMaxDepth) return true;
  if (first == active_.end()) {
    caller->error("E-recursion", call,
                  "calls are nested deeper than " + std::to_string(kMaxDepth) + " funcs; expected fewer");
    return false;
  }
  std::string chain;
  for (auto it = first; it != active_.end(); ++it) chain += "@" + *it + " -> ";
  caller->error("E-recursion", call,
                "the func @" + name + " calls itself: " + chain + "@" + name +
                    "; calls are elaborated to the end, so recursion has none");
  return false;
}

bool Elaboration::step(const Scope& scope_at, const Span& span) {
  if (++steps_ <= max_ops_) return true;
  if (steps_ == max_ops_ + 1) {
    scope_at.error("E-limit", span,
                   "the file elaborates to more than " + std::to_string(max_ops_) + " ops; expected fewer iterations");
  }
  return false;
}

}  // namespace isoshard::text
