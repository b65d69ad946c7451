#include "bench/table/measure/alternating.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

namespace isoshard::bench {
namespace {

constexpr double kShortestTurn = 1e-3;  // seconds

bool hurried = false;

/// Seconds since some moment.
double now(TimeOf what) {
  timespec time{};
  clock_gettime(what == TimeOf::wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of_calls(TimeOf what, const std::function<void()>& side, int calls) {
  const double start = now(what);
  for (int i = 0; i < calls; ++i) side();
  return now(what) - start;
}

/// How many calls make a turn; runs the side once before, which warms it up.
int calls_in_turn(TimeOf what, const std::function<void()>& side) {
  if (seconds_of_calls(what, side, 1) > kShortestTurn) return 1;
  int calls = 1;
  while (calls < 1 << 20 && seconds_of_calls(what, side, calls) < kShortestTurn) calls *= 2;
  return calls;
}

}  // namespace

void hurry() { hurried = true; }

std::vector<double> least_seconds(TimeOf what, const std::vector<std::function<void()>>& sides, Effort effort) {
  if (hurried) effort = Effort{2, 0, 1};
  std::vector<int> calls;
  for (const std::function<void()>& side : sides) calls.push_back(calls_in_turn(what, side));
  std::vector<double> least(sides.size(), std::numeric_limits<double>::infinity());
  const double start = now(TimeOf::wall);
  const auto passed = [&] { return now(TimeOf::wall) - start; };
  for (int turn = 0; turn == 0 || (passed() < effort.most && (turn < effort.turns || passed() < effort.seconds));
       ++turn) {
    for (size_t i = 0; i < sides.size(); ++i) {
      least[i] = std::min(least[i], seconds_of_calls(what, sides[i], calls[i]) / calls[i]);
    }
  }
  return least;
}

double seconds_once(TimeOf what, const std::function<void()>& side) { return seconds_of_calls(what, side, 1); }

}  // namespace isoshard::bench
