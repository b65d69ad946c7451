#include "sim/domains/tower/tower_notes.h"

namespace isoshard::sim {

std::vector<mpq_class> TowerNotes::infinities() const {
  const std::lock_guard lock(mutex_);
  return {infinities_.begin(), infinities_.end()};
}

void TowerNotes::note_infinity(const mpq_class& c) {
  const std::lock_guard lock(mutex_);
  infinities_.insert(c);
}

void TowerNotes::note_factors(uint64_t factors) {
  uint64_t known = most_factors_.load();
  while (known < factors && !most_factors_.compare_exchange_weak(known, factors)) {
  }
}

}  // namespace isoshard::sim
