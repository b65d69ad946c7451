#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/plan/plan_ids.h"
#include "sim/engine/workers.h"
#include "sim/value/value.h"

namespace isoshard::sim {

class RunMemory;

/// Sees every value a device computes, possibly from several threads at once; values carried by a `repeat` are seen
/// where they are computed, slices and parts of stacks once per iteration, stacks when they are complete.
class ValueObserver {
 public:
  virtual ~ValueObserver() = default;
  virtual void on_value(int64_t position, PlanValueId id, const Value& value) = 0;
  /// False where it is all the same to it which devices hold a value and how many: it may then see one of those that
  /// hold the same in place of all.
  virtual bool looks_at_devices() const { return true; }
};

/// Runs estimated below this many scalar operations (about a millisecond) stay on the calling thread.
inline constexpr double kSmallWork = 2e6;

/// What the device at `position` goes on with in the place of a value it has computed; thread-safe.
using Substitute = std::function<Value(int64_t position, PlanValueId id, Value value)>;

/// How a Plan runs, and who watches.
struct RunOptions {
  Workers workers{};
  std::optional<uint64_t> interleave_seed;  ///< draws a legal order of ready work instead of the natural one
  ValueObserver* observer = nullptr;
  double small_work = kSmallWork;              ///< 0 makes every run use its workers
  uint64_t padding_seed = 0;                   ///< of all padding
  std::optional<PlanValueId> other_padding{};  ///< the loaded value whose padding is drawn anew: what depends on it?
  Substitute substitute{};                     ///< empty: every value is what the instruction makes
  bool substitutes_alike = false;              ///< it makes the same of the same value on every device
  RunMemory* memory = nullptr;  ///< where operands are read and results written; null: values of their own
};

/// Someone else sees each value where it is computed.
inline bool is_watched(const RunOptions& options) {
  return options.observer != nullptr || options.substitute || options.memory != nullptr;
}

}  // namespace isoshard::sim
