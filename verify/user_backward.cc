// Compares a user-written backward with the one that autodiff derives, for each func that the programs of a check call
// with `vjp=`. Two programs are built over the same globals, one per argument and cotangent: one calls the user's
// function, the other the derived parts; then they are checked like any other pair. Arguments are read in the states
// that the func was typed for, so that V and P have a block of their own per device, and cotangents are random, since
// equal for a random one is equal for the Jacobian, which is linear in it. It informs only: a backward may differ on
// purpose, as mean gradients do (docs/adr/0021-user-written-derivatives.md). Costs one small check per distinct pair of
// functions.
#include "verify/user_backward.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/ir/vjp_signature.h"
#include "core/transform/autodiff/vjp.h"
#include "verify/answers/words.h"
#include "verify/check_claim.h"

namespace isoshard::verify {
namespace {

/// One call with a user-written backward.
struct Written {
  ProgramId function, backward;
  Location location;
};

class Reached {
 public:
  explicit Reached(const Module& module) : module_(module) {}

  void visit(ProgramId id) {
    if (!seen_.insert(id).second) return;
    const Program& program = module_.program(id);
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      for (const ProgramId callee : callees(op.data)) visit(callee);
      const Call* call = std::get_if<Call>(&op.data);
      if (call == nullptr || !call->vjp.valid()) continue;
      const bool known = std::any_of(found_.begin(), found_.end(), [&](const Written& w) {
        return w.function == call->callee && w.backward == call->vjp;
      });
      if (!known) found_.push_back(Written{call->callee, call->vjp, op.location});
    }
  }
  const std::vector<Written>& found() const { return found_; }

 private:
  const Module& module_;
  std::set<ProgramId> seen_;
  std::vector<Written> found_;
};

/// A new first dimension for what the devices of `own` hold, each for itself; none where they hold the same.
Layout layout_of(const Group& own, size_t rank) {
  Layout layout(rank);
  if (!own.empty()) layout.insert(layout.begin(), ViewEntry{own, 0, std::nullopt, Split::stack});
  return layout;
}

/// Two programs over the same globals, arguments and cotangents: one calls the user's backward, one the derived parts.
class BackwardComparison {
 public:
  BackwardComparison(const Module& module, const Written& written)
      : module_(module),
        written_(written),
        signature_(vjp_signature(module.function(written.function))),
        mesh_(module.program(written.function).shared_mesh()),
        typed_(module.program(written.function).typed()) {
    declare_globals();
  }

  /// The claim that both are equal; nothing when there is no derived backward, which the sink tells.
  std::optional<Check> claim(DiagnosticSink& sink) {
    const std::optional<ProgramId> user = user_written(sink);
    const std::optional<ProgramId> derived = user ? derive(sink) : std::nullopt;
    if (!derived) return std::nullopt;
    return Check{*user, *derived, written_.location};
  }
  const Module& module() const { return module_; }

 private:
  const Program& function() const { return module_.program(written_.function); }

  /// On those axes each device has a value of its own: its own one (V) or its term (P).
  static Group own_axes(const ValueType& type) {
    Group group;
    for (size_t a = 0; a < type.states.size(); ++a) {
      if (type.states[a] == State::varying || type.states[a] == State::partial) group.axes.emplace_back(a);
    }
    return group;
  }

  void declare_globals() {
    const std::vector<ValueId> arguments = function().body().arguments;
    for (size_t i = 0; i < signature_.arguments.size(); ++i) {
      const bool cotangent = i >= arguments.size();
      types_.push_back(cotangent ? signature_.arguments[i] : function().value(arguments[i]).type);
      const ValueType& type = types_.back();
      const Group own = own_axes(type);
      TensorType whole = type.tensor;
      if (!own.empty()) whole.shape.insert(whole.shape.begin(), mesh_->size(own));
      const Role role = type.tensor.dtype == DType::key                     ? Role::key
                        : type.has_gradient || !is_float(type.tensor.dtype) ? Role::input
                                                                            : Role::constant;
      const std::string name =
          cotangent ? "cotangent." + std::to_string(i - arguments.size()) : "argument." + std::to_string(i);
      globals_.emplace_back(module_.globals.size());
      module_.globals.push_back(Global{name, std::move(whole), role, Init{}, written_.location});
    }
  }

  ValueId op(Builder& out, OpData data, std::vector<ValueId> operands) const {
    return out.add_op(std::move(data), std::move(operands), "", written_.location);
  }

  std::vector<ValueId> read_all(Builder& out) const {
    std::vector<ValueId> values;
    for (size_t i = 0; i < types_.size(); ++i) {
      const ValueType& type = types_[i];
      const AxisSet invariant = axes_in(type.states, State::invariant).set();
      const ValueId value =
          op(out, View{globals_[i], layout_of(own_axes(type), type.tensor.shape.size()), invariant}, {});
      const Group partial = axes_in(type.states, State::partial);
      values.push_back(partial.empty() ? value : op(out, Reinterpret{partial, State::partial}, {value}));
    }
    return values;
  }

  Builder builder(const std::string& name, DiagnosticSink& sink) {
    return Builder(module_, name, mesh_, sink, BuilderOptions{ProgramKind::program, typed_, written_.location});
  }

  /// Terms of a sum count by their sum.
  std::optional<ProgramId> finish(Builder& out, const std::vector<ValueId>& gradients) const {
    for (size_t k = 0; k < gradients.size() && gradients[k].valid(); ++k) {
      const States& states = signature_.gradients[k].states;
      const Group partial = typed_ ? axes_in(states, State::partial) : Group{};
      const ValueId value = partial.empty() ? gradients[k] : op(out, AllReduce{partial, std::nullopt}, {gradients[k]});
      const Group own = axes_in(states, State::varying);
      const size_t rank = signature_.gradients[k].tensor.shape.size();
      out.output(gradient_name(k), value, layout_of(own, rank), written_.location);
    }
    return out.finish();
  }

  std::string gradient_name(size_t k) const {
    return function().value(function().body().arguments[signature_.wrt[k]]).name;
  }

  std::optional<ProgramId> user_written(DiagnosticSink& sink) {
    Builder out = builder("user", sink);
    std::vector<ValueId> operands;
    for (const ValueId value : read_all(out)) {
      operands.push_back(out.type(value).has_gradient ? op(out, StopGradient{}, {value}) : value);
    }
    return finish(out, out.append(Call{written_.backward}, std::move(operands), {}, written_.location));
  }

  std::optional<ProgramId> derive(DiagnosticSink& sink) {
    const std::optional<autodiff::Vjp> vjp =
        autodiff::build_vjp(module_, written_.function, signature_.wrt, sink, written_.location);
    if (!vjp) return std::nullopt;
    Builder out = builder("derived", sink);
    const std::vector<ValueId> values = read_all(out);
    const auto cotangents = values.begin() + std::ssize(function().body().arguments);
    const std::vector<ValueId> forward =
        out.append(Call{vjp->forward}, {values.begin(), cotangents}, {}, written_.location);
    std::vector<ValueId> operands;
    for (const size_t result : vjp->active_results) {
      const auto at = std::find(signature_.results.begin(), signature_.results.end(), result);
      operands.push_back(cotangents[at - signature_.results.begin()]);
    }
    operands.insert(operands.end(), forward.end() - static_cast<std::ptrdiff_t>(vjp->residuals), forward.end());
    return finish(out, out.append(Call{vjp->backward}, std::move(operands), {}, written_.location));
  }

  Module module_;  ///< a copy, which grows
  const Written& written_;
  VjpSignature signature_;
  std::shared_ptr<const Mesh> mesh_;
  bool typed_;
  std::vector<ValueType> types_;
  std::vector<GlobalId> globals_;
};

/// `the gradient of %x is 1/4x the derived one (= 1/size(fsdp))`.
std::string difference(const OutputReport& output, const CheckReport& report) {
  const std::string subject = "the gradient of %" + output.name;
  if (output.ring.ratio && !output.ring.ratio->is_one()) {
    return subject + " is " + to_string(*output.ring.ratio) + "x the derived one" +
           (output.ratio_words.empty() ? "" : " (= " + output.ratio_words + ")");
  }
  const std::optional<Counterexample>& example = output.floats.counterexample;
  if (!example)
    return subject + ": " + std::string(name(output.verdict)) +
           (report.reason.empty() ? "" : ", " + report.reason.text);
  return subject + " differs from the derived one at " + index_in_words(example->index) + ": " +
         number(example->sharded) + ", expected " + number(example->reference);
}

std::string finding_of(const CheckReport& report) {
  if (!report.bad_input.empty()) return "not compared: " + report.bad_input.front().message;
  if (!report.state_errors.empty()) return "not compared: its states are wrong";
  if (report.failure) return "not compared: " + report.failure->message;
  if (report.equivalence == Verdict::equal) return "EQUAL to the derived one (" + report.terms.error_text() + ")";
  std::string text;
  for (const OutputReport& output : report.outputs) {
    if (output.verdict != Verdict::equal) text += (text.empty() ? "" : "; ") + difference(output, report);
  }
  return text;
}

BackwardReport compare_backward(const Module& module, const Written& written, const CheckOptions& options) {
  const Program &function = module.program(written.function), &backward = module.program(written.backward);
  BackwardReport result{function.name(), backward.name(), written.location, Verdict::undecided, ""};
  if (!wrong_dual_states(function.signature(), backward.signature(), function.mesh()).empty() ||
      !module.state_errors(written.backward).empty()) {
    result.finding = "not compared: its states are wrong";
    return result;
  }
  DiagnosticSink sink;
  BackwardComparison comparison(module, written);
  const std::optional<Check> claim = comparison.claim(sink);
  if (!claim) {
    result.finding = "not compared: " + sink.diagnostics().front().message;
    return result;
  }
  CheckOptions own = options;
  own.only_rung.reset();
  own.order = false;
  const CheckReport report = check_claim(comparison.module(), *claim, own);
  if (report.bad_input.empty() && report.state_errors.empty() && !report.failure) result.verdict = report.equivalence;
  result.finding = finding_of(report);
  return result;
}

}  // namespace

std::vector<BackwardReport> compare_backwards(const Module& module, const Check& check, const CheckOptions& options) {
  Reached reached(module);
  reached.visit(check.left);
  reached.visit(check.right);
  std::vector<BackwardReport> result;
  for (const Written& written : reached.found()) {
    BackwardReport report = compare_backward(module, written, options);
    const auto known = [&](const BackwardReport& other) { return other.repeats(report); };
    if (std::none_of(result.begin(), result.end(), known)) result.push_back(std::move(report));
  }
  return result;
}

}  // namespace isoshard::verify
