#include "sim/domains/tower/log_table.h"

#include <mutex>

#include "core/support/check.h"
#include "core/support/mix.h"

namespace isoshard::sim {

uint32_t LogTable::number(const TowerResidues& u) {
  uint64_t hash = 0;
  for (size_t r = 0; r < residues_; ++r) hash = mix(hash ^ u[r]);
  const std::unique_lock lock(mutex_);
  const auto [begin, end] = numbers_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (elements_[known->second - 1] == u) return known->second;
  }
  elements_.push_back(u);
  ISOSHARD_CHECK(elements_.size() >> 32 == 0, "more than 2^32 different logarithms");
  const auto number = static_cast<uint32_t>(elements_.size());
  numbers_.emplace(hash, number);
  return number;
}

const TowerResidues& LogTable::at(uint32_t number) const {
  const std::shared_lock lock(mutex_);
  return elements_[number - 1];  // a deque does not move its elements
}

}  // namespace isoshard::sim
