#pragma once

#include <gmpxx.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/constants.h"
#include "sim/domains/tower/prime_tower.h"
#include "sim/machine_memory.h"
#include "verify/error_bound.h"
#include "verify/facts/integer_values.h"
#include "verify/generic.h"
#include "verify/inputs.h"
#include "verify/ratio.h"
#include "verify/rung_record.h"
#include "verify/steps.h"

namespace isoshard::verify {

/// Makes the exact domain of a rung; tests plant faulty ones.
using RingFactory = std::function<std::unique_ptr<sim::Domain>(size_t lanes, uint64_t seed)>;
/// Draws the ring value of a global; tests plant zeros.
using RingInputs = std::function<sim::Value(const Global&, const sim::Domain&, const Draw&)>;

struct RingOptions {
  uint64_t seed = 0;
  int workers = 0;
  LaneChoice lanes{};
  RingFactory domain;            ///< empty: rung A
  RingInputs inputs;             ///< empty: draw_ring
  bool max_of_sets = false;      ///< rung B: maxima of sets, without a hard order
  bool hard_order = false;       ///< rung B
  bool soft_predicates = false;  ///< pred globals stand for both truth values: EQUAL holds, a difference need not
  Generic generic{};             ///< of rungs A and B
  /// All integers, keys and predicates stand for all their values; null: they are drawn.
  std::shared_ptr<const IntegerInputs> covered{};
  bool tabled = false;                            ///< and floats that depend on few of them are tables
  bool cases = false;                             ///< and maxima are what they are in each case: with `tabled`
  bool ordered = false;                           ///< and exponentials are in the order of their arguments
  bool cells = false;                             ///< and inputs are in cells of the constants of comparisons
  size_t places = 0;                              ///< and maxima of maxima are maxima, of so many (sim::SoftOdds)
  bool exponential = false;                       ///< rungs E and Eh: towers of primes
  size_t tower_height = 3;                        ///< of rung E: exponentials nested less deeply keep their laws
  sim::PrimeSize primes = sim::PrimeSize::small;  ///< of rung E
  bool by_exponentials = false;                   ///< of rung E: so are sine, cosine and powers
  sim::Towers towers{};                           ///< of rung E, for all draws; null: each draw has its own
  std::vector<mpz_class> units{};                 ///< of rungs A and B: what no prime may divide
  sim::ConstantReadings constants{};              ///< exact, or read as other numbers
  std::string only;                               ///< the one rung that climb() asks; empty: as many as are needed
  std::optional<sim::MemoryLimit> memory;         ///< of rung E; empty: the machine's

  /// These without a hard order, with maxima of sets.
  RingOptions with_sets() const {
    RingOptions result = *this;
    result.hard_order = false;
    result.max_of_sets = true;
    return result;
  }
  /// `A`, `B`, `E`, or `Eh`: E with the hard order.
  std::string rung() const;
  /// Sets the rung of that name.
  void take_rung(std::string_view name);
};

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
  std::string rung = "A";
  std::optional<Diagnostic> failure;  ///< a program did not run to its end (deadlock, mismatch)
  std::string undecidable;            ///< why this rung cannot speak about the programs; empty when it can
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

/// What the error bound of compare_in_ring depends on; `factors` of logarithms, on rung E.
BoundTerms bound_terms(const Pair& pair, const RingOptions& options, double factors = 1);

/// How large the elements of a ring are, and what its answer is worth.
struct RingSize {
  size_t lanes = 0;
  sim::PrimeSize primes = sim::PrimeSize::small;  ///< of rung E
  double log2_error = 0;
};

/// The fewest lanes that reach the error that `options` ask for. On rung E of small primes where few do, of large ones
/// otherwise; as few as may be where nothing reaches it.
RingSize choose_size(const Pair& pair, const RingOptions& options, double factors = 1);

/// The default domain and seeds, also for a run that looks at values again; a SoftDomain where the draw's integers are
/// covered.
std::unique_ptr<sim::Domain> make_ring(const RingOptions& options, size_t lanes, const Draw& draw);
/// `domain` must outlive the result.
DrawGlobal ring_draw(const RingOptions& options, const sim::Domain& domain, const Draw& draw);

}  // namespace isoshard::verify
