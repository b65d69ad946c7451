#pragma once

#include <string>
#include <vector>

#include "verify/generic.h"
#include "verify/ring_stage.h"

namespace isoshard::verify {

/// `options` of rung A or B for `pair`: as they are where these reach their error bound; otherwise, if that lowers the
/// bound, with opaque denominators, and with opaque identities behind all updated globals that are more than numbers
/// and inputs. (Tests that plant a ring have it as it is.)
RingOptions with_generic_parts(const Pair& pair, const RingOptions& options);

/// Where they stand, for a report.
std::vector<std::string> generic_places(const Pair& pair, const Generic& generic);

}  // namespace isoshard::verify
