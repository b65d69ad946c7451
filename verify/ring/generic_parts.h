#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/compare/stand_ins.h"
#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// `options` of rung A or B for `pair`: as they are where these reach their error bound; otherwise, if that lowers the
/// bound, with opaque denominators, and with opaque identities behind all updated globals that are more than numbers
/// and inputs. (Tests that plant a ring have it as it is.)
RingOptions with_generic_parts(const Pair& pair, const RingOptions& options);

/// `options` that with_generic_parts has changed, with opaque functions at the ends of layers, too, where the bound is
/// then lower or reached with fewer lanes; otherwise nothing. Runs both programs once where they have such ends.
std::optional<RingOptions> with_generic_layers(const Pair& pair, const RingOptions& options);

/// Where they stand, for a report.
std::vector<std::string> generic_places(const Pair& pair, const Generic& generic);

}  // namespace isoshard::verify
