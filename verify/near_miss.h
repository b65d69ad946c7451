#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/examined.h"

namespace isoshard::verify {

/// A value that is a reference value but for some of its elements, and the op those come from.
struct NearMiss {
  InstructionId culprit;
  std::string cause;
  std::vector<std::string> facts;
  bool traced = false;  ///< `facts` say where the wrong and the right element stand in what the op reads
};

/// Looks among the values marked in `suspect`, where both traces keep values.
std::optional<NearMiss> find_near_miss(const Examined& e, const std::vector<char>& suspect);

}  // namespace isoshard::verify
