// Makes the programs of a check between gradients (docs/adr/0020-gradients-of-globals.md). Each side becomes a program
// that returns the gradients of the globals asked for, and the check is then an ordinary one. A side differentiates its
// one scalar float output, the loss; with vjp it starts from all its float outputs, each with a random cotangent that
// is a constant global, the same on both sides where name and type are the same. Sides that ask for the same share one
// program. For a check that is given as it is, what both sides read, or what a map makes the same, is differentiated.
// Cost: one derivative per side.
#include "core/transform/autodiff/gradient_check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace isoshard::autodiff {
namespace {

bool is_loss(const Program& program, const Output& output) {
  return output.type.shape.empty() && has_gradient(program, output);
}

std::string list(const Program& program, const std::vector<size_t>& outputs) {
  std::string text;
  for (const size_t i : outputs) {
    const Output& output = program.outputs()[i];
    text += (text.empty() ? "@" : ", @") + output.name + ": " + to_string(output.type);
    const bool loses = is_float(output.type.dtype) && !has_gradient(program, output);
    if (loses) text += " without a gradient";
  }
  return text.empty() ? "nothing" : text;
}

std::vector<size_t> all_outputs(const Program& program) {
  std::vector<size_t> all(program.outputs().size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

/// The outputs that a side differentiates; none after an error (A-loss).
std::vector<size_t> choose_outputs(const Program& program, const GradientSide& side, DiagnosticSink& sink) {
  const auto fits = [&](size_t i) {
    const Output& output = program.outputs()[i];
    return side.cotangents ? has_gradient(program, output) : is_loss(program, output);
  };
  const std::vector<size_t> asked = side.output ? std::vector{*side.output} : all_outputs(program);
  std::vector<size_t> found;
  std::copy_if(asked.begin(), asked.end(), std::back_inserter(found), fits);
  if (found.size() == 1 || (side.cotangents && !found.empty())) return found;
  const std::string subject = "@" + program.name() + " returns ";
  if (found.size() > 1) {
    sink.error("A-loss", side.location,
               subject + list(program, found) + "; expected one loss: write which, as in grad(@" + program.name() +
                   "." + program.outputs()[found[0]].name + ")");
    return {};
  }
  const bool any =
      std::any_of(asked.begin(), asked.end(), [&](size_t i) { return has_gradient(program, program.outputs()[i]); });
  const std::string wanted = side.cotangents ? "; expected a float" : "; expected a float scalar";
  sink.error(
      "A-loss", side.location,
      subject + list(program, asked) + wanted +
          (any ? ", the loss, or vjp(@" + program.name() + "), where outputs of any shape start with random cotangents"
               : " that depends on params or inputs, and not only through stop_gradient or grad, whose results "
                 "have no gradient (no second derivatives)"));
  return {};
}

/// The global of an output's cotangent, the same for all programs with an output of that name and type.
GlobalId cotangent_of(Module& module, const Output& output) {
  std::string name = output.name + ".cotangent";
  for (int i = 2;; ++i) {
    const std::optional<GlobalId> known = module.find_global(name);
    if (!known) break;
    const Global& global = module.global(*known);
    if (global.type == output.type && global.role == Role::constant && global.init == Init{}) return *known;
    name = output.name + ".cotangent_" + std::to_string(i);
  }
  module.globals.push_back(Global{name, output.type, Role::constant, {}, output.parts.front().location});
  return GlobalId(module.globals.size() - 1);
}

std::string name_of(const Program& program, const GradientSide& side) {
  const std::string output = side.output ? "." + program.outputs()[*side.output].name : "";
  return program.name() + output + (side.cotangents ? ".vjp" : ".grad");
}

bool is_taken(const Module& module, const std::string& name) {
  return std::any_of(module.programs.begin(), module.programs.end(),
                     [&](const Program& p) { return p.name() == name; });
}

/// Two sides that ask for the same have the same key.
std::string key_of(const GradientRequest& request) {
  std::string key = std::to_string(request.program.index()) + (request.unchecked ? " unchecked" : "");
  for (const Cotangent& c : request.cotangents) {
    key += " " + std::to_string(c.output) + (c.global ? "*" + std::to_string(c.global->index()) : "");
  }
  for (const Wanted& w : request.wrt) key += " " + std::to_string(w.global.index()) + "=" + w.name;
  return key;
}

/// What the right side of a check reads where the left one reads `global`: the same, or what a map makes the same.
std::optional<GlobalId> counterpart(const Module& module, const Check& check, GlobalId global) {
  const Program& right = module.program(check.right);
  if (reads(right, global)) return global;
  for (const GlobalMap& map : check.maps) {
    const bool whole = module.global(map.global).type == module.global(map.source).type;
    const GlobalId other = map.global == global ? map.source : map.global;
    if (whole && (map.global == global || map.source == global) && reads(right, other)) return other;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProgramId> gradient_program(Module& module, const GradientSide& side,
                                          std::map<std::string, ProgramId>& made, DiagnosticSink& sink) {
  const Program program = module.program(side.program);  // a copy: the module grows
  GradientRequest request{side.program, name_of(program, side), {}, side.wrt, side.unchecked};
  for (const size_t i : choose_outputs(program, side, sink)) {
    request.cotangents.push_back({i, {}});
    if (side.cotangents) request.cotangents.back().global = cotangent_of(module, program.outputs()[i]);
  }
  if (request.cotangents.empty()) return std::nullopt;
  const std::string key = key_of(request);
  const auto known = made.find(key);
  if (known != made.end()) return known->second;
  const std::string wanted = request.name;
  for (int i = 2; is_taken(module, request.name); ++i) request.name = wanted + "_" + std::to_string(i);
  const std::optional<ProgramId> result = build_gradient_program(module, request, sink, side.location);
  if (result) made[key] = *result;
  return result;
}

std::optional<Check> gradient_check(Module& module, const Check& check, std::map<std::string, ProgramId>& made,
                                    DiagnosticSink& sink) {
  GradientSide left{check.left, {}, true, {}, false, check.location}, right = left;
  right.program = check.right;
  for (size_t g = 0; g < module.globals.size(); ++g) {
    if (!module.globals[g].has_gradient() || !reads(module.program(check.left), GlobalId(g))) continue;
    const std::optional<GlobalId> other = counterpart(module, check, GlobalId(g));
    if (!other) continue;
    left.wrt.push_back({GlobalId(g), module.globals[g].name});
    right.wrt.push_back({*other, module.globals[g].name});
  }
  if (left.wrt.empty()) {
    sink.error("A-wrt", check.location,
               "@" + module.program(check.left).name() + " and @" + module.program(check.right).name() +
                   " share no param or input of a float dtype; expected one to differentiate by");
    return std::nullopt;
  }
  const std::optional<ProgramId> a = gradient_program(module, left, made, sink);
  const std::optional<ProgramId> b = a ? gradient_program(module, right, made, sink) : std::nullopt;
  if (!b) return std::nullopt;
  return Check{*a, *b, check.location, 1, check.maps, check.assumes, check.ranged};
}

}  // namespace isoshard::autodiff
