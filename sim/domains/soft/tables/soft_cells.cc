// Comparisons with constants by complete cases: an input between two constants is any number there, so that it stays
// the ring's element, and a polynomial that is 0 on the whole cell is 0; at a constant it is that number, so that ties
// are what they are. Every input is in one of the cells, and none of the cases is impossible.
#include "sim/domains/soft/tables/soft_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace isoshard::sim {
namespace {

constexpr uint64_t kCell = uint64_t{1} << 37;

}  // namespace

SoftCells::SoftCells(SoftIntegers& integers, const std::set<double>& constants) : integers_(integers) {
  std::set<double> all;
  for (const double x : constants) {
    if (std::isfinite(x)) all.insert({x, -x});
  }
  if (all.empty()) return;
  all.insert(0);
  if (all.size() > kMostConstants) all = {0};
  for (const double x : all) {
    if (constants_.empty() || constants_.back() != mpq_class(x)) constants_.emplace_back(x);
  }
}

uint32_t SoftCells::variable_of(const std::vector<uint64_t>& element) {
  std::vector<int64_t> values(cells());
  std::iota(values.begin(), values.end(), 0);
  const SoftIntegers::Word word = integers_.variable(integers_.name(kCell, element), values);
  const uint32_t variable = integers_.variables(integers_.partition_of(word).value()).front();
  const std::lock_guard lock(mutex_);
  elements_.emplace(variable, element);
  return variable;
}

std::vector<uint64_t> SoftCells::opposite(std::span<const uint64_t> element) const {
  std::vector<uint64_t> result;
  for (size_t l = 0; l < element.size(); ++l) result.push_back(integers_.field(l).negate(element[l]));
  return result;
}

std::optional<size_t> SoftCells::place(std::span<const uint64_t> element, uint32_t variable, size_t cell) const {
  const std::lock_guard lock(mutex_);
  const auto known = elements_.find(variable);
  if (known == elements_.end()) return std::nullopt;
  const std::vector<uint64_t>& own = known->second;
  if (std::equal(own.begin(), own.end(), element.begin(), element.end())) return cell;
  return own == opposite(element) ? std::optional(cells() - 1 - cell) : std::nullopt;
}

}  // namespace isoshard::sim
