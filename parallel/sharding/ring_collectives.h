#pragma once

#include <vector>

#include "parallel/module/model_builder.h"

/// Gathers and scatters as rings of permutes, which a Plan can overlap with compute (docs/spec/originals.md, "Ring
/// gathers" and "Ring scatters").
///
/// `x_d` is the value of the device with index d over `axis`, N the size of `axis`; indices are taken mod N. Values are
/// V over `axis` in typed programs. One device communicates nothing. The ring over a tuple follows the order of the
/// mesh, whatever the order of the tuple, as that of the original does.
namespace isoshard {

/// One step round the ring: x_{d-1} (`up`) or x_{d+1}. The last device and the first are neighbours.
ValueId ring_step(ModelBuilder& m, ValueId x, const Group& axis, bool up = true, const std::string& name = "",
                  const Location& location = Location::here());

/// x of every device as a list: item k is x_{d-k} (`shift_up`) or x_{d+k}. N - 1 permutes in one direction.
std::vector<ValueId> async_gather(ModelBuilder& m, ValueId x, const Group& axis, bool shift_up = true,
                                  const Location& location = Location::here());

/// The same list as async_gather, half of it from either side: ceil((N-1)/2) permutes up and floor((N-1)/2) down.
std::vector<ValueId> async_gather_bidirectional(ModelBuilder& m, ValueId x, const Group& axis, bool shift_up = true,
                                                const Location& location = Location::here());

/// The halves of the last dimension in opposite directions, N - 1 permutes each: item k < N is the first half of
/// x_{d-k}, item N + k the second half of x_{d+k}. An odd last dimension is an error (C-ring-width).
std::vector<ValueId> async_gather_split(ModelBuilder& m, ValueId x, const Group& axis,
                                        const Location& location = Location::here());

/// Sums travel round the ring: sum over k of xs[k] of device d+1+k (`shift_up`) or d-1-k, added in the order of k.
/// The destination of item k depends on the device that holds it. As many items as devices (C-ring-items).
ValueId async_scatter(ModelBuilder& m, const std::vector<ValueId>& xs, const Group& axis, bool shift_up = true,
                      const std::string& name = "", const Location& location = Location::here());

/// The first floor(F/2) of the F elements of the last dimension as async_scatter up, the others down, joined.
ValueId async_scatter_split(ModelBuilder& m, const std::vector<ValueId>& xs, const Group& axis,
                            const std::string& name = "", const Location& location = Location::here());

}  // namespace isoshard
