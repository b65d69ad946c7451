#pragma once

#include <optional>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// `pair` with max(a, b) + log(1 + exp(-|a - b|)), which does not overflow, written as log(exp a + exp b), of which
/// proofs know the laws, in both programs: the same real numbers. Nothing where neither program has such a thing.
std::optional<Pair> write_logs_of_sums(const Pair& pair);

}  // namespace isoshard::verify
