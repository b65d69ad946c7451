#pragma once

#include <cstdint>
#include <string_view>

namespace isoshard {
struct Plan;
}

namespace isoshard::sim {

/// Whoever waits for long work: hears how it goes on, and may end it. What either function throws ends the work and is
/// thrown to the one who asked for it.
class Caller {
 public:
  virtual ~Caller() = default;
  /// A part of the work begins, such as `rung A`. From any thread, but from one at a time.
  virtual void begin_part(std::string_view part) = 0;
  /// The work goes on: before as many instructions, each counted once for each device, or within one that was counted
  /// (0); from several threads at once.
  virtual void go_on(int64_t instructions) = 0;
  /// A run of `plan` begins, which calls go_on() until it ends. Like begin_part().
  virtual void begin_run(const Plan& plan) { static_cast<void>(plan); }
  /// Something is known before the work ends, such as `rung A: 3 of 5 outputs equal`. Like begin_part().
  virtual void found(std::string_view what) { static_cast<void>(what); }
};

}  // namespace isoshard::sim
