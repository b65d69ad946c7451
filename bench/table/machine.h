#pragma once

#include <string>
#include <utility>
#include <vector>

namespace isoshard::bench {

/// What a run of the table stands under: date, machine, load, versions; a word and its text each.
std::vector<std::pair<std::string, std::string>> conditions();

}  // namespace isoshard::bench
