#pragma once

#include <cstdint>
#include <span>

#include "core/value/tensor.h"
#include "sim/domains/domain.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// How `domain` stores values of `dtype`.
Storage storage_of(DType dtype, const Domain& domain);

/// Every element is `constant`, as the domain reads it.
Value splat(const TensorType& type, const Rational& constant, const Domain& domain);

/// Every element is 0.
Value zeros(const TensorType& type, const Domain& domain);

/// An i32 scalar; the value must fit.
Value scalar_i32(int64_t value, const Domain& domain);

/// The array as one device holds it: integers and predicates as the domain has them, floats by their exact
/// value (which float domains round to their precision).
Value from_tensor(const Tensor& tensor, const Domain& domain);

/// A float value of `type` from row-major doubles, one per element.
Value from_doubles(const TensorType& type, std::span<const double> elements, const Domain& domain);

/// The elements as an array. Float domains keep the precision they computed in (f64 for an f32 value of domain f64);
/// rings give their residues as i32[lanes, ...]; the bounded domain gives its f64 values without their bounds.
Tensor to_tensor(const Value& value, const Domain& domain);

/// Element `i`, row-major, as a double, which rounds keys and integers of 64 bits beyond 2^53.
double number_at(const Tensor& tensor, size_t i);

}  // namespace isoshard::sim
