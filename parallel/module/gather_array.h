#pragma once

#include <optional>
#include <string>

#include "parallel/module/model_builder.h"

namespace isoshard {

/// How arrays that are split between uses are joined, and how their gradients come back.
struct GatherOptions {
  std::optional<DType> gather_dtype{};        ///< what travels, and the result; nothing: the array's own
  std::optional<DType> grad_scatter_dtype{};  ///< in which gradients are added up; nothing: the array's own
  bool mean_gradients = false;                ///< sums of gradients are divided by the number of devices
};

/// The blocks that the devices of `axis` hold of an array, joined along `dim`: R there in typed programs.
///
/// Its gradient is that of all_gather, reduce_scatter, in grad_scatter_dtype: convert, sum, with mean_gradients divide,
/// convert back. Where that is not the derived rule it is a func of its own, `call @gather_... {vjp=...}`, which
/// `check` compares with it (docs/adr/0021-user-written-derivatives.md).
ValueId gather_array(ModelBuilder& m, ValueId x, const Group& axis, int64_t dim, const GatherOptions& options = {},
                     const Location& location = Location::here());

/// gather_array_with_mean_grads (docs/spec/originals.md, "Sharded parameters"): gather_array with mean gradients. With
/// the sums of all devices' losses as the loss, as in the original, each block's gradient is that of their mean. In
/// typed programs it is 1/size(axis) of the true one.
///
/// Sums of bf16 and f16 round at every addition, device 0 first; XLA on CPUs adds bf16 in f32 and rounds once.
ValueId gather_array_with_mean_grads(ModelBuilder& m, ValueId x, const Group& axis, int64_t dim,
                                     GatherOptions options = {}, const Location& location = Location::here());

}  // namespace isoshard
