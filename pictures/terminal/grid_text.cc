#include "pictures/terminal/grid_text.h"

#include <algorithm>
#include <vector>

namespace isoshard::pictures {
namespace {

/// Background and text of a kind of action, as SGR parameters.
const char* colours(schedule::ActionKind kind) {
  switch (kind) {
    case schedule::ActionKind::forward:
      return "44;97";
    case schedule::ActionKind::input_gradient:
      return "46;30";
    case schedule::ActionKind::weight_gradient:
      return "42;30";
    case schedule::ActionKind::backward:
      return "43;30";
  }
  return "0";
}

std::string padded(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

class GridWriter {
 public:
  GridWriter(const PipelineGrid& grid, bool colour) : grid_(grid), colour_(colour) {
    cell_ = std::to_string(std::max<int64_t>(0, grid.slots - 1)).size();
    for (const GridRow& row : grid.rows) {
      label_ = std::max(label_, row.ranks.size());
      for (const GridCell& cell : row.cells) cell_ = std::max(cell_, schedule::to_string(cell.action).size());
    }
  }

  std::string write(int64_t width) const {
    std::string text = "pipeline " + std::to_string(grid_.pipeline) + ": " + grid_.summary() + "\n";
    const auto step = static_cast<int64_t>(cell_ + 1);
    const int64_t room = width == 0 ? grid_.slots : (width - static_cast<int64_t>(label_)) / step;
    const int64_t slots = std::clamp<int64_t>(room, 1, std::max<int64_t>(1, grid_.slots));
    for (int64_t first = 0; first < grid_.slots; first += slots) {
      text += (first == 0 ? "" : "\n") + piece(first, std::min(first + slots, grid_.slots));
    }
    return text;
  }

 private:
  std::string piece(int64_t first, int64_t end) const {
    std::string text = padded("slot", label_);
    for (int64_t slot = first; slot < end; ++slot) text += " " + padded(std::to_string(slot), cell_);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
    for (const GridRow& row : grid_.rows) text += line(row, first, end);
    return text;
  }

  std::string line(const GridRow& row, int64_t first, int64_t end) const {
    std::vector<const GridCell*> cells(static_cast<size_t>(end - first), nullptr);
    for (const GridCell& cell : row.cells) {
      if (cell.slot >= first && cell.slot < end) cells[static_cast<size_t>(cell.slot - first)] = &cell;
    }
    std::string text = padded(row.ranks, label_);
    for (const GridCell* cell : cells) {
      const std::string word = padded(cell == nullptr ? "." : schedule::to_string(cell->action), cell_);
      const bool painted = colour_ && cell != nullptr;
      text += " " + (painted ? "\x1b[" + std::string(colours(cell->action.kind)) + "m" : "") + word +
              (painted ? "\x1b[0m" : "");
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  const PipelineGrid& grid_;
  const bool colour_;
  size_t label_ = 4, cell_ = 1;
};

}  // namespace

std::string grid_text(const PipelineGrid& grid, bool colour, int64_t width) {
  return GridWriter(grid, colour).write(width);
}

}  // namespace isoshard::pictures
