#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/global.h"
#include "core/plan/plan.h"
#include "sim/domains/domain.h"
#include "sim/domains/residues/ring_a.h"
#include "verify/compare/integer_values.h"
#include "verify/facts/integers/index_range.h"

namespace isoshard::verify {

/// One number per element of some integer and pred globals, by name.
using Integers = std::map<std::string, std::vector<int64_t>>;

/// What fixes one draw of all inputs; equal draws give equal inputs, whatever else is drawn.
struct Draw {
  uint64_t seed = 0;
  uint32_t index = 0;               ///< of the discrete inputs: repeats, densities and sizes differ between draws
  std::vector<uint32_t> redrawn{};  ///< per lane, how often it was drawn again
  uint32_t step = 1;                ///< of the programs: each has its own inputs
  bool soft_predicates = false;     ///< pred globals are ring elements, which stand for both truth values
  sim::RingOrder order{};           ///< how the ring compares
  IndexRange indices{};             ///< of both programs: integers of odd draws are meant as indices
  /// Per global, the numbers that its integers and predicates stand for in a SoftDomain; null: they are drawn.
  std::shared_ptr<const IntegerInputs> covered{};
  std::shared_ptr<const Integers> integers{};  ///< given ones, in place of those that would be drawn; null: none
};

/// The value that `check` gives to a `const` with an exact init (docs/soundness.md, "Inputs"), otherwise nothing.
std::optional<Rational> exact_value(const Global& global);
/// Whether `i` reads what differs from run to run: a global without an exact value.
bool loads_input(const Plan& plan, const Instruction& i);

/// A global in a ring: floats (and soft predicates) are uniform residues, independent per element and lane; other
/// globals are discrete (see draw_discrete); a const with an exact value is that value.
sim::Value draw_ring(const Global& global, const sim::Domain& domain, const Draw& draw);

/// What random floats are like.
enum class FloatKind : uint8_t {
  bell,       ///< bell-shaped, of variance 1
  magnitude,  ///< the same without signs
  whole,      ///< whole numbers, 2^12 times bell-shaped ones: sums of a few are exact, and few are equal by chance
  few,        ///< -2, -1, -1/2, 0, 1/2, 1 or 2: many are equal
  sparse,     ///< bell-shaped, every other one 0
  zeros,      ///< 0 of either sign, every fourth one below 0
  limits,     ///< bell-shaped, every other one at, beside or beyond a constant of the programs
  one,        ///< 1
  ascending,  ///< bell-shaped, in ascending order
  descending,
  first_half,  ///< bell-shaped, those of the first half of the array 2^8 times larger and the others 2^8 times smaller
  last_half,
  column  ///< without signs, those at one place of the last dimension 2^8 times larger and the others 2^8 times smaller
};

/// A global in rung F: its floats are `scale` times those of `kind`, without signs if it is `nonnegative`; discrete
/// globals are as in draw_ring.
struct FloatDraw {
  FloatKind kind = FloatKind::bell;
  double scale = 1;
  bool nonnegative = false;
  int64_t place = 0;  ///< of the column
};
sim::Value draw_float(const Global& global, const sim::Domain& domain, const Draw& draw, const FloatDraw& floats);

/// Small integers from 0 with repeats; random keys; predicates whose density differs per row and draw (draw 1 has none
/// set). In odd draws of programs that look up indices 0..n-1, integers are such indices: in every other of them at
/// random, with the ends of all blocks and -1 and n among them, otherwise one after another, each at most once.
/// Integers that stand in the programs, and their neighbours, are among those of every fourth draw. A global with a
/// range, declared or of rows, takes others of its range in place of those that it does not hold.
sim::Value draw_discrete(const Global& global, const sim::Domain& domain, const Draw& draw);

}  // namespace isoshard::verify
