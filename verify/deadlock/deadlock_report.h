#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/diagnostic.h"

namespace isoshard::verify {

enum class DeadlockVerdict : uint8_t {
  none,          ///< every rank comes to its end, whatever the timing, also with all its queues as one
  launch_order,  ///< with queues side by side they do, but not where a rank has one queue, in issue order
  deadlock,
  undecided,  ///< too large
};

/// `none`, `launch order`, `deadlock`, `undecided`.
std::string_view name(DeadlockVerdict verdict);

/// Whether the ranks of a Plan can come to wait for each other (docs/spec/plan.md, "Deadlock").
struct DeadlockReport {
  DeadlockVerdict verdict = DeadlockVerdict::none;
  std::optional<Diagnostic> finding;  ///< `D-deadlock`, who waits for whom; of undecided: why
  std::optional<int64_t> depth;       ///< with buffers for so many messages from one rank to another there is none
  bool side_by_side = false;          ///< that is so with queues side by side; one queue needs more, or nothing helps

  bool none() const { return verdict == DeadlockVerdict::none; }
  bool found() const { return verdict == DeadlockVerdict::deadlock || verdict == DeadlockVerdict::launch_order; }
  /// `none`, `in one launch order; buffers for 2 messages from each rank to another would save it`, ...
  std::string words() const;
};

}  // namespace isoshard::verify
