#pragma once

#include <string>
#include <vector>

namespace isoshard::verify {

/// What outputs that are equal as formulas need besides that the reference has a value, in words.
struct Definedness {
  std::vector<std::string> rests_on;    ///< per output, that on more than a thin set of inputs; empty where nothing
  std::vector<std::string> conditions;  ///< what may fail on a thin set only: `%d != 0 (divide at FILE:LINE:COL)`
};

}  // namespace isoshard::verify
