#pragma once

#include <functional>
#include <vector>

namespace isoshard::bench {

/// What is counted: what a clock on the wall says, or what the calling thread had of a core, which neighbours of the
/// machine disturb less; of sides that are one thread.
enum class TimeOf { wall, thread };

/// How long sides are repeated.
struct Effort {
  int turns = 5;       ///< at least, unless that takes more than `most`
  double seconds = 1;  ///< and until so many have passed
  double most = 10;    ///< seconds after which no turn begins
};

/// From now on each side has two turns: what is measured then says only that it works.
void hurry();

/// The least time of each side in seconds. The sides take turns, so that neighbours of the machine disturb all of them;
/// a side that is shorter than a millisecond is repeated within its turn.
std::vector<double> least_seconds(TimeOf what, const std::vector<std::function<void()>>& sides, Effort effort = {});

/// The seconds of one call.
double seconds_once(TimeOf what, const std::function<void()>& side);

}  // namespace isoshard::bench
