#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "core/support/rational_gmp.h"
#include "sim/domains/residues/ring_notes.h"

namespace isoshard::sim {

/// What rung E meets besides: which numbers it took for infinities, and what it knows logarithms by. Thread-safe.
class TowerNotes : public RingNotes {
 public:
  std::vector<mpq_class> infinities() const;
  void note_infinity(const mpq_class& c);
  /// The most factors that a logarithm had.
  uint64_t most_factors() const { return most_factors_.load(); }
  void note_factors(uint64_t factors);
  /// Whether a logarithm was seen at an even q, which tells its argument up to the sign only: (1/2) log x^2 is log(-x).
  bool even_roots() const { return even_roots_.load(); }
  void note_even_root() { even_roots_ = true; }

 private:
  std::atomic<uint64_t> most_factors_{0};
  std::atomic<bool> even_roots_{false};
  mutable std::mutex mutex_;
  std::set<mpq_class> infinities_;
};

}  // namespace isoshard::sim
