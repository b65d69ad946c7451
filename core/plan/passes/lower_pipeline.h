#pragma once  // internal

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/passes/plan_builder.h"
#include "core/transform/pipeline/pipeline_parts.h"

namespace isoshard {

/// Values of a Plan, indexed by the ValueId of a program, or the operands of an op.
using PlanValues = std::vector<PlanValueId>;

/// The parts of the pipelines of a program.
using PartsByOp = std::map<OpId, PipelineParts>;
/// Adds the parts of all pipelines of `program`, which check_pipeline has accepted, to a module that extends its own.
PartsByOp add_pipeline_parts(Module& extended, const Program& program);

/// Lowers functions into a rank group of a Plan that is being built.
class FunctionLowering {
 public:
  virtual ~FunctionLowering() = default;
  /// The results of `function` for `arguments` on the ranks of `group`, which is then the one being written; names of
  /// values begin with `prefix`.
  virtual PlanValues apply(size_t group, ProgramId function, PlanValues arguments, const std::string& prefix,
                           const Location& location) = 0;
};

/// The communicators between the stages of a pipeline, by sender and receiver.
using PipelineChannels = std::map<std::pair<size_t, size_t>, CommunicatorId>;

/// A pipeline op of a program, and the rank groups that run its stages: where the program has pipelines along several
/// axes there is one such chain of groups for each place on the other axes.
struct PipelineSite {
  const Module& module;
  const Mesh* mesh = nullptr;
  const PipelineRun& op;
  const PipelineParts& parts;
  Location location;
  uint32_t number = 0;               ///< of the op among the pipelines of the program
  std::vector<size_t> groups;        ///< per rank of the chain
  std::vector<PlanValues> operands;  ///< per rank of the chain
  std::vector<TensorType> results;
  std::vector<std::string> names;  ///< of the results
};

/// Writes the actions of all ranks of one chain, with sends and receives between them: the results, per rank.
///
/// All actions are issued in one order that respects what they need; where an action makes something for another rank,
/// the send and its receive are issued next to each other. Each pair of ranks that exchange has a channel per
/// direction, with a queue of its own, so that messages overlap with actions.
std::vector<PlanValues> lower_pipeline(const PipelineSite& site, PipelineChannels& channels, PlanBuilder& out,
                                       FunctionLowering& functions);

}  // namespace isoshard
