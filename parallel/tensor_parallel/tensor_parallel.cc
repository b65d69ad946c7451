// Dense layers of which each device has a part (docs/spec/originals.md, "Dense layers", "Asynchronous dense layers";
// Shoeybi et al. 2019). `gather` collects the features and multiplies them with the device's columns; `scatter`
// multiplies its own features with its rows and sums the terms, each device keeping a block. The asynchronous layers do
// the same block by block along a ring, with one product per step, so that communication can hide behind compute.
// Parameters of each device are independent arrays, stacked by a wrapper that also gives each its own key, and initial
// kernels can be scaled, as their fan-in is only a part. On one device nothing is communicated and the mode is `none`.
// Cost: the products of a dense layer over N, and one collective or N - 1 permutes.
#include "parallel/tensor_parallel/tensor_parallel.h"

#include <cmath>
#include <utility>

#include "parallel/sharding/ring_collectives.h"

namespace isoshard {
namespace {

/// The mode that applies: `none` on one device; nothing after an error.
std::optional<std::string> effective_mode(ModelBuilder& m, const std::string& layer, const std::string& mode,
                                          const Group& axis, const Location& location) {
  if (m.mesh().size(axis) == 1) return "none";
  if (mode == "none" || mode == "gather" || mode == "scatter") return mode;
  m.error("C-tp-mode", layer + ": the mode is \"" + mode + "\"; expected gather, scatter or none", location);
  return std::nullopt;
}

Initializer adjusted(const Initializer& initializer, double factor) {
  return factor == 1.0 ? initializer : scale_init(initializer, factor);
}

/// One device: the layer without sharding, its result in the state that `mode` has elsewhere.
ValueId alone(Scope& self, const TpDense& layer, ValueId x, const Location& location) {
  Scope child = self.next_child(layer.dense_fn.class_name);
  const ValueId y = layer.dense_fn.apply(child, x, layer.kernel_init, layer.use_bias);
  ModelBuilder& m = self.m();
  if (m.mesh().size(layer.axis) != 1) return y;
  if (layer.tp_mode == "scatter" && layer.skip_communication)
    return as_state(m, y, layer.axis, State::partial, location);
  const bool sharded = layer.tp_mode == "scatter" || layer.tp_mode == "gather";
  return sharded ? as_state(m, y, layer.axis, State::varying, location) : y;
}

ValueId scatter_terms(ModelBuilder& m, const TpDense& layer, ValueId terms, const std::string& name,
                      const Location& location) {
  if (!terms.valid()) return {};
  const int64_t devices = m.mesh().size(layer.axis);
  const Shape& shape = m.shape(terms);
  const int64_t features = shape.empty() ? 0 : shape.back();
  if (shape.empty() || features % devices != 0) {
    return m.error("C-divide",
                   "TPDense: " + std::to_string(features) + " features cannot be scattered over the " +
                       std::to_string(devices) + " devices of " + m.mesh().to_string(layer.axis) +
                       "; in mode scatter dense_fn has the features of all devices, expected a multiple of " +
                       std::to_string(devices),
                   location);
  }
  return m.op(ReduceScatter{layer.axis, static_cast<int64_t>(shape.size()) - 1}, {terms}, name, location);
}

/// One part of TPAsyncDense, in its wrapper `shard_k`.
ValueId shard(Scope& self, const TpAsyncDense& layer, int64_t k, ValueId x) {
  Scope child = self.child("shard_" + std::to_string(k));
  const Initializer init = adjusted(layer.kernel_init, layer.kernel_init_adjustment);
  const ModuleFn module_fn = [&](Scope& scope, ValueId v) {
    return layer.dense_fn.apply(scope, v, init, layer.use_bias && k == 0);
  };
  return model_parallelism_wrapper(child, layer.axis, module_fn, x);
}

ValueId gather_shards(Scope& self, const TpAsyncDense& layer, ValueId x, const std::string& name,
                      const Location& location) {
  ModelBuilder& m = self.m();
  const std::vector<ValueId> xs = layer.use_bidirectional_gather
                                      ? async_gather_bidirectional(m, x, layer.axis, true, location)
                                      : async_gather(m, x, layer.axis, true, location);
  std::vector<ValueId> terms;
  for (size_t k = 0; k < xs.size(); ++k) terms.push_back(shard(self, layer, static_cast<int64_t>(k), xs[k]));
  return m.sum(terms, name, location);
}

ValueId scatter_shards(Scope& self, const TpAsyncDense& layer, ValueId x, const std::string& name,
                       const Location& location) {
  ModelBuilder& m = self.m();
  std::vector<ValueId> ys;
  for (int64_t k = 0; k < m.mesh().size(layer.axis); ++k) ys.push_back(shard(self, layer, k, x));
  return layer.use_bidirectional_scatter ? async_scatter_split(m, ys, layer.axis, name, location)
                                         : async_scatter(m, ys, layer.axis, true, name, location);
}

}  // namespace

ValueId model_parallelism_wrapper(Scope& self, const Group& axis, const ModuleFn& module_fn, ValueId x,
                                  const WrapperOptions& options) {
  ParamTransform stack{ParamTransform::Kind::stack, axis, options.split_rngs, options.mask_except_model_idx,
                       self.m().mesh().size(axis)};
  Scope sharded = self.transformed(std::move(stack)).child("sharded");
  return module_fn(sharded, x);
}

std::optional<int64_t> share_of_device(ModelBuilder& m, const std::string& layer, int64_t count,
                                       const std::string& what, const Group& axis, const Location& location) {
  const int64_t devices = m.mesh().size(axis);
  if (count > 0 && count % devices == 0) return count / devices;
  m.error("C-divide",
          layer + ": " + std::to_string(count) + " " + what + " cannot be shared by the " + std::to_string(devices) +
              " devices of " + m.mesh().to_string(axis) + "; expected a positive multiple of " +
              std::to_string(devices),
          location);
  return std::nullopt;
}

double fan_in_adjustment(const ModelBuilder& m, const Group& axis) {
  return 1 / std::sqrt(static_cast<double>(m.mesh().size(axis)));
}

ValueId tp_dense(Scope& self, const TpDense& layer, ValueId x, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  const std::optional<std::string> mode = effective_mode(m, "TPDense", layer.tp_mode, layer.axis, location);
  if (!mode || !x.valid()) return {};
  if (*mode == "none") return alone(self, layer, x, location);
  if (*mode == "gather" && !layer.skip_communication) {
    x = m.all_gather(x, layer.axis, static_cast<int64_t>(m.shape(x).size()) - 1, "", location);
  }
  const Initializer init = adjusted(layer.kernel_init, layer.kernel_init_adjustment);
  const ModuleFn module_fn = [&](Scope& scope, ValueId v) {
    Scope own = *mode == "scatter" ? scope.giving_terms(layer.axis) : scope;
    return layer.dense_fn.apply(own, v, init, layer.use_bias);
  };
  Scope child = self.child(layer.dense_name);
  const ValueId y = model_parallelism_wrapper(child, layer.axis, module_fn, x);
  if (*mode == "gather") return y;
  // Every device adds its own bias to its term: the sum has all of them.
  const ValueId terms = as_state(m, y, layer.axis, State::partial, location);
  return layer.skip_communication ? terms : scatter_terms(m, layer, terms, name, location);
}

ValueId tp_async_dense(Scope& self, const TpAsyncDense& layer, ValueId x, const std::string& name,
                       const Location& location) {
  ModelBuilder& m = self.m();
  const std::optional<std::string> mode = effective_mode(m, "TPAsyncDense", layer.tp_mode, layer.axis, location);
  if (!mode || !x.valid()) return {};
  if (*mode == "gather") return gather_shards(self, layer, x, name, location);
  if (*mode == "scatter") return scatter_shards(self, layer, x, name, location);
  Scope child = self.child("shard_0");
  const ValueId y = layer.dense_fn.apply(child, x, layer.kernel_init, layer.use_bias);
  const bool sharded = layer.tp_mode == "gather" || layer.tp_mode == "scatter";
  return sharded && m.mesh().size(layer.axis) == 1 ? as_state(m, y, layer.axis, State::varying, location) : y;
}

}  // namespace isoshard
