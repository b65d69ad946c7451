#pragma once

#include <memory>
#include <vector>

#include "verify/compare/steps.h"

namespace isoshard {
struct NamedTensor;
}

namespace isoshard::verify {

/// The globals with which the first step of `both` began in `domain`, each in its own dtype, as files hold them.
std::shared_ptr<const std::vector<NamedTensor>> arrays_of(const Pair& pair, const PairRun& both,
                                                          const sim::Domain& domain);

}  // namespace isoshard::verify
