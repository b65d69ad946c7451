// Gradients that are 0 by how they are made. Differentiation gives an argument that nothing reaches backwards the
// constant 0, and here that constant is followed through ops that keep zeros, move elements or add them up, on a
// device or over several (core/ir/op_facts.h), and through calls; no number is drawn, so that no gradient counts as 0
// that is not. One that cancels, x - x, is not found. Asked for are the results of calls of the func that `grad` has
// made, and the outputs of the programs that `check grad(...)` has made. Cost: one visit per op.
#include "verify/warnings/zero_gradients.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/ir/op_facts.h"

namespace isoshard::verify {
namespace {

/// Which values of programs are 0 whatever they read.
class ZeroValues {
 public:
  explicit ZeroValues(const Module& module) : module_(module) {}

  /// Per value of the program; a func called from itself does not exist, so that this ends.
  const std::vector<bool>& of(ProgramId id) {
    const auto known = zeros_.find(id.index());
    if (known != zeros_.end()) return known->second;
    const Program& program = module_.program(id);
    std::vector<bool> zero(program.value_count());
    visit(program, program.body(), zero);
    return zeros_.insert({id.index(), std::move(zero)}).first->second;
  }

 private:
  /// Values of regions stay unknown, and so do results of ops that have some.
  void visit(const Program& program, const Region& region, std::vector<bool>& zero) {
    for (const OpId id : region.ops) {
      const Op& op = program.op(id);
      if (const Call* call = std::get_if<Call>(&op.data)) {
        const std::vector<ValueId>& results = module_.program(call->callee).body().results;
        const std::vector<bool> inside = of(call->callee);
        for (size_t r = 0; r < results.size(); ++r) zero[op.results[r].index()] = inside[results[r].index()];
      } else if (op.regions.empty()) {
        for (const ValueId result : op.results) zero[result.index()] = stays_zero(op, zero);
      }
    }
  }

  static bool stays_zero(const Op& op, const std::vector<bool>& zero) {
    if (const Constant* constant = std::get_if<Constant>(&op.data)) return constant->value.is_zero();
    const auto is_zero = [&](ValueId id) { return zero[id.index()]; };
    const OpFacts facts = op_facts(op.data);
    if (op.operands.empty()) return false;
    if (facts.zeros == ZerosStay::of_first && is_zero(op.operands[0])) return true;
    const bool adds = facts.kind == OpClass::movement || facts.kind == OpClass::linear ||
                      facts.kind == OpClass::communication || facts.zeros == ZerosStay::of_all;
    return adds && std::all_of(op.operands.begin(), op.operands.end(), is_zero);
  }

  const Module& module_;
  std::map<size_t, std::vector<bool>> zeros_;
};

bool ends_in(std::string_view name, std::string_view suffix) { return name.ends_with(suffix); }

Diagnostic warning(const Location& location, const std::string& gradient) {
  return {Severity::warning,
          "W-zero-gradient",
          location,
          gradient +
              " is 0 for all inputs: nothing that is differentiated depends on it, or only behind a "
              "stop_gradient or through integers; leave it out of wrt, or use it",
          {}};
}

/// Of the results of `%l, %dw, ... = grad @f(...)`.
void find_in_calls(const Module& module, const Program& program, ZeroValues& zeros, std::vector<Diagnostic>& found) {
  for (size_t i = 0; i < program.op_count(); ++i) {
    const Op& op = program.op(OpId(i));
    const Call* call = std::get_if<Call>(&op.data);
    if (call == nullptr || op.location.source_line().empty()) continue;
    const Program& callee = module.program(call->callee);
    if (!ends_in(callee.name(), ".grad")) continue;
    for (size_t r = 1; r < op.results.size(); ++r) {
      if (!zeros.of(call->callee)[callee.body().results[r].index()]) continue;
      found.push_back(warning(op.location, "the gradient %" + program.value(op.results[r]).name));
    }
  }
}

/// The outputs of a program that `check grad(@f)` has made that are 0.
std::vector<std::string> zero_outputs(const Module& module, ProgramId id, ZeroValues& zeros) {
  const Program& program = module.program(id);
  std::vector<std::string> names;
  if (!ends_in(program.name(), ".grad") && !ends_in(program.name(), ".vjp")) return names;
  for (const Output& output : program.outputs()) {
    const bool zero = std::all_of(output.parts.begin(), output.parts.end(),
                                  [&](const ReturnPart& part) { return zeros.of(id)[part.value.index()]; });
    if (zero) names.push_back(output.name);
  }
  return names;
}

/// Of what `check grad(@f)` compares: one warning per gradient, for one side or both.
void find_in_checks(const Module& module, ZeroValues& zeros, std::vector<Diagnostic>& found) {
  for (const Check& check : module.checks) {
    std::map<std::string, std::string> sides;
    for (const ProgramId side : {check.left, check.right}) {
      for (const std::string& name : zero_outputs(module, side, zeros)) {
        std::string& text = sides[name];
        text += (text.empty() ? "@" : " and @") + module.program(side).name();
      }
    }
    for (const auto& [name, programs] : sides) {
      found.push_back(warning(check.location, "the gradient @" + name + " of " + programs));
    }
  }
}

}  // namespace

std::vector<Diagnostic> zero_gradients(const Module& module) {
  ZeroValues zeros(module);
  std::vector<Diagnostic> found, result;
  for (const Program& program : module.programs) find_in_calls(module, program, zeros, found);
  find_in_checks(module, zeros, found);
  std::set<std::string> told;  // a func for several shapes is one text
  for (Diagnostic& one : found) {
    if (told.insert(one.location.to_string() + one.message).second) result.push_back(std::move(one));
  }
  return result;
}

}  // namespace isoshard::verify
