#pragma once  // internal

#include <memory>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Integers on which an output may differ that the ring tells apart when all integers stand for all their values; null
/// where no search of at most kMostWitnessRuns runs ends at one number per element.
///
/// `covering` must be options with which `output` differs and that cover integers. Nothing here is a verdict: a lost
/// law tells equal programs apart, too, and so a witness counts only when floats differ on it.
std::shared_ptr<const Integers> find_witness(const Pair& pair, const RingOptions& covering, size_t output);

inline constexpr uint64_t kMostWitnessRuns = 400;

}  // namespace isoshard::verify
