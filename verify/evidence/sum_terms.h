#pragma once

#include <optional>
#include <vector>

#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// What one device holds of a value, as a term of a sum; or several devices together, that count alike.
struct SumTerm {
  PlanValueId value;
  std::vector<int64_t> positions;
  Fingerprint counts{};  ///< the factor with which the program adds it up; 0: left out
};

/// `root` on `position` as a sum: back through sums, sums over devices and factors that are numbers, to the values that
/// are none of these. A value that one device brings is listed for all devices, those that hold the same once. Values
/// that are 0 are no terms. Nothing where there are more than a few dozen terms. The trace keeps its values.
std::optional<std::vector<SumTerm>> sum_terms(const Examined& e, PlanValueId root, int64_t position);

/// Fewer terms: the devices' terms of one value that count alike are one.
std::vector<SumTerm> joined_devices(const std::vector<SumTerm>& terms);

/// Whether sum_terms() goes on to the operands of `i`.
bool adds_up(const Examined& e, const Instruction& i, int64_t position);

/// The factors with which the terms add up to `wanted`, one element after another, where these are the only ones that
/// do and more elements confirm them than they need.
std::optional<std::vector<Fingerprint>> fitted_factors(const Examined& e, const std::vector<SumTerm>& terms,
                                                       const std::vector<Fingerprint>& wanted);

}  // namespace isoshard::verify
