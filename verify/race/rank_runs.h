#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "core/support/id_table.h"
#include "verify/race/race.h"

namespace isoshard::verify {

/// One run of an instruction on a rank.
struct Run {
  InstructionId instruction;
  QueueId queue;
  uint32_t iterations = 0;  ///< where those of the loops around begin in RankRuns::iterations, outermost first
  uint32_t loops = 0;       ///< how many there are
};

/// A run reads or writes bytes [begin, end) of the arena for the content of that number.
struct ByteAccess {
  int64_t begin = 0;
  int64_t end = 0;
  uint32_t run = 0;
  uint32_t content = 0;
  PlanValueId value{};
  bool writes = false;
};

/// What happens on each rank of a group: runs in issue order with the first iteration of each loop marked, and the
/// bytes that they touch, in that order, reads of a run before its writes. Behind the last run stands the end, which
/// reads what is stored.
struct RankRuns {
  /// A loop that begins, one of its iterations, or its end, in front of run `before`.
  struct Mark {
    size_t before = 0;
    const Repeat* repeat = nullptr;
    int64_t iteration = 0;  ///< the number of iterations: the end
    bool ends = false;
  };
  std::vector<Run> runs{};
  std::vector<Mark> marks{};
  std::vector<ByteAccess> accesses{};
  std::vector<int64_t> iterations{};

  std::span<const int64_t> iterations_of(const Run& run) const {
    return std::span(iterations).subspan(run.iterations, run.loops);
  }
};

/// What a walk keeps by value, to be used for one group after another.
struct RunsTables {
  static constexpr uint32_t kNothing = 0xffffffffU;
  IdTable<PlanValueId, uint32_t> now{kNothing};  ///< the number of what it stands for
};

/// Follows all values of `group` to their bytes. Of a long loop as many iterations are walked as show every conflict.
/// Where `memory` is none of this Plan, or there are too many runs, `error` says why.
std::optional<RankRuns> rank_runs(const Plan& plan, size_t group, const MemoryPlan& memory, RaceLoops loops,
                                  RunsTables& tables, std::string& error);

}  // namespace isoshard::verify
