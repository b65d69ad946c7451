// Rung F where programs compare computed numbers with each other, as the derivative of a maximum does: x == max(x, ..).
// Value and error alone do not say that both sides are one number, since two numbers may share both. So an error also
// names its number: its low bits are a hash of the formula, by induction over ops from inputs, which have no error and
// are what their bits say. No further plane is needed, and what only moves elements keeps names without knowing of
// them. Hashes of sums and products do not depend on the order of terms, as real numbers do not. Cost: two
// multiplications a word for elementwise ops and sums, and one pass over both operands of a product.
#include "sim/domains/floats/bounded_names.h"

#include <bit>
#include <string>
#include <vector>

#include "core/support/mix.h"
#include "sim/domains/floats/bound.h"
#include "sim/value/reduce_offsets.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

using Hashes = std::vector<uint64_t>;

constexpr uint64_t kNameBits = uint64_t{0xffffffff};

/// Which kind of op made a number; the op itself is added.
enum Maker : uint64_t {
  kConstant = 0x100,
  kInteger = 0x200,
  kUnary = 0x300,
  kBinary = 0x400,
  kDot = 0x500,
  kSign = 0x600,
  kExtreme = 0x700
};

template <class Op>
uint64_t salt(Maker maker, Op op) {
  return mix(maker + static_cast<uint64_t>(op));
}

Bounded element(int64_t n, const std::byte* x, int64_t i) { return {doubles(x)[i], doubles(x)[n + i]}; }

bool is_named(double error) { return error > 0 && error < kInfinity; }

bool is_same(Bounded a, Bounded b) {
  return std::bit_cast<uint64_t>(a.value) == std::bit_cast<uint64_t>(b.value) &&
         std::bit_cast<uint64_t>(a.error) == std::bit_cast<uint64_t>(b.error);
}

uint64_t hash_of_element(Bounded x) {
  return mix(std::bit_cast<uint64_t>(x.value) + mix(std::bit_cast<uint64_t>(x.error)));
}

/// The next larger error that has this name.
double with_name(double error, uint64_t name) {
  if (!is_named(error)) return error;
  const uint64_t above = (std::bit_cast<uint64_t>(error) | kNameBits) + 1 + (name & kNameBits);
  return above < std::bit_cast<uint64_t>(kInfinity) ? std::bit_cast<double>(above) : kInfinity;
}

void put_names(const Hashes& names, std::byte* out) {
  double* error = doubles(out) + names.size();
  for (size_t i = 0; i < names.size(); ++i) error[i] = with_name(error[i], names[i]);
}

/// name(i) for n elements, before an op overwrites its operands.
template <class Name>
Hashes names_of(int64_t n, const Name& name) {
  Hashes result(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) result[static_cast<size_t>(i)] = name(i);
  return result;
}

uint64_t of_two(BinaryOp op, Bounded x, Bounded y) {
  const bool commutes = op == BinaryOp::add || op == BinaryOp::multiply;
  return mix(hash_of_element(x) + (commutes ? hash_of_element(y) : mix(hash_of_element(y))) + salt(kBinary, op));
}

/// Of the elements first, first + stride, ... with their places.
uint64_t hash_of_line(int64_t n, const std::byte* x, int64_t first, int64_t stride, int64_t count) {
  uint64_t hash = 0;
  for (int64_t t = 0; t < count; ++t)
    hash += mix(hash_of_element(element(n, x, first + t * stride)) + static_cast<uint64_t>(t));
  return hash;
}

}  // namespace

/// Constants that are one double need not be one number.
void NamedBoundedDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  BoundedDomain::constant(constant, dtype, out);
  uint64_t hash = kConstant;
  for (const char c : constant.to_string()) hash = mix(hash + static_cast<unsigned char>(c));
  put_names({hash}, out);
}

void NamedBoundedDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  BoundedDomain::from_integers(dtype, n, x, out);
  put_names(names_of(n, [&](int64_t i) { return mix(static_cast<uint64_t>(x[i]) + kInteger); }), out);
}

void NamedBoundedDomain::from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const {
  BoundedDomain::from_unsigned(dtype, n, x, out);
  put_names(names_of(n, [&](int64_t i) { return mix(x[i] + kInteger); }), out);
}

void NamedBoundedDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const Hashes names =
      names_of(n, [&](int64_t i) { return mix(hash_of_element(element(n, x, i)) + salt(kUnary, op)); });
  BoundedDomain::unary(op, dtype, n, x, out);
  put_names(names, out);
}

void NamedBoundedDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                std::byte* out) const {
  const Hashes names = names_of(n, [&](int64_t i) { return of_two(op, element(n, x, i), element(n, y, i)); });
  BoundedDomain::binary(op, dtype, n, x, y, out);
  put_names(names, out);
}

void NamedBoundedDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                             std::byte* out) const {
  BoundedDomain::dot(dtype, m, n, k, a, b, out);
  const Hashes rows = names_of(m, [&](int64_t i) { return hash_of_line(m * k, a, i * k, 1, k); });
  const Hashes columns = names_of(n, [&](int64_t j) { return hash_of_line(k * n, b, j, n, k); });
  put_names(names_of(m * n,
                     [&](int64_t at) {
                       return mix(rows[static_cast<size_t>(at / n)] + mix(columns[static_cast<size_t>(at % n)]) + kDot);
                     }),
            out);
}

void NamedBoundedDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  BoundedDomain::sum(dtype, plan, x, out);
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  put_names(names_of(plan.output_size(),
                     [&](int64_t i) {
                       uint64_t hash = salt(kBinary, BinaryOp::add);
                       for (const int64_t j : reduced) {
                         hash += hash_of_element(element(plan.input_size(), x, kept[static_cast<size_t>(i)] + j));
                       }
                       return mix(hash);
                     }),
            out);
}

void NamedBoundedDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  const Hashes names =
      names_of(n, [&](int64_t i) { return of_two(BinaryOp::add, element(n, acc, i), element(n, x, i)); });
  BoundedDomain::accumulate(dtype, n, acc, x);
  put_names(names, acc);
}

void NamedBoundedDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                 std::byte* out) const {
  BoundedDomain::compare(direction, dtype, n, x, y, out);
  for (int64_t i = 0; i < n; ++i) {
    const Bounded a = element(n, x, i);
    if (is_named(a.error) && is_same(a, element(n, y, i))) out[i] &= ~std::byte{kUnsure};
  }
}

/// An absolute value has the error of its operand, and may be another number.
void NamedBoundedDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  const Hashes names = names_of(n, [&](int64_t i) { return mix(hash_of_element(element(n, x, i)) + salt(kSign, op)); });
  BoundedDomain::sign(op, dtype, n, x, out);
  put_names(names, out);
}

/// Of two that are too close to tell it is a number of its own.
void NamedBoundedDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                                 std::byte* out) const {
  Hashes names(static_cast<size_t>(n), 0);
  std::vector<bool> close(static_cast<size_t>(n), false);
  for (int64_t i = 0; i < n; ++i) {
    const Bounded a = element(n, x, i), b = element(n, y, i);
    if (apart(a, b) || is_same(a, b)) continue;
    close[static_cast<size_t>(i)] = true;
    names[static_cast<size_t>(i)] = mix(hash_of_element(a) + hash_of_element(b) + salt(kExtreme, op));
  }
  BoundedDomain::extreme(op, dtype, n, x, y, out);
  for (int64_t i = 0; i < n; ++i) {
    double& error = doubles(out)[n + i];
    if (close[static_cast<size_t>(i)]) error = with_name(error, names[static_cast<size_t>(i)]);
  }
}

}  // namespace isoshard::sim
