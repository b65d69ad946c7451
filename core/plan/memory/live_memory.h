#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.h"

/// What a device holds while it runs a Plan, from the types alone (docs/adr/0025-memory-of-a-plan.md).
namespace isoshard {

/// A value that is held. Bytes are doubles, because sizes in a file are only claims.
struct HeldValue {
  PlanValueId value;  ///< the first of those that share the bytes
  double bytes = 0;
  std::optional<GlobalId> global{};  ///< it is a block of this global, as loaded
};

/// Where most bytes are held at once: while an instruction runs, its operands and results included, or where a loop
/// begins.
struct MemoryPeak {
  double bytes = 0;
  double globals = 0;  ///< of them blocks of globals
  std::optional<InstructionId> instruction{};
  const Repeat* loop = nullptr;   ///< the innermost loop around it, or the one that begins
  std::vector<HeldValue> held{};  ///< largest first
};

/// The peak of every device of `group`, which is one of `plan`.
///
/// Instructions run one after another in issue order. A value is held from its definition to its last use as marked, or
/// to the end where it is stored as an output; types as written (key: 8 bytes, pred: 1). reshape, stop_gradient and
/// carries that do not change share the bytes of their operand.
MemoryPeak memory_peak(const Plan& plan, const RankGroup& group);

/// What is held while one instruction runs, or where a loop begins.
struct MemoryMoment {
  double bytes = 0;
  std::optional<InstructionId> instruction{};  ///< nothing: `loop` begins
  const Repeat* loop = nullptr;                ///< the innermost loop around it, or the one that begins
};

/// What every device of `group` holds from moment to moment, in issue order; the largest is memory_peak.
///
/// A loop stands for all of its iterations with one that has others before and behind it.
std::vector<MemoryMoment> memory_over_time(const Plan& plan, const RankGroup& group);

}  // namespace isoshard
