// Compares a Plan that was read with a program. The program is lowered, and from there on both are Plans, as in every
// check; what differs is before that: the Plan has globals of its own, which are those of the module by their names,
// and outputs without places in a program. Analyses go through all instructions once in issue order and rely on what is
// received having been sent before: lowering numbers them so, and a Plan written by hand must, too. Cost: one pass over
// the Plan, then that of the check.
#include "verify/check_plan.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "core/plan/exchanges.h"
#include "core/plan/passes/lower_named.h"
#include "verify/check_claim.h"
#include "verify/compare/make_pair.h"

namespace isoshard::verify {
namespace {

std::string output_words(const Output& output) {
  std::string text(output.updates.valid() ? "the update of @" : "@");
  return text += output.name;
}

const Output* find_same(const Output& output, const std::vector<Output>& others) {
  const auto same = [&](const Output& other) {
    return other.name == output.name && other.updates.valid() == output.updates.valid();
  };
  const auto found = std::find_if(others.begin(), others.end(), same);
  return found == others.end() ? nullptr : &*found;
}

/// Makes the globals of a Plan those of a module.
class GlobalsOfModule {
 public:
  GlobalsOfModule(Plan& plan, Module& module, const Location& claim, DiagnosticSink& sink)
      : plan_(plan), module_(module), claim_(claim), sink_(sink) {}

  void join() {
    for (const Global& global : plan_.globals) ids_.push_back(id_of(global));
    for (const Instruction& i : plan_.instructions) {
      if (!std::holds_alternative<LoadBlock>(i.data())) continue;
      plan_.instructions.change(i.id, [&](NewInstruction& own) {
        LoadBlock& load = std::get<LoadBlock>(own.own_data());
        load.global = ids_[load.global.index()];
      });
    }
    for (Output& output : plan_.outputs) {
      if (output.updates.valid()) output.updates = ids_[output.updates.index()];
    }
    plan_.globals = module_.globals;
  }

 private:
  /// That of the module, which is added where it has none of the name.
  GlobalId id_of(const Global& global) {
    const std::optional<GlobalId> known = module_.find_global(global.name);
    if (!known) {
      module_.globals.push_back(global);
      return GlobalId(module_.globals.size() - 1);
    }
    const Global& other = module_.global(*known);
    const bool same = other.type == global.type && other.role == global.role && other.range == global.range &&
                      (global.role != Role::constant || other.init == global.init);
    if (same) return *known;
    sink_
        .error("C-globals", claim_,
               "check: @" + global.name + " is " + words(global) + " in the Plan and " + words(other) +
                   " in the program; expected one global: write the Plan's as the program has it")
        .note(global.location, "in the Plan")
        .note(other.location, "in the program");
    return *known;
  }

  static std::string words(const Global& global) {
    std::string text = to_string(global.type) + " ";
    text += name(global.role);
    if (global.range) text += " in " + global.range->to_string();
    return text;
  }

  Plan& plan_;
  Module& module_;
  const Location& claim_;
  DiagnosticSink& sink_;
  std::vector<GlobalId> ids_;  ///< in the module, by that in the Plan
};

/// Outputs of one Plan that the other one does not have with the type.
void check_sides(const Plan& a, const Plan& b, const Location& claim, DiagnosticSink& sink) {
  for (const Output& output : a.outputs) {
    const Output* other = find_same(output, b.outputs);
    const std::string words = output_words(output);
    if (other == nullptr) {
      sink.error("C-outputs", claim,
                 "check: @" + a.program + " gives " + words + ", @" + b.program +
                     " does not; expected the same outputs and updates");
    } else if (other->type != output.type) {
      sink.error("C-outputs", claim,
                 "check: " + words + " is " + to_string(output.type) + " in @" + a.program + " and " +
                     to_string(other->type) + " in @" + b.program + "; expected one dtype and global shape");
      return;
    }
  }
}

/// The last instruction that may make each value, through the loops that hand it on.
class LastMakers {
 public:
  explicit LastMakers(const Plan& plan) : plan_(plan), last_(plan.values.size()) {
    for (const RankGroup& group : plan.groups) add(group.blocks);
  }

  InstructionId of(PlanValueId id) const { return last_[id.index()]; }

 private:
  /// The last instruction of `blocks`.
  InstructionId add(const std::vector<Block>& blocks) {
    InstructionId last;
    const auto take = [&](InstructionId id) {
      if (id.valid() && (!last.valid() || last < id)) last = id;
    };
    for (const Block& block : blocks) {
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          take(id);
          for (const PlanValueId result : plan_.instruction(id).results) last_[result.index()] = id;
        }
      }
      if (!block.repeat) continue;
      const InstructionId inside = add(block.repeat->body);
      take(inside);
      for (const auto* ids : {&block.repeat->results, &block.repeat->stacks}) {
        for (const PlanValueId id : *ids) last_[id.index()] = inside;
      }
    }
    return last;
  }

  const Plan& plan_;
  std::vector<InstructionId> last_;
};

/// Reports what takes from another group of ranks what is made behind it, in issue order.
void check_issue_order(const Plan& plan, DiagnosticSink& sink) {
  const Exchanges exchanges(plan);
  if (exchanges.empty()) return;
  const LastMakers makers(plan);
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    const InstructionId id(i);
    for (const PlanValueId value : exchanges.brought_to(id)) {
      const InstructionId maker = makers.of(value);
      if (!maker.valid() || maker < id) continue;
      const Instruction &at = plan.instruction(id), &made = plan.instruction(maker);
      sink.error("C-issue-order", at.location(),
                 at.op() + " may get %" + plan.value(value).name() +
                     " of another group of ranks, which is made behind it in issue order; `check` follows values in "
                     "that order: give what sends a smaller number than what receives (`sim` takes any)")
          .note(made.location(), made.op() + " makes %" + plan.value(value).name());
      return;
    }
  }
}

/// Everything that is wrong with comparing both sides.
bool sides_fit(const Plan& plan, const Plan& program, const Location& claim, DiagnosticSink& sink) {
  check_sides(plan, program, claim, sink);
  check_sides(program, plan, claim, sink);
  if (!sink.has_errors()) check_issue_order(plan, sink);
  return !sink.has_errors();
}

}  // namespace

CheckReport check_plan(const PlanClaim& claim, const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Module module = claim.module;
  Side left{claim.plan};
  NamedPlan lowered = lower_named(claim.module, claim.program);
  CheckReport report;
  report.claim.location = claim.location;
  report.claim.left = program_report(*claim.plan.mesh, claim.plan.program);
  report.claim.right = program_report(*lowered.plan.mesh, lowered.plan.program);
  report.claim.seed = options.seed;
  report.claim.accept_sampled = options.accept_sampled;
  DiagnosticSink sink;
  GlobalsOfModule(left.plan, module, claim.location, sink).join();
  lowered.plan.globals = module.globals;
  if (sink.has_errors() || !sides_fit(left.plan, lowered.plan, claim.location, sink)) {
    report.bad_input = sink.diagnostics();
    return report;
  }
  Side right{std::move(lowered.plan)};
  right.call_results = std::move(lowered.call_results);
  const Check check{ProgramId(), claim.program, claim.location};
  const Pair pair = pair_sides(module, check, std::move(left), std::move(right));
  decide_pair(pair, claim.module.state_errors(claim.program), options, report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace isoshard::verify
