#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/ir/types/mesh.h"

namespace isoshard::sim {
class ExactRing;
struct Value;
}  // namespace isoshard::sim

namespace isoshard::verify {

/// A small rational, numerator / denominator in lowest terms, denominator > 0.
struct Ratio {
  int64_t numerator = 1;
  int64_t denominator = 1;
  bool is_one() const { return numerator == denominator; }
  bool operator==(const Ratio&) const = default;
};

/// The small rational whose residue modulo moduli[lane] is residues[lane] in every lane; nothing when there is none.
/// Moduli are below 2^62.
std::optional<Ratio> reconstruct(std::span<const uint64_t> residues, std::span<const uint64_t> moduli);

/// x / y where it is the same small rational for all elements (both 0 counts as any); values of `ring` of one shape.
std::optional<Ratio> constant_ratio(const sim::ExactRing& ring, const sim::Value& x, const sim::Value& y);

/// `4`, `1/4`, `-2`.
std::string to_string(const Ratio& ratio);

/// What `ratio` is in sizes of axes: `size(model)`, `1/(size(data)*size(model))`, `size(model)-1` where `less_one` is
/// asked for; empty when no product of axis sizes fits. Axes of `hint` come first.
std::string in_words(const Ratio& ratio, const Mesh& mesh, const AxisSet& hint, bool less_one = false);

}  // namespace isoshard::verify
