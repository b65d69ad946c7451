// How many lanes, and primes of which size, a rung needs for the error that is aimed at (docs/spec/error_bound.md,
// "Lanes"). Degrees are counted for both programs as the ring is going to compute them. On rungs A and B primes have
// one size, so only lanes are chosen. On rung E small primes (30 bits) are tried first: with at most four lanes they
// are faster than two lanes of large ones (61 bits), and beyond that slower. Where no size reaches the worst error that
// is accepted, the smallest ring still tells different programs apart, which is all that is left to say.
#include "verify/ring/ring_size.h"

#include <optional>

#include "sim/domains/soft/tables/soft_integers.h"
#include "verify/bounds/count_degrees.h"
#include "verify/bounds/pair_degrees.h"

namespace isoshard::verify {

namespace {

/// The mean of a table has the product of the denominators of all entries. Sums and products of means have them, too,
/// so that tables which go no further add none: only what is no residue there is evaluated once for each entry.
void count_tables(const RingOptions& options, BoundTerms& terms) {
  const auto entries = static_cast<double>(largest_table(options));
  if (!options.limits.are_linear()) return terms.multiply_degrees(entries);
  terms.evaluations *= entries;
}

}  // namespace

BoundTerms bound_terms(const Pair& pair, const RingOptions& options, double factors) {
  std::optional<ExpDegrees> exponential;
  if (options.exponential()) exponential = ExpDegrees{factors, options.by_exponentials};
  Generic generic = options.generic;
  generic.integers = options.covered != nullptr;
  generic.places = static_cast<double>(options.places);
  const PairDegrees degrees = count_degrees(pair, exponential, generic);
  BoundTerms terms = bound_terms(degrees.sharded, degrees.reference, pair.reference_output);
  if (exponential) terms.log2_prime = sim::PrimeTower::log2_least(options.tower_height, options.primes);
  if (options.tabled) count_tables(options, terms);
  // A maximum of n elements hashes the members of all sets on the way: n log2 n elements, where n - 1 were counted.
  if (options.max_of_sets) terms.evaluations *= 64;
  return terms;
}

RingSize choose_size(const Pair& pair, const RingOptions& options, double factors) {
  constexpr size_t kFewLanes = 4;  // of small primes; two of large ones take the time of eight
  const auto with = [&](sim::PrimeSize primes) {
    RingOptions sized = options;
    sized.primes = primes;
    const BoundTerms terms = bound_terms(pair, sized, factors);
    const size_t lanes = choose_lanes(terms, options.lanes);
    return RingSize{lanes, primes, log2_error(terms, lanes)};
  };
  if (options.by_exponentials) return with(sim::PrimeSize::split);
  const RingSize small = with(sim::PrimeSize::small);
  if (!options.exponential() || (small.lanes <= kFewLanes && small.log2_error <= options.lanes.target)) return small;
  const RingSize large = with(sim::PrimeSize::large);
  if (large.log2_error <= options.lanes.worst) return large;
  if (small.log2_error <= options.lanes.worst) return small;
  return RingSize{options.lanes.least, sim::PrimeSize::small, small.log2_error};  // it may still tell them apart
}

}  // namespace isoshard::verify
