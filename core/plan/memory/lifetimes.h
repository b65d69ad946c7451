#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/plan/memory/memory_plan.h"
#include "core/plan/order/timeline.h"
#include "core/plan/plan.h"
#include "core/support/id_table.h"
#include "core/support/short_list.h"

namespace isoshard {

/// Numbers of lifetimes, of buffers or of blocks.
using Numbers = ShortList<uint32_t>;

/// What one run of an instruction, or of a loop that stacks, keeps in bytes of its own, with all runs that touch it.
struct Lifetime {
  static constexpr size_t kEnd = std::numeric_limits<size_t>::max();
  /// A run that writes it.
  struct Writer {
    uint32_t queue = 0;
    uint32_t moment = 0;
  };

  size_t first = kEnd;  ///< the first moment that writes it
  size_t last = 0;      ///< the last one that touches it; kEnd: it stays
  uint32_t buffer = 0;
  uint32_t iterations = 0;      ///< where those of the loops around its definition begin in a list of all
  ShortList<Writer> writers{};  ///< the first on each queue, in the order of queues
  Numbers in_place_of{};        ///< lifetimes whose bytes its writer may take over as it reads them
};

/// A value that has bytes of its own.
struct Buffer {
  PlanValueId value;
  int64_t bytes = 0;
  std::vector<const Repeat*> loops{};  ///< around, outermost first
  Numbers lifetimes{};                 ///< in the order in which they begin
};

/// The lifetimes of all values of a group, on all queues.
struct Lifetimes {
  size_t queues = 0;
  std::vector<Buffer> buffers{};
  std::vector<Lifetime> all{};
  std::vector<uint32_t> touched_on{};  ///< by lifetime and queue
  std::vector<int64_t> iterations{};   ///< of all lifetimes

  /// Per queue: behind the last run that touches it.
  std::span<const uint32_t> touched(size_t lifetime) const {
    return std::span(touched_on).subspan(lifetime * queues, queues);
  }
  /// Of the loops around its definition.
  std::span<const int64_t> iterations_of(size_t lifetime) const {
    const Lifetime& one = all[lifetime];
    return std::span(iterations).subspan(one.iterations, buffers[one.buffer].loops.size());
  }
};

/// What a walk keeps by value, to be used for one group after another.
struct LifetimeTables {
  IdTable<PlanValueId, uint32_t> now{Timeline::kNone};  ///< the lifetime that it stands for
  IdTable<PlanValueId, uint32_t> buffer_of{Timeline::kNone};
  IdTable<PlanValueId, uint32_t> rows{Timeline::kNone};  ///< of parts of loops: the stack that they are made in
};

/// Walks `group` with as many iterations as trips_of says. What the values of the group are is noted in `values`.
Lifetimes lifetimes_of(const Plan& plan, const RankGroup& group, Timeline& timeline, LifetimeTables& tables,
                       std::vector<ValueMemory>& values);

}  // namespace isoshard
