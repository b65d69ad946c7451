#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace isoshard::app {

/// A line on stderr about the steps of a long run, `step 5 of 17, loss 0.0118`, rewritten in place and taken away at
/// the end. Nothing where stderr is no terminal, and nothing in the first two seconds.
class Progress {
 public:
  explicit Progress(int64_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// After the step `done`, the first of which is 1; `remark` is what to say of it.
  void show(int64_t done, const std::string& remark);

 private:
  using Clock = std::chrono::steady_clock;

  int64_t steps_;
  bool terminal_;
  bool visible_ = false;
  Clock::time_point next_;
};

}  // namespace isoshard::app
