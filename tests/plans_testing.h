#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "core/text/plan/plan_text.h"

/// Plans that were printed and read, for tests.
namespace isoshard::testing {

/// Whether two Plans are one but for locations, ids and names of values, and values that nothing defines; otherwise in
/// what they differ.
class SamePlan {
 public:
  SamePlan(const Plan& a, const Plan& b) : a_(a), b_(b) {}

  std::string difference() {
    expect(*a_.mesh == *b_.mesh, "mesh");
    expect(a_.program == b_.program, "program");
    expect(a_.globals.size() == b_.globals.size(), "number of globals");
    for (size_t i = 0; i < a_.globals.size() && found_.empty(); ++i) global(a_.globals[i], b_.globals[i]);
    expect(a_.outputs.size() == b_.outputs.size(), "number of outputs");
    for (size_t i = 0; i < a_.outputs.size() && found_.empty(); ++i) {
      const Output &x = a_.outputs[i], &y = b_.outputs[i];
      expect(x.name == y.name && x.type == y.type && x.updates == y.updates, "output " + x.name);
    }
    expect(a_.communicators.size() == b_.communicators.size(), "number of communicators");
    for (size_t i = 0; i < a_.communicators.size() && found_.empty(); ++i) {
      const Communicator &x = a_.communicators[i], &y = b_.communicators[i];
      expect(x.group == y.group && x.sets == y.sets && x.queue == y.queue, "communicator " + std::to_string(i));
    }
    expect(a_.instructions.size() == b_.instructions.size(), "number of instructions");
    expect(a_.groups.size() == b_.groups.size(), "number of groups");
    for (size_t g = 0; g < a_.groups.size() && found_.empty(); ++g) {
      expect(a_.groups[g].positions == b_.groups[g].positions, "positions");
      blocks(a_.groups[g].blocks, b_.groups[g].blocks);
    }
    for (size_t i = 0; i < a_.instructions.size() && found_.empty(); ++i) {
      instruction(a_.instructions[i], b_.instructions[i], "#" + std::to_string(i));
    }
    return found_;
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds && found_.empty()) found_ = what;
  }

  void global(const Global& x, const Global& y) {
    expect(x.name == y.name && x.type == y.type && x.role == y.role && x.init == y.init && x.range == y.range,
           "global " + x.name);
  }

  void ids(std::span<const PlanValueId> x, std::span<const PlanValueId> y, const std::string& what) {
    expect(x.size() == y.size(), what + ": number of values");
    for (size_t i = 0; i < x.size() && found_.empty(); ++i) {
      const auto [there, is_new] = forth_.emplace(x[i], y[i]);
      const auto [back, is_free] = back_.emplace(y[i], x[i]);
      expect(there->second == y[i] && back->second == x[i], what + ": value " + std::to_string(i));
      if (is_new) expect(a_.value(x[i]).type() == b_.value(y[i]).type(), what + ": type of value " + std::to_string(i));
    }
  }

  void blocks(const std::vector<Block>& x, const std::vector<Block>& y) {
    expect(x.size() == y.size(), "number of blocks");
    for (size_t i = 0; i < x.size() && found_.empty(); ++i) {
      const std::string name = "block " + std::to_string(i);
      expect(x[i].repeat.has_value() == y[i].repeat.has_value(), name + ": loop");
      expect(x[i].queues.size() == y[i].queues.size(), name + ": number of queues");
      for (size_t q = 0; q < x[i].queues.size() && found_.empty(); ++q) {
        expect(x[i].queues[q].instructions == y[i].queues[q].instructions, name + ": queue " + std::to_string(q));
      }
      if (x[i].repeat && found_.empty()) loop(*x[i].repeat, *y[i].repeat);
      ids(x[i].last_uses, y[i].last_uses, name + ": frees");
    }
  }

  void loop(const Repeat& x, const Repeat& y) {
    expect(x.count == y.count && x.ahead == y.ahead, "loop: count or ahead");
    const std::vector<std::pair<std::vector<PlanValueId> Repeat::*, const char*>> lists = {
        {&Repeat::initial, "initial"}, {&Repeat::arguments, "arguments"}, {&Repeat::yields, "yields"},
        {&Repeat::results, "results"}, {&Repeat::stacked, "stacked"},     {&Repeat::slices, "slices"},
        {&Repeat::parts, "parts"},     {&Repeat::stacks, "stacks"}};
    for (const auto& [list, name] : lists) ids(x.*list, y.*list, name);
    if (found_.empty()) blocks(x.body, y.body);
  }

  void instruction(const Instruction& x, const Instruction& y, const std::string& name) {
    ids(x.operands, y.operands, name + " operands");
    ids(x.results, y.results, name + " results");
    ids(x.last_uses, y.last_uses, name + " frees");
    expect(x.waits == y.waits, name + " waits");
    expect(x.op() == y.op(), name + " op");
    expect(x.action.valid() == y.action.valid(), name + " action");
    if (x.action.valid() && y.action.valid()) {
      const PlanAction &p = a_.action(x.action), &q = b_.action(y.action);
      expect(p.pipeline == q.pipeline && p.action == q.action, name + " action");
    }
    expect(x.data().index() == y.data().index(), name + " kind");
    if (found_.empty()) expect(same_data(x.data(), y.data()), name + " data");
  }

  static bool same_data(const InstructionData& x, const InstructionData& y) {
    return std::visit([&]<class Data>(const Data& data) { return same(data, std::get<Data>(y)); }, x);
  }
  static bool same(const LoadBlock& x, const LoadBlock& y) {
    return x.global == y.global && x.block == y.block && x.count == y.count && x.start == y.start && x.size == y.size;
  }
  static bool same(const StoreBlock& x, const StoreBlock& y) {
    return x.output == y.output && x.block == y.block && x.count == y.count;
  }
  static bool same(const LocalOp& x, const LocalOp& y) { return x.op == y.op; }
  static bool same(const ScalarIndex& x, const ScalarIndex& y) { return x.value == y.value; }
  static bool same(const TakeBlock& x, const TakeBlock& y) {
    return x.dim == y.dim && x.block == y.block && x.count == y.count;
  }
  static bool same(const PutBlock& x, const PutBlock& y) {
    return x.dim == y.dim && x.block == y.block && x.count == y.count;
  }
  static bool same(const KeepOn& x, const KeepOn& y) { return x.index == y.index && x.owner == y.owner; }
  static bool same(const Collective& x, const Collective& y) {
    return x.kind == y.kind && x.communicator == y.communicator && x.dim == y.dim && x.concat_dim == y.concat_dim &&
           x.precision == y.precision;
  }
  static bool same(const Permute& x, const Permute& y) {
    return x.communicator == y.communicator && x.target == y.target && x.source == y.source;
  }
  static bool same(const Send& x, const Send& y) { return x.communicator == y.communicator && x.target == y.target; }
  static bool same(const Recv& x, const Recv& y) { return x.communicator == y.communicator && x.source == y.source; }

  const Plan& a_;
  const Plan& b_;
  std::map<PlanValueId, PlanValueId> forth_, back_;
  std::string found_;
};

/// Reads `text` as the file `t.plan`.
inline std::optional<text::PlanFile> read_plan_text(const std::string& text, DiagnosticSink& sink) {
  return text::read_plan(std::make_shared<const SourceFile>(SourceFile{"t.plan", text}), sink);
}

/// The Plan of a text that is right; reports what is not.
inline std::optional<Plan> right_plan(const std::string& text) {
  DiagnosticSink sink;
  std::optional<text::PlanFile> file = read_plan_text(text, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
  return file ? std::optional(std::move(file->plan)) : std::nullopt;
}

/// All errors of a text, which must have some, as `LINE:COLUMN RULE message`.
inline std::vector<std::string> plan_errors(const std::string& text) {
  DiagnosticSink sink;
  EXPECT_FALSE(read_plan_text(text, sink).has_value());
  std::vector<std::string> result;
  for (const Diagnostic& d : sink.diagnostics()) {
    result.push_back(std::to_string(d.location.line()) + ":" + std::to_string(d.location.column()) + " " + d.rule +
                     " " + d.message);
  }
  return result;
}

/// What is wrong with printing `plan` and reading it: nothing, the errors of the reader, or a difference.
inline std::string round_trip_error(const Plan& plan, const PlanPrintOptions& options) {
  const std::string text = print(plan, options);
  DiagnosticSink sink;
  const std::optional<text::PlanFile> read = read_plan_text(text, sink);
  std::string errors;
  for (const Diagnostic& diagnostic : sink.diagnostics()) errors += render(diagnostic);
  if (!read) return errors.empty() ? "nothing was read" : errors;
  const std::string difference = SamePlan(plan, read->plan).difference();
  if (!difference.empty()) return "another Plan: " + difference + "\n" + text;
  const std::string again = print(read->plan, options);
  return again == text ? errors : "another text:\n" + text + "\n" + again;
}

/// The same with functions, and with all calls written out.
inline std::string round_trip_error(const Plan& plan) {
  const std::string error = round_trip_error(plan, {.functions = true});
  return error.empty() ? round_trip_error(plan, {.functions = false}) : error;
}

}  // namespace isoshard::testing
