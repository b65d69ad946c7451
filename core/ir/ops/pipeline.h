#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"
#include "core/schedule/action.h"

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

/// Runs a chain of stages, one per coordinate of `axis`, over micro-batches, and the loss behind the last one, in the
/// order of a schedule; gives the loss and its gradients.
///
/// Operands: the input of stage 0, then the stage's other arguments, then those of the loss behind the output of the
/// last stage. An operand that is `microbatches` times as long along dimension 0 as the parameter is cut into
/// micro-batches; others are parameters, the same for all of them. Results: the loss, what else the loss function
/// returns (joined along dimension 0; scalars as a vector), and the gradients of the operands `wrt`. Results of the
/// loss are zero on all stages but the last: P over `axis`. Gradients are summed over micro-batches in the order of the
/// backward actions and have dual states; nothing is reduced. The input is read by stage 0 only.
struct PipelineRun {
  ProgramId stage;
  ProgramId loss;
  Group axis;
  int64_t microbatches = 1;
  std::vector<int64_t> wrt;
  std::string schedule;
  std::string actions;
  LossOf loss_of = LossOf::mean;

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
        optional_field("schedule", &PipelineRun::schedule, "\"GPipe\", \"1F1B\" or \"ZB-H1\""),
        optional_field("actions", &PipelineRun::actions,
                       "the actions of each rank in PyTorch's text, ranks joined by `;`"),
        optional_field("loss_of", &PipelineRun::loss_of, "whether losses are averaged (the default) or summed")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const PipelineRun&) const = default;

  int64_t stages(const Mesh& mesh) const { return mesh.size(axis); }
  /// The actions of each rank; requires that `infer` has accepted the op.
  schedule::ActionLists action_lists(const Mesh& mesh) const;
  PipelineFunctions functions(const SymbolTable& symbols) const;
  /// Whether an operand of type `type` is cut into micro-batches for a parameter of type `parameter`.
  bool is_cut(const TensorType& type, const TensorType& parameter) const;

 private:
  bool check_funcs(const InferContext& context) const;
  bool check_operands(const InferContext& context) const;
  bool check_schedule(const InferContext& context) const;
  bool check_wrt(const InferContext& context) const;
};

/// What a stage's func sees of an operand of a pipeline: a micro-batch, where it is `cut`, on the devices of one stage,
/// which hold their own: V over `axis`. An activation always has a gradient.
ValueType stage_argument(ValueType operand, const Group& axis, int64_t microbatches, bool cut, bool activation);

}  // namespace isoshard
