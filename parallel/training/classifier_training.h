#pragma once

#include "parallel/module/module.h"
#include "parallel/training/optimizers.h"

namespace isoshard {

/// Whose loss counts: that of the devices with this index over the axis. The others' is 0 (docs/spec/originals.md,
/// "Conventions").
struct LossOwner {
  Group axis;
  int64_t index = 0;
};

/// How the original's tutorials train a classifier (docs/spec/originals.md, "Training step";
/// docs/adr/0023-training-loop.md).
struct ClassifierTraining {
  int64_t batch = 0;  ///< rows of x, split over `data`
  int64_t features = 0;
  int64_t classes = 0;
  Group data;
  std::optional<LossOwner> owner{};  ///< nothing: every device's loss counts
  int64_t num_minibatches = 1;
  bool return_gradients = false;  ///< also `@grad.PATH`, synchronised
};

/// The rows of one device [rows, features] -> its f32 logits [rows, classes].
using ClassifierFn = std::function<ValueId(Scope& root, ValueId x)>;

/// Adds the untyped program `name`, one step of training, its parameters, which it appends to `params`, and the typed
/// program `NAME_init`.
///
/// The step returns the loss and the accuracy of the batch before the update as `@loss` and `@accuracy`. It takes the
/// gradient of each device's own loss, the mean cross-entropy of its rows, as `jax.grad` does inside shard_map (the
/// derivative of the sum of all devices' losses), the mean over minibatches, then sync_gradients over all axes and
/// AdamW. Keys are those of the original: (@rng, step) = split(@rng), one key of `step`
/// for each minibatch, folded over all axes for dropout.
///
/// `NAME_init` makes of PRNGKey(seed), split in 3, the parameters and @rng from the first, @x (normal) from the second
/// and @y (labels) from the third. The optimizer's state begins with zeros.
///
/// Errors: those of the model, of accumulate_gradients, and C-divide where the devices do not divide the rows.
std::optional<ProgramId> build_classifier_training(const std::string& name, const ClassifierTraining& training,
                                                   const ClassifierFn& classifier,
                                                   const std::shared_ptr<const Mesh>& mesh, Module& module,
                                                   Params& params, DiagnosticSink& sink);

/// AdamW(1e-3) with optax's other values.
Optimizer published_optimizer();

/// The cross-entropy of logits [rows, classes] and i32 labels [rows], per row: log(sum of exp) minus the label's logit,
/// the row's maximum taken out of the sum, which has no gradient.
ValueId cross_entropy(ModelBuilder& m, ValueId logits, ValueId labels, const Location& location = Location::here());

/// 1 where the largest of the logits [rows, classes] is that of the label, else 0: f32 [rows].
ValueId right_answers(ModelBuilder& m, ValueId logits, ValueId labels, const Location& location = Location::here());

}  // namespace isoshard
