#pragma once

#include <cstddef>
#include <set>

#include "sim/domains/soft/tables/soft_integers.h"
#include "sim/integers/constants.h"

namespace isoshard::sim {

/// What a SoftDomain knows of floats.
struct SoftOptions {
  bool tabled = false;  ///< floats that depend on few integers are tables over these: slower, and decides more
  SoftIntegers::Weights weights = SoftIntegers::Weights::random;
  bool cases = false;            ///< with tables: maxima, minima and absolute values are what they are in each case
  size_t most_places = 0;        ///< of SoftOdds; 0: indices of maxima have weights that say nothing of other rows
  ConstantReadings constants{};  ///< those of the ring
  size_t most_entries = SoftLimits().joint;  ///< of a table of floats over one variable
  std::set<double> cuts{};  ///< with tables: inputs are in the cells that these cut (SoftCells); empty: nowhere
  bool ordered = false;     ///< exponentials are in the order of their arguments (SoftOrder)
  SoftLimits limits{};
};

}  // namespace isoshard::sim
