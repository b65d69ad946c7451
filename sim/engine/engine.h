#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/result_fwd.h"
#include "sim/domains/domain.h"

namespace isoshard::sim {

/// Sees every value a device computes, possibly from several threads at once; values carried by a `repeat` are seen
/// where they are computed, slices and parts of stacks once per iteration, stacks when they are complete.
class ValueObserver {
 public:
  virtual ~ValueObserver() = default;
  virtual void on_value(int64_t position, PlanValueId id, const Value& value) = 0;
};

/// Runs estimated below this many scalar operations (about a millisecond) stay on the calling thread.
inline constexpr double kSmallWork = 2e6;

/// What the device at `position` goes on with in the place of a value it has computed; thread-safe.
using Substitute = std::function<Value(int64_t position, PlanValueId id, Value value)>;

struct RunOptions {
  int workers = 0;  ///< worker threads; 0 = one per core. Results are bitwise the same for any number.
  std::optional<uint64_t> interleave_seed;  ///< draws a legal order of ready work instead of the natural one
  ValueObserver* observer = nullptr;
  double small_work = kSmallWork;              ///< 0 makes every run use its workers
  uint64_t padding_seed = 0;                   ///< of all padding
  std::optional<PlanValueId> other_padding{};  ///< the loaded value whose padding is drawn anew: what depends on it?
  Substitute substitute{};                     ///< empty: every value is what the instruction makes
};

/// One block of an output as one device stored it.
struct StoredBlock {
  int64_t position = 0;
  std::vector<int64_t> begin;  ///< the place of its first element in the output, per dimension of the output
  Value value;                 ///< of the output's rank, without padding; empty where the block is padding only
};

struct RunResult {
  std::vector<std::vector<StoredBlock>> outputs;  ///< per Plan output, ordered by position
  uint64_t order_digest = 0;  ///< a hash of the order in which instructions ran, to tell interleavings apart
};

/// Runs `plan` on its virtual devices: `globals[i]` is the whole array of plan.globals[i] in `domain`.
///
/// Fails with rule `D-deadlock` (the wait-for cycle: rank, op, group, sequence number) when no device can go on and
/// with `D-mismatch` when members of a rendezvous bring different ops or shapes, or disagree on who sends to whom; with
/// `D-assert` (rank, value, first index) when those of an assert_equal bring different values. No timeouts are
/// involved, and the diagnostic does not depend on workers or interleaving. Exceptions of workers are rethrown here.
Result<RunResult> run(const Plan& plan, const Domain& domain, const std::vector<Value>& globals,
                      const RunOptions& options = {});

}  // namespace isoshard::sim
