#pragma once  // internal

#include <cstdint>
#include <optional>

#include "core/plan/plan.h"

namespace isoshard {

/// How many iterations of a loop stand for all of them where addresses are looked at, with a remainder that is that of
/// all by `period`.
struct Trips {
  int64_t walked = 0;
  int64_t period = 1;  ///< numbers of copies divide it, unless all iterations are walked
};

/// Nothing where carries change places in more than eight, and there are too many iterations to walk them all.
std::optional<Trips> trips_of(const Plan& plan, const Repeat& repeat);

}  // namespace isoshard
