#pragma once  // internal

#include <optional>
#include <vector>

#include "verify/answers/diagnosis.h"
#include "verify/evidence/evidence.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// A diagnosis that points at the result of an instruction, or at the output that it stores.
Diagnosis located(const Side& side, const Instruction& i);

struct WrongStore {
  Instruction instruction;
  const StoreBlock* store;
};

/// Where outputs that differ are stored.
std::vector<WrongStore> wrong_stores(const Plan& plan, const RingOutcome& outcome);

/// Explains an output that is wrong although the value that is returned has a counterpart.
std::optional<Diagnosis> diagnose_returns(const Evidence& e, const RingOutcome& outcome);

/// Explains a result that is 0 everywhere, and should not be: nothing reaches it.
std::optional<Diagnosis> diagnose_zeros(const Pair& pair, const RingOutcome& outcome);

}  // namespace isoshard::verify
