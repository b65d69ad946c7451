// Asks one rung after another about the outputs that are not decided yet (docs/soundness.md, "The ladder"), cheapest
// first: all integers and choices for all their values; rung A, with generic parts where degrees are too high; maxima
// of sets; rung B in many orders; rungs E, also with maxima of sets, and Eh; sinusoids and powers as exponentials. An
// output that is equal on one rung is equal, because every law of every rung is true of real numbers; an output that
// differs may only lack a law, and goes on. So each rung runs only what its open outputs need (restrict_outputs.h), and
// the error bounds of the rungs that decided some output are added up. Where numbers tell an output apart that differs
// on A and B, no rung of exponentials and no long proof is tried. A rung that cannot represent a program is silent and
// decides nothing. Costs at most one comparison per rung and way of asking, each a run of both programs in all lanes
// and draws.
#include "verify/ladder/ladder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "verify/answers/words.h"
#include "verify/facts/block_rows.h"
#include "verify/ladder/cover.h"
#include "verify/ladder/judge_exponentials.h"
#include "verify/ladder/note_rung.h"
#include "verify/pair_facts/boolean_inputs.h"
#include "verify/pair_facts/contents.h"
#include "verify/pair_facts/work.h"
#include "verify/ring/generic_parts.h"
#include "verify/ring/ring_run.h"
#include "verify/ring/undecided.h"

namespace isoshard::verify {
namespace {

/// Of programs that differ, in elements computed.
constexpr uint64_t kMostAskedAgain = uint64_t{1} << 16;

/// Asks one rung after another about the outputs that are still open.
class Ladder {
 public:
  Ladder(const Pair& pair, RingOptions& options, const Refute& refute)
      : whole_(restrict_to(pair, all_outputs(pair).wanted)),
        pair_(whole_.pair),
        options_(options),
        refute_(refute),
        cover_(pair_, pair, covering(options), records_) {}

  RingOutcome run() {
    options_.settled.clear();  // of an earlier ladder, with other readings of constants
    if (options_.only) {
      ask_only();
    } else {
      const bool discrete = !options_.domain && !discrete_inputs(pair_, false).empty();
      const bool choices = !options_.domain && contents_of(pair_).choices;  // many draws, if they are drawn
      if (!(discrete || choices) || !take_covered(cover_.ask())) {
        for (size_t o = 0; cover_.asked() && o < pair_.sharded.plan.outputs.size(); ++o) {
          options_.settled.push_back(cover_.covers(o));
        }
        run_fields();
        if (goes_on() && !options_.domain) run_exponentials();
        if (rests_on_draws(discrete)) cover_rest();
      }
    }
    if (!all_covered_) known_.terms.log2_error = std::min(0.0, log2_sum(known_.terms.log2_error, cover_.log2_error()));
    if (known_.speaks()) cover_.put_conditions(known_, !options_.only && !options_.domain);
    known_.rungs = std::move(records_);
    cover_.put_outputs(known_);
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

  /// The outputs without an answer but `differs` that numbers do not tell apart, and all that they need.
  Restricted open_part() const {
    std::vector<bool> open;
    for (size_t o = 0; o < pair_.sharded.plan.outputs.size(); ++o) {
      const bool differs = whole_is_open() || (!known_.outputs[o].equal && !is_refuted(o));
      open.push_back(doubted_.count(o) == 0 && differs);
    }
    return restrict_to(pair_, open);
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
  /// and may lack a law of orders, and is not refuted.
  bool rests_on_draws(bool discrete) {
    if (options_.domain || known_.failure) return false;
    const Contents contents = contents_of(pair_);
    if (!known_.speaks()) return discrete || contents.order || contents.rounded;
    const bool drawn = discrete || known_.terms.decisions > 0;
    const bool lacks_laws = contents.order && elements_computed(pair_) <= kMostAskedAgain;  // maybe
    std::vector<bool> open;
    for (size_t o = 0; o < known_.outputs.size(); ++o) {
      open.push_back((known_.outputs[o].equal ? drawn : lacks_laws) && !cover_.covers(o));
    }
    if (!any_output(open)) return false;
    find_refuted();
    for (size_t o = 0; o < open.size(); ++o) open[o] = open[o] && !is_refuted(o);
    return any_output(open);
  }

  bool is_refuted(size_t output) const { return !refuted_.empty() && refuted_[output]; }

  /// Of those that differ. A verdict that limits integers is about those that all asks take: numbers have to tell the
  /// outputs apart there. Once: what is refuted stays so.
  void find_refuted() {
    if (!refuted_.empty()) return;
    std::vector<RingOutput> known = known_.outputs;
    std::vector<bool> open;
    for (size_t o = 0; o < known.size(); ++o) {
      open.push_back(!known[o].equal && !cover_.covers(o));
      known[o].covered_by = cover_.integers();
    }
    refuted_.assign(open.size(), false);
    if (refute_ && any_output(open)) refuted_ = refute_(known, open);
  }

  void cover_rest() {
    if (!cover_.asked() && take_covered(cover_.ask())) return;
    std::vector<bool> equal;
    for (const RingOutput& output : known_.outputs) equal.push_back(output.equal || !known_.speaks());
    if (take_covered(cover_.ask_more(equal, refuted_)) || !known_.speaks()) return;
    for (size_t o = 0; o < known_.outputs.size(); ++o) known_.outputs[o].equal |= cover_.covers(o);
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
      known_ = ask_field(whole_, with_generic_parts(pair_, options_.with_sets()));
      const Restricted part = goes_on() ? open_part() : whole_;
      if (goes_on()) take_field(part, ask_field(part, with_generic_parts(part.pair, options_)));
      return;
    }
    known_ = ask_exponentials(whole_, options_);
    if (!known_.speaks()) return;
    const std::vector<bool> decided = without_doubts(whole_, known_);
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
    options_.soft_predicates = may_take_boolean_inputs(pair_);
    const std::vector<RingOptions> ways = ways_to_ask_a();
    known_ = ask_field(whole_, ways.front());
    for (size_t w = 1; w < ways.size() && goes_on(); ++w) {
      const Restricted part = open_part();
      take_field(part, ask_field(part, ways[w]));
    }
    if (!options_.soft_predicates || !goes_on()) return;
    options_.soft_predicates = false;
    const Restricted part = open_part();
    take_field(part, ask_field(part, options_));
  }

  void run_fields() {
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
    records_.push_back(note_rung(part, options, now, begin));
    take_field(part, std::move(now));
  }

  void ask_orders(const Restricted& part) {
    RingOptions hard = options_;
    hard.rung = Rung::b;
    RingOutcome b = ask_field(part, with_generic_parts(part.pair, hard));
    if (!b.speaks() && known_.speaks()) {
      known_.order_undecidable = b.silent.text;
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
    records_.push_back(note_rung(part, options, now, begin));
    return now;
  }

  static void locate_silence(const Pair& pair, const RingOptions& options, RingOutcome& now) {
    if (now.silent.empty() || now.silent.location.known()) return;
    now.silent.location = find_undecided(pair, options, now);
  }

  /// A second look at the open outputs on rung A or B: it speaks for them from now on.
  void take_field(const Restricted& part, RingOutcome now) {
    if (!known_.speaks() || !now.speaks() || known_.zero_denominator) {
      if (std::count(part.wanted.begin(), part.wanted.end(), true) == std::ssize(known_.outputs)) {
        known_ = std::move(now);
      } else {
        known_.open = now.failure ? Reason{now.failure->message, now.failure->location} : now.silent;
      }
      return;
    }
    const bool only = !any_decided();
    const bool equal = replace(part, now, part.wanted);
    known_.first_step = now.first_step;
    known_.last_draw = now.last_draw;
    known_.zero_denominator = now.zero_denominator;
    if (only || equal) add_terms(now, only);
  }

  bool any_decided() const {
    return known_.speaks() &&
           std::any_of(known_.outputs.begin(), known_.outputs.end(), [](const RingOutput& o) { return o.equal; });
  }

  /// Of the outputs of `part` in `which`; whether some of them are equal.
  bool replace(const Restricted& part, const RingOutcome& now, const std::vector<bool>& which) {
    bool equal = false;
    for (size_t o = 0; o < which.size(); ++o) {
      if (!which[o]) continue;
      known_.outputs[part.outputs[o]] = now.outputs[o];
      equal = equal || now.outputs[o].equal;
    }
    return equal;
  }

  /// Some outputs are decided on one rung, others on another: the verdict names both. `only`: all on this one.
  void add_terms(const RingOutcome& now, bool only) {
    const uint32_t redrawn = known_.terms.redrawn_lanes;
    if (only) {
      known_.terms = now.terms;
      known_.terms.redrawn_lanes += redrawn;
      known_.assumes = {};
    } else {
      known_.terms.add(now.terms);
    }
    known_.assumes.add(now.assumes);
  }

  void run_exponentials() {
    RingOptions next = options_;
    next.soft_predicates = false;
    // Where some output keeps rungs A and B from speaking, the others need a rung, too; so does -inf without
    // exponentials.
    const Contents whole = contents_of(pair_);
    const bool instead = whole_is_open() && (whole.exponential || whole.minus_infinity);
    if (whole.exponential && !whole_is_open()) find_refuted();
    for (const auto& [rung, sets] : {std::pair(Rung::e, false), {Rung::e, true}, {Rung::eh, false}}) {
      if (!goes_on()) continue;
      const Restricted part = open_part();
      const Contents contents = contents_of(part.pair);
      if (!any_output(part.wanted) || !(contents.exponential || instead)) continue;
      if ((has_order(rung) && !contents.order) || (sets && !contents.maxima)) continue;
      next.rung = rung;
      next.max_of_sets = sets;
      take_exponentials(part, next, ask_exponentials(part, next));
    }
    next.max_of_sets = false;
    if (goes_on()) run_ring_of_exponentials(next);
    finish();
  }

  /// Sums of angles, squares of sinusoids and sums of exponents, which cost degree and height: asked last.
  void run_ring_of_exponentials(RingOptions next) {
    const Restricted part = open_part();
    if (!any_output(part.wanted) || !asks_by_exponentials(part.pair)) return;
    next.rung = Rung::e;
    next.by_exponentials = true;
    take_exponentials(part, next, ask_exponentials(part, next));
  }

  /// Rungs E and Eh.
  RingOutcome ask_exponentials(const Restricted& part, const RingOptions& options) {
    const RungClock::time_point begin = RungClock::now();
    RingOutcome now = judge_exponentials(part.pair, options, part.wanted);
    if (now.terms.lanes > 0) locate_silence(part.pair, options, now);  // it ran
    records_.push_back(note_rung(part, options, now, begin));
    return now;
  }

  /// The outputs that are equal formulas; says why others with equal values are not.
  std::vector<bool> without_doubts(const Restricted& part, const RingOutcome& now) {
    std::vector<bool> decided = part.wanted;
    for (size_t o = 0; o < decided.size(); ++o) {
      const bool equal = now.outputs[o].equal, doubted = !now.outputs[o].doubt.empty();
      if (decided[o] && equal && doubted) {
        doubted_.insert(part.outputs[o]);
        known_.open = now.outputs[o].doubt;
      }
      decided[o] = decided[o] && equal && !doubted;
    }
    return decided;
  }

  /// Outputs that are equal formulas are decided; those that differ stay what they are on rungs A and B, where these
  /// could speak.
  void take_exponentials(const Restricted& part, const RingOptions& options, RingOutcome now) {
    if (!now.speaks()) return note_silence(now);
    const std::vector<bool> decided = without_doubts(part, now);
    differed_ = differed_ || !any_output(decided);
    if (!now.open.empty()) known_.open = now.open;
    if (whole_is_open() && !now.zero_denominator && part.outputs.size() == pair_.sharded.plan.outputs.size()) {
      return adopt(decided, options, std::move(now));
    }
    if (!any_output(decided) || whole_is_open()) return;
    const bool only = !any_decided();
    replace(part, now, decided);
    add_terms(now, only);
  }

  void note_silence(const RingOutcome& ring) {
    if (note_.empty() && !ring.failure) note_ = ring.silent;
  }

  /// The first rung that could speak about the programs.
  void adopt(const std::vector<bool>& decided, const RingOptions& options, RingOutcome now) {
    now.open = known_.open;
    for (size_t o = 0; o < decided.size(); ++o) now.outputs[o].equal = decided[o];
    known_ = std::move(now);
    options_ = options;
  }

  /// What kept the rungs from speaking, where none did.
  void finish() {
    if (goes_on() && known_.open.empty() && !differed_) known_.open = note_;
  }

  /// All that some output or assert needs: an infinite constant that nothing reads must not keep a rung from speaking.
  const Restricted whole_;
  const Pair& pair_;
  RingOptions& options_;
  const Refute& refute_;
  std::vector<bool> refuted_;  ///< per output; empty: not asked yet
  RingOutcome known_;
  std::vector<RungRecord> records_;
  Cover cover_;
  bool all_covered_ = false;
  std::set<size_t> doubted_;  ///< equal on a rung of exponentials, beyond the error bound: so it is on later ones
  bool differed_ = false;     ///< some rung of exponentials compared all, and decided nothing
  Reason note_;
};

}  // namespace

RingOutcome run_ladder(const Pair& pair, RingOptions& options, const Refute& refute) {
  return Ladder(pair, options, refute).run();
}

}  // namespace isoshard::verify
