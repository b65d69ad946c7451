#include <algorithm>
#include <string>

#include "pictures/svg/cut.h"
#include "pictures/svg/plan_svg.h"

namespace isoshard::pictures {
namespace {

constexpr int64_t kGridRow = 28, kGridTop = 46, kGridCharacter = 8;

int64_t label_width(const PipelineGrid& grid) {
  size_t longest = 4;
  for (const GridRow& row : grid.rows) longest = std::max(longest, row.ranks.size());
  return static_cast<int64_t>(longest) * kGridCharacter + 18;
}

/// `F0`, or with its stage `2F0` where ranks have several.
std::string label(const PipelineGrid& grid, const schedule::Action& action) {
  const std::string text = schedule::to_string(action);
  const bool one_each = grid.stages == static_cast<int64_t>(grid.rows.size());
  return one_each ? text.substr(std::to_string(action.stage).size()) : text;
}

std::string tooltip(const GridRow& row, const GridCell& cell) {
  constexpr const char* kKinds[] = {"forward", "input gradient", "weight gradient", "backward"};
  return row.ranks + ", slot " + std::to_string(cell.slot) + ": " + schedule::to_string(cell.action) + ", " +
         kKinds[static_cast<size_t>(cell.action.kind)] + " of stage " + std::to_string(cell.action.stage) +
         ", micro-batch " + std::to_string(cell.action.micro_batch);
}

void draw_legend(Drawing& drawing, const PipelineGrid& grid, int64_t x, int64_t y) {
  constexpr struct {
    schedule::ActionKind kind;
    const char* words;
  } kEntries[] = {{schedule::ActionKind::forward, "F forward"},
                  {schedule::ActionKind::backward, "B backward"},
                  {schedule::ActionKind::input_gradient, "I input gradient"},
                  {schedule::ActionKind::weight_gradient, "W weight gradient"}};
  for (const auto& entry : kEntries) {
    const auto has = [&](const GridCell& cell) { return cell.action.kind == entry.kind; };
    if (std::none_of(grid.rows.begin(), grid.rows.end(),
                     [&](const GridRow& row) { return std::any_of(row.cells.begin(), row.cells.end(), has); }))
      continue;
    drawing.rect({x, y - 10, 12, 12}, std::string(1, schedule::letter(entry.kind)));
    drawing.text(x + 18, y, "muted", entry.words);
    x += 34 + kGridCharacter * static_cast<int64_t>(std::string(entry.words).size());
  }
}

void draw_row(Drawing& drawing, const PipelineGrid& grid, const GridRow& row, const Cut& cut, const Box& box) {
  const int64_t cell = box.width / std::max<int64_t>(1, cut.slots);
  drawing.text(box.x - 10, box.y + 18, "end", row.ranks);
  drawing.rect({box.x, box.y + 2, box.width, kGridRow - 4}, "band");
  for (const GridCell& one : row.cells) {
    if (one.slot >= cut.slots) continue;
    const int64_t x = box.x + one.slot * cell;
    drawing.begin_group(std::string("cell ") + schedule::letter(one.action.kind), tooltip(row, one));
    drawing.rect({x, box.y + 2, cell - 2, kGridRow - 4}, "");
    drawing.text(x + (cell - 2) / 2, box.y + 18, "mid", label(grid, one.action));
    drawing.end_group();
  }
}

}  // namespace

Picture draw(const PipelineGrid& grid) {
  const auto slots_of = [&](size_t row) {
    std::vector<int64_t> slots;
    for (const GridCell& cell : grid.rows[row].cells) slots.push_back(cell.slot);
    return slots;
  };
  const Cut cut = cut_of(grid.rows.size(), grid.slots, slots_of, "groups of ranks", "actions");
  size_t longest = 2;
  for (const GridRow& row : grid.rows) {
    for (const GridCell& cell : row.cells) longest = std::max(longest, label(grid, cell.action).size());
  }
  const int64_t left = label_width(grid), cell = static_cast<int64_t>(longest) * kGridCharacter + 12;
  Picture picture;
  picture.name = "Pipeline grid";
  picture.description = "Ranks as rows, slots as columns: " + grid.summary();
  picture.cut = cut.text;
  picture.width = std::max<int64_t>(720, left + cut.slots * cell + 12);
  Drawing& drawing = picture.drawing;
  drawing.text(12, 18, "head", "pipeline " + std::to_string(grid.pipeline));
  drawing.text(110, 18, "muted", grid.summary());
  draw_legend(drawing, grid, left, 38);
  int64_t y = kGridTop;
  for (size_t r = 0; r < cut.rows; ++r, y += kGridRow) {
    draw_row(drawing, grid, grid.rows[r], cut, {left, y, cut.slots * cell, kGridRow});
  }
  for (int64_t slot = 0; slot < cut.slots; slot += 5) {
    drawing.text(left + slot * cell + (cell - 2) / 2, y + 14, "small muted mid", std::to_string(slot));
  }
  drawing.text(left - 10, y + 14, "small muted end", "slot");
  if (!cut.text.empty()) drawing.text(left, y += 18, "note", cut.text);
  picture.height = y + 24;
  return picture;
}

}  // namespace isoshard::pictures
