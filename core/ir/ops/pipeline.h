#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"
#include "core/schedule/action.h"
#include "core/schedule/placement.h"

namespace isoshard {

/// What the losses of the micro-batches add up to.
enum class LossOf : uint8_t {
  mean,  ///< the mean over micro-batches, as in PyTorch's pipelines and accumulate_gradients
  sum,   ///< the sum, for a loss that is divided by the size of the whole batch already
};

/// The funcs of a pipeline, and how its operands are bound to their parameters: first those of the stage, then those of
/// the loss behind the output of the last stage.
struct PipelineFunctions {
  FunctionSignature stage, loss;

  size_t stage_operands() const { return stage.parameters.size(); }
  size_t operands() const { return stage_operands() + loss.parameters.size() - 1; }
  /// The type of the parameter that operand `i` is bound to.
  const ValueType& parameter(size_t i) const {
    return i < stage_operands() ? stage.parameters[i]->type : loss.parameters[i - stage_operands() + 1]->type;
  }
};

/// Runs a chain of stages, `stages_per_rank` per coordinate of `axis`, over micro-batches, and the loss behind the last
/// one, in the order of a schedule; gives the loss and its gradients.
///
/// Operands: the input of stage 0, then the stage's other arguments, then those of the loss behind the output of the
/// last stage. An operand that is `microbatches` times as long along dimension 0 as the parameter is cut into
/// micro-batches; others are parameters, the same for all of them. Where a rank has several stages an argument of the
/// stage may have a dimension in front, of that size: each stage of the rank then has its own, the earliest first.
/// Results: the loss, what else the loss function returns (joined along dimension 0; scalars as a vector), and the
/// gradients of the operands `wrt`. Results of the loss are zero on all stages but the last: P over `axis`. Gradients
/// are summed over micro-batches in the order of the backward actions and have dual states; nothing is reduced. The
/// input is read by stage 0 only.
struct PipelineRun {
  ProgramId stage;
  ProgramId loss;
  Group axis;
  int64_t microbatches = 1;
  std::vector<int64_t> wrt;
  std::string schedule;
  std::string actions;
  LossOf loss_of = LossOf::mean;
  std::optional<int64_t> stages_per_rank{};  ///< 1 when omitted
  schedule::Style placement = schedule::Style::loop;

  static constexpr std::string_view kName = "pipeline";
  static constexpr std::string_view kDoc =
      "Runs stages on the devices along an axis over micro-batches, in the order of a schedule.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = -1;
  static constexpr OpFacts kFacts{OpClass::structure};
  static constexpr auto fields() {
    return std::tuple{
        field("stage", &PipelineRun::stage, "the func of one stage"),
        field("loss", &PipelineRun::loss, "the func of the loss"),
        field("axis", &PipelineRun::axis, "the axis along which the stages stand"),
        field("microbatches", &PipelineRun::microbatches, "how many micro-batches the input is cut into"),
        optional_field("wrt", &PipelineRun::wrt, "the operands, counted from 0, whose gradients are wanted"),
        optional_field("schedule", &PipelineRun::schedule,
                       "\"GPipe\", \"1F1B\", \"ZB-H1\", \"LoopedBFS\", \"Interleaved1F1B\" or \"ZBVZeroBubble\""),
        optional_field("actions", &PipelineRun::actions,
                       "the actions of each rank in PyTorch's text, ranks joined by `;`"),
        optional_field("loss_of", &PipelineRun::loss_of, "whether losses are averaged (the default) or summed"),
        optional_field("stages_per_rank", &PipelineRun::stages_per_rank,
                       "how many stages each rank has; 1 when omitted"),
        optional_field("placement", &PipelineRun::placement,
                       "loop (the default): stages go around; v: there and back by turns")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const PipelineRun&) const = default;

  /// Which rank, a coordinate of `axis`, runs which stage.
  schedule::Placement placed(const Mesh& mesh) const {
    return {mesh.size(axis), stages_per_rank.value_or(1), placement};
  }
  /// The actions of each rank; requires that `infer` has accepted the op.
  schedule::ActionLists action_lists(const Mesh& mesh) const;
  PipelineFunctions functions(const SymbolTable& symbols) const;
  /// Whether an operand of type `type` is cut into micro-batches for a parameter of type `parameter`.
  bool is_cut(const TensorType& type, const TensorType& parameter) const;
  /// Whether an operand of type `type` has a part for each stage of a rank, for a parameter of type `parameter`.
  bool is_stacked(const TensorType& type, const TensorType& parameter) const;

 private:
  bool check_funcs(const InferContext& context) const;
  bool check_operands(const InferContext& context) const;
  bool check_schedule(const InferContext& context) const;
  bool check_wrt(const InferContext& context) const;
};

/// What a func of a pipeline takes of an operand.
enum class OperandPart : uint8_t {
  whole,
  micro_batch,  ///< of an operand that is cut
  stage,        ///< of one that is stacked
};
/// What a stage's func sees of an operand of `pipeline`: a part, on the devices of one stage, which hold their own: V
/// over its axis. An activation always has a gradient.
ValueType stage_argument(ValueType operand, const PipelineRun& pipeline, OperandPart part, bool activation);

}  // namespace isoshard
