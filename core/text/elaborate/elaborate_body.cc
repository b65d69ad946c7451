// Statements of one program or func: names to values, loops unrolled, ops handed to the Builder.
// The language is a program that writes a program: `for` and `if` are run here, with integers that are known, and the
// Builder receives a plain list of ops and scans, whose types and states it infers at once
// (docs/adr/0003-states-are-inferred-by-the-builder.md). A loop gives each iteration a place of its own in messages,
// and stops after the first that has errors, because the next ones would repeat them. Where something could not be
// elaborated, names may be missing without being wrong; the body is marked as incomplete and unknown names are no
// errors then. Types and states that are written are compared with those inferred. Cost: one step per op, which a limit
// counts.

#include <algorithm>
#include <utility>

#include "core/text/elaborate/elaborate_call.h"
#include "core/text/elaborate/elaborate_einsum.h"
#include "core/text/elaborate/elaborate_operands.h"
#include "core/text/elaborate/elaborate_scan.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/fields.h"
#include "core/text/elaborate/layouts.h"
#include "core/text/elaborate/numbers.h"
#include "core/text/elaborate/signature.h"
#include "core/text/elaborate/value_names.h"
#include "core/text/syntax/suggest.h"
#include "core/transform/pipeline/pipeline_parts.h"

namespace isoshard::text {
namespace {

class BodyElaborator final : private ValueShapes {
 public:
  BodyElaborator(Elaboration& elaboration, const BodySyntax& syntax, Scope scope, std::shared_ptr<const Mesh> mesh,
                 bool typed)
      : elaboration_(elaboration),
        syntax_(syntax),
        scope_(std::move(scope)),
        mesh_(std::move(mesh)),
        builder_(elaboration.module, syntax.name.text, mesh_, elaboration.scope.sink,
                 BuilderOptions{syntax.is_function ? ProgramKind::function : ProgramKind::program, typed,
                                scope_.at(syntax.name.span)}),
        names_(elaboration, syntax, scope_),
        operands_(elaboration, builder_, names_, scope_, [this](const Inline& op) { return inlined(op); }),
        calls_(elaboration, builder_, syntax.name.text, mesh_, scope_),
        scans_(elaboration, builder_, names_, operands_, scope_, [this](const Block& body) { block(body); }) {}

  std::optional<ProgramId> run(const std::vector<CallArgument>& arguments) {
    const size_t before = sink().error_count();
    scope_.use_values(this);
    for (size_t i = 0; i < syntax_.parameters.size(); ++i) parameter(syntax_.parameters[i], arguments[i]);
    block(syntax_.body);
    if (sink().error_count() != before) return std::nullopt;
    return builder_.finish();
  }

 private:
  DiagnosticSink& sink() { return elaboration_.scope.sink; }
  bool step(const Span& span) { return elaboration_.step(scope_, span); }

  // Statements.

  void block(const Block& body) {
    for (const Statement& statement : body.statements) {
      if (elaboration_.too_many_errors() || !scans_.may_go_on(statement.span)) return;
      if (const LoopSyntax* loop_syntax = std::get_if<LoopSyntax>(&statement.data)) {
        if (!loop(*loop_syntax, statement.span)) return;
      } else if (const IfSyntax* if_syntax = std::get_if<IfSyntax>(&statement.data)) {
        conditional(*if_syntax);
      } else if (const OpSyntax* op_syntax = std::get_if<OpSyntax>(&statement.data)) {
        if (!step(statement.span)) return;
        op(*op_syntax, statement.span);
      } else if (const ScanSyntax* scan_syntax = std::get_if<ScanSyntax>(&statement.data)) {
        if (!step(statement.span)) return;
        scan(*scan_syntax, statement.span);
      } else if (const YieldSyntax* yield_syntax = std::get_if<YieldSyntax>(&statement.data)) {
        scans_.yield(*yield_syntax, statement.span);
      } else {
        ret(std::get<ReturnSyntax>(statement.data), statement.span);
      }
    }
  }

  bool check_loop_variable(const Word& variable) {
    const bool axis = scope_.mesh().find(variable.text).has_value();
    const bool let =
        elaboration_.scope.lets.count(variable.text) != 0 || elaboration_.scope.words.count(variable.text) != 0;
    if (!axis && !let && !scope_.has_variable(variable.text)) return true;
    scope_.error("E-duplicate", variable.span,
                 "the loop variable `" + variable.text + "` has the name of " +
                     (axis  ? "an axis"
                      : let ? "a let"
                            : "the variable of an outer loop") +
                     "; expected a new name");
    return false;
  }

  /// False when the limit of ops is reached.
  bool loop(const LoopSyntax& syntax, const Span& span) {
    const std::optional<int64_t> first = read_integer(syntax.range->first, scope_),
                                 limit = read_integer(syntax.range->limit, scope_);
    if (!check_loop_variable(syntax.variable) || !first || !limit) {
      names_.mark_incomplete();
      return true;
    }
    const Scope outside = scope_;
    const Location here = scope_.at(span);
    const size_t errors = sink().error_count();
    // The errors of one iteration come back in the next: the first that has some is enough.
    for (int64_t k = *first; k < *limit && sink().error_count() == errors; ++k) {
      if (!step(span)) return false;
      scope_.reach_from(here, "iteration " + syntax.variable.text + " = " + std::to_string(k));
      scope_.push_variable(syntax.variable.text, k);
      block(syntax.body);
      scope_.pop_variable();
    }
    scope_ = outside;
    if (sink().error_count() != errors) names_.mark_incomplete();
    return true;
  }

  /// The first branch whose condition holds; the others are not looked at.
  void conditional(const IfSyntax& syntax) {
    for (const Branch& branch : syntax.branches) {
      const std::optional<Decision> decision =
          branch.condition ? decide(*branch.condition, scope_) : Decision{true, "otherwise"};
      if (!decision) return names_.mark_incomplete();
      if (!decision->holds) continue;
      const Scope outside = scope_;
      const size_t errors = sink().error_count();
      scope_.reach_from(scope_.at(branch.span), "branch " + decision->numbers);
      block(branch.body);
      scope_ = outside;
      if (sink().error_count() != errors) names_.mark_incomplete();
      return;
    }
  }

  std::optional<Shape> shape_of(const ValueName& name) override {
    const std::optional<std::string> spelled = names_.spell_one(name);
    const std::optional<ValueId> value = spelled ? names_.find(*spelled, name) : std::nullopt;
    if (!value || !value->valid()) return std::nullopt;
    return builder_.type(*value).tensor.shape;
  }

  void define(const std::vector<ValueName>& names, const std::optional<std::vector<std::string>>& spelled,
              const std::vector<ValueId>& values) {
    if (!spelled) return names_.mark_incomplete();
    for (size_t i = 0; i < spelled->size(); ++i) {
      names_.define((*spelled)[i], i < values.size() ? values[i] : ValueId(), names[i].span);
    }
  }

  void op(const OpSyntax& syntax, const Span& span) {
    const std::optional<std::vector<std::string>> names = names_.spell_results(syntax.results);
    const std::vector<ValueId> results = appended(syntax, names, span);
    define(syntax.results, names, results);
    check_annotations(syntax.results, syntax.types, results);
  }

  /// The results of an op, called `names`, behind the ops that stand as its operands.
  std::vector<ValueId> appended(const OpSyntax& syntax, const std::optional<std::vector<std::string>>& names,
                                const Span& span) {
    const std::optional<std::vector<Argument>> arguments = operands_.read(syntax.operands);
    return syntax.op.text == "sum" ? operands_.sum(syntax, arguments, names, span)
                                   : append(syntax, arguments, names, span);
  }

  std::optional<ValueId> inlined(const Inline& syntax) {
    if (!step(syntax.span)) return std::nullopt;
    const std::vector<ValueId> results = appended(syntax.op.front(), std::vector<std::string>(1), syntax.span);
    return results.size() == 1 ? std::optional(results.front()) : std::nullopt;
  }

  void scan(const ScanSyntax& syntax, const Span& span) {
    const std::optional<std::vector<std::string>> names = names_.spell_results(syntax.results);
    std::vector<ValueId> results;
    if (names) results = scans_.scan(syntax, *names, span);
    define(syntax.results, names, results);
    for (const auto& [type, value] : scans_.annotations(syntax, results)) check_annotation(*type, value);
    check_annotations(syntax.results, syntax.types, results);
  }

  /// The op as it is written, the call of a func by its bare name, or what it says of a pipeline of the file.
  std::vector<ValueId> append(const OpSyntax& syntax, const std::optional<std::vector<Argument>>& arguments,
                              const std::optional<std::vector<std::string>>& names, const Span& span) {
    if (elaboration_.functions.count(syntax.op.text) != 0 && !is_op(syntax.op.text)) {
      OpSyntax call = syntax;
      call.form.own().target = std::exchange(call.op, Word{"call", syntax.op.span});
      return append_op(call, arguments, names, span);
    }
    if (calls_.report_qualified(syntax.op)) return {};
    const bool applies = syntax.op.text == "grad" || syntax.op.text == "call";
    // Pipelines are the file's own: an imported func has none.
    const bool own = scope_.source() == elaboration_.scope.file;
    const auto pipeline =
        applies && own ? elaboration_.pipelines.find(syntax.form->target.text) : elaboration_.pipelines.end();
    if (pipeline == elaboration_.pipelines.end()) return append_op(syntax, arguments, names, span);
    const std::optional<OpSyntax> op = elaborate_pipeline(elaboration_, *pipeline->second, syntax, scope_);
    return op ? append_op(*op, arguments, names, span) : std::vector<ValueId>();
  }

  std::vector<ValueId> append_op(const OpSyntax& syntax, const std::optional<std::vector<Argument>>& arguments,
                                 const std::optional<std::vector<std::string>>& names, const Span& span) {
    CallNumbers numbers;
    std::optional<std::vector<ValueId>> operands;
    if (arguments && syntax.op.text == "call") {
      const std::optional<std::vector<Argument>> values = calls_.take_numbers(syntax, *arguments, numbers);
      if (values) operands = operands_.with_literals(syntax, *values);
    } else if (arguments) {
      operands = operands_.with_literals(syntax, *arguments);
    }
    if (syntax.op.text == "einsum") {
      if (!operands || !names || !one_result(syntax, *names)) return {};
      return {elaborate_einsum(syntax, *operands, names->front(), builder_, scope_, span)};
    }
    std::optional<OpData> data;
    if (syntax.op.text == "view") {
      data = view(syntax);
    } else if (syntax.op.text == "block_size") {
      data = block_size(syntax);
    } else if (syntax.op.text == "call") {
      if (operands) data = calls_.call(syntax, *operands, numbers, span);
    } else if (syntax.op.text == "grad") {
      if (operands) data = calls_.grad(syntax, *operands, span);
    } else if (syntax.op.text == "pipeline") {
      if (operands) data = calls_.pipeline(syntax, *operands, span);
    } else {
      data = read_op(syntax, scope_);
    }
    if (!data || !operands || !names) return {};
    if (syntax.is_expression) operands = operands_.with_broadcasts(*data, std::move(*operands), span);
    const std::optional<PipelineRun> pipeline =
        std::holds_alternative<PipelineRun>(*data) ? std::optional(std::get<PipelineRun>(*data)) : std::nullopt;
    std::vector<ValueId> results = builder_.append(std::move(*data), std::move(*operands), *names, scope_.at(span));
    const bool made = pipeline && !results.empty() && results.front().valid();
    if (made) check_pipeline(elaboration_.module, *pipeline, sink(), scope_.at(span));
    return results;
  }

  bool one_result(const OpSyntax& syntax, const std::vector<std::string>& names) {
    if (names.size() == 1) return true;
    scope_.error("E-einsum", syntax.op.span, "einsum has one result; " + std::to_string(names.size()) + " are named");
    return false;
  }

  // Ops with forms of their own.

  std::optional<OpData> view(const OpSyntax& syntax) {
    const std::optional<GlobalId> global = elaboration_.find_global(syntax.form->target, scope_);
    std::optional<View> view = read_view(syntax.form->layout, syntax.form->view, scope_);
    if (!global || !view) return std::nullopt;
    view->global = *global;
    return std::move(*view);
  }

  std::optional<OpData> block_size(const OpSyntax& syntax) {
    const std::optional<GlobalId> global = elaboration_.find_global(syntax.form->target, scope_);
    std::optional<Layout> layout = read_layout(syntax.form->layout, scope_);
    std::optional<OpData> data = read_op(syntax, scope_);
    if (!global || !layout || !data) return std::nullopt;
    BlockSize& size = std::get<BlockSize>(*data);
    size.global = *global;
    size.layout = std::move(*layout);
    return data;
  }

  // Types and returns.

  void parameter(const ParameterSyntax& syntax, const CallArgument& argument) {
    const std::optional<std::string> name = names_.spell_one(syntax.name);
    if (!name || !names_.check_free(*name, syntax.name.span)) return;
    if (const Rational* number = std::get_if<Rational>(&argument)) {
      return names_.define_number(*name, *number, syntax.name.span);
    }
    const ValueType& type = std::get<ValueType>(argument);
    const ValueId value = builder_.argument(*name, type, scope_.at(syntax.name.span));
    names_.define(*name, value, syntax.name.span);
    check_states(syntax.type, value);
  }

  void check_annotations(const std::vector<ValueName>& names, const std::vector<TypeSyntax>& types,
                         const std::vector<ValueId>& results) {
    if (types.empty()) return;
    if (types.size() != names.size()) {
      scope_.error("T-annotation", types.front().span,
                   "there are " + std::to_string(names.size()) + " results and " + std::to_string(types.size()) +
                       " types; expected one type per result");
      return;
    }
    for (size_t i = 0; i < types.size() && i < results.size(); ++i) check_annotation(types[i], results[i]);
  }

  void check_annotation(const TypeSyntax& syntax, ValueId value) {
    const std::optional<TensorType> expected = read_type(syntax, scope_);
    if (!value.valid() || !expected) return;
    const TensorType& actual = builder_.type(value).tensor;
    if (actual == *expected) return check_states(syntax, value);
    scope_.error("T-annotation", syntax.span,
                 "%" + builder_.program().value(value).name + " is " + to_string(actual) + "; the annotation says " +
                     to_string(*expected));
  }

  /// Compares the states that are written with those inferred; `?` agrees with all.
  void check_states(const TypeSyntax& syntax, ValueId value) {
    if (!elaboration_.states_settled) {
      elaboration_.states_skipped |= !syntax.states.empty();
      return;
    }
    const Value& actual = builder_.program().value(value);
    for (const StateSyntax& state : syntax.states) {
      for (const Word& axis : state.axes) {
        const std::optional<AxisId> id = scope_.axis(axis);
        if (!id) continue;
        const char inferred = letter(actual.type.states[id->index()]);
        if (inferred == state.letter || inferred == '?' || state.letter == '?') continue;
        scope_.error(
            "T-annotation", axis.span,
            "%" + actual.name + " is " + inferred + " over `" + axis.text + "`; the annotation says " + state.letter);
      }
    }
  }

  void ret(const ReturnSyntax& syntax, const Span& span) {
    if (scans_.open()) {
      scope_.error("E-yield", span,
                   "the body of a scan ends in `yield (%next) stack (%y)`; " +
                       std::string(syntax.is_update ? "`update`" : "`return`") + " stands outside of it");
      return;
    }
    std::vector<ValueId> values;
    for (const Operand& operand : syntax.values) values.push_back(operands_.one(operand));
    if (syntax.is_update) return update(syntax, values.front(), span);
    if (syntax.output.has_value() == syntax_.is_function) {
      scope_.error("E-return", span,
                   syntax_.is_function ? "a func returns values without names: `return %y`"
                                       : "a program returns named outputs with a layout: `return @y = %y [-, model]`");
      return;
    }
    if (!syntax_.is_function) {
      const std::optional<Layout> layout = read_layout(syntax.layout, scope_);
      std::optional<TensorType> type;
      if (syntax.type) type = read_type(*syntax.type, scope_);
      if (!layout || (syntax.type && !type)) return names_.mark_incomplete();
      builder_.output(syntax.output->text, values.front(), *layout, scope_.at(span), type);
      return;
    }
    check_results(values, span);
    builder_.results(values, scope_.at(span));
  }

  void update(const ReturnSyntax& syntax, ValueId value, const Span& span) {
    const std::optional<GlobalId> global = elaboration_.find_global(*syntax.output, scope_);
    if (syntax_.is_function) {
      scope_.error("E-update", span,
                   "a func updates no globals: return the new value and write the `update` in the program");
      return;
    }
    const std::optional<Layout> layout = read_layout(syntax.layout, scope_);
    if (global && layout) builder_.update(*global, value, *layout, scope_.at(span));
  }

  void check_results(const std::vector<ValueId>& values, const Span& span) {
    if (syntax_.infers_results) return;
    if (values.size() != syntax_.results.size()) {
      scope_.error("E-result", span,
                   "@" + syntax_.name.text + " returns " + std::to_string(values.size()) + " values; its header says " +
                       std::to_string(syntax_.results.size()));
      return;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].valid()) continue;
      const TypeSyntax& written = syntax_.results[i];
      const TensorType& actual = builder_.type(values[i]).tensor;
      const std::optional<TensorType> declared = declared_type(written, actual, scope_);
      if (!declared || actual == *declared) continue;
      scope_.error("E-result", span,
                   "@" + syntax_.name.text + " returns " + to_string(actual) + " as result " + std::to_string(i) +
                       "; its header says " + show_declared(written, *declared));
    }
  }

  Elaboration& elaboration_;
  const BodySyntax& syntax_;
  Scope scope_;
  std::shared_ptr<const Mesh> mesh_;
  Builder builder_;
  ValueNames names_;
  Operands operands_;
  Calls calls_;
  Scans scans_;
};

}  // namespace

std::optional<ProgramId> elaborate_body(Elaboration& elaboration, const BodySyntax& syntax, Scope scope,
                                        std::shared_ptr<const Mesh> mesh, const std::vector<CallArgument>& arguments,
                                        bool typed) {
  return BodyElaborator(elaboration, syntax, std::move(scope), std::move(mesh), typed).run(arguments);
}

}  // namespace isoshard::text
