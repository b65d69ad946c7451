// Boxes are cut where they overlap: of a box that meets another one at most two parts per dimension are left. Cost:
// boxes times boxes, of which a rank has few.
#include "core/plan/memory/box_set.h"

#include <algorithm>
#include <utility>

namespace isoshard {
namespace {

bool is_empty(const IndexRange& range) {
  for (size_t d = 0; d < range.begin.size(); ++d) {
    if (range.begin[d] >= range.end[d]) return true;
  }
  return false;
}

bool overlap(const IndexRange& a, const IndexRange& b) {
  for (size_t d = 0; d < a.begin.size(); ++d) {
    if (std::max(a.begin[d], b.begin[d]) >= std::min(a.end[d], b.end[d])) return false;
  }
  return true;
}

/// Appends what of `box` is not in `taken`, which meets it.
void append_rest(IndexRange box, const IndexRange& taken, std::vector<IndexRange>& out) {
  for (size_t d = 0; d < box.begin.size(); ++d) {
    IndexRange before = box, behind = box;
    before.end[d] = std::min(box.end[d], taken.begin[d]);
    behind.begin[d] = std::max(box.begin[d], taken.end[d]);
    if (!is_empty(before)) out.push_back(std::move(before));
    if (!is_empty(behind)) out.push_back(std::move(behind));
    box.begin[d] = std::max(box.begin[d], taken.begin[d]);
    box.end[d] = std::min(box.end[d], taken.end[d]);
  }
}

}  // namespace

void BoxSet::add(const IndexRange& box) {
  const std::vector<IndexRange> parts = missing(box);
  boxes_.insert(boxes_.end(), parts.begin(), parts.end());
}

std::vector<IndexRange> BoxSet::missing(const IndexRange& box) const {
  std::vector<IndexRange> rest;
  if (!is_empty(box)) rest.push_back(box);
  for (const IndexRange& taken : boxes_) {
    std::vector<IndexRange> next;
    for (IndexRange& part : rest) {
      if (overlap(part, taken)) {
        append_rest(std::move(part), taken, next);
      } else {
        next.push_back(std::move(part));
      }
    }
    rest = std::move(next);
    if (rest.empty()) break;
  }
  return rest;
}

double BoxSet::size() const {
  double sum = 0;
  for (const IndexRange& box : boxes_) {
    double volume = 1;
    for (size_t d = 0; d < box.begin.size(); ++d) volume *= static_cast<double>(box.end[d] - box.begin[d]);
    sum += volume;
  }
  return sum;
}

}  // namespace isoshard
