// Prints a Plan, or a Plan file: what it reads and writes, then functions, then per group of ranks blocks, queues and
// instructions with the tokens that they wait for and the values that they free (docs/spec/plan.md, "Text"). What
// depends on the rank is printed as its expression over coordinates, so that the text is as long as the Plan, not as
// the mesh. Everything is printed that a Plan holds but locations, and nothing twice: what follows from the rest, as
// the types of what loops hand on, is left out. Calls that are written alike are a function and a line each
// (plan_calls.cc). Cost: the length of the text.
#include <utility>

#include "core/text/plan/plan_text.h"
#include "core/text/plan/print/find_calls.h"
#include "core/text/plan/print/function_names.h"
#include "core/text/plan/print/plan_names.h"
#include "core/text/plan/print/print_blocks.h"
#include "core/text/print/print_items.h"

namespace isoshard {
namespace text {
namespace {

/// What the lines of groups call values and instructions.
class GroupNames final : public LineNames {
 public:
  explicit GroupNames(const PlanNames& names) : names_(names) {}

  std::string value(PlanValueId id) override { return prefixed('%', names_.value(id)); }
  std::string number(InstructionId id) override { return prefixed('#', std::to_string(id.index())); }
  std::string token(const isoshard::Token& token) override {
    return (token.previous ? "previous " : "") + number(token.instruction);
  }
  std::string queue(QueueId id) override { return names_.queue(id); }

 private:
  const PlanNames& names_;
};

class PlanPrinter {
 public:
  PlanPrinter(const Plan& plan, bool functions)
      : plan_(plan),
        mesh_(*plan.mesh),
        calls_(functions ? find_calls(plan) : PlanCalls()),
        names_(plan, calls_),
        group_names_(names_),
        named_calls_{calls_, names_} {}

  std::string print() {
    out_ = "isoshard-plan 1\n";
    header();
    for (const CallFunction& function : calls_.functions()) this->function(function);
    for (const RankGroup& group : plan_.groups) {
      out_ += "\nranks " + plain_name(group.name) + " " + positions(group) + " {\n";
      out_ += BlockPrinter(plan_, group_names_, &named_calls_).print(group.blocks, "  ");
      out_ += "}\n";
    }
    return std::move(out_);
  }

 private:
  void header() {
    out_ += "plan @" + plan_.program;
    if (mesh_.axis_count() > 0 || !mesh_.name().empty()) {
      out_ += " on " + prefixed('@', mesh_.name().empty() ? "m" : mesh_.name()) + " " + print_axes_of(mesh_);
    }
    out_ += "\n";
    for (const Global& global : plan_.globals) out_ += print_global(global);
    for (const Output& output : plan_.outputs) {
      out_ += (output.updates.valid() ? "update @" : "output @") + output.name + ": " + to_string(output.type) + "\n";
    }
    for (const Communicator& c : plan_.communicators) {
      out_ += "communicator " + c.to_string(mesh_) + " on " + names_.queue(c.queue) + "\n";
    }
  }

  std::string positions(const RankGroup& group) const {
    if (group.positions.empty()) return "[0.." + std::to_string(mesh_.device_count()) + "]";
    std::vector<std::string> parts;
    for (const int64_t position : group.positions) parts.push_back(std::to_string(position));
    return enclosed('[', comma_list(parts), ']');
  }

  /// `function @layer(%x, %w) { ... }`, as the call that is issued first has it.
  void function(const CallFunction& function) {
    const CallLine& example = calls_.lines()[function.example];
    const std::vector<std::string> parameters = parameters_of(function, example);
    FunctionNames names(plan_, example, function.results, parameters, names_.queues());
    std::vector<std::string> heads;
    for (const std::string& parameter : parameters) heads.push_back(prefixed('%', parameter));
    out_ += "\nfunction @" + function.name + enclosed('(', comma_list(heads), ')') + " {\n" +
            BlockPrinter(plan_, names, nullptr).print(example.body, "  ") + "}\n";
  }

  /// Parameters are called as the first call calls its arguments, from the last part on that is no number.
  std::vector<std::string> parameters_of(const CallFunction& function, const CallLine& example) const {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    UniqueNames names;
    for (const std::string& result : function.results) names.add(result, ".");
    std::vector<std::string> result;
    for (const PlanValueId argument : example.arguments) {
      const std::string& name = names_.value(argument);
      size_t begin = name.size();
      while (begin > 0 && (name[begin - 1] != '.' || is_digit(name[begin]))) --begin;
      result.push_back(names.add(name.substr(begin), "."));
    }
    return result;
  }

  const Plan& plan_;
  const Mesh& mesh_;
  const PlanCalls calls_;
  const PlanNames names_;
  GroupNames group_names_;
  const NamedCalls named_calls_;
  std::string out_;
};

}  // namespace

std::string print(const PlanFile& file, const PlanPrintOptions& options) {
  std::string out = PlanPrinter(file.plan, options.functions).print();
  for (const PlanCheck& check : file.checks) {
    out += "\ncheck plan == @" + check.program + " in \"" + check.file + "\"\n";
  }
  return out;
}

}  // namespace text

std::string print(const Plan& plan, const PlanPrintOptions& options) {
  return text::PlanPrinter(plan, options.functions).print();
}

}  // namespace isoshard
