#include "verify/climb.h"

#include <algorithm>

#include "sim/domains/ring_c.h"
#include "sim/machine_memory.h"
#include "verify/certify.h"
#include "verify/memory.h"
#include "verify/order_facts.h"
#include "verify/undecided.h"

namespace isoshard::verify {
namespace {

/// An assert_equal that fails may only lack a law, which another rung may have.
bool settled(const RingOutcome& ring) {
  if (ring.failure) return ring.failure->rule != "D-assert";
  return ring.undecidable.empty() && ring.equal();
}

/// Outputs that were equal on an earlier rung are equal, also where the later one lacks a law of it, as B lacks
/// max(x+c, y+c) = max(x, y) + c of A.
void keep_equal_outputs(const RingOutcome& earlier, RingOutcome& later) {
  bool kept = false;
  for (size_t o = 0; o < later.outputs.size(); ++o) {
    if (!earlier.undecidable.empty() || !earlier.outputs[o].equal || later.outputs[o].equal) continue;
    later.outputs[o] = earlier.outputs[o];
    kept = true;
  }
  if (!kept) return;
  later.rung = earlier.rung + " and " + later.rung;
  later.log2_error = std::min(0.0, log2_sum(earlier.log2_error, later.log2_error));
}

/// What the programs contain.
struct Contents {
  bool order = false, exponential = false, logistic = false;

  explicit Contents(const Pair& pair) {
    for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
      order = order || order_facts(*plan).present;
      for (const Instruction& i : plan->instructions) {
        const LocalOp* local = std::get_if<LocalOp>(&i.data);
        if (local == nullptr) continue;
        exponential |= std::holds_alternative<Exponential>(local->op) || std::holds_alternative<Log>(local->op);
        logistic |= std::holds_alternative<Logistic>(local->op);
      }
    }
  }
};

/// Rungs A and B.
RingOutcome climb_field(const Pair& pair, const Contents& contents, RingOptions& options) {
  options.soft_predicates = has_predicate_inputs(pair);
  RingOutcome a = compare_in_ring(pair, options);
  if (settled(a)) return a;
  if (options.soft_predicates) {
    options.soft_predicates = false;
    a = compare_in_ring(pair, options);
    if (settled(a)) return a;
  }
  if (!contents.order || options.domain) return a;
  options.hard_order = true;
  RingOutcome b = compare_in_ring(pair, options);
  if (a.failure || b.failure) return b;
  if (!b.undecidable.empty() && a.undecidable.empty()) {
    options.hard_order = false;
    a.order_undecidable = b.undecidable;
    return a;
  }
  keep_equal_outputs(a, b);
  return b;
}

/// Some outputs are decided on one rung, others on another: the verdict names both.
void add_rung(RingOutcome& known, const RingOutcome& now) {
  known.rung += " and " + now.rung;
  known.log2_error = std::min(0.0, log2_sum(known.log2_error, now.log2_error));
  known.lanes = std::max(known.lanes, now.lanes);
  known.draws = std::max(known.draws, now.draws);
  known.decisions = std::max(known.decisions, now.decisions);
  known.redrawn_lanes += now.redrawn_lanes;
  known.masks = now.masks;
  known.silent = now.silent;
  known.perturbed = now.perturbed;
}

/// The outputs that were undecided and are equal on this rung, with a bound and a certificate; or why there are none.
std::vector<bool> newly_equal(const Pair& pair, const RingOptions& options, const RingOutcome& known,
                              RingOutcome& now) {
  std::vector<bool> result;
  const bool open = known.failure || !known.undecidable.empty() || known.zero_denominator;
  for (size_t o = 0; o < now.outputs.size(); ++o) {
    result.push_back(now.outputs[o].equal && (open || !known.outputs[o].equal));
  }
  if (std::none_of(result.begin(), result.end(), [](bool b) { return b; })) return result;
  std::string why;
  if (now.zero_denominator) {
    now.uncertified_location = now.zero_denominator->location;
    why = "cannot divide by %" + now.zero_denominator->value + ", which has no inverse in any draw";
  } else if (now.log2_error > kWorstLog2Error) {
    why =
        "finds the outputs equal, but the formulas have so high a degree that it may err with a probability above "
        "2^-20";
  } else {
    const Certificate certificate = certify(pair, options, now, result);
    now.perturbed = certificate.perturbed;
    now.silent = certificate.silent;
    now.uncertified_location = certificate.location;
    why = certificate.reason;
  }
  if (why.empty()) return result;
  now.uncertified = "rung " + now.rung + " " + why;
  return std::vector<bool>(result.size(), false);
}

/// Climbs the rungs of exponentials, from what rungs A and B have left open.
class ExponentialClimb {
 public:
  ExponentialClimb(const Pair& pair, RingOutcome& known) : pair_(pair), known_(known) {}

  /// False when there is nothing left to decide or to gain.
  bool try_rung(const RingOptions& options) {
    RingOutcome now = compare_in_ring(pair_, options);
    if (now.failure) return true;
    if (!now.undecidable.empty()) {
      if (note_.empty()) note_ = now.undecidable, note_location_ = now.undecidable_location;
      if (!note_location_.known()) note_location_ = find_undecided(pair_, options, now);
      return true;
    }
    const bool equal = now.equal();
    const std::vector<bool> decided = newly_equal(pair_, options, known_, now);
    if (std::all_of(decided.begin(), decided.end(), [](bool b) { return b; })) {
      known_ = std::move(now);
      return false;
    }
    known_.uncertified = now.uncertified;
    known_.uncertified_location = now.uncertified_location;
    if (open()) return !equal;
    bool any = false;
    for (size_t o = 0; o < decided.size(); ++o) {
      if (!decided[o]) continue;
      known_.outputs[o] = now.outputs[o];
      any = true;
    }
    if (any) {
      add_rung(known_, now);
    } else {
      differed_ = true;
    }
    return !known_.equal() && !equal;
  }

  /// What kept the rungs from speaking, where none did.
  void finish() {
    if (known_.undecidable.empty() && !known_.failure && known_.equal()) return;
    if (!known_.uncertified.empty() || differed_) return;
    known_.uncertified = note_;
    known_.uncertified_location = note_location_;
  }

 private:
  bool open() const { return known_.failure || !known_.undecidable.empty() || known_.zero_denominator; }

  const Pair& pair_;
  RingOutcome& known_;
  bool differed_ = false;  ///< some rung compared all, and decided nothing
  std::string note_;
  Location note_location_;
};

}  // namespace

RingOutcome climb(const Pair& pair, RingOptions& options) {
  const Contents contents(pair);
  RingOutcome known = climb_field(pair, contents, options);
  if (settled(known) || options.domain || (known.failure && known.failure->rule != "D-assert")) return known;
  if (!contents.exponential && !contents.logistic) return known;
  const sim::ExpRingDomain most(kMaxLanes, 0);
  const auto too_large =
      sim::exceeds_memory("rung C", estimate_memory(pair, most, options.workers), sim::machine_memory());
  if (too_large) {
    known.uncertified = too_large->message;
    return known;
  }
  RingOptions next = options;
  next.exponential = true;
  next.soft_predicates = false;
  ExponentialClimb climb(pair, known);
  bool goes_on = true;
  for (const bool logistic : {false, true}) {
    if (logistic ? !contents.logistic : !contents.exponential) continue;
    for (const bool hard : {false, true}) {
      if (!goes_on || (hard && !contents.order)) continue;
      next.logistic_by_exp = logistic;
      next.hard_order = hard;
      goes_on = climb.try_rung(next);
    }
  }
  climb.finish();
  return known;
}

}  // namespace isoshard::verify
