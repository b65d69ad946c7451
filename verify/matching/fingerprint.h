#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "sim/domains/tower/tower_domain.h"
#include "sim/engine/engine.h"
#include "verify/bounds/error_bound.h"
#include "verify/compare/ratio.h"
#include "verify/matching/pipeline_values.h"

namespace isoshard::verify {

/// A linear hash of a tensor: in each lane, the sum of its elements times Π over dims d of a_d^index_d in the lane's
/// field (that of component 0 on rung E), for random units a_d. Fingerprints of sums add up, and a
/// tensor that starts at index s along dim d counts a_d^s times as much: so every hypothesis "these blocks, placed so
/// or added up, are that tensor" is decided on fingerprints alone. Infinities and logarithms count as keyed hashes:
/// then a fingerprint tells whether elements are the same, and sums say nothing.
using Fingerprint = std::array<uint64_t, kMaxLanes>;

/// Makes fingerprints of ring values (and of integers and predicates, by their value) and calculates with them.
class Fingerprinter {
 public:
  /// Makes tables for values of `domain`, of which `lanes` are looked at, as large as those of the plans.
  Fingerprinter(const sim::Domain& domain, size_t lanes, uint64_t seed, const std::vector<const Plan*>& plans);

  size_t lanes() const { return lanes_; }
  /// About what an element of a value takes.
  size_t element_bytes() const {
    return tower_ != nullptr ? tower_->storage(DType::f32).planes * sizeof(uint64_t) : lanes_ * sizeof(uint32_t);
  }
  /// 1 in every lane.
  Fingerprint one() const;
  Fingerprint of(const sim::Value& value) const;
  /// The fingerprint of one element as a scalar.
  Fingerprint of_element(const sim::Value& value, int64_t i) const;
  Fingerprint add(const Fingerprint& a, const Fingerprint& b) const;
  Fingerprint subtract(const Fingerprint& a, const Fingerprint& b) const;
  /// Whether a float value is known to hold numbers only, which depend on no input; false on rungs A and B.
  bool is_constant(const sim::Value& value) const;
  /// The fingerprint when the tensor starts at index `start` along `dim`.
  Fingerprint moved(const Fingerprint& a, size_t dim, int64_t start) const;
  /// Whether it has an inverse in every lane.
  bool is_unit(const Fingerprint& a) const;
  Fingerprint inverse(const Fingerprint& unit) const;
  Fingerprint multiply(const Fingerprint& a, const Fingerprint& b) const;
  /// The small rational that it is in every lane, or nothing.
  std::optional<Ratio> small_ratio(const Fingerprint& a) const;

 private:
  template <class Make>
  Fingerprint in_lanes(const Make& make) const;
  uint64_t multiply(size_t lane, uint64_t a, uint64_t b) const;
  const sim::PrimeField& field(size_t lane) const;
  uint64_t modulus(size_t lane) const;
  uint64_t base(size_t lane, size_t dim) const;
  template <class Ring>
  uint64_t of_lane(const sim::Value& value, size_t lane, const Ring& ring) const;

  const sim::TowerDomain* tower_;        ///< null: rungs A and B
  std::vector<sim::PrimeField> fields_;  ///< per lane; empty on rung E
  size_t lanes_;
  uint64_t seed_;
  std::vector<std::vector<std::vector<uint64_t>>> powers_;  ///< [lane][dim][index]
};

/// What a Trace keeps for a diagnosis.
inline constexpr size_t kTraceKeepBytes = size_t{64} << 20;

/// The fingerprints of every value on every device, and the values themselves while they fit `keep_bytes`.
class Trace final : public sim::ValueObserver {
 public:
  Trace(const Plan& plan, const Fingerprinter& fingerprinter, size_t keep_bytes);

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;

  /// Per position; where another rank group runs, that of the rank which stands for it (GroupValues); zeros when the
  /// value was not computed.
  const std::vector<Fingerprint>& at(PlanValueId id) const { return fingerprints_[id.index()]; }
  bool computed(PlanValueId id) const { return computed_[id.index()] != 0; }
  bool keeps_values() const { return keep_; }
  /// Whether `position` itself computed `id`, and no rank of another group that stands for it; where values are kept.
  bool holds(PlanValueId id, int64_t position) const {
    return groups_.home(id, position) == position && value(id, position).data != nullptr;
  }
  const sim::Value& value(PlanValueId id, int64_t position) const {
    return values_[id.index()][static_cast<size_t>(position)];
  }
  const GroupValues& groups() const { return groups_; }

 private:
  const Fingerprinter& fingerprinter_;
  const GroupValues groups_;
  bool keep_ = false;
  std::vector<std::vector<Fingerprint>> fingerprints_;
  std::vector<char> computed_;
  std::vector<std::vector<sim::Value>> values_;
};

}  // namespace isoshard::verify
