#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/support/result_fwd.h"

namespace isoshard {

inline constexpr int64_t kMaxDevices = (int64_t{1} << 31) - 1;

/// `axes` with a size of -1, at most one, replaced by what the others leave of `devices` (numpy.reshape's rule).
///
/// Errors, each with the sizes and the number of devices: C-devices where fewer or more devices are needed than there
/// are, or the other sizes do not divide them; C-size for other sizes below 1 and a second -1.
Result<std::vector<MeshAxis>> fill_mesh_sizes(std::vector<MeshAxis> axes, int64_t devices);

/// The axes of xlstm_jax, the last one fastest: dp = -1, fsdp = 1, pp = 1, tp = 1.
std::vector<MeshAxis> default_mesh_axes();

/// A mesh of `devices` devices, row-major: the mesh_utils.initialize_mesh of xlstm_jax without its start of several
/// processes (docs/spec/originals.md, "Meshes"). Errors as of fill_mesh_sizes.
Result<std::shared_ptr<const Mesh>> initialize_mesh(std::vector<MeshAxis> axes, int64_t devices,
                                                    const std::string& name = "m");

}  // namespace isoshard
