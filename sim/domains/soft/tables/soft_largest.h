#pragma once

#include <span>
#include <vector>

#include "sim/domains/soft/tables/soft_integers.h"
#include "sim/domains/soft/tables/soft_odds.h"

namespace isoshard::sim {

/// An element of a row and its place there.
struct SoftRanked {
  SoftIntegers::Word value, place;
};

/// The `k` largest of a row of integers, k at most its length, the largest first and of equal ones the first.
std::vector<SoftRanked> largest_integers_of(SoftIntegers& integers, DType dtype,
                                            std::span<const SoftIntegers::Word> row, size_t k);
/// The first largest of a row of integers, whose odds go with those of other rows.
SoftRanked largest_integer_by_odds(SoftIntegers& integers, SoftOdds& odds, DType dtype,
                                   std::span<const SoftIntegers::Word> row);

}  // namespace isoshard::sim
