// What a JSON module says of types and states against what the Builder inferred.

#include <utility>

#include "core/ir/vjp_signature.h"
#include "core/support/quoted.h"
#include "core/text/json_read_program.h"
#include "core/text/json_read_values.h"

namespace isoshard::text {
namespace {

/// `none`, or `S-linear, S-linear`.
std::string list(const std::vector<std::string>& rules) {
  std::string text;
  for (const std::string& rule : rules) text += (text.empty() ? "" : ", ") + rule;
  return text.empty() ? "none" : text;
}

class Comparison {
 public:
  Comparison(const Module& module, const Program& program, const Scope& scope)
      : module_(module), program_(program), scope_(scope) {}

  /// The nodes have been read already: there are as many as ops and values.
  void region(const Region& region, const JsonNode& node) const {
    values(region.arguments, *node.find("arguments"));
    const JsonNode& ops = *node.find("ops");
    for (size_t i = 0; i < region.ops.size(); ++i) op(program_.op(region.ops[i]), ops.items[i]);
  }

 private:
  void values(const std::vector<ValueId>& ids, const JsonNode& nodes) const {
    for (size_t i = 0; i < ids.size(); ++i) value(program_.value(ids[i]), nodes.items[i]);
  }

  void value(const Value& value, const JsonNode& node) const {
    const std::optional<ValueType> written = json_value_type(node, scope_);
    if (!written || *written == value.type) return;
    const bool same = written->tensor == value.type.tensor && written->states == value.type.states;
    const auto shown = [&](const ValueType& type) {
      if (!same) return "is " + to_string(type, program_.mesh());
      return std::string(type.has_gradient ? "has a gradient" : "has no gradient");
    };
    scope_.error("E-differs", node.span,
                 "%" + value.name + " " + shown(value.type) + "; the JSON says that it " + shown(*written) +
                     "; types and states follow from the ops, so change those");
  }

  void op(const Op& op, const JsonNode& node) const {
    values(op.results, *node.find("results"));
    if (const Call* call = std::get_if<Call>(&op.data)) {
      arguments(op, module_.program(call->callee), node);
      if (call->vjp.valid()) backward(module_.program(call->callee), module_.program(call->vjp), node);
    }
    if (const PipelineRun* pipeline = std::get_if<PipelineRun>(&op.data)) loss_argument(*pipeline, node);
    for (const Region& inner : op.regions) region(inner, node.find("regions")->items[0]);
    state_errors(op, node);
  }

  /// A func is made for the states of its arguments.
  void arguments(const Op& op, const Program& callee, const JsonNode& node) const {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Value& given = program_.value(op.operands[i]);
      const Value& wanted = callee.value(callee.body().arguments[i]);
      if (given.type == wanted.type || (!program_.typed() && as_varying(given.type, wanted.type))) continue;
      const bool same = given.type.tensor == wanted.type.tensor && given.type.states == wanted.type.states;
      scope_.error("E-differs", node.span,
                   "call: %" + given.name + " is " + to_string(given.type, program_.mesh()) + " and %" + wanted.name +
                       " of @" + callee.name() +
                       (same ? " has another gradient" : " is " + to_string(wanted.type, callee.mesh())) +
                       "; expected one type: a func is made anew for each set of states");
    }
  }

  /// The loss is made for what the stage gives; that operands fit is a matter of states.
  void loss_argument(const PipelineRun& pipeline, const JsonNode& node) const {
    const Program &stage = module_.program(pipeline.stage), &loss = module_.program(pipeline.loss);
    const Value& given = stage.value(stage.body().results[0]);
    const Value& wanted = loss.value(loss.body().arguments[0]);
    if (given.type == wanted.type) return;
    scope_.error("E-differs", node.span,
                 "pipeline: %" + given.name + " of @" + stage.name() + " is " + to_string(given.type, stage.mesh()) +
                     " and %" + wanted.name + " of @" + loss.name() + " is " + to_string(wanted.type, loss.mesh()) +
                     "; expected one type");
  }

  /// Untyped: a func made for values that differ takes equal ones as well, as backward functions get them.
  static bool as_varying(ValueType given, const ValueType& wanted) {
    for (size_t a = 0; a < given.states.size(); ++a) {
      if (wanted.states[a] == State::varying) given.states[a] = State::varying;
    }
    return given == wanted;
  }

  /// A backward function is made for the arguments of the func without gradients, and cotangents.
  void backward(const Program& function, const Program& backward, const JsonNode& node) const {
    const std::vector<ValueType> wanted = vjp_signature(function).arguments;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Value& given = backward.value(backward.body().arguments[i]);
      if (given.type == wanted[i]) continue;
      scope_.error("E-differs", node.span,
                   "call: %" + given.name + " of @" + backward.name() + ", the backward of @" + function.name() +
                       ", is " + to_string(given.type, program_.mesh()) + "; expected " +
                       to_string(wanted[i], program_.mesh()) + " without a gradient");
    }
  }

  /// Only the rules: what a message says may change from version to version.
  void state_errors(const Op& op, const JsonNode& node) const {
    std::vector<std::string> inferred, written;
    for (const Diagnostic& error : op.state_errors) inferred.push_back(error.rule);
    const JsonNode* errors = node.find("state_errors");
    if (errors != nullptr && !read_rules(*errors, written)) return;
    if (inferred == written) return;
    scope_.error("E-differs", node.span,
                 std::string(op_name(op.data)) + ": the state errors are " + list(inferred) + "; the JSON says " +
                     list(written) + (op.state_errors.empty() ? "" : "; the first is: " + op.state_errors[0].message));
  }

  bool read_rules(const JsonNode& node, std::vector<std::string>& rules) const {
    const std::vector<JsonNode>* items = json_items(node, "`state_errors`", scope_);
    if (items == nullptr) return false;
    for (const JsonNode& item : *items) {
      if (!json_has_keys(item, "a state error", {"rule", "message"}, {}, scope_)) return false;
      const JsonNode &rule = *item.find("rule"), &message = *item.find("message");
      if (!json_is(rule, JsonKind::string, "`rule`", "a rule, as in \"S-linear\"", scope_)) return false;
      if (!json_is(message, JsonKind::string, "`message`", "a string", scope_)) return false;
      rules.push_back(rule.text.size() > 40 ? isoshard::quoted(rule.text, 40) : rule.text);
    }
    return true;
  }

  const Module& module_;
  const Program& program_;
  const Scope& scope_;
};

}  // namespace

void compare_json_program(const Module& module, const Program& program, const JsonNode& node, const Scope& scope) {
  Comparison(module, program, scope).region(program.body(), *node.find("body"));
}

}  // namespace isoshard::text
