#include "apps/isoshard/progress.h"

#include <unistd.h>

#include <cstdio>

namespace isoshard::app {
namespace {

constexpr std::chrono::milliseconds kQuiet{2000}, kBetween{100};
constexpr const char* kClear = "\r\x1b[K";

}  // namespace

Progress::Progress(int64_t steps)
    : steps_(steps), terminal_(isatty(STDERR_FILENO) != 0), next_(Clock::now() + kQuiet) {}

Progress::~Progress() {
  if (visible_) std::fputs(kClear, stderr);
}

void Progress::show(int64_t done, const std::string& remark) {
  if (!terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + kBetween;
  visible_ = true;
  const std::string text = "step " + std::to_string(done) + " of " + std::to_string(steps_) + remark;
  std::fprintf(stderr, "%s%s", kClear, text.c_str());
  std::fflush(stderr);
}

}  // namespace isoshard::app
