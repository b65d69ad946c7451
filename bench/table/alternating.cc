#include "bench/table/alternating.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>

namespace isoshard::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShortestTurn = 1e-3;  // seconds

bool hurried = false;

double seconds_of_calls(const std::function<void()>& side, int calls) {
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < calls; ++i) side();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// How many calls make a turn; runs the side once before, which warms it up.
int calls_in_turn(const std::function<void()>& side) {
  if (seconds_of_calls(side, 1) > kShortestTurn) return 1;
  int calls = 1;
  while (calls < 1 << 20 && seconds_of_calls(side, calls) < kShortestTurn) calls *= 2;
  return calls;
}

}  // namespace

void hurry() { hurried = true; }

std::vector<double> least_seconds(const std::vector<std::function<void()>>& sides, Effort effort) {
  if (hurried) effort = Effort{2, 0, 1};
  std::vector<int> calls;
  for (const std::function<void()>& side : sides) calls.push_back(calls_in_turn(side));
  std::vector<double> least(sides.size(), std::numeric_limits<double>::infinity());
  const Clock::time_point start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  for (int turn = 0; turn == 0 || (passed() < effort.most && (turn < effort.turns || passed() < effort.seconds));
       ++turn) {
    for (size_t i = 0; i < sides.size(); ++i) {
      least[i] = std::min(least[i], seconds_of_calls(sides[i], calls[i]) / calls[i]);
    }
  }
  return least;
}

double seconds_once(const std::function<void()>& side) { return seconds_of_calls(side, 1); }

}  // namespace isoshard::bench
