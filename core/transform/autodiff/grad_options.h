#pragma once

#include <cstdint>

namespace isoshard::autodiff {

/// What a scan keeps of its iterations for the backward pass.
enum class Remat : uint8_t {
  none,  ///< all that the backward pass reads, stacked: nothing is computed twice (jax.lax.scan, torch)
  full,  ///< the carries; each iteration is computed again (jax.checkpoint, torch.utils.checkpoint of the body)
};

struct GradOptions {
  Remat remat = Remat::none;
};

}  // namespace isoshard::autodiff
