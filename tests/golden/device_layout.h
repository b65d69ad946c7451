#pragma once

#include "core/ir/mesh.h"
#include "core/ir/view.h"

namespace isoshard::golden {

/// Of an array that has the devices' own ones, of that rank, along its first dimension.
Layout of_each_device(const Mesh& mesh, size_t rank);

}  // namespace isoshard::golden
