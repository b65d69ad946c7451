#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace isoshard::sim {

namespace detail {

/// Numbers n, n + kChains, n + 2 kChains, ... are one chain: its products, from the first number on, are inverted once,
/// and give each number's own inverse from the last one back.
template <std::size_t kChains, class Field, class Number, class Inverse>
void invert_chains(const Field& field, int64_t n, const Number* x, Number* out, const Inverse& inverse) {
  std::array<Number, kChains> chain;
  chain.fill(1);
  const auto factor = [&](int64_t i) { return x[i] == 0 ? Number{1} : x[i]; };
  for (int64_t i = 0; i < n; ++i) {
    Number& product = chain[static_cast<std::size_t>(i) % kChains];
    out[i] = product;
    product = field.multiply(product, factor(i));
  }
  for (Number& product : chain) product = inverse(product);
  for (int64_t i = n; i-- > 0;) {
    Number& rest = chain[static_cast<std::size_t>(i) % kChains];
    out[i] = x[i] == 0 ? 0 : field.multiply(out[i], rest);
    rest = field.multiply(rest, factor(i));
  }
}

}  // namespace detail

/// out[i] = 1 / x[i] in a field for the numbers that have an inverse, 0 for 0; the arrays are apart. `inverse` is that
/// of one number, used a few times for the whole array (P. Montgomery 1987, simultaneous inversion); several chains
/// of products keep the processor busy.
template <class Field, class Number, class Inverse>
void invert_units(const Field& field, int64_t n, const Number* x, Number* out, const Inverse& inverse) {
  constexpr int64_t kMany = 128;
  if (n < kMany) {
    detail::invert_chains<1>(field, n, x, out, inverse);
  } else {
    detail::invert_chains<8>(field, n, x, out, inverse);
  }
}

}  // namespace isoshard::sim
