// What the checks of a file leave out: a program against itself says nothing, a program that no check names is not
// decided, arrays without elements are equal whatever is done to them. Two programs are the same here where their
// meshes and all of their ops are, in one order; a copy under another name is. Programs made for gradients are called
// after the program that they are of, and an init program serves the one that it is of. Cost: one comparison of ops per
// check.
#include "verify/warnings/claims.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace isoshard::verify {
namespace {

bool same_body(const Region& a, const Region& b) {
  return a.arguments == b.arguments && a.ops == b.ops && a.results == b.results;
}

bool same_op_twice(const Op& a, const Op& b) {
  return a.data == b.data && a.operands == b.operands && a.results == b.results &&
         std::equal(a.regions.begin(), a.regions.end(), b.regions.begin(), b.regions.end(), same_body);
}

bool same_returns(const std::vector<Output>& a, const std::vector<Output>& b) {
  const auto same_part = [](const ReturnPart& x, const ReturnPart& y) {
    return x.value == y.value && x.layout == y.layout;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const Output& x, const Output& y) {
    return x.name == y.name && x.type == y.type && x.updates == y.updates &&
           std::equal(x.parts.begin(), x.parts.end(), y.parts.begin(), y.parts.end(), same_part);
  });
}

bool same_ops(const Program& a, const Program& b) {
  if (a.shared_mesh() != b.shared_mesh() || a.op_count() != b.op_count()) return false;
  for (size_t i = 0; i < a.op_count(); ++i) {
    if (!same_op_twice(a.op(OpId(i)), b.op(OpId(i)))) return false;
  }
  return same_body(a.body(), b.body()) && same_returns(a.outputs(), b.outputs()) &&
         same_returns(a.updates(), b.updates());
}

/// Whether `made` was made of `program`: `tp.vjp`, `tp.loss.grad` and `tp_init` of `tp`.
bool is_made_of(std::string_view made, std::string_view program) {
  if (!made.starts_with(program)) return false;
  const std::string_view rest = made.substr(program.size());
  return rest.empty() || rest == "_init" ||
         (rest.front() == '.' && (rest.ends_with(".vjp") || rest.ends_with(".grad")));
}

bool is_named(const Module& module, const Program& program) {
  return std::any_of(module.checks.begin(), module.checks.end(), [&](const Check& check) {
    const std::string &left = module.program(check.left).name(), &right = module.program(check.right).name();
    return is_made_of(left, program.name()) || is_made_of(right, program.name()) || is_made_of(program.name(), left) ||
           is_made_of(program.name(), right);
  });
}

}  // namespace

std::vector<Diagnostic> checks_of_the_same(const Module& module) {
  std::vector<Diagnostic> result;
  for (const Check& check : module.checks) {
    if (!check.maps.empty()) continue;
    const Program &left = module.program(check.left), &right = module.program(check.right);
    const bool one = check.left == check.right;
    if (!one && !same_ops(left, right)) continue;
    result.push_back({Severity::warning,
                      "W-same",
                      check.location,
                      one ? "both sides of the check are @" + left.name() + "; name the program that says what is right"
                          : "@" + left.name() + " and @" + right.name() +
                                " have the same ops on the same mesh, so that the check says nothing",
                      {}});
  }
  return result;
}

std::vector<Diagnostic> unchecked_programs(const Module& module) {
  std::vector<Diagnostic> result;
  if (module.checks.empty()) return result;
  for (const Program& program : module.programs) {
    if (program.kind() != ProgramKind::program || is_named(module, program)) continue;
    result.push_back({Severity::warning,
                      "W-unchecked",
                      program.location(),
                      "no check names @" + program.name() + ", so nothing was decided about it",
                      {}});
  }
  return result;
}

std::vector<Diagnostic> empty_globals(const Module& module) {
  std::vector<Diagnostic> result;
  for (const Global& global : module.globals) {
    if (element_count(global.type.shape) != 0) continue;
    result.push_back({Severity::warning,
                      "W-empty",
                      global.location,
                      "@" + global.name + " is " + to_string(global.type) +
                          ", without elements, so that nothing of it is compared; try sizes of 1 and more",
                      {}});
  }
  return result;
}

}  // namespace isoshard::verify
