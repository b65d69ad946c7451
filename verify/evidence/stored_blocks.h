#pragma once

#include <vector>

#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// The value that `plan` stores as output `output`, or invalid.
PlanValueId stored_value(const Plan& plan, size_t output);

/// A block of an output that a device stores.
struct StoredValue {
  const StoreBlock* store = nullptr;
  PlanValueId value;
  int64_t position = 0;
};

/// All blocks that devices store, each by the rank group that computes it; none where they cannot be compared element
/// by element: where the traces keep no values or the reference runs on several devices.
std::vector<StoredValue> stored_values(const Evidence& e);

/// What a reference on one device has for the elements of `stored`; empty where the block has padding.
std::vector<Fingerprint> reference_elements(const Evidence& e, const StoredValue& stored);

}  // namespace isoshard::verify
