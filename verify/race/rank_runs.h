#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"
#include "verify/race/race.h"

namespace isoshard::verify {

/// One run of an instruction on a rank.
struct Run {
  InstructionId instruction;
  QueueId queue;
  std::vector<int64_t> iterations{};  ///< of the loops around, outermost first
};

/// A run reads or writes bytes [begin, end) of the arena for the content of that number.
struct ByteAccess {
  size_t run = 0;
  bool writes = false;
  int64_t begin = 0;
  int64_t end = 0;
  size_t content = 0;
  PlanValueId value{};
  bool operator==(const ByteAccess&) const = default;
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
};

/// Follows all values of `group` to their bytes. Of a long loop as many iterations are walked as show every conflict.
/// Where `memory` is none of this Plan, or there are too many runs, `error` says why.
std::optional<RankRuns> rank_runs(const Plan& plan, size_t group, const MemoryPlan& memory, RaceLoops loops,
                                  std::string& error);

}  // namespace isoshard::verify
