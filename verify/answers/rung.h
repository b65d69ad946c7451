#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isoshard::verify {

/// The rungs of the ladder of docs/soundness.md, in the order in which they are asked: what a float is on them.
enum class Rung : uint8_t {
  a,   ///< a residue modulo random primes
  b,   ///< with an order: maxima of sets, or a random total order
  e,   ///< an element of a tower of primes, with exp and log
  eh,  ///< with a random total order
};

/// `A`, `B`, `E` or `Eh`.
std::string_view name(Rung rung);

/// The rung of that name, if there is one.
std::optional<Rung> rung_of(std::string_view name);

/// E and Eh.
bool in_towers(Rung rung);
/// B and Eh.
bool has_order(Rung rung);

/// `A, B and E`.
std::string enumerated(const std::vector<Rung>& rungs);

/// `rung A`, `rungs A, B and E`.
std::string rungs_in_words(const std::vector<Rung>& rungs);

}  // namespace isoshard::verify
