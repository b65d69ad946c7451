#pragma once

#include "core/plan/plan.h"

namespace isoshard {

/// Scalar multiplications and additions of the dot_generals of one device of `group`, those of loops once per
/// iteration; nothing else is counted.
double matmul_flops(const Plan& plan, const RankGroup& group);

/// The same of all devices of the mesh.
double matmul_flops(const Plan& plan);

}  // namespace isoshard
