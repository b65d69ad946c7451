#include "tests/mutation/reductions.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "core/support/rational_gmp.h"
#include "tests/mutation/operators/rewrite.h"

namespace isoshard::mutation {
namespace {

using Mistake = ReductionSite::Mistake;

bool has_integer(const Program& program, ValueId value) {
  const OpId definition = program.value(value).definition;
  const Constant* constant = definition.valid() ? std::get_if<Constant>(&program.op(definition).data) : nullptr;
  return constant != nullptr && constant->value.is_integer() && to_mpq(constant->value) > 1;
}

bool is_partial(const OpData& data) {
  const DotGeneral* dot = std::get_if<DotGeneral>(&data);
  const Convolution* convolution = std::get_if<Convolution>(&data);
  const Reduce* reduce = std::get_if<Reduce>(&data);
  return (dot != nullptr && !dot->partial.empty()) || (convolution != nullptr && !convolution->partial.empty()) ||
         (reduce != nullptr && !reduce->partial.empty());
}

/// The mistakes that can be made in an op; `carry`: its first operand is what a scan has carried.
std::vector<Mistake> mistakes(const Program& program, const Op& op, bool carry) {
  const bool division = std::holds_alternative<Divide>(op.data) && has_integer(program, op.operands[1]);
  const bool over_devices =
      std::holds_alternative<ReduceScatter>(op.data) || std::holds_alternative<AllReduce>(op.data);
  if (over_devices || division) return {Mistake::drop, Mistake::twice};
  if (std::holds_alternative<Add>(op.data) && carry) return {Mistake::drop};
  return is_partial(op.data) ? std::vector{Mistake::mark} : std::vector<Mistake>{};
}

void add_sites(const Module& module, ProgramId id, std::vector<ProgramId>& seen, std::vector<ReductionSite>& sites) {
  if (std::find(seen.begin(), seen.end(), id) != seen.end()) return;
  seen.push_back(id);
  const Program& program = module.program(id);
  for (const OpId op_id : live_ops(program)) {
    const Op& op = program.op(op_id);
    const bool carry = !op.operands.empty() && !program.value(op.operands[0]).definition.valid();
    for (const Mistake mistake : mistakes(program, op, carry)) sites.push_back({id, op_id, mistake});
    if (const Call* call = std::get_if<Call>(&op.data)) add_sites(module, call->callee, seen, sites);
  }
}

Replacement dropped(Place& p) {
  if (const ReduceScatter* op = p.as<ReduceScatter>()) return p.append(SliceBlock{op->axis, op->dim}, p.operands());
  return std::vector{p.operand(p.as<Add>() == nullptr ? 0 : 1)};
}

Replacement doubled(Place& p) {
  if (const ReduceScatter* op = p.as<ReduceScatter>()) {
    return p.again(p.append(AllReduce{op->axis, State::replicated, Reducer::none, op->precision}, p.operands()));
  }
  if (p.as<Divide>() == nullptr) return p.again(p.again(p.operands()));
  return p.again({p.again(p.operands())[0], p.operand(1)});
}

Replacement unmarked(Place& p) {
  OpData data = p.op().data;
  if (DotGeneral* dot = std::get_if<DotGeneral>(&data)) dot->partial = {};
  if (Convolution* convolution = std::get_if<Convolution>(&data)) convolution->partial = {};
  if (Reduce* reduce = std::get_if<Reduce>(&data)) reduce->partial = {};
  return p.append(std::move(data), p.operands());
}

Replacement write(Place& p, Mistake mistake) {
  constexpr const char* kDid[] = {"left out", "made twice", "without the mark"};
  p.did = kDid[static_cast<size_t>(mistake)];
  return mistake == Mistake::drop ? dropped(p) : mistake == Mistake::twice ? doubled(p) : unmarked(p);
}

/// Programs that are written again because something that they call was.
class Callers {
 public:
  Callers(Module& module, ProgramId original, ProgramId wrong) : module_(module), made_{{original, wrong}} {}

  /// `id`, or the program that stands for it; nothing where it cannot be written.
  std::optional<ProgramId> again(ProgramId id) {
    if (const auto known = made_.find(id); known != made_.end()) return known->second;
    bool changed = false;
    for (const ProgramId callee : called(id)) {
      const std::optional<ProgramId> now = again(callee);
      if (!now) return std::nullopt;
      changed |= *now != callee;
    }
    std::optional<ProgramId> now = changed ? rewritten(id) : id;
    if (now) made_.emplace(id, *now);
    return now;
  }

 private:
  std::vector<ProgramId> called(ProgramId id) const {
    std::vector<ProgramId> result;
    const Program& program = module_.program(id);
    for (const OpId op : live_ops(program)) {
      if (const Call* call = std::get_if<Call>(&program.op(op).data)) result.push_back(call->callee);
    }
    return result;
  }

  std::optional<ProgramId> rewritten(ProgramId id) {
    const Apply call_them = [&](Place& p) -> Replacement {
      const Call* call = p.as<Call>();
      const auto now = call == nullptr ? made_.end() : made_.find(call->callee);
      if (now == made_.end() || now->second == call->callee) return std::nullopt;
      p.did = "calls it";
      return p.append(Call{now->second, call->vjp}, p.operands());
    };
    const std::string name = module_.program(id).name() + ".wrong";
    const std::optional<Rewritten> made = rewrite_all(module_, id, name, 1, call_them);
    return made ? std::optional(made->program) : std::nullopt;
  }

  Module& module_;
  std::map<ProgramId, ProgramId> made_;
};

}  // namespace

std::vector<ReductionSite> reduction_sites(const Module& module) {
  std::vector<ReductionSite> sites;
  std::vector<ProgramId> seen;
  add_sites(module, module.checks.at(0).left, seen, sites);
  return sites;
}

std::optional<WrongProgram> with_mistake(const Module& module, const ReductionSite& site) {
  WrongProgram result{module, {}};
  const Apply apply = [&](Place& p) { return write(p, site.mistake); };
  const std::string name = module.program(site.program).name();
  const std::optional<Rewritten> made = rewrite(result.module, site.program, name + ".wrong", site.op, 1, apply);
  if (!made) return std::nullopt;
  result.what = "@" + name + ": " + made->where + " " + made->did;
  Check& check = result.module.checks.at(0);
  const std::optional<ProgramId> top = Callers(result.module, site.program, made->program).again(check.left);
  if (!top) return std::nullopt;
  check.left = *top;
  return result;
}

std::optional<JudgedMistake> judged(WrongProgram wrong, const Judge& judge, const Checker& checker, Count& count) {
  const Check& check = wrong.module.checks.at(0);
  Truth truth = judge.judge(wrong.module, check.left);
  if (truth == Truth::unknown) {
    ++count.unknown;
    return std::nullopt;
  }
  Answer answer = checker(wrong.module, check);
  if (truth == Truth::same && answer.verdict == verify::Verdict::not_equal) {
    truth = judge.judge_on_more(wrong.module, check.left);
  }
  ++count.made;
  add(count, truth, answer);
  return JudgedMistake{std::move(wrong), truth, std::move(answer)};
}

std::vector<Count> reduction_counts() { return {Count{"left out"}, Count{"made twice"}, Count{"without the mark"}}; }

Count& line_of(std::vector<Count>& counts, Mistake mistake) { return counts[static_cast<size_t>(mistake)]; }

std::string reductions_table(const std::vector<Count>& counts) {
  std::string text =
      "| reduction | made | WRONG | SAME | caught | missed | false alarms | undecided | by states | not judged |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  char line[256];
  for (const Count& c : counts) {
    std::snprintf(line, sizeof line, "| %s | %u | %u | %u | %u | %u | %u | %u | %u | %u |\n", c.name.c_str(), c.made,
                  c.wrong, c.same, c.caught, c.missed, c.false_alarms, c.undecided, c.by_states, c.unknown);
    text += line;
  }
  return text;
}

}  // namespace isoshard::mutation
