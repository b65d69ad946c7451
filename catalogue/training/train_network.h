#pragma once

#include <optional>

#include "parallel/module/module.h"
#include "parallel/training/train_step.h"

/// The networks of the catalogue's `train_step`: the same code on a mesh and, with no axes, on one device
/// (docs/adr/0022-training-steps.md).
namespace isoshard {

/// Which axes share what; all empty on one device.
struct TrainAxes {
  Group batch;     ///< rows
  Group tensor;    ///< hidden features and heads; what stands between them is I
  Group pipeline;  ///< layers: a stage per device
};

/// Sizes of whole arrays.
struct TrainSizes {
  int64_t rows = 1;  ///< of the batch of a step
  int64_t layers = 1, width = 1, hidden = 1, inputs = 1, outputs = 1;
  int64_t positions = 1, heads = 1, head_dim = 1, vocabulary = 1;  ///< of the transformer
  double dropout = 0;
  /// The dtype in which the layers compute; parameters, their gradients, the scales of norms and the losses are f32.
  std::optional<DType> dtype{};
};

/// Where a block stands, for what it draws: i32 scalars. All invalid where nothing is dropped.
struct TrainPlace {
  ValueId key, row, layer;
};

/// What a network computes of the rows of a device.
struct TrainNetwork {
  struct Leaf {
    std::string name;
    TensorType type;
    Group invariant;  ///< axes on which it is read as I
  };
  std::vector<Leaf> batch;
  std::vector<TrainParam> outer;   ///< read before and behind the blocks
  std::vector<TrainParam> blocks;  ///< of one layer; names below `blocks`
  std::function<ValueId(Scope& self, const std::vector<ValueId>& batch)> input;
  std::function<ValueId(Scope& self, ValueId x, const TrainPlace& place)> block;
  /// The losses of the rows, any shape, and how many numbers there are for each row.
  std::function<ValueId(Scope& self, ValueId x, const std::vector<ValueId>& batch)> losses;
  int64_t losses_per_row = 1;
};
/// Dense layers around residual MLP blocks, and the mean square of the error: x [rows, inputs] to t [rows, outputs].
TrainNetwork train_mlp(const TrainSizes& sizes, const TrainAxes& axes);
/// A causal language model with norms before attention and MLP, and the cross-entropy of its logits: ids and labels
/// [rows, positions] of a vocabulary.
TrainNetwork train_transformer(const TrainSizes& sizes, const TrainAxes& axes);

/// How the blocks run.
struct TrainRun {
  int64_t rows = 1;           ///< of a minibatch, on all devices together
  int64_t micro_batches = 1;  ///< of the pipeline
  bool scan_layers = true;    ///< or one after another in the text
};

/// All parameters: those of `blocks` with a first dimension of layers, which the pipeline splits.
std::vector<TrainParam> train_params(const TrainNetwork& network, const TrainSizes& sizes, const TrainAxes& axes);
/// The mean of the losses of a minibatch, a term of it on each device of the batch. The leaves are those of the network
/// and, where something is dropped, the numbers of their rows in the whole batch.
MinibatchLossFn train_loss(const TrainNetwork& network, const TrainSizes& sizes, const TrainAxes& axes,
                           const TrainRun& run);

/// x with elements dropped by their coordinates in the whole array [rows, .., features], of which `x` has the features
/// of the device over `tensor`; x itself where the rate is 0.
ValueId train_dropout(ModelBuilder& m, const TrainSizes& sizes, const Group& tensor, ValueId x,
                      const TrainPlace& place);

/// x for a layer that the devices of `tensor` share, each of which makes a gradient of its own: R there.
ValueId enter_tensor(ModelBuilder& m, const Group& tensor, ValueId x);
/// The sum of their terms, complete on each: I there.
ValueId leave_tensor(ModelBuilder& m, const Group& tensor, ValueId terms);

}  // namespace isoshard
