#pragma once

#include <vector>

#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// The value that `plan` stores as output `output`, or invalid.
PlanValueId stored_value(const Plan& plan, size_t output);

/// What a reference on one device has for the elements of `id` on device `position`, which `store` stores there; empty
/// where the block has padding. The traces keep their values.
std::vector<Fingerprint> reference_elements(const Examined& e, const StoreBlock& store, PlanValueId id,
                                            int64_t position);

}  // namespace isoshard::verify
