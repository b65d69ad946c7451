#pragma once

#include <map>
#include <optional>
#include <string>

namespace isoshard::bench {

/// What was measured, or why nothing was.
struct Measured {
  std::optional<double> value;
  double megabytes = 0;  ///< peak of the process that did the work; 0: that of the row's own process
  std::string note;      ///< what the number is made of, or compared with; without a value: why there is none
  std::map<std::string, double> parts;  ///< numbers that the value is made of, by name and unit, for machines
};

}  // namespace isoshard::bench
