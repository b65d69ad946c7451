#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/plan/plan.h"
#include "sim/engine.h"
#include "verify/error_bound.h"

namespace isoshard::verify {

/// A linear hash of a tensor: in each lane, the sum of its elements times Π over dims d of a_d^index_d mod 2^31-1, for
/// random a_d. Fingerprints of sums add up, and a tensor that starts at index s along dim d counts a_d^s times as much:
/// so every hypothesis "these blocks, placed so or added up, are that tensor" is decided on fingerprints alone.
using Fingerprint = std::array<uint32_t, kMaxLanes>;

/// Makes fingerprints of ring values (and of integers and predicates, by their value) and calculates with them.
class Fingerprinter {
 public:
  /// For values as large as those of the plans.
  Fingerprinter(size_t lanes, uint64_t seed, const std::vector<const Plan*>& plans);

  size_t lanes() const { return lanes_; }
  Fingerprint of(const sim::Value& value) const;
  Fingerprint add(const Fingerprint& a, const Fingerprint& b) const;
  Fingerprint subtract(const Fingerprint& a, const Fingerprint& b) const;
  /// The fingerprint when the tensor starts at index `start` along `dim`.
  Fingerprint moved(const Fingerprint& a, size_t dim, int64_t start) const;

 private:
  uint32_t base(size_t lane, size_t dim) const;
  uint32_t of_lane(const sim::Value& value, size_t lane) const;

  size_t lanes_;
  uint64_t seed_;
  std::vector<std::vector<std::vector<uint32_t>>> powers_;  ///< [lane][dim][index]
};

/// The fingerprints of every value on every device, and the values themselves while they fit `keep_bytes`.
class Trace final : public sim::ValueObserver {
 public:
  Trace(const Plan& plan, const Fingerprinter& fingerprinter, size_t keep_bytes);

  void on_value(int64_t position, PlanValueId id, const sim::Value& value) override;

  /// Per position; zeros where the value was not computed.
  const std::vector<Fingerprint>& at(PlanValueId id) const { return fingerprints_[id.index()]; }
  bool computed(PlanValueId id) const { return computed_[id.index()] != 0; }
  bool keeps_values() const { return keep_; }
  const sim::Value& value(PlanValueId id, int64_t position) const {
    return values_[id.index()][static_cast<size_t>(position)];
  }

 private:
  const Fingerprinter& fingerprinter_;
  bool keep_ = false;
  std::vector<std::vector<Fingerprint>> fingerprints_;
  std::vector<char> computed_;
  std::vector<std::vector<sim::Value>> values_;
};

}  // namespace isoshard::verify
