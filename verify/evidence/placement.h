#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/types/mesh.h"
#include "sim/value/value.h"

namespace isoshard::verify {

/// Where each device's block of a value begins in a value of the reference, per position and dimension.
using Starts = std::vector<std::vector<int64_t>>;

/// The placements in which devices may hold blocks of `local` of an array of shape `whole`, each dimension whole or
/// split over one axis or two; a few, the most usual first; none where sizes do not divide.
std::vector<Starts> possible_starts(const Mesh& mesh, const Shape& local, const Shape& whole);

/// The block of shape `local` of `whole` that each device holds; nothing where one reaches beyond it.
std::optional<std::vector<sim::Value>> blocks_at(const sim::Value& whole, const Shape& local, const Starts& starts);

}  // namespace isoshard::verify
