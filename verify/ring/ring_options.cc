// Makes the domain of a run on a rung: residues for A and B, towers for E and Eh, and around either one a soft domain
// where integers are covered by weights. Each draw has its own key, which seeds hashes, orders and primes. Tables of
// integers get as many entries as the largest declared range needs, within limits. Drawing globals is the default of
// the domain unless a test replaces it.
#include "verify/ring/ring_options.h"

#include <algorithm>
#include <set>

#include "sim/domains/residues/ring_a.h"
#include "sim/domains/soft/soft_domain.h"
#include "sim/domains/tower/tower_domain.h"
#include "verify/compare/random.h"

namespace isoshard::verify {

namespace {

/// The constants of the programs' comparisons, of which those do not list 0 and 1.
std::set<double> cuts_of(const Draw& draw) {
  std::set<double> cuts = draw.indices.limits;
  cuts.insert(1);
  return cuts;
}

}  // namespace

size_t largest_table(const RingOptions& options) {
  const IntegerInputs* const covered = options.covered.get();
  size_t most = covered == nullptr ? 0 : options.limits.joint;
  for (const auto& [name, values] : covered == nullptr ? IntegerInputs() : *covered) {
    most = std::max(most, values.values.size());
  }
  return std::min(most, sim::SoftIntegers::kMostCounts);
}

std::unique_ptr<sim::Domain> make_ring(const RingOptions& options, size_t lanes, const Draw& draw) {
  const uint64_t key = RandomStream(draw.seed).part("ring key").word(draw.index);
  if (options.domain) return options.domain(lanes, key);
  if (draw.covered) {
    Draw inner = draw;
    inner.covered = nullptr;
    std::unique_ptr<sim::Domain> ring = make_ring(options, lanes, inner);
    auto soft = std::make_unique<sim::SoftDomain>(
        std::unique_ptr<sim::ExactRing>(&dynamic_cast<sim::ExactRing&>(*ring.release())), key,
        sim::SoftDomain::Options{options.tabled, sim::SoftIntegers::Weights::random, options.cases, options.places,
                                 options.constants, largest_table(options),
                                 options.cells ? cuts_of(draw) : std::set<double>(), options.ordered, options.limits});
    if (draw.indices.padding) soft->pad_with({{}, draw.indices.padding->standing});
    return soft;
  }
  if (options.exponential()) {
    sim::TowerDomain::Options tower;
    tower.order = draw.order;
    tower.height = options.tower_height;
    tower.primes = options.primes;
    tower.by_exponentials = options.by_exponentials;
    tower.towers = options.towers;
    tower.constants = options.constants;
    return std::make_unique<sim::TowerDomain>(lanes, key, tower);
  }
  return std::make_unique<sim::RingDomain>(lanes, key, draw.order, options.generic.reciprocals, options.constants,
                                           sim::draw_lane_primes(lanes, key, options.units));
}

DrawGlobal ring_draw(const RingOptions& options, const sim::Domain& domain, const Draw& draw) {
  return [inputs = options.inputs, &domain, draw](const Global& global, uint32_t step) {
    Draw at = draw;
    at.step = step;
    return inputs ? inputs(global, domain, at) : draw_ring(global, domain, at);
  };
}

}  // namespace isoshard::verify
