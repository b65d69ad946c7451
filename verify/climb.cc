#include "verify/climb.h"

#include <algorithm>
#include <set>

#include "verify/cover.h"
#include "verify/facts/contents.h"
#include "verify/facts/work.h"
#include "verify/generalise.h"
#include "verify/generic_parts.h"
#include "verify/note_rung.h"
#include "verify/outputs.h"
#include "verify/undecided.h"
#include "verify/words.h"

namespace isoshard::verify {
namespace {

/// Of programs that differ, in elements computed.
constexpr uint64_t kMostAskedAgain = uint64_t{1} << 16;

/// Asks one rung after another about the outputs that are still open.
class Climb {
 public:
  Climb(const Pair& pair, RingOptions& options)
      : pair_(pair), options_(options), cover_(pair, covering(options), records_) {}

  RingOutcome run() {
    if (options_.only) {
      ask_only();
    } else {
      const bool discrete = !options_.domain && has_discrete_inputs(pair_, false);
      if (!discrete || !take_covered(cover_.ask())) {
        climb_field();
        if (goes_on() && !options_.domain) climb_exponentials();
        if (rests_on_draws(discrete)) cover_rest();
      }
    }
    if (!all_covered_) known_.log2_error = std::min(0.0, log2_sum(known_.log2_error, cover_.log2_error()));
    if (known_.speaks()) cover_.put_conditions(known_, !options_.only && !options_.domain);
    known_.rungs = std::move(records_);
    known_.covered_by = cover_.covered_by();
    known_.told_apart = cover_.told_apart();
    return std::move(known_);
  }

 private:
  /// A failing assert_equal may only lack a law, which another rung may have.
  bool goes_on() const {
    if (known_.failure) return known_.failure->rule == "D-assert";
    return whole_is_open() || !known_.equal();
  }
  /// No rung could speak so far.
  bool whole_is_open() const { return !known_.speaks() || known_.zero_denominator; }

  /// The outputs without an answer but `differs`, and all that they need.
  Restricted open_part() const {
    std::vector<bool> open;
    for (size_t o = 0; o < pair_.sharded.plan.outputs.size(); ++o) {
      open.push_back(doubted_.count(o) == 0 && (whole_is_open() || !known_.outputs[o].equal));
    }
    return restrict_to(pair_, open);
  }

  /// Both programs whole: what fails in them must be seen once.
  Restricted whole() const {
    Restricted all{pair_, {}, std::vector<bool>(pair_.sharded.plan.outputs.size(), true)};
    for (size_t o = 0; o < all.wanted.size(); ++o) all.outputs.push_back(o);
    return all;
  }

  /// How to ask with all integers and choices standing for all their values. What that does not find equal may lack a
  /// law.
  static RingOptions covering(const RingOptions& options) {
    RingOptions result = options;
    result.rung = Rung::a;
    result.soft_predicates = false;
    return result;
  }

  /// Whether some output is equal as far as draws of integers or orders go, or no draws could be made, or it differs
  /// and may lack a law of orders.
  bool rests_on_draws(bool discrete) const {
    if (options_.domain || known_.failure) return false;
    const Contents contents = contents_of(pair_);
    if (!known_.speaks()) return discrete || contents.order || contents.rounded;
    const bool drawn = discrete || known_.decisions > 0;
    const bool lacks_laws = contents.order && elements_computed(pair_) <= kMostAskedAgain;  // maybe
    const auto& covered = cover_.covered_by();
    for (size_t o = 0; o < known_.outputs.size(); ++o) {
      const bool open = known_.outputs[o].equal ? drawn : lacks_laws;
      if (open && (o >= covered.size() || !covered[o])) return true;
    }
    return false;
  }

  void cover_rest() {
    if (!cover_.asked() && take_covered(cover_.ask())) return;
    std::vector<bool> equal;
    for (const RingOutput& output : known_.outputs) equal.push_back(output.equal || !known_.speaks());
    if (take_covered(cover_.ask_more(equal)) || !known_.speaks()) return;
    for (size_t o = 0; o < cover_.covered_by().size(); ++o) {
      known_.outputs[o].equal = known_.outputs[o].equal || cover_.covered_by()[o];
    }
  }

  bool take_covered(std::optional<RingOutcome> all) {
    if (!all) return false;
    known_ = std::move(*all);
    all_covered_ = true;
    return true;
  }

  void ask_only() {
    options_.rung = *options_.only;
    if (options_.rung == Rung::a) return ask_a();
    if (options_.rung == Rung::b) {
      known_ = ask_field(whole(), with_generic_parts(pair_, options_.with_sets()));
      const Restricted part = goes_on() ? open_part() : whole();
      if (goes_on()) take_field(part, ask_field(part, with_generic_parts(part.pair, options_)));
      return;
    }
    const Restricted all = whole();
    Judged judged = ask_exponentials(all, options_);
    known_ = judged.ring;
    if (!known_.speaks()) return;
    std::vector<bool> decided = all.wanted;
    take_doubts(all, judged, decided);
    for (size_t o = 0; o < decided.size(); ++o) known_.outputs[o].equal = decided[o];
  }

  /// Each for what the one before finds different.
  std::vector<RingOptions> ways_to_ask_a() const {
    std::vector<RingOptions> ways;
    const RingOptions parts = with_generic_parts(pair_, options_);
    if (const std::optional<RingOptions> layers = with_generic_layers(pair_, parts)) ways.push_back(*layers);
    if (parts.generic.any()) ways.push_back(parts);
    ways.push_back(options_);
    return ways;
  }

  void ask_a() {
    options_.soft_predicates = predicates_generalise(pair_);
    const std::vector<RingOptions> ways = ways_to_ask_a();
    known_ = ask_field(whole(), ways.front());
    for (size_t w = 1; w < ways.size() && goes_on(); ++w) {
      const Restricted part = open_part();
      take_field(part, ask_field(part, ways[w]));
    }
    if (!options_.soft_predicates || !goes_on()) return;
    options_.soft_predicates = false;
    const Restricted part = open_part();
    take_field(part, ask_field(part, options_));
  }

  void climb_field() {
    ask_a();
    if (!goes_on() || options_.domain) return;
    const Restricted part = open_part();
    if (!contents_of(part.pair).order) return;
    ask_sets(part);
    const Restricted rest = goes_on() ? open_part() : part;
    if (goes_on() && contents_of(rest.pair).order) ask_orders(rest);
  }

  /// Maxima need no order: what they decide is not left to chance.
  void ask_sets(const Restricted& part) {
    const RungClock::time_point begin = RungClock::now();
    const RingOptions options = with_generic_parts(part.pair, options_.with_sets());
    RingOutcome now = compare_in_ring(part.pair, options, part.wanted);
    std::vector<bool> decided = part.wanted;
    for (size_t o = 0; o < decided.size(); ++o) decided[o] = decided[o] && now.speaks() && now.outputs[o].equal;
    if (!any_output(decided)) return;
    record(part, now, options.generic, begin);
    take_field(part, std::move(now));
  }

  void ask_orders(const Restricted& part) {
    RingOptions hard = options_;
    hard.rung = Rung::b;
    RingOutcome b = ask_field(part, with_generic_parts(part.pair, hard));
    if (!b.speaks() && known_.speaks()) {
      known_.order_undecidable = b.undecidable;
      return;
    }
    options_ = hard;
    take_field(part, std::move(b));
  }

  /// Rungs A and B.
  RingOutcome ask_field(const Restricted& part, const RingOptions& options) {
    const RungClock::time_point begin = RungClock::now();
    RingOutcome now = compare_in_ring(part.pair, options, part.wanted);
    locate_silence(part.pair, options, now);
    record(part, now, options.generic, begin);
    return now;
  }

  static void locate_silence(const Pair& pair, const RingOptions& options, RingOutcome& now) {
    if (now.undecidable.empty() || now.undecidable_location.known()) return;
    now.undecidable_location = find_undecided(pair, options, now);
  }

  void record(const Restricted& part, const RingOutcome& now, const Generic& generic, RungClock::time_point begin) {
    records_.push_back(note_rung(AskedOutputs(part), now, begin));
    records_.back().generic = generic;
  }

  /// A second look at the open outputs on rung A or B: it speaks for them from now on.
  void take_field(const Restricted& part, RingOutcome now) {
    if (!known_.speaks() || !now.speaks() || known_.zero_denominator) {
      if (std::count(part.wanted.begin(), part.wanted.end(), true) == std::ssize(known_.outputs)) {
        known_ = std::move(now);
      } else {
        known_.open_reason = now.failure ? now.failure->message : now.undecidable;
        known_.open_location = now.failure ? now.failure->location : now.undecidable_location;
      }
      return;
    }
    const bool only = !any_decided();
    replace(part, now, part.wanted);
    known_.first_step = now.first_step;
    known_.last_draw = now.last_draw;
    known_.zero_denominator = now.zero_denominator;
    if (only || newly_equal(part, now)) add_terms(now, only);
  }

  static bool newly_equal(const Restricted& part, const RingOutcome& now) {
    for (size_t o = 0; o < part.wanted.size(); ++o) {
      if (part.wanted[o] && now.outputs[o].equal) return true;
    }
    return false;
  }

  bool any_decided() const {
    return known_.speaks() &&
           std::any_of(known_.outputs.begin(), known_.outputs.end(), [](const RingOutput& o) { return o.equal; });
  }

  /// Of the outputs of `part` in `which`.
  void replace(const Restricted& part, const RingOutcome& now, const std::vector<bool>& which) {
    for (size_t o = 0; o < which.size(); ++o) {
      if (which[o]) known_.outputs[part.outputs[o]] = now.outputs[o];
    }
  }

  /// Some outputs are decided on one rung, others on another: the verdict names both. `only`: all on this one.
  void add_terms(const RingOutcome& now, bool only) {
    if (only) {
      known_.log2_error = now.log2_error;
      known_.lanes = now.lanes;
      known_.draws = now.draws;
      known_.decisions = now.decisions;
      known_.discrete = now.discrete;
    } else {
      known_.log2_error = std::min(0.0, log2_sum(known_.log2_error, now.log2_error));
      known_.lanes = std::max(known_.lanes, now.lanes);
      known_.draws = std::max(known_.draws, now.draws);
      known_.decisions = std::max(known_.decisions, now.decisions);
      known_.discrete = known_.discrete || now.discrete;
    }
    if (only) known_.deciding.clear();
    const Rung rung = now.deciding.front();
    if (only || known_.deciding.back() != rung) known_.deciding.push_back(rung);
    known_.redrawn_lanes += now.redrawn_lanes;
    known_.soft_predicates = now.soft_predicates;
    if (only) known_.one_sided.clear();
    for (const std::string& select : now.one_sided) add_once(select, known_.one_sided);
    if (only) known_.conditions.clear();
    for (const std::string& condition : now.conditions) add_once(condition, known_.conditions);
    known_.masks = now.masks;
    known_.opaque = now.opaque;
  }

  void climb_exponentials() {
    RingOptions next = options_;
    next.soft_predicates = false;
    // Where some output keeps rungs A and B from speaking, the others need a rung, too.
    const bool instead = whole_is_open() && contents_of(pair_).exponential;
    for (const Rung rung : {Rung::e, Rung::eh}) {
      if (!goes_on()) continue;
      const Restricted part = open_part();
      const Contents contents = contents_of(part.pair);
      if (!any_output(part.wanted) || !(contents.exponential || instead)) continue;
      if (has_order(rung) && !contents.order) continue;
      next.rung = rung;
      take_exponentials(part, next, ask_exponentials(part, next));
    }
    if (goes_on()) climb_by_exponentials(next);
    finish();
  }

  /// Sums of angles, squares of sinusoids and sums of exponents, which cost degree and height: asked last.
  void climb_by_exponentials(RingOptions next) {
    const Restricted part = open_part();
    if (!any_output(part.wanted) || !asks_by_exponentials(part.pair)) return;
    next.rung = Rung::e;
    next.by_exponentials = true;
    take_exponentials(part, next, ask_exponentials(part, next));
  }

  /// Rungs E and Eh.
  Judged ask_exponentials(const Restricted& part, const RingOptions& options) {
    const RungClock::time_point begin = RungClock::now();
    Judged judged = judge_exponentials(part.pair, options, part.wanted);
    if (judged.ring.lanes > 0) locate_silence(part.pair, options, judged.ring);  // it ran
    records_.push_back(note_rung(AskedOutputs(part), judged, begin));
    records_.back().by_exponentials = options.by_exponentials;
    return judged;
  }

  /// Keeps in `decided` the outputs that are equal formulas, and says why others with equal values are not.
  void take_doubts(const Restricted& part, const Judged& judged, std::vector<bool>& decided) {
    for (size_t o = 0; o < decided.size(); ++o) {
      const bool equal = judged.ring.outputs[o].equal, doubted = !judged.doubts[o].empty();
      if (decided[o] && equal && doubted) {
        doubted_.insert(part.outputs[o]);
        known_.open_reason = judged.doubts[o];
        known_.open_location = judged.locations[o];
      }
      decided[o] = decided[o] && equal && !doubted;
    }
  }

  /// Outputs that are equal formulas are decided; those that differ stay what they are on rungs A and B, where these
  /// could speak.
  void take_exponentials(const Restricted& part, const RingOptions& options, Judged judged) {
    if (!judged.ring.speaks()) return note_silence(judged.ring);
    std::vector<bool> decided = part.wanted;
    take_doubts(part, judged, decided);
    differed_ = differed_ || !any_output(decided);
    if (!judged.ring.open_reason.empty()) {
      known_.open_reason = judged.ring.open_reason;
      known_.open_location = judged.ring.open_location;
    }
    if (whole_is_open() && !judged.ring.zero_denominator && part.outputs.size() == pair_.sharded.plan.outputs.size()) {
      return adopt(decided, options, std::move(judged.ring));
    }
    if (!any_output(decided) || whole_is_open()) return;
    const bool only = !any_decided();
    replace(part, judged.ring, decided);
    add_terms(judged.ring, only);
  }

  void note_silence(const RingOutcome& ring) {
    if (!note_.empty() || ring.failure) return;
    note_ = ring.undecidable;
    note_location_ = ring.undecidable_location;
  }

  /// The first rung that could speak about the programs.
  void adopt(const std::vector<bool>& decided, const RingOptions& options, RingOutcome now) {
    now.open_reason = known_.open_reason;
    now.open_location = known_.open_location;
    for (size_t o = 0; o < decided.size(); ++o) now.outputs[o].equal = decided[o];
    known_ = std::move(now);
    options_ = options;
  }

  /// What kept the rungs from speaking, where none did.
  void finish() {
    if (!goes_on() || !known_.open_reason.empty() || differed_) return;
    known_.open_reason = note_;
    known_.open_location = note_location_;
  }

  const Pair& pair_;
  RingOptions& options_;
  RingOutcome known_;
  std::vector<RungRecord> records_;
  Cover cover_;
  bool all_covered_ = false;
  std::set<size_t> doubted_;  ///< equal on a rung of exponentials, beyond the error bound: so it is on later ones
  bool differed_ = false;     ///< some rung of exponentials compared all, and decided nothing
  std::string note_;
  Location note_location_;
};

}  // namespace

RingOutcome climb(const Pair& pair, RingOptions& options) { return Climb(pair, options).run(); }

}  // namespace isoshard::verify
