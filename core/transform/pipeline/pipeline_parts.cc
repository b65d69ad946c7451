// Derives what the ranks of a pipeline call from its stage and its loss: forward with residuals and backward of a
// middle stage, and both of the last stage, which is the stage followed by the loss as one function, with 1 as the
// cotangent of the loss (docs/spec/plan.md, "Pipelines"). For schedules with I and W each backward is cut at the
// gradient of the stage's input (split_function.cc). A chain of all stages, differentiated as one function, is the
// reference; it shares the user's functions with the pipeline and nothing else. A function that names the axis of the
// stages has no meaning on one of them, and is an error. Cost: two differentiations, and one per chain.
#include "core/transform/pipeline/pipeline_parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/schedule/schedules.h"
#include "core/transform/autodiff/vjp.h"
#include "core/transform/split_function.h"

namespace isoshard {
namespace {

class Parts {
 public:
  Parts(Module& module, const PipelineRun& pipeline, DiagnosticSink& sink, const Location& location)
      : module_(module), pipeline_(pipeline), sink_(sink), location_(location) {}

  std::optional<PipelineParts> run() {
    if (names_axis(pipeline_.stage) || names_axis(pipeline_.loss)) return std::nullopt;
    const std::optional<ProgramId> last = chain(1);
    if (!last) return std::nullopt;
    PipelineParts parts{pipeline_.stage, {}, *last, {}, module_.program(pipeline_.loss).body().results.size() - 1};
    if (pipeline_.wrt.empty()) return parts;
    const std::optional<autodiff::Vjp> middle = derive(pipeline_.stage, wrt_of_stage());
    if (!middle) return std::nullopt;
    const std::optional<autodiff::Vjp> end = derive(*last, wrt_of_chain(1));
    if (!end) return std::nullopt;
    const std::optional<ProgramId> seeded = with_seed(*end);
    if (!seeded) return std::nullopt;
    parts.forward = middle->forward;
    parts.backward = middle->backward;
    parts.last_forward = end->forward;
    parts.last_backward = *seeded;
    if (!split(parts)) return std::nullopt;
    return parts;
  }

  std::optional<PipelineChain> run_chain(int64_t stages) {
    const std::optional<ProgramId> function = chain(stages);
    if (!function) return std::nullopt;
    PipelineChain result{*function, {}, {}, module_.program(pipeline_.loss).body().results.size() - 1};
    if (pipeline_.wrt.empty()) return result;
    result.wrt = wrt_of_chain(stages);
    const std::optional<autodiff::Vjp> vjp = derive(*function, result.wrt);
    const std::optional<ProgramId> seeded = vjp ? with_seed(*vjp) : std::nullopt;
    if (!seeded) return std::nullopt;
    result.forward = vjp->forward;
    result.backward = *seeded;
    return result;
  }

 private:
  /// The two parts of each backward, where the schedule asks for them; false after an error.
  bool split(PipelineParts& parts) {
    if (!schedule::splits_backwards(pipeline_.action_lists(module_.program(pipeline_.stage).mesh()))) return true;
    return split(parts.backward, parts.split) && split(parts.last_backward, parts.last_split);
  }
  bool split(ProgramId backward, std::optional<SplitFunction>& result) {
    if (module_.program(backward).body().results.size() < 2) return true;
    result = split_function(module_, backward, {0}, sink_);
    return result.has_value();
  }

  /// A stage runs on the devices of one coordinate of the axis: what names it has no meaning there.
  bool names_axis(ProgramId id) {
    if (!seen_.insert(id).second) return false;
    const Program& program = module_.program(id);
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      const bool names = std::visit(
          [&](const auto& data) {
            if constexpr (requires { data.axis; }) return data.axis.set().contains(pipeline_.axis.axes[0]);
            return false;
          },
          static_cast<const OpVariant&>(op.data));
      if (names) {
        sink_.error("V-pipeline", op.location,
                    std::string(op_name(op.data)) + ": names `" + program.mesh().to_string(pipeline_.axis) +
                        "`, along which the stages of a pipeline stand; a stage and the loss run on the devices of one "
                        "coordinate, expected other axes");
        return true;
      }
      for (const ProgramId callee : callees(op.data)) {
        if (names_axis(callee)) return true;
      }
    }
    return false;
  }

  /// The loss of the last stage's output: of the input, the other arguments of each stage, then of the loss behind its
  /// first.
  std::optional<ProgramId> chain(int64_t stages) {
    const Program stage = module_.program(pipeline_.stage), loss = module_.program(pipeline_.loss);  // it grows
    Builder out(module_, stage.name() + (stages == 1 ? ".last" : ".chain"), stage.shared_mesh(), sink_,
                BuilderOptions{ProgramKind::function, true, location_});
    const std::vector<ValueId>& parameters = stage.body().arguments;
    std::vector<ValueId> of_loss{argument(out, stage, parameters[0])};
    for (int64_t s = 0; s < stages; ++s) {
      std::vector<ValueId> of_stage{of_loss[0]};
      for (size_t i = 1; i < parameters.size(); ++i) of_stage.push_back(argument(out, stage, parameters[i]));
      of_loss = out.append(Call{pipeline_.stage}, of_stage, {}, location_);
    }
    for (size_t i = 1; i < loss.body().arguments.size(); ++i) {
      of_loss.push_back(argument(out, loss, loss.body().arguments[i]));
    }
    std::vector<ValueId> results = out.append(Call{pipeline_.loss}, of_loss, {}, location_);
    for (size_t i = 1; i < results.size(); ++i) {
      if (out.type(results[i]).has_gradient) results[i] = out.add_op(StopGradient{}, {results[i]}, "", location_);
    }
    out.results(std::move(results), location_);
    return out.finish();
  }

  ValueId argument(Builder& out, const Program& function, ValueId id) const {
    return out.argument("", function.value(id).type, location_);
  }

  /// The input, then the arguments of a stage that `wrt` of the pipeline counts.
  std::vector<size_t> wrt_of_stage() const {
    const size_t own = pipeline_.functions(module_).stage_operands();
    std::vector<size_t> wrt{0};
    for (const int64_t i : pipeline_.wrt) {
      if (i > 0 && static_cast<size_t>(i) < own) wrt.push_back(static_cast<size_t>(i));
    }
    return wrt;
  }

  /// The same of a chain, those of stages once per stage.
  std::vector<size_t> wrt_of_chain(int64_t stages) const {
    const size_t own = pipeline_.functions(module_).stage_operands(), all = static_cast<size_t>(stages);
    std::vector<size_t> wrt{0};
    for (const int64_t operand : pipeline_.wrt) {
      const auto i = static_cast<size_t>(operand);
      for (size_t s = 0; i > 0 && i < own && s < all; ++s) wrt.push_back(i + s * (own - 1));
      if (i >= own) wrt.push_back(i + (all - 1) * (own - 1));
    }
    return wrt;
  }

  /// The first result must have a gradient.
  std::optional<autodiff::Vjp> derive(ProgramId function, const std::vector<size_t>& wrt) {
    std::optional<autodiff::Vjp> vjp = autodiff::build_vjp(module_, function, wrt, sink_, location_);
    if (!vjp || vjp->active_results == std::vector<size_t>{0}) return vjp;
    sink_.error("A-loss", location_,
                "pipeline: the " +
                    std::string(function == pipeline_.stage ? "output of the stage @" : "loss behind @") +
                    module_.program(pipeline_.stage).name() +
                    " has no gradient; expected one that flows back through all stages");
    return std::nullopt;
  }

  /// The backward part for a loss whose gradient is 1: on every device for I and P, on one device for R.
  std::optional<ProgramId> with_seed(const autodiff::Vjp& vjp) {
    const Program backward = module_.program(vjp.backward);
    const Program& forward = module_.program(vjp.forward);
    const ValueType loss = forward.value(forward.body().results[0]).type;
    Builder out(module_, backward.name() + ".of_loss", backward.shared_mesh(), sink_,
                BuilderOptions{ProgramKind::function, true, location_});
    std::vector<ValueId> operands{out.add_op(Constant{Rational(1), loss.tensor.dtype, {}}, {}, "", location_)};
    const Group replicated = axes_in(loss.states, State::replicated), varying = axes_in(loss.states, State::varying);
    if (!varying.empty()) {
      operands[0] = out.add_op(Reinterpret{varying, State::varying}, {operands[0]}, "", location_);
    }
    if (!replicated.empty()) {
      operands[0] = out.add_op(ConvertState{replicated, State::partial, 0}, {operands[0]}, "", location_);
    }
    const std::vector<ValueId>& arguments = backward.body().arguments;
    for (size_t i = 1; i < arguments.size(); ++i) operands.push_back(argument(out, backward, arguments[i]));
    out.results(out.append(Call{vjp.backward}, operands, {}, location_), location_);
    return out.finish();
  }

  Module& module_;
  const PipelineRun& pipeline_;
  DiagnosticSink& sink_;
  const Location& location_;
  std::set<ProgramId> seen_;
};

}  // namespace

std::optional<PipelineParts> pipeline_parts(Module& module, const PipelineRun& pipeline, DiagnosticSink& sink,
                                            const Location& location) {
  return Parts(module, pipeline, sink, location).run();
}

std::optional<PipelineChain> pipeline_chain(Module& module, const PipelineRun& pipeline, int64_t stages,
                                            DiagnosticSink& sink, const Location& location) {
  return Parts(module, pipeline, sink, location).run_chain(stages);
}

bool check_pipeline(const Module& module, const PipelineRun& pipeline, DiagnosticSink& sink, const Location& location) {
  Module copy = module;
  return pipeline_parts(copy, pipeline, sink, location).has_value();
}

}  // namespace isoshard
