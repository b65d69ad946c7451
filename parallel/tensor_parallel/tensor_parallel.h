#pragma once

#include "parallel/layers/dense.h"

/// The layers of xlstm_jax.distributed.tensor_parallel (docs/spec/originals.md, "Model parallelism" and "Dense
/// layers").
namespace isoshard {

struct WrapperOptions {
  std::optional<int64_t> mask_except_model_idx{};  ///< zeros at first on all other devices of the axis
  bool split_rngs = true;                          ///< each device of the axis begins with other values
};

/// ModelParallelismWrapper: every parameter of `module_fn` is one independent array per device of `axis`, stacked along
/// a new first dimension. `self` is the wrapper's own scope, the module stands in it as `sharded`.
///
/// On one device it stacks and folds all the same. Keys of other streams than `params` are not folded.
ValueId model_parallelism_wrapper(Scope& self, const Group& axis, const ModuleFn& module_fn, ValueId x,
                                  const WrapperOptions& options = {});

/// TPDense: a dense layer of which every device of `axis` has a part.
///
/// | tp_mode | x of a device | result |
/// | `gather` | its features, V; with skip_communication all of them | its features: columns of the kernel, V |
/// | `scatter` | its features, V | its block of the sum over the devices, V; with skip_communication its term, P |
/// | `none` | anything | the same layer everywhere, not sharded, not scaled |
///
/// `dense_fn` has as many features as a device computes: of `scatter` all (C-divide where the devices do not divide
/// them), each device with a bias for all of them, so that the sum has N biases. On one device the mode is `none`,
/// whatever it is called; otherwise an unknown mode is an error (C-tp-mode). In untyped programs P is V.
struct TpDense {
  DenseFn dense_fn;
  Group axis;
  std::string tp_mode = "none";
  bool skip_communication = false;
  Initializer kernel_init = lecun_normal_initializer();
  double kernel_init_adjustment = 1.0;  ///< multiplies the initial kernel, which sees the local fan-in
  bool use_bias = true;
  std::string dense_name = "module";
};
ValueId tp_dense(Scope& self, const TpDense& layer, ValueId x, const std::string& name = "",
                 const Location& location = Location::here());

/// `count` shared equally by the devices of `axis`; where they do not divide it, or it is none, an error about `what`
/// of `layer` (C-divide).
std::optional<int64_t> share_of_device(ModelBuilder& m, const std::string& layer, int64_t count,
                                       const std::string& what, const Group& axis,
                                       const Location& location = Location::here());
/// N^-1/2, the kernel_init_adjustment that restores the variance where an initialiser sees one of N parts of the
/// fan-in.
double fan_in_adjustment(const ModelBuilder& m, const Group& axis);

/// TPAsyncDense: the same layers as rings of permutes beside one block product per device of the ring.
///
/// `gather` multiplies the features of device d - k with kernel `shard_k`; `scatter` sends the product with `shard_k`
/// to device d + N - 1 - k, or with the split scatter the second half of its columns to d - N + 1 + k. In both modes
/// `dense_fn` has the features of one device, only `shard_0` has a bias, and x and the result are V. `dense_fn` must be
/// linear for `gather` to be a dense layer of all features. Modes and their errors as for TPDense.
struct TpAsyncDense {
  DenseFn dense_fn;
  Group axis;
  std::string tp_mode = "none";
  Initializer kernel_init = lecun_normal_initializer();
  double kernel_init_adjustment = 1.0;
  bool use_bias = true;
  bool use_bidirectional_gather = true;
  bool use_bidirectional_scatter = false;
};
ValueId tp_async_dense(Scope& self, const TpAsyncDense& layer, ValueId x, const std::string& name = "",
                       const Location& location = Location::here());

}  // namespace isoshard
