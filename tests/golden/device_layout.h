#pragma once

#include "core/ir/types/mesh.h"
#include "core/ir/types/view.h"

namespace isoshard::golden {

/// The layout of an array that has the devices' own ones, of that rank, along its first dimension.
Layout of_each_device(const Mesh& mesh, size_t rank);

}  // namespace isoshard::golden
