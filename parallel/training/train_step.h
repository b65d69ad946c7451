#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parallel/training/accumulate_gradients.h"
#include "parallel/training/optimizers.h"

/// One training step of any loss on any mesh: gradients, their accumulation and reduction, clipping, the optimizer
/// (docs/adr/0022-training-steps.md).
namespace isoshard {

/// An array that is trained.
struct TrainParam {
  std::string name;   ///< of its global
  Shape shape;        ///< of the whole array
  Layout layout;      ///< how the loss reads it: equal splits
  Group invariant{};  ///< axes on which the loss reads it as I
  InitKind init = InitKind::lecun_normal;
};

/// Where arrays are between uses. Both groups are axes over which the loss reads parameters as R; none of them splits
/// the layout of a parameter. Each parameter is cut along the largest dimension that the devices divide, the last of
/// equal ones; where they divide none, it is cut over `fsdp` alone, or stays whole.
struct StateSharding {
  Group fsdp{};  ///< parameters, gradients and moments are split; parameters are gathered for use
  Group data{};  ///< copies, unless `zero` says otherwise
  int64_t zero =
      0;  ///< ZeRO over `data` (Rajbhandari et al. 2020): 1 splits moments, 2 gradients, 3 parameters as well
};

struct TrainStep {
  std::vector<TrainParam> params;
  StateSharding sharding;
  AccumulateOptions accumulate;
  Optimizer optimizer;
  std::optional<Rational> max_norm{};  ///< clip_by_global_norm
};

/// Appends the step to a typed program: declares and reads the parameters, differentiates `loss` on the leaves of
/// `batch`, reduces each gradient over the axes on which it is P, clips, and updates parameters and moments.
///
/// Over axes that split the moments of a parameter a gradient is reduced by reduce_scatter; of ZeRO stage 1 by
/// all_reduce, and the device takes its own block. Then the new blocks are gathered, unless they stay. The program
/// returns `@loss`, what `loss` says of all minibatches, added up and divided by their number, and `@grad.NAME`, the
/// complete gradient of each parameter before it is clipped. `loss` gives one scalar and no metrics. Errors as of
/// accumulate_gradients and of the optimizer; then nothing is returned.
void train_step(ModelBuilder& m, const TrainStep& step, const MinibatchLossFn& loss, const std::vector<ValueId>& batch,
                ValueId key, const Location& location = Location::here());

}  // namespace isoshard
