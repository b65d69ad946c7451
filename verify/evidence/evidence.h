#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "verify/matching/match.h"

namespace isoshard::verify {

/// Everything a diagnosis knows: both programs with all their values on one input, and which values match.
struct Evidence {
  const Pair& pair;
  const Trace& sharded;
  const Trace& reference;
  const Matcher& matcher;
  const std::vector<sim::Value>& globals;
  const sim::Domain& domain;                       ///< of all values
  std::vector<std::optional<Match>> matches;       ///< per value of the sharded Plan
  std::vector<char> constant;                      ///< per value: made from constants only
  std::vector<InstructionId> definition;           ///< per value
  std::vector<char> indices;                       ///< per value: made from constants and places on the mesh only
  std::optional<Ratio> ratio{};                    ///< of all outputs that differ to the reference's, where it is one
  std::vector<std::pair<size_t, Ratio>> ratios{};  ///< the outputs that differ and are one multiple of the reference's

  bool keeps_values() const { return sharded.keeps_values() && reference.keeps_values(); }
  const Plan& plan() const { return pair.sharded.plan; }
  const Mesh& mesh() const { return *pair.sharded.plan.mesh; }
  /// Constants, what depends on places only, blocks of globals, and values with a counterpart.
  bool known(PlanValueId id) const {
    return indices[id.index()] != 0 || constant[id.index()] != 0 || matches[id.index()].has_value() ||
           load(id) != nullptr;
  }
  /// The load of a block that makes `id`, or null.
  const LoadBlock* load(PlanValueId id) const;
  const Match* match(PlanValueId id) const { return matches[id.index()] ? &*matches[id.index()] : nullptr; }
  std::string name(PlanValueId id) const { return pair.sharded.in_words(id); }
  /// `%p of @dense`, `@W`.
  std::string name(const ReferenceValue& value) const;
  /// How the devices of `axis` hold `id`: constants and axes of size 1 are equal.
  FoldKind kind(PlanValueId id, AxisId axis) const;
  std::vector<AxisId> axes_of_kind(PlanValueId id, FoldKind kind) const;
};

}  // namespace isoshard::verify
