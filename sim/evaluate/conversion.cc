// Values from constants and arrays, and back. Floats and predicates are the domain's to store, integers and keys those
// of the integer part of the domain, so every conversion asks `in_domain` first. Floats pass through f64, which holds
// all narrower formats exactly, and the domain rounds once. Constants are repeated by doubling what is there. Cost: one
// pass. `number_at` gives one element of an archive as f64, for reports only: integers of 64 bits may be rounded there.
#include "sim/evaluate/conversion.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "core/ir/scalar/narrow.h"
#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "core/value/integers.h"
#include "sim/value/narrow.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

bool in_domain(DType dtype) { return is_float(dtype) || dtype == DType::pred; }

/// Writes `constant`, which inference found representable, as one integer.
void write_integer(const Rational& constant, DType dtype, const Domain& domain, std::byte* out) {
  const mpz_class value = to_mpq(constant).get_num();
  const auto word = value < 0 ? static_cast<uint64_t>(value.get_si()) : static_cast<uint64_t>(value.get_ui());
  domain.from_machine(dtype, 1, reinterpret_cast<const std::byte*>(&word), out);  // little-endian: low bytes first
}

/// Repeats `element` over `bytes` bytes of `out`, doubling what is there.
void repeat(const std::byte* element, size_t element_bytes, std::byte* out, size_t bytes) {
  if (bytes == 0) return;
  std::memcpy(out, element, element_bytes);
  for (size_t done = element_bytes; done < bytes; done *= 2) std::memcpy(out + done, out, std::min(done, bytes - done));
}

}  // namespace

Storage storage_of(DType dtype, const Domain& domain) {
  return in_domain(dtype) ? domain.storage(dtype) : domain.integer_storage(dtype);
}

Value splat(const TensorType& type, const Rational& constant, const Domain& domain) {
  NewValue result(type, storage_of(type.dtype, domain));
  const size_t element_bytes = result.storage.element_bytes;
  std::vector<std::byte> element(element_bytes * result.storage.planes);
  if (is_float(type.dtype)) {
    domain.constant(constant, type.dtype, element.data());
  } else if (type.dtype == DType::pred) {
    const uint8_t holds = to_mpq(constant) == 0 ? 0 : 1;
    domain.from_native(1, &holds, element.data());
  } else {
    write_integer(constant, type.dtype, domain, element.data());
  }
  for (size_t p = 0; p < result.storage.planes; ++p) {
    repeat(element.data() + p * element_bytes, element_bytes, result.plane(p), result.plane_bytes());
  }
  return std::move(result).finish();
}

Value zeros(const TensorType& type, const Domain& domain) { return splat(type, Rational(0), domain); }

Value scalar_i32(int64_t value, const Domain& domain) {
  ISOSHARD_CHECK(value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max(),
                 "an index does not fit i32");
  NewValue result(TensorType{DType::i32, {}}, domain.integer_storage(DType::i32));
  const auto number = static_cast<int32_t>(value);
  domain.from_machine(DType::i32, 1, reinterpret_cast<const std::byte*>(&number), result.data.get());
  return std::move(result).finish();
}

Value from_doubles(const TensorType& type, std::span<const double> elements, const Domain& domain) {
  ISOSHARD_CHECK(is_float(type.dtype) && static_cast<int64_t>(elements.size()) == element_count(type.shape),
                 "doubles need a float type of their size");
  NewValue result(type, domain.storage(type.dtype));
  domain.from_doubles(type.dtype, result.size(), elements.data(), result.data.get());
  return std::move(result).finish();
}

Value from_tensor(const Tensor& tensor, const Domain& domain) {
  const TensorType type{tensor.dtype(), tensor.shape()};
  if (type.dtype == DType::f64) return from_doubles(type, tensor.as<double>(), domain);
  if (type.dtype == DType::f32) {
    const std::span<const float> elements = tensor.as<float>();
    return from_doubles(type, std::vector<double>(elements.begin(), elements.end()), domain);
  }
  if (is_narrow(type.dtype)) {
    const std::vector<float> elements = unpacked(tensor);
    return from_doubles(type, std::vector<double>(elements.begin(), elements.end()), domain);
  }
  NewValue result(type, storage_of(type.dtype, domain));
  if (type.dtype == DType::pred) {
    domain.from_native(result.size(), reinterpret_cast<const uint8_t*>(tensor.bytes().data()), result.data.get());
  } else {
    domain.from_machine(type.dtype, result.size(), tensor.bytes().data(), result.data.get());
  }
  return std::move(result).finish();
}

Tensor to_tensor(const Value& value, const Domain& domain) {
  if (in_domain(value.type.dtype)) return domain.to_tensor(value);
  std::vector<std::byte> numbers(static_cast<size_t>(value.size()) * info(value.type.dtype).bytes);
  domain.to_machine(value.type.dtype, value.size(), value.data.get(), numbers.data());
  return Tensor::from_bytes(value.type.dtype, value.type.shape, numbers);
}

double number_at(const Tensor& tensor, size_t i) {
  switch (tensor.dtype()) {
    case DType::pred:
      return tensor.as<uint8_t>()[i];
    case DType::i8:
    case DType::u8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::u64:
      return with_integer(tensor.dtype(),
                          [&](auto zero) { return static_cast<double>(tensor.as<decltype(zero)>()[i]); });
    case DType::key:
      return static_cast<double>(tensor.as<uint64_t>()[i]);
    case DType::f8e4m3:
      return static_cast<double>(scalar::widened<scalar::F8E4M3>(tensor.as<uint8_t>()[i]));
    case DType::f8e5m2:
      return static_cast<double>(scalar::widened<scalar::F8E5M2>(tensor.as<uint8_t>()[i]));
    case DType::bf16:
      return static_cast<double>(scalar::widened<scalar::Bf16>(tensor.as<uint16_t>()[i]));
    case DType::f16:
      return static_cast<double>(scalar::widened<scalar::F16>(tensor.as<uint16_t>()[i]));
    case DType::f32:
      return static_cast<double>(tensor.as<float>()[i]);
    case DType::f64:
      return tensor.as<double>()[i];
  }
  return 0;
}

}  // namespace isoshard::sim
