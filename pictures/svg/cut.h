#pragma once  // internal

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pictures/svg/plan_svg.h"

namespace isoshard::pictures {

/// How much of rows with cells in slots is drawn.
struct Cut {
  size_t rows = 0;
  int64_t slots = 0;
  size_t cells = 0, all_cells = 0;
  std::string text{};  ///< what is left out; empty: nothing
};

/// As many slots as kMostCells cells allow, of kMostLanes rows. `slots_of(row)` are the slots of its cells, ascending;
/// `what` names rows and cells: `queues`, `instructions`.
template <class SlotsOf>
Cut cut_of(size_t rows, int64_t slots, const SlotsOf& slots_of, const char* what_rows, const char* what_cells) {
  Cut cut{std::min(rows, kMostLanes), slots};
  std::vector<int64_t> drawn;
  for (size_t r = 0; r < rows; ++r) {
    const std::vector<int64_t> row = slots_of(r);
    cut.all_cells += row.size();
    if (r < cut.rows) drawn.insert(drawn.end(), row.begin(), row.end());
  }
  cut.cells = drawn.size();
  if (drawn.size() > kMostCells) {
    std::sort(drawn.begin(), drawn.end());
    cut.slots = std::max<int64_t>(1, drawn[kMostCells]);
    cut.cells = static_cast<size_t>(std::lower_bound(drawn.begin(), drawn.end(), cut.slots) - drawn.begin());
  }
  if (cut.cells == cut.all_cells) return cut;
  cut.text = "Cut: the first " + std::to_string(cut.slots) + " of " + std::to_string(slots) + " slots and " +
             std::to_string(cut.rows) + " of " + std::to_string(rows) + " " + what_rows + " are drawn, " +
             std::to_string(cut.cells) + " of " + std::to_string(cut.all_cells) + " " + what_cells;
  return cut;
}

}  // namespace isoshard::pictures
