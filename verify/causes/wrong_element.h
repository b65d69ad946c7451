#pragma once

#include <optional>

#include "verify/causes/explain.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Takes the first wrong element of the first wrong output apart, together with the element that is expected: sums into
/// terms, functions into arguments, copies into what they copy, until two elements stand against each other and one
/// says what the program took instead of the other. The traces must keep values.
std::optional<Explanation> trace_wrong_element(const Evidence& e, const RingOutcome& outcome);

}  // namespace isoshard::verify
