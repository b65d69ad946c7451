// Writes a program's pipelines out without a schedule, as what they are compared with: every rank gathers the
// parameters of all stages, runs the stages one after another for each micro-batch, differentiates them as one
// function, and keeps what the pipeline would give it. It goes by micro-batches because functions have the shapes of
// one; it shares the user's functions with the lowering of pipelines and nothing else, so a mistake in schedules, sends
// or sums shows. Sums are in the order of micro-batches. Cost: stages times micro-batches, on every rank.
#include "core/transform/pipeline/pipeline_reference.h"

#include <algorithm>
#include <utility>

#include "core/transform/autodiff/emitter.h"
#include "core/transform/copy_region.h"
#include "core/transform/pipeline/pipeline_parts.h"

namespace isoshard {
namespace {

using Values = std::vector<ValueId>;

/// One pipeline op, written out into the Builder of the reference.
class WrittenOut {
 public:
  WrittenOut(Module& module, const PipelineRun& op, Values operands, Builder& out, const Location& location)
      : module_(module),
        op_(op),
        operands_(std::move(operands)),
        out_(out),
        at_(out, location),
        placement_(op.placed(out.mesh())),
        own_(op.functions(module).stage_operands()) {
    const PipelineFunctions bound = op.functions(module);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const TensorType &given = out.type(operands_[i]).tensor, &parameter = bound.parameter(i).tensor;
      cut_.push_back(op.is_cut(given, parameter));
      stacked_.push_back(i > 0 && i < own_ && op.is_stacked(given, parameter));
    }
  }

  /// The results of the op; nothing after an error.
  std::optional<Values> run(DiagnosticSink& sink) {
    const std::optional<PipelineChain> chain = pipeline_chain(module_, op_, placement_.stages(), sink, at_.location());
    if (!chain) return std::nullopt;
    for (int64_t k = 0; k < op_.microbatches; ++k) micro_batch(*chain, k);
    return results(*chain);
  }

 private:
  State state(ValueId value) const { return out_.type(value).states[op_.axis.axes[0].index()]; }
  bool is_varying(size_t i) const { return state(operands_[i]) == State::varying; }
  /// The rank of the last stage.
  int64_t last() const { return placement_.rank_of(placement_.last()); }

  /// Equal values as values that each device has.
  ValueId varying(ValueId x) {
    return state(x) == State::varying ? x : at_.op(Reinterpret{op_.axis, State::varying}, {x});
  }

  /// Rows `start` to `limit` along dimension 0.
  ValueId rows(ValueId x, int64_t start, int64_t limit) {
    Shape from(at_.shape(x).size(), 0), to = at_.shape(x);
    from[0] = start;
    to[0] = limit;
    return at_.op(Slice{std::move(from), std::move(to), {}}, {x});
  }

  ValueId reshaped(ValueId x, Shape shape) { return at_.op(Reshape{std::move(shape)}, {x}); }
  Shape with_rows(ValueId x) {
    Shape shape = at_.shape(x);
    shape.insert(shape.begin(), 1);
    return shape;
  }

  /// Operand `i` of stage `s`, on all devices.
  ValueId of_stage(size_t i, int64_t s) {
    const ValueId on_rank = of_rank(i, placement_.rank_of(s));
    if (!stacked_[i]) return on_rank;
    const int64_t chunk = placement_.chunk_of(s);
    Shape shape = at_.shape(on_rank);
    shape.erase(shape.begin());
    return reshaped(rows(on_rank, chunk, chunk + 1), std::move(shape));
  }

  /// Operand `i` as the devices of a rank hold it, on all devices.
  ValueId of_rank(size_t i, int64_t rank) {
    const ValueId operand = operands_[i];
    if (!is_varying(i)) return varying(operand);
    ValueId& all = gathered_[i];
    if (!all.valid()) {
      const bool gradient = out_.type(operand).has_gradient;
      const std::optional<State> to = gradient ? std::optional(State::replicated) : std::nullopt;
      all = at_.op(AllGather{op_.axis, 0, to}, {reshaped(operand, with_rows(operand))});
    }
    return varying(reshaped(rows(all, rank, rank + 1), at_.shape(operand)));
  }

  ValueId argument(size_t i, int64_t stage, int64_t k) {
    const ValueId whole = of_stage(i, stage);
    if (!cut_[i]) return whole;
    const int64_t size = at_.shape(whole)[0] / op_.microbatches;
    return rows(whole, k * size, (k + 1) * size);
  }

  void micro_batch(const PipelineChain& chain, int64_t k) {
    Values arguments{argument(0, 0, k)};
    for (int64_t s = 0; s < placement_.stages(); ++s) {
      for (size_t i = 1; i < own_; ++i) arguments.push_back(argument(i, s, k));
    }
    for (size_t i = own_; i < operands_.size(); ++i) arguments.push_back(argument(i, placement_.last(), k));
    const Values forward = at_.ops(Call{chain.forward}, std::move(arguments));
    const auto residuals = forward.begin() + static_cast<std::ptrdiff_t>(1 + chain.further);
    values_.resize(1 + chain.further);
    for (size_t r = 0; r < values_.size(); ++r) values_[r].push_back(without_gradient(forward[r]));
    if (op_.wrt.empty()) return;
    const Values backward = at_.ops(Call{chain.backward}, {residuals, forward.end()});
    gradients_.resize(backward.size());
    for (size_t g = 0; g < backward.size(); ++g) gradients_[g].push_back(backward[g]);
  }

  ValueId without_gradient(ValueId x) { return out_.type(x).has_gradient ? at_.op(StopGradient{}, {x}) : x; }

  ValueId sum(const Values& terms) {
    ValueId total = terms[0];
    for (size_t i = 1; i < terms.size(); ++i) total = at_.add(total, terms[i]);
    return total;
  }
  ValueId joined(Values parts) {
    for (ValueId& part : parts) {
      if (at_.shape(part).empty()) part = reshaped(part, {1});
    }
    return parts.size() == 1 ? parts[0] : at_.op(Concatenate{0}, std::move(parts));
  }
  ValueId averaged(ValueId total) {
    if (op_.loss_of == LossOf::sum || op_.microbatches == 1) return total;
    return at_.divide(total, at_.constant_like(total, Rational(op_.microbatches)));
  }

  ValueId index() { return at_.op(AxisIndex{op_.axis}, {}); }
  /// `x` on the devices of one rank, zeros on all others; a term of a sum where `partial`.
  ValueId only_on(int64_t rank, ValueId x, bool partial) {
    const ValueId here = at_.compare(Direction::eq, index(), at_.constant(Rational(rank), {DType::i32, {}}));
    const ValueId kept = at_.where(here, x);
    return partial ? at_.op(Reinterpret{op_.axis, State::partial}, {kept}) : kept;
  }

  ValueId stacked(const Values& values) {
    Values parts;
    for (const ValueId x : values) parts.push_back(reshaped(x, with_rows(x)));
    return parts.size() == 1 ? parts[0] : at_.op(Concatenate{0}, std::move(parts));
  }

  /// That of the device's own rank.
  ValueId own(const Values& by_rank) {
    const Shape shape = at_.shape(by_rank[0]);
    const ValueId all = stacked(by_rank);
    Values operands{all, index()};
    for (size_t d = 0; d < shape.size(); ++d) operands.push_back(at_.constant(Rational(0), {DType::i32, {}}));
    Shape sizes = at_.shape(all);
    sizes[0] = 1;
    return reshaped(at_.op(DynamicSlice{std::move(sizes)}, std::move(operands)), shape);
  }

  Values results(const PipelineChain& chain) {
    Values result{only_on(last(), averaged(sum(values_[0])), true)};
    for (size_t r = 1; r <= chain.further; ++r) result.push_back(only_on(last(), joined(values_[r]), true));
    size_t next = 1;
    for (const int64_t operand : op_.wrt) {
      const auto i = static_cast<size_t>(operand);
      const size_t count = i == 0 || i >= own_ ? 1 : static_cast<size_t>(placement_.stages());
      const size_t first = i == 0 ? 0 : next;
      Values totals;
      for (size_t g = first; g < first + count; ++g) {
        totals.push_back(averaged(cut_[i] ? joined(gradients_[g]) : sum(gradients_[g])));
      }
      if (i != 0) next += count;
      result.push_back(gradient(i, totals));
    }
    return result;
  }

  /// From those of the stages, or the one of the input or of the loss.
  ValueId gradient(size_t i, const Values& totals) {
    const bool of_stages = i > 0 && i < own_;
    if (!of_stages) return only_on(i < own_ ? 0 : last(), sum(totals), !is_varying(i));
    Values by_rank;
    for (int64_t rank = 0; rank < placement_.ranks; ++rank) by_rank.push_back(of_its_stages(i, rank, totals));
    return is_varying(i) ? own(by_rank) : only_on(0, sum(by_rank), true);
  }
  ValueId of_its_stages(size_t i, int64_t rank, const Values& totals) {
    Values own;
    for (int64_t c = 0; c < placement_.per_rank; ++c) {
      own.push_back(totals[static_cast<size_t>(placement_.stage_of(rank, c))]);
    }
    return stacked_[i] ? stacked(own) : sum(own);
  }

  Module& module_;
  const PipelineRun& op_;
  Values operands_;
  Builder& out_;
  autodiff::Emitter at_;
  schedule::Placement placement_;
  size_t own_;                          ///< operands of the stage
  std::vector<bool> cut_;               ///< per operand: each micro-batch has its part
  std::vector<bool> stacked_;           ///< per operand: each stage of a rank has its part
  std::map<size_t, ValueId> gathered_;  ///< operands of all stages, by operand
  std::vector<Values> values_;          ///< the loss and what stands behind it, per micro-batch
  std::vector<Values> gradients_;       ///< of the arguments of the chain, per micro-batch
};

class Reference {
 public:
  Reference(Module& module, ProgramId program, DiagnosticSink& sink)
      : module_(module),
        program_(module.program(program)),
        sink_(sink),
        out_(module, program_.name() + ".reference", program_.shared_mesh(), sink,
             BuilderOptions{ProgramKind::program, true, program_.location()}),
        copy_(program_, out_, options_) {}

  std::optional<ProgramId> run() {
    Region between;
    for (const OpId id : program_.body().ops) {
      const Op& op = program_.op(id);
      const PipelineRun* pipeline = std::get_if<PipelineRun>(&op.data);
      if (pipeline == nullptr) {
        between.ops.push_back(id);
        continue;
      }
      if (!copy_.copy(std::exchange(between, {})) || !write_out(*pipeline, op)) return std::nullopt;
    }
    if (!copy_.copy(between)) return std::nullopt;
    for (const Output& output : program_.outputs()) {
      for (const ReturnPart& part : output.parts) {
        out_.output(output.name, copy_.value(part.value), part.layout, part.location, output.type);
      }
    }
    for (const Output& update : program_.updates()) {
      for (const ReturnPart& part : update.parts) {
        out_.update(update.updates, copy_.value(part.value), part.layout, part.location);
      }
    }
    return out_.finish();
  }

 private:
  bool write_out(const PipelineRun& pipeline, const Op& op) {
    if (!is_short(pipeline, op)) return false;
    Values operands;
    for (const ValueId id : op.operands) operands.push_back(copy_.value(id));
    const std::optional<Values> results =
        WrittenOut(module_, pipeline, std::move(operands), out_, op.location).run(sink_);
    for (size_t i = 0; results && i < op.results.size(); ++i) copy_.bind(op.results[i], (*results)[i]);
    return results.has_value();
  }

  /// All stages of all micro-batches stand in the reference, each with its ops.
  bool is_short(const PipelineRun& pipeline, const Op& op) const {
    constexpr int64_t kMost = 200'000;
    const int64_t stages = pipeline.placed(*program_.shared_mesh()).stages();
    if (pipeline.microbatches <= kMost / stages) return true;
    sink_.error("E-limit", op.location,
                "@" + program_.name() + ".reference would hold " + std::to_string(pipeline.microbatches) +
                    " micro-batches of " + std::to_string(stages) + " stages; expected at most " +
                    std::to_string(kMost) +
                    " of all stages together: check fewer micro-batches, or against a program of your own");
    return false;
  }

  Module& module_;
  const Program program_;  ///< a copy: the module grows
  DiagnosticSink& sink_;
  const CopyOptions options_{};
  Builder out_;
  RegionCopy copy_;
};

}  // namespace

bool has_pipeline(const Program& program) {
  const std::vector<OpId>& ops = program.body().ops;
  return std::any_of(ops.begin(), ops.end(),
                     [&](OpId id) { return std::holds_alternative<PipelineRun>(program.op(id).data); });
}

std::optional<ProgramId> build_pipeline_reference(Module& module, ProgramId program, DiagnosticSink& sink) {
  return Reference(module, program, sink).run();
}

}  // namespace isoshard
