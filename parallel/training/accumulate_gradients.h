#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "parallel/module/rng.h"

/// Gradients of a batch as the mean over its minibatches (xlstm_jax.distributed.single_gpu, docs/spec/originals.md,
/// "Gradient accumulation").
namespace isoshard {

/// What a loss function makes of one minibatch.
struct MinibatchLoss {
  ValueId loss;                     ///< a float scalar
  std::vector<ValueId> metrics{};   ///< sums and counts: they are added up over the minibatches
  std::vector<ValueId> mutables{};  ///< running statistics: they are stacked
};
/// Writes a loss into a function of its own, of parameters, the rows of one minibatch and its key.
using MinibatchLossFn = std::function<MinibatchLoss(ModelBuilder& m, const std::vector<ValueId>& params,
                                                    const std::vector<ValueId>& batch, ValueId key)>;

struct AccumulateOptions {
  int64_t num_minibatches = 1;
  bool use_scan = false;  ///< one scan over the minibatches, which have to have one shape, in place of a call for each
  bool split_key = true;  ///< false: all minibatches get `key` itself, to draw what belongs to rows by their numbers
  std::string name = "minibatch_loss";  ///< of the function
};

struct AccumulatedGradients {
  std::vector<ValueId> gradients;  ///< one per parameter, without a gradient, in the dual state
  std::vector<ValueId> metrics, mutables;
};

/// The gradients of `loss` with respect to `params`, summed over the minibatches in order and divided by their number;
/// metrics summed, mutables stacked along a new first dimension. Nothing is communicated.
///
/// With A minibatches and B rows in the first leaf of `batch`, minibatch i has the rows i b to (i + 1) b of every leaf,
/// b = floor(B / A), and the key split(key, A)[i], also for A = 1, unless `split_key` is false. The last B - A b rows
/// are in none. Where a leaf has fewer rows, its last parts are shorter, with use_scan they start earlier, as in the
/// original. The result is the gradient of the whole batch only where the loss is a mean over as many samples in each
/// minibatch. Errors: C-accumulate where A is less than 1 or a leaf has no rows, and those of build_grad.
std::optional<AccumulatedGradients> accumulate_gradients(ModelBuilder& m, const MinibatchLossFn& loss,
                                                         const std::vector<ValueId>& params,
                                                         const std::vector<ValueId>& batch, ValueId key,
                                                         const AccumulateOptions& options,
                                                         const Location& location = Location::here());

}  // namespace isoshard
