#pragma once

#include "core/value/npz.h"
#include "parallel/module/module.h"

namespace isoshard {

/// Who holds which part of a dense kernel W and bias b (docs/spec/originals.md, "Asynchronous dense layers"): the
/// parameters of `dense`, of TPDense and of TPAsyncDense in each of their modes. With N devices, W[r, c] is one of N x
/// N blocks, b[c] one of N.
enum class TpLayout : uint8_t {
  dense,          ///< every device all
  gather,         ///< TPDense gather: W[:, d], b[d]
  scatter,        ///< TPDense scatter: W[d, :]; b on device 0, zeros elsewhere, for the sum has all biases
  async_gather,   ///< TPAsyncDense gather, in one or both directions: shard_k is W[d - k, d], bias b[d]
  async_scatter,  ///< TPAsyncDense scatter: shard_k is W[d, d - 1 - k], bias b[d - 1]
  async_split,    ///< split scatter: first half of the columns as async_scatter, second of W[d, d + 1 + k], b[d + 1]
};

/// The parameters of a layer over `axis` as views of one dense `kernel` [n, f] and `bias` [f]: nothing is copied, and
/// `check` decides whether two such layers are equal.
///
/// Reads the parameters of a Scope whose only module is the layer as views of one dense kernel and bias. Parameters
/// that the layout does not have, and rings over a tuple in another order than the mesh, whose ring follows the mesh,
/// are errors (C-layout).
ParamReader views_of_dense(TpLayout layout, Group axis, GlobalId kernel, GlobalId bias);

/// The arrays of a layer, by their paths below it (`shard_0/sharded/kernel`), as those of another layout for the same
/// number of devices, for checkpoints. The biases of `scatter` are added up, or all but that of device 0 are zeros; one
/// device has the paths of the layer without a wrapper. Errors (C-layout): an array that is missing, no f32, or of a
/// shape that the layout does not have for this number of devices. Without bias arrays there is no bias.
std::optional<std::vector<NamedTensor>> convert_params(const std::vector<NamedTensor>& params, TpLayout from,
                                                       TpLayout to, int64_t devices, DiagnosticSink& sink);

}  // namespace isoshard
