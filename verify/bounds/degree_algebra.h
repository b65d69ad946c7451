#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ir/types/type.h"
#include "verify/bounds/degree.h"

/// Degrees of sums and products, and where dimensions go (bits of Degree::dims).
namespace isoshard::verify {

inline constexpr size_t kDims = 64;  ///< bits

/// The bit of dimension `dim`; dimensions beyond kDims share bits, which only raises bounds.
constexpr uint64_t bit(size_t dim) { return uint64_t{1} << (dim % kDims); }
/// The dimensions that have more than one index.
uint64_t all_dims(const Shape& shape);

/// The degree of the numerator of the difference of two entries.
double difference_degree(const Degree& a, const Degree& b);
/// The id of the product of two denominators.
uint64_t product_id(uint64_t a, uint64_t b);
Degree add(const Degree& a, const Degree& b);
Degree multiply(const Degree& a, const Degree& b);
/// exp(q x) of a value, with the factors of its logarithm; what is compared and hashed where there is one. Notes the
/// degree of its exponent, `times` of them.
Degree exponential(const Degree& x, DegreeCounts& counts, double times);
/// Notes `times` evaluations of opaque functions of `argument`.
void note_opaque(DegreeCounts& counts, const Degree& argument, double times);
/// The worse of both, of entries that stand side by side.
void merge(Degree& degree, const Degree& part);
/// A sum of `terms` entries with `distinct` different denominators among them.
Degree sum_terms(Degree x, double terms, double distinct);
/// The number of indices of those `dims` whose bit is in `mask`.
double product_of(const Shape& shape, const std::vector<int64_t>& dims, uint64_t mask);

/// `mask` with every dimension d replaced by where[d]; dimensions with where[d] < 0 are dropped.
uint64_t move_bits(uint64_t mask, const std::vector<int64_t>& where);
/// 1 / x, whose denominators are those of `id`.
Degree reciprocal(Degree x, uint64_t id);

}  // namespace isoshard::verify
