#include "sim/domains/residues/ring_notes.h"

namespace isoshard::sim {

std::string RingNotes::undecided() const {
  const std::lock_guard lock(mutex_);
  return undecided_;
}

void RingNotes::note_undecided(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (undecided_.empty()) undecided_ = what;
}

std::optional<Rational> RingNotes::unrepresentable() const {
  const std::lock_guard lock(mutex_);
  return unrepresentable_;
}

void RingNotes::note_unrepresentable(const Rational& constant) {
  const std::lock_guard lock(mutex_);
  if (!unrepresentable_) unrepresentable_ = constant;
}

}  // namespace isoshard::sim
