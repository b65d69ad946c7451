#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/plan/memory/memory_plan.h"
#include "core/plan/memory/timeline.h"
#include "core/plan/plan.h"

namespace isoshard {

/// What one run of an instruction, or of a loop that stacks, keeps in bytes of its own, with all runs that touch it.
struct Lifetime {
  static constexpr size_t kEnd = std::numeric_limits<size_t>::max();

  size_t buffer = 0;
  std::vector<int64_t> iterations{};     ///< of the loops around its definition
  size_t first = kEnd;                   ///< the first moment that writes it
  size_t last = 0;                       ///< the last one that touches it; kEnd: it stays
  std::map<uint32_t, size_t> writers{};  ///< the first on each queue
  std::vector<uint32_t> touched{};       ///< per queue: behind the last run that touches it
  std::vector<size_t> in_place_of{};     ///< lifetimes whose bytes its writer may take over as it reads them
};

/// A value that has bytes of its own.
struct Buffer {
  PlanValueId value;
  int64_t bytes = 0;
  std::vector<const Repeat*> loops{};  ///< around, outermost first
  std::vector<size_t> lifetimes{};     ///< in the order in which they begin
};

/// The lifetimes of all values of a group, on all queues.
struct Lifetimes {
  std::vector<Buffer> buffers;
  std::vector<Lifetime> all;
};

/// Walks `group` with as many iterations as trips_of says. What the values of the group are is noted in `values`.
Lifetimes lifetimes_of(const Plan& plan, const RankGroup& group, Timeline& timeline, std::vector<ValueMemory>& values);

}  // namespace isoshard
