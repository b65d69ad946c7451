#pragma once

#include <optional>

#include "verify/bounds/count_degrees.h"
#include "verify/bounds/degree.h"
#include "verify/compare/pair.h"
#include "verify/compare/stand_ins.h"

namespace isoshard::verify {

/// The degrees of both programs of a pair.
struct PairDegrees {
  DegreeCounts sharded, reference;
};

/// Counts them with opaque functions where `generic` says, or at the pair's own cuts where it names no ends of layers.
PairDegrees count_degrees(const Pair& pair, const std::optional<ExpDegrees>& exponential, const Generic& generic);

}  // namespace isoshard::verify
