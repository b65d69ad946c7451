// Lowers one pipeline op: binds each action of its schedule, F, B, I or W of one micro-batch on one stage, to a
// function of pipeline_parts.h, and puts sends and receives between them (docs/spec/plan.md, "Pipelines";
// docs/adr/0024-pipelines.md). Actions are issued in one global order in which each comes after those it needs, and a
// receive directly behind its send; so no launch order deadlocks, even with all channels on one queue. Gradients and
// losses are added up in the order of the calls, which fixes their rounding. Between F and B a rank holds what B reads,
// between I and W what W reads, and nothing else. A rank with several stages cuts its stacked operands before the first
// action, and hands over to itself without a message. A function is lowered once per rank and copied for other
// micro-batches and stages. Cost: the instructions that are made.
#include "core/plan/passes/lower_pipeline.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/schedule/schedules.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

class PipelineLowering {
 public:
  PipelineLowering(const PipelineSite& site, PipelineChannels& channels, PlanBuilder& out, FunctionLowering& functions)
      : site_(site),
        channels_(channels),
        op_(site.op),
        out_(out),
        functions_(functions),
        placement_(op_.placed(*site.mesh)),
        own_(op_.functions(site.module).stage_operands()),
        stages_(static_cast<size_t>(placement_.stages())),
        gradients_(static_cast<size_t>(placement_.ranks)) {
    for (Stage& stage : stages_) stage.micro.resize(static_cast<size_t>(op_.microbatches));
    further_.resize(site.parts.further);
    const PipelineFunctions bound = op_.functions(site.module);
    for (size_t i = 0; i < site.operands[0].size(); ++i) {
      const TensorType &given = type_of_operand(i), &parameter = bound.parameter(i).tensor;
      cut_.push_back(op_.is_cut(given, parameter));
      stacked_.push_back(i > 0 && i < own_ && op_.is_stacked(given, parameter));
    }
  }

  std::vector<PlanValues> run() {
    for (size_t stage = 0; stage < stages_.size(); ++stage) cut_operands(stage);
    for (const schedule::Action& action : schedule::issue_order(op_.action_lists(*site_.mesh), placement_)) {
      const auto stage = static_cast<size_t>(action.stage), k = static_cast<size_t>(action.micro_batch);
      out_.begin_action({site_.number, action});
      if (action.kind == schedule::ActionKind::forward) {
        forward(stage, k, schedule::to_string(action));
      } else if (!op_.wrt.empty()) {
        backward(stage, k, action.kind, schedule::to_string(action));
      }
      out_.end_action();
      add_up(static_cast<size_t>(action.stage));
    }
    std::vector<PlanValues> results;
    for (size_t rank = 0; rank < gradients_.size(); ++rank) results.push_back(results_of(rank));
    return results;
  }

 private:
  /// What a stage holds of one micro-batch.
  struct MicroBatch {
    PlanValueId input, cotangent;  ///< as received
    PlanValues residuals;          ///< of F, and of I what W reads
  };
  /// The gradient of one operand, or of the part of it that a stage has: a sum, or parts by micro-batch where the
  /// operand is cut.
  struct Gradient {
    PlanValueId sum;
    std::map<size_t, PlanValueId> parts;
  };
  /// What an action has for a sum over micro-batches.
  struct Term {
    PlanValueId* sum;
    PlanValueId value;
    std::string name;
  };
  struct Message {
    std::optional<WrittenCall> send, receive;
  };
  struct Stage {
    PlanValues operands;  ///< those of the rank, cut by stages where they are stacked
    std::vector<MicroBatch> micro;
  };

  bool is_last(size_t stage) const { return stage + 1 == stages_.size(); }
  size_t rank_of(size_t stage) const { return static_cast<size_t>(placement_.rank_of(static_cast<int64_t>(stage))); }
  size_t chunk_of(size_t stage) const { return static_cast<size_t>(placement_.chunk_of(static_cast<int64_t>(stage))); }
  void continue_group_of(size_t stage) { out_.continue_group(site_.groups[rank_of(stage)]); }
  const TensorType& type_of_operand(size_t i) const { return out_.type(site_.operands[0][i]); }

  /// Before the first action, since all actions of a kind make the same values.
  void cut_operands(size_t stage) {
    continue_group_of(stage);
    PlanValues& operands = stages_[stage].operands;
    operands = site_.operands[rank_of(stage)];
    for (size_t i = 1; i < own_; ++i) {
      if (!stacked_[i]) continue;
      const std::string name = parameter_name(i) + "." + std::to_string(stage);
      const PlanValueId row = out_.take_block(operands[i], 0, Expr(static_cast<int64_t>(chunk_of(stage))),
                                              placement_.per_rank, name + ".row", site_.location);
      TensorType type = out_.type(row);
      type.shape.erase(type.shape.begin());
      operands[i] = out_.local(Reshape{type.shape}, {row}, type, name, site_.location);
    }
  }

  /// Operand `i` for micro-batch `k`.
  PlanValueId operand(size_t stage, size_t i, size_t k, const std::string& name) {
    const PlanValueId whole = stages_[stage].operands[i];
    if (!cut_[i]) return whole;
    return out_.take_block(whole, 0, Expr(static_cast<int64_t>(k)), op_.microbatches, name + "." + parameter_name(i),
                           site_.location);
  }

  std::string parameter_name(size_t i) const {
    const Program& function = site_.module.program(i < own_ ? op_.stage : op_.loss);
    return function.value(function.body().arguments[i < own_ ? i : i - own_ + 1]).name;
  }

  /// The results of a function on a stage.
  PlanValues call(size_t stage, ProgramId function, PlanValues arguments, const std::string& name) {
    const std::string prefix = name + ".";
    const size_t rank = rank_of(stage);
    return write(calls_[{rank, function}], arguments,
                 [&] { return functions_.apply(site_.groups[rank], function, arguments, prefix, site_.location); });
  }

  /// What `make` writes for these arguments, or a copy of what it wrote for others.
  template <class Make>
  PlanValues write(std::optional<WrittenCall>& known, const PlanValues& arguments, const Make& make) {
    if (known && PlanBuilder::may_copy(*known, arguments)) return out_.copy_call(*known, arguments);
    WrittenCall made = out_.begin_call(arguments);
    PlanValues results = make();
    out_.end_call(made, results);
    if (!known) known = std::move(made);
    return results;
  }

  void forward(size_t stage, size_t k, const std::string& name) {
    continue_group_of(stage);
    MicroBatch& micro = stages_[stage].micro[k];
    PlanValues arguments{stage == 0 ? operand(0, 0, k, name) : std::exchange(micro.input, PlanValueId())};
    const size_t end = is_last(stage) ? stages_[stage].operands.size() : own_;
    for (size_t i = 1; i < end; ++i) arguments.push_back(operand(stage, i, k, name));
    const ProgramId function = is_last(stage) ? site_.parts.last_forward : site_.parts.forward;
    PlanValues results = call(stage, function, std::move(arguments), name);
    const size_t values = is_last(stage) ? 1 + further_.size() : 1;
    micro.residuals.assign(results.begin() + static_cast<std::ptrdiff_t>(values), results.end());
    if (!is_last(stage)) {
      stages_[stage + 1].micro[k].input = hand_over(stage, stage + 1, results[0], name);
      return;
    }
    terms_.push_back({&loss_, results[0], site_.names[0] + ".sum"});
    for (size_t i = 0; i < further_.size(); ++i) further_[i][k] = results[1 + i];
  }

  /// B, or one of its parts I and W.
  void backward(size_t stage, size_t k, schedule::ActionKind kind, const std::string& name) {
    continue_group_of(stage);
    const std::optional<SplitFunction>& split = is_last(stage) ? site_.parts.last_split : site_.parts.split;
    if (kind == schedule::ActionKind::weight_gradient) {
      if (split) take_weights(stage, k, weight_gradients(stage, k, *split, name));
      return;
    }
    PlanValues results;
    if (kind == schedule::ActionKind::input_gradient && split) {
      results = input_gradient(stage, k, *split, name);
    } else {
      const ProgramId function = is_last(stage) ? site_.parts.last_backward : site_.parts.backward;
      results = call(stage, function, take_residuals(stage, k), name);
      take_weights(stage, k, {results.begin() + 1, results.end()});
    }
    take_input_gradient(stage, k, results[0], name);
  }

  /// The arguments of the backward part.
  PlanValues take_residuals(size_t stage, size_t k) {
    const MicroBatch micro = std::exchange(stages_[stage].micro[k], MicroBatch());
    PlanValues arguments;
    if (!is_last(stage)) arguments.push_back(micro.cotangent);
    arguments.insert(arguments.end(), micro.residuals.begin(), micro.residuals.end());
    return arguments;
  }

  static PlanValues chosen(const PlanValues& all, const std::vector<size_t>& which) {
    PlanValues result;
    for (const size_t i : which) result.push_back(all[i]);
    return result;
  }

  /// Leaves what the W of the micro-batch reads.
  PlanValues input_gradient(size_t stage, size_t k, const SplitFunction& split, const std::string& name) {
    const PlanValues arguments = take_residuals(stage, k);
    PlanValues results = call(stage, split.first, chosen(arguments, split.first_arguments), name);
    PlanValues& kept = stages_[stage].micro[k].residuals;
    kept = chosen(arguments, split.second_arguments);
    kept.insert(kept.end(), results.begin() + 1, results.end());
    return results;
  }
  PlanValues weight_gradients(size_t stage, size_t k, const SplitFunction& split, const std::string& name) {
    PlanValues arguments = std::exchange(stages_[stage].micro[k].residuals, {});
    return call(stage, split.second, std::move(arguments), name);
  }

  /// To the stage before; the first one keeps it where it is wanted.
  void take_input_gradient(size_t stage, size_t k, PlanValueId gradient, const std::string& name) {
    if (stage > 0) {
      stages_[stage - 1].micro[k].cotangent = hand_over(stage, stage - 1, gradient, name);
      return;
    }
    const auto wanted = std::find(op_.wrt.begin(), op_.wrt.end(), 0);
    if (wanted != op_.wrt.end()) take_gradient(stage, static_cast<size_t>(wanted - op_.wrt.begin()), k, gradient);
  }
  /// The gradients of all other operands that this stage reads, in the order of wrt.
  void take_weights(size_t stage, size_t k, const PlanValues& gradients) {
    size_t next = 0;
    for (size_t w = 0; w < op_.wrt.size(); ++w) {
      const auto i = static_cast<size_t>(op_.wrt[w]);
      if (i > 0 && (i < own_ || is_last(stage))) take_gradient(stage, w, k, gradients[next++]);
    }
  }

  void take_gradient(size_t stage, size_t w, size_t k, PlanValueId part) {
    const auto i = static_cast<size_t>(op_.wrt[w]);
    Gradient& gradient = gradients_[rank_of(stage)][{w, stacked_[i] ? chunk_of(stage) : 0}];
    terms_.push_back({cut_[i] ? &gradient.parts[k] : &gradient.sum, part, name_of_gradient(w) + ".sum"});
  }
  const std::string& name_of_gradient(size_t w) const { return site_.names[1 + further_.size() + w]; }

  /// Adds the terms of the action that has ended to their sums: the first one is the sum. Sums are part of no action,
  /// as every action of a kind makes the same values.
  void add_up(size_t stage) {
    continue_group_of(stage);
    for (const Term& term : terms_) {
      PlanValueId& sum = *term.sum;
      if (!sum.valid()) {
        sum = term.value;
        continue;
      }
      const auto add = [&] {
        const TensorType type = out_.type(term.value);
        return PlanValues{out_.local(Add{}, {sum, term.value}, type, term.name, site_.location)};
      };
      sum = write(sums_[term.sum], {sum, term.value}, add)[0];
    }
    terms_.clear();
  }

  /// What the other stage has of `value`.
  PlanValueId hand_over(size_t stage, size_t other, PlanValueId value, const std::string& name) {
    const size_t from = rank_of(stage), to = rank_of(other);
    if (from == to) return value;
    const CommunicatorId channel = channel_between(from, to);
    Message& message = messages_[{from, to}];
    out_.continue_group(site_.groups[from]);
    write(message.send, {value}, [&] {
      out_.send(channel, value, Expr(static_cast<int64_t>(to)), site_.location);
      return PlanValues();
    });
    out_.continue_group(site_.groups[to]);
    const auto receive = [&] {
      const TensorType type = out_.type(value);
      return PlanValues{
          out_.receive(channel, Expr(static_cast<int64_t>(from)), type, name + ".received", site_.location)};
    };
    return write(message.receive, {}, receive)[0];
  }

  CommunicatorId channel_between(size_t from, size_t to) {
    const auto known = channels_.find({from, to});
    if (known != channels_.end()) return known->second;
    const std::string name =
        "send " + site_.mesh->to_string(op_.axis) + " " + std::to_string(from) + "->" + std::to_string(to);
    return channels_[{from, to}] = out_.add_communicator(op_.axis, name);
  }

  // Results.

  PlanValues results_of(size_t rank) {
    out_.continue_group(site_.groups[rank]);
    const bool has_loss = rank == rank_of(stages_.size() - 1);
    PlanValues results{has_loss ? averaged(loss_, site_.names[0]) : zeros(0)};
    for (size_t i = 0; i < further_.size(); ++i) {
      results.push_back(has_loss ? joined(further_[i], site_.results[1 + i], site_.names[1 + i]) : zeros(1 + i));
    }
    for (size_t w = 0; w < op_.wrt.size(); ++w) results.push_back(gradient_of(rank, w));
    return results;
  }

  PlanValueId gradient_of(size_t rank, size_t w) {
    const size_t r = 1 + further_.size() + w;
    const auto i = static_cast<size_t>(op_.wrt[w]);
    const std::string& name = name_of_gradient(w);
    if (!stacked_[i]) {
      const auto gradient = gradients_[rank].find({w, 0});
      return gradient == gradients_[rank].end() ? zeros(r) : averaged(total_of(gradient->second, r), name);
    }
    std::map<size_t, PlanValueId> rows;  // by stage of the rank
    for (size_t chunk = 0; chunk < static_cast<size_t>(placement_.per_rank); ++chunk) {
      const std::string of_chunk = name + "." + std::to_string(chunk);
      rows[chunk] = with_row(averaged(gradients_[rank].at({w, chunk}).sum, of_chunk), of_chunk + ".row");
    }
    return joined(rows, site_.results[r], name);
  }
  PlanValueId total_of(const Gradient& gradient, size_t r) {
    return gradient.sum.valid() ? gradient.sum : joined(gradient.parts, site_.results[r], site_.names[r] + ".sum");
  }

  PlanValueId constant(const Rational& value, const TensorType& type, const std::string& name) {
    return out_.local(Constant{value, type.dtype, type.shape}, {}, type, name, site_.location);
  }
  PlanValueId zeros(size_t r) { return constant(Rational(0), site_.results[r], site_.names[r]); }

  /// A result from its sum over micro-batches.
  PlanValueId averaged(PlanValueId sum, const std::string& name) {
    if (op_.loss_of == LossOf::sum || op_.microbatches == 1) return sum;
    const TensorType type = out_.type(sum);
    const PlanValueId count = constant(Rational(op_.microbatches), type, name + ".microbatches");
    return out_.local(Divide{}, {sum, count}, type, name, site_.location);
  }

  /// Parts, by micro-batch or stage, along dimension 0; scalars as a vector.
  PlanValueId joined(const std::map<size_t, PlanValueId>& parts, const TensorType& type, const std::string& name) {
    PlanValues rows;
    for (const auto& [k, part] : parts) {
      rows.push_back(out_.type(part).shape.empty() ? with_row(part, name + "." + std::to_string(k)) : part);
    }
    if (rows.size() == 1) return rows[0];
    return out_.local(Concatenate{0}, std::move(rows), type, name, site_.location);
  }

  /// `part` with a dimension of size 1 in front.
  PlanValueId with_row(PlanValueId part, const std::string& name) {
    TensorType type = out_.type(part);
    type.shape.insert(type.shape.begin(), 1);
    return out_.local(Reshape{type.shape}, {part}, type, name, site_.location);
  }

  const PipelineSite& site_;
  PipelineChannels& channels_;
  const PipelineRun& op_;
  PlanBuilder& out_;
  FunctionLowering& functions_;
  schedule::Placement placement_;
  size_t own_;                 ///< operands of the stage
  std::vector<bool> cut_;      ///< per operand: each micro-batch has its part
  std::vector<bool> stacked_;  ///< per operand: each stage of a rank has its part
  std::vector<Stage> stages_;
  std::vector<std::map<std::pair<size_t, size_t>, Gradient>> gradients_;  ///< per rank, by entry of wrt and stage
  // What was written first, to be copied.
  std::map<std::pair<size_t, ProgramId>, std::optional<WrittenCall>> calls_;  ///< by rank and function
  std::map<std::pair<size_t, size_t>, Message> messages_;                     ///< by sender and receiver
  std::map<const PlanValueId*, std::optional<WrittenCall>> sums_;             ///< by the sum
  PlanValueId loss_;                                                          ///< on the last rank, so far
  std::vector<Term> terms_;                                                   ///< of the action being lowered
  std::vector<std::map<size_t, PlanValueId>> further_;  ///< results behind the loss, by micro-batch
};

}  // namespace

PartsByOp add_pipeline_parts(Module& extended, const Program& program) {
  PartsByOp result;
  for (const OpId id : program.body().ops) {
    const Op& op = program.op(id);
    const PipelineRun* pipeline = std::get_if<PipelineRun>(&op.data);
    if (pipeline == nullptr) continue;
    DiagnosticSink sink;
    const std::optional<PipelineParts> parts = pipeline_parts(extended, *pipeline, sink, op.location);
    ISOSHARD_CHECK(parts.has_value(), sink.diagnostics().front().message.c_str());
    result.emplace(id, *parts);
  }
  return result;
}

std::vector<PlanValues> lower_pipeline(const PipelineSite& site, PipelineChannels& channels, PlanBuilder& out,
                                       FunctionLowering& functions) {
  return PipelineLowering(site, channels, out, functions).run();
}

}  // namespace isoshard
