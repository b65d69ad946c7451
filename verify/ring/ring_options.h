#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "sim/domains/soft/tables/soft_limits.h"
#include "sim/domains/tower/prime_tower.h"
#include "sim/engine/workers.h"
#include "sim/integers/constants.h"
#include "sim/run/machine_memory.h"
#include "verify/answers/rung.h"
#include "verify/bounds/error_bound.h"
#include "verify/compare/inputs.h"
#include "verify/compare/integer_values.h"
#include "verify/compare/stand_ins.h"
#include "verify/compare/steps.h"

namespace isoshard::verify {

/// Makes the exact domain of a rung; tests plant faulty ones.
using RingFactory = std::function<std::unique_ptr<sim::Domain>(size_t lanes, uint64_t seed)>;
/// Draws the ring value of a global; tests plant zeros.
using RingInputs = std::function<sim::Value(const Global&, const sim::Domain&, const Draw&)>;

struct RingOptions {
  uint64_t seed = 0;
  sim::Workers workers{};
  LaneChoice lanes{};
  RingFactory domain;  ///< empty: rung A
  RingInputs inputs;   ///< empty: draw_ring
  Rung rung = Rung::a;
  bool max_of_sets = false;      ///< maxima of sets, without a hard order
  bool soft_predicates = false;  ///< pred globals stand for both truth values: EQUAL holds, a difference need not
  Generic generic{};             ///< of rungs A and B
  /// All integers, keys and predicates stand for all their values; null: they are drawn.
  std::shared_ptr<const IntegerInputs> covered{};
  bool tabled = false;                            ///< and floats that depend on few of them are tables
  bool cases = false;                             ///< and maxima are what they are in each case: with `tabled`
  bool ordered = false;                           ///< and exponentials are in the order of their arguments
  sim::SoftLimits limits{};                       ///< of tables
  bool cells = false;                             ///< and inputs are in cells of the constants of comparisons
  size_t places = 0;                              ///< and maxima of maxima are maxima, of so many (sim::SoftOdds)
  size_t tower_height = 3;                        ///< of rung E: exponentials nested less deeply keep their laws
  sim::PrimeSize primes = sim::PrimeSize::small;  ///< of rung E
  bool by_exponentials = false;                   ///< of rung E: so are sine, cosine and powers
  sim::Towers towers{};                           ///< of rung E, for all draws; null: each draw has its own
  std::vector<mpz_class> units{};                 ///< of rungs A and B: what no prime may divide
  sim::ConstantReadings constants{};              ///< exact, or read as other numbers
  std::optional<Rung> only;                       ///< the one rung that run_ladder() asks; empty: as many as are needed
  std::optional<sim::MemoryLimit> memory;         ///< of rung E; empty: the machine's
  /// Of all outputs of a pair, those that are known to be equal: no draw is made for them alone. Empty: none.
  std::vector<bool> settled{};

  /// These on rung B with maxima of sets.
  RingOptions with_sets() const {
    RingOptions result = *this;
    result.rung = Rung::b;
    result.max_of_sets = true;
    return result;
  }
  /// Whether the rung calculates in towers of primes.
  bool exponential() const { return in_towers(rung); }
  /// Whether the rung compares by a random total order.
  bool hard_order() const { return has_order(rung) && !max_of_sets; }
};

/// The default domain and seeds, also for a run that looks at values again; a SoftDomain where the draw's integers are
/// covered.
std::unique_ptr<sim::Domain> make_ring(const RingOptions& options, size_t lanes, const Draw& draw);
/// `domain` must outlive the result.
DrawGlobal ring_draw(const RingOptions& options, const sim::Domain& domain, const Draw& draw);

/// The most entries of a table of floats, over one integer of `covered` or over several; 0 where that is null.
size_t largest_table(const RingOptions& options);

}  // namespace isoshard::verify
