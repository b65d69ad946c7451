// Counts how often boxes cover the elements of an array. The edges of all boxes cut each dimension; in a cell between
// cuts all elements are covered alike, so cells are counted and not elements. Many boxes share few edges, so that the
// grid is small where layouts are regular; its size is known before anything is counted. What is wrong is put together
// to few boxes greedily, each grown along one dimension after another. Cost: the cells that all boxes cover together;
// nothing beyond a grid of 2^26 cells.
#include "core/ir/builder/cover.h"

#include <algorithm>

#include "core/support/check.h"

namespace isoshard {
namespace {

constexpr int64_t kMaxCells = int64_t{1} << 26;
constexpr size_t kMostShown = 4;

/// Calls `visit(cell)` for the cells from `begin` to `end` of a row-major grid.
template <class Visit>
void for_each_cell(const Shape& grid, const std::vector<int64_t>& begin, const std::vector<int64_t>& end,
                   Visit&& visit) {
  std::vector<int64_t> at = begin;
  for (;;) {
    int64_t cell = 0;
    for (size_t d = 0; d < grid.size(); ++d) cell = cell * grid[d] + at[d];
    visit(static_cast<size_t>(cell));
    size_t d = grid.size();
    while (d > 0 && ++at[d - 1] == end[d - 1]) {
      at[d - 1] = begin[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

int64_t place(const std::vector<int64_t>& cuts, int64_t at) {
  return std::lower_bound(cuts.begin(), cuts.end(), at) - cuts.begin();
}

}  // namespace

std::string to_string(const IndexRange& range) {
  std::string text = "[";
  for (size_t d = 0; d < range.begin.size(); ++d) {
    text += (d ? ", " : "") + std::to_string(range.begin[d]) + ":" + std::to_string(range.end[d]);
  }
  return text + "]";
}

std::string to_string(const std::vector<IndexRange>& ranges) {
  std::string text;
  for (size_t i = 0; i < std::min(ranges.size(), kMostShown); ++i) text += (i ? ", " : "") + to_string(ranges[i]);
  if (ranges.size() > kMostShown) text += " and " + std::to_string(ranges.size() - kMostShown) + " more";
  return text;
}

void Cover::add(std::span<const int64_t> begin, std::span<const int64_t> end) {
  for (size_t d = 0; d < whole_.size(); ++d) {
    ISOSHARD_CHECK(begin[d] >= 0 && end[d] <= whole_[d], "a box inside the array");
    if (begin[d] >= end[d]) return;
  }
  boxes_.insert(boxes_.end(), begin.begin(), begin.end());
  boxes_.insert(boxes_.end(), end.begin(), end.end());
  if (whole_.empty()) boxes_.push_back(0);  // a scalar has no coordinates: count it
}

void Cover::cut() {
  const size_t rank = whole_.size();
  cuts_.assign(rank, {});
  for (size_t d = 0; d < rank; ++d) {
    std::vector<int64_t>& cuts = cuts_[d];
    cuts = {0, whole_[d]};
    for (size_t i = d; i < boxes_.size(); i += rank) {
      cuts.push_back(boxes_[i]);
      if (cuts.size() < 4096 || (cuts.size() & (cuts.size() - 1)) != 0) continue;
      std::sort(cuts.begin(), cuts.end());  // many boxes share few edges: keep the list short
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
}

bool Cover::count() {
  const size_t rank = whole_.size();
  cut();
  grid_.clear();
  int64_t cells = 1;
  for (const std::vector<int64_t>& cuts : cuts_) {
    grid_.push_back(static_cast<int64_t>(cuts.size()) - 1);
    if (grid_.back() > 0 && cells > kMaxCells / grid_.back()) return false;
    cells *= grid_.back();
  }
  times_.assign(static_cast<size_t>(cells), 0);
  if (rank == 0) times_[0] = static_cast<int32_t>(boxes_.size());
  std::vector<int64_t> begin(rank), end(rank);
  for (size_t i = 0; rank != 0 && i < boxes_.size(); i += 2 * rank) {
    for (size_t d = 0; d < rank; ++d) {
      begin[d] = place(cuts_[d], boxes_[i + d]);
      end[d] = place(cuts_[d], boxes_[i + rank + d]);
    }
    for_each_cell(grid_, begin, end, [&](size_t cell) { ++times_[cell]; });
  }
  return true;
}

std::optional<int64_t> Cover::uniform() const {
  const bool same = std::all_of(times_.begin(), times_.end(), [&](int32_t t) { return t == times_.front(); });
  return same && !times_.empty() ? std::optional<int64_t>(times_.front()) : std::nullopt;
}

bool Cover::is_wrong(size_t cell, int64_t times, bool more) const {
  return more ? times_[cell] > times : times_[cell] < times;
}

/// The largest box of wrong cells that begins at `cell`, grown from the last dimension to the first.
IndexRange Cover::grow(size_t cell, int64_t times, bool more, std::vector<bool>& taken) const {
  const size_t rank = whole_.size();
  std::vector<int64_t> begin(rank), end(rank);
  auto rest = static_cast<int64_t>(cell);
  for (size_t d = rank; d-- > 0; rest /= grid_[d]) end[d] = (begin[d] = rest % grid_[d]) + 1;
  for (size_t d = rank; d-- > 0;) {
    while (end[d] < grid_[d]) {
      std::vector<int64_t> first = begin, last = end;
      first[d] = end[d];
      last[d] = end[d] + 1;
      bool all = true;
      for_each_cell(grid_, first, last, [&](size_t c) { all = all && !taken[c] && is_wrong(c, times, more); });
      if (!all) break;
      ++end[d];
    }
  }
  for_each_cell(grid_, begin, end, [&](size_t c) { taken[c] = true; });
  IndexRange result{begin, end};
  for (size_t d = 0; d < rank; ++d) {
    result.begin[d] = cuts_[d][static_cast<size_t>(begin[d])];
    result.end[d] = cuts_[d][static_cast<size_t>(end[d])];
  }
  return result;
}

std::vector<IndexRange> Cover::wrong(int64_t times, bool more) const {
  std::vector<IndexRange> result;
  std::vector<bool> taken(times_.size());
  for (size_t cell = 0; cell < times_.size(); ++cell) {
    if (!taken[cell] && is_wrong(cell, times, more)) result.push_back(grow(cell, times, more, taken));
  }
  return result;
}

}  // namespace isoshard
