#pragma once

#include <gmpxx.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "verify/ratio.h"
#include "verify/ring_options.h"
#include "verify/ring_size.h"
#include "verify/rung_record.h"

namespace isoshard::verify {

/// How one output compared in the ring.
struct RingOutput {
  bool equal = true;
  uint32_t step = 1;                           ///< that this speaks of: the first that differs, or the last
  bool differs_first = false;                  ///< in RingOutcome::first_step
  bool copies_agree = true;                    ///< those of the sharded program, and those of the reference
  bool covered_once = true;                    ///< every element is stored, none at two places
  std::vector<int64_t> wrong_positions;        ///< of the sharded program, in the draw that differed
  std::vector<int64_t> disagreeing_positions;  ///< of the sharded program: copies that differ from the first one
  std::vector<AxisId> disagreeing_axes;        ///< along which those copies differ
  std::vector<int64_t> first_index;            ///< of the first element that differs
  std::optional<Ratio> ratio;                  ///< output / reference, where that is one small rational everywhere
  std::string rests_on{};                      ///< of an equal output: Definedness::rests_on
};

/// A division by 0 in all lanes of every draw.
struct ZeroDenominator {
  std::string value;  ///< its name
  Location location;
};

/// The result of comparing two programs on one rung.
struct RingOutcome {
  std::vector<Rung> deciding{Rung::a};  ///< where some outputs are equal on one and some on another, each of them
  std::optional<Diagnostic> failure;    ///< a program did not run to its end (deadlock, mismatch)
  std::string undecidable;              ///< why this rung cannot speak about the programs; empty when it can
  Location undecidable_location;
  std::string order_undecidable;    ///< on rung A: why rung B could not speak
  std::vector<RingOutput> outputs;  ///< per output of the sharded program
  uint32_t first_step = 0;          ///< the first in which any output or updated global differs; 0 when none does
  size_t lanes = 0;
  double log2_error = 0;
  uint32_t draws = 1;     ///< of all inputs; 8 or more where discrete inputs exist, and on rung B
  bool discrete = false;  ///< some inputs are outside the error bound
  bool soft_predicates = false;
  double factors = 0;       ///< of the logarithms, on rung E
  double log2_prime = 0;    ///< of the smallest prime of rung E, from below
  bool even_roots = false;  ///< rung E: equal only where arguments of logarithms are positive (TowerElements)
  std::string open_reason;  ///< why rung E decided nothing: its equal values may be wrong, or its laws do not reach
  Location open_location;
  std::vector<std::string> opaque;      ///< the values of the sharded program with an opaque identity behind them
  std::vector<std::string> masks;       ///< numbers that rung E reads as infinities
  std::vector<std::string> one_sided;   ///< selects on predicates of floats that took one side only (SelectWatch)
  std::vector<std::string> conditions;  ///< under which equal outputs have a value: `%d != 0 (divide at ...)`
  /// Per output: the values of integers for all of which it is equal; null or missing: they were drawn.
  std::vector<std::shared_ptr<const IntegerInputs>> covered_by;
  /// Per output that differs when all integers stand for all their values: how it was asked.
  std::map<size_t, std::shared_ptr<const RingOptions>> told_apart;
  double decisions = 0;        ///< s of rung B: the draws, an order key each, miss the rarest outcome with 2^-s
  uint32_t redrawn_lanes = 0;  ///< because a denominator was 0 by chance
  std::optional<ZeroDenominator> zero_denominator;
  std::vector<RungRecord> rungs;  ///< that climb() asked, in order
  Draw last_draw;                 ///< the draw that differed, otherwise the last one; integers in it are drawn

  bool equal() const;
  /// Ran, in its ring, to the end.
  bool speaks() const { return !failure && undecidable.empty(); }
};

/// Whether some integers, keys or predicates of the inputs are drawn unless `covered`.
bool has_discrete_inputs(const Pair& pair, bool soft_predicates);

/// Runs draws until each of the outputs `wanted` (empty: all) has differed, or all draws. An output that is not wanted,
/// such as an update that a wanted one reads in the next step, may count as equal after fewer draws.
RingOutcome compare_in_ring(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted = {});

}  // namespace isoshard::verify
