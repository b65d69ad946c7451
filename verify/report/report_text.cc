// Writes a report for people: what was compared, per output its verdict and a counterexample, where the programs first
// differ and why, what the proof assumes, and the headline last, where a terminal ends. Every line is there only if it
// says something, and lists are cut after a few entries, with those that are not equal first, so that the important
// ones never fall to the limit. Words are chosen here and in verify/answers/words.cc, while facts come from the report
// alone, so that text and JSON cannot disagree.
#include <algorithm>

#include "core/support/call_chain.h"
#include "verify/answers/words.h"
#include "verify/report/report.h"

namespace isoshard::verify {
namespace {

/// Collects lines; colours are ANSI codes or nothing.
class Text {
 public:
  explicit Text(bool colour) : colour_(colour) {}

  void line(const std::string& text = "") { text_ += text + "\n"; }
  /// `  label     text`, labels in one column.
  void item(const std::string& label, const std::string& text) {
    std::string padded = "  " + label;
    padded.resize(std::max<size_t>(padded.size() + 1, 13), ' ');
    line(padded + text);
  }
  void append(const std::string& lines) { text_ += lines; }
  std::string bold(const std::string& text) const { return paint(text, "1"); }
  std::string verdict(Verdict v, const std::string& text) const {
    return paint(text, v == Verdict::equal ? "1;32" : v == Verdict::not_equal ? "1;31" : "1;33");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string paint(const std::string& text, const char* code) const {
    return colour_ ? "\033[" + std::string(code) + "m" + text + "\033[0m" : text;
  }

  bool colour_;
  std::string text_;
};

std::string program_text(const ProgramReport& p) {
  const std::string devices = std::to_string(p.devices) + (p.devices == 1 ? " device" : " devices");
  return "@" + p.name + " on " + (p.mesh.empty() ? devices : "mesh " + p.mesh + ", " + devices);
}

/// Of digits, as many as tell the two numbers apart.
int digits_that_differ(const Counterexample& c) {
  constexpr int kUsual = 6, kAll = 17;
  int digits = kUsual;
  while (digits < kAll && number(c.sharded, digits) == number(c.reference, digits)) ++digits;
  return digits;
}

/// `shown_step` is the one that the line already names.
std::string counterexample_text(const Counterexample& c, const CheckReport& r, bool on_some, uint32_t shown_step) {
  const int digits = digits_that_differ(c);
  std::string text =
      "at " + index_in_words(c.index) + ": " + number(c.sharded, digits) + ", expected " + number(c.reference, digits);
  if (on_some) text += ", on " + device_name(r.claim.mesh, c.position);
  constexpr const char* kMasks[] = {"", " with masks as written", " with masks infinite"};
  text += std::string(" (f64") + kMasks[static_cast<size_t>(c.masks)] + ", rounding <= " + number(c.bound, 2);
  if (c.step != shown_step) text += ", in step " + std::to_string(c.step);
  if (c.scale != 1) text += ", inputs x " + number(c.scale);
  if (!c.inputs.empty()) text += ", inputs " + c.inputs;
  if (!c.integers.empty()) text += ", " + c.integers;
  return text + ")";
}

/// Less is more telling.
int rank_of(Verdict verdict) {
  if (verdict == Verdict::not_equal) return 0;
  return verdict == Verdict::equal ? 3 : verdict == Verdict::not_refuted ? 2 : 1;
}

void add_outputs(const CheckReport& r, Text& text) {
  constexpr size_t kMost = 3;
  size_t width = 0;
  for (const OutputReport& o : r.outputs) {
    width = std::max(width, o.label(r.claim.steps).size() + to_string(o.type).size());
  }
  // Those that are NOT EQUAL first, then those that are not EQUAL: they must not fall to the limit.
  std::vector<const OutputReport*> order;
  for (const OutputReport& o : r.outputs) order.push_back(&o);
  if (order.size() > kMost) {
    std::stable_sort(order.begin(), order.end(), [](const OutputReport* a, const OutputReport* b) {
      return rank_of(a->verdict) < rank_of(b->verdict);
    });
  }
  for (size_t i = 0; i < order.size() && i < kMost; ++i) {
    const OutputReport& o = *order[i];
    const std::string label = o.label(r.claim.steps), type = to_string(o.type);
    const std::string pad(width - label.size() - type.size() + 2, ' ');
    const std::string detail = detail_text(o, r);
    text.item(i == 0 ? "outputs" : "", label + " " + type + pad +
                                           text.verdict(o.verdict, std::string(name(o.verdict))) +
                                           (detail.empty() ? "" : "  " + detail));
  }
  if (order.size() <= kMost) return;
  const bool all_equal = std::all_of(order.begin() + kMost, order.end(),
                                     [](const OutputReport* o) { return o->verdict == Verdict::equal; });
  text.item("", "... and " + std::to_string(order.size() - kMost) + " more" + (all_equal ? ", all EQUAL" : ""));
}

void add_state_errors(const CheckReport& r, Text& text, bool colour) {
  constexpr size_t kMostShown = 20;
  if (r.state_errors.empty()) return;
  const size_t shown = std::min(kMostShown, r.state_errors.size());
  for (size_t i = 0; i < shown; ++i) {
    Diagnostic error = r.state_errors[i];
    error.notes.clear();
    text.append(render(error, colour));
  }
  if (shown < r.state_errors.size()) {
    text.item("", "... and " + std::to_string(r.state_errors.size() - shown) + " more (show --types prints all)");
  }
  text.line("  The rest is about the erased program: without states, every op as written.");
}

Diagnostic shortened(Diagnostic diagnostic) {
  constexpr size_t kMostNotes = 8;
  if (diagnostic.notes.size() > kMostNotes) diagnostic.notes.resize(kMostNotes);
  return diagnostic;
}

/// That there is none is said behind the values.
void add_order(const CheckReport& r, Text& text, bool colour) {
  if (!r.deadlock.none()) text.append(render(shortened(*r.deadlock.finding), colour));
  if (!r.race.none()) text.append(render(shortened(*r.race.finding), colour));
}

void add_ratios(const CheckReport& r, Text& text) {
  for (const OutputReport& o : r.outputs) {
    if (!o.ring.disagreeing_positions.empty()) {
      text.item("devices", "copies of " + o.label(r.claim.steps) + " disagree along " +
                               axes_in_words(o.ring.disagreeing_axes, r.claim.mesh) + ": " +
                               devices_in_words(o.ring.disagreeing_positions, r.claim.mesh) + " differ from the first");
      return;
    }
    if (!o.ring.ratio || o.ring.ratio->is_one()) continue;
    text.item("ratio", o.label(r.claim.steps) + " is " + to_string(*o.ring.ratio) + "x the reference" +
                           (o.ratio_words.empty() ? "" : ": = " + o.ratio_words));
    return;
  }
}

/// Lines of other tools may be as long as a program.
std::string shortened(const std::string& source) {
  constexpr size_t kMost = 120;
  return source.size() <= kMost ? source : source.substr(0, kMost) + " ...";
}

/// The calls through which a place in a func was reached, the one in the program last.
void add_calls(const Location& place, Text& text) {
  for (const ChainLink& link : chain_of(place)) {
    if (!link.is_call()) continue;
    text.item("", "called from " + link.at->in_words());
    const std::string source = source_of(*link.at);
    if (!source.empty()) text.item("", "  " + shortened(source));
  }
}

void add_diagnosis(const CheckReport& r, Text& text) {
  constexpr size_t kMostFacts = 2;
  const Diagnosis& d = r.diagnosis;
  if (d.empty()) {
    for (const std::string& fact : d.facts) text.item("where", fact);
    return;
  }
  const std::string& reference = r.claim.reference_is_left ? r.claim.left.name : r.claim.right.name;
  const bool is_return = d.op == "return" || d.op == "update";
  text.item("where", text.bold(is_return ? d.value + ", " + d.op
                                         : made_in_words(d.in_words.empty() ? d.value : d.in_words, d.op)) +
                         " at " + d.location.in_words() +
                         (is_return         ? ""
                          : !d.role.empty() ? ", " + d.role
                                            : ", the first value without a counterpart in @" + reference) +
                         (r.claim.steps > 1 ? ", in step " + std::to_string(d.step) : ""));
  const std::string source = source_of(d.location);
  if (!source.empty()) text.item("", "  " + shortened(source));
  add_calls(d.location, text);
  for (size_t i = 0; i < d.facts.size() && i < kMostFacts; ++i) text.item(i == 0 ? "why" : "", d.facts[i]);
}

std::string formulas_text(const CheckReport& r) {
  const bool equal =
      std::all_of(r.outputs.begin(), r.outputs.end(), [](const OutputReport& o) { return o.ring.equal; });
  std::string text = r.ring_ran ? (equal ? "equal" : "differ") : "not compared";
  const bool exponential = std::any_of(r.terms.deciding.begin(), r.terms.deciding.end(), in_towers);
  const std::vector<Rung> spoke = equal ? std::vector<Rung>{} : r.tried(true), silent = r.tried(false);
  text += " on " + (spoke.empty() ? "rung " + enumerated(r.terms.deciding) : rungs_in_words(spoke));
  if (!spoke.empty() && !silent.empty()) text += ", not compared on " + rungs_in_words(silent);
  text += exponential ? " (exact in towers of primes with exp and log, other functions opaque"
                      : " (exact modulo random primes, other functions opaque";
  text += r.terms.decisions > 0                      ? ", a random total order)"
          : r.terms.deciding == std::vector{Rung::b} ? ", maxima of sets)"
                                                     : ")";
  if (!r.ring_ran) return text;
  text += ", " + std::to_string(r.terms.lanes) + (r.terms.lanes == 1 ? " lane" : " lanes");
  if (equal) text += ", " + r.terms.error_text();
  if (r.terms.decisions > 0) text += ", " + std::to_string(r.terms.draws) + " orders";
  if (!r.assumes.drawn.empty()) text += ", " + std::to_string(r.terms.draws) + " draws of discrete inputs";
  if (r.terms.redrawn_lanes > 0) text += ", " + std::to_string(r.terms.redrawn_lanes) + " lanes redrawn";
  return text;
}

/// The first few of a list.
std::string listed(const std::vector<std::string>& all) {
  constexpr size_t kMost = 3;
  if (all.size() <= kMost) return joined(all);
  return joined({all.begin(), all.begin() + kMost}) + " and " + std::to_string(all.size() - kMost) + " more";
}

/// And what is left of those that are not infinite.
void add_masks(const CheckReport& r, Text& text) {
  if (r.assumes.masks.empty()) return;
  text.item("assumes", listed(r.assumes.masks) + " counted as infinite where data meets it");
  for (const OutputReport& o : r.outputs) {
    if (!o.floats.trace) continue;
    return text.item("", "as written they leave a trace: " + o.label(r.claim.steps) + " " +
                             counterexample_text(*o.floats.trace, r, false, o.ring.step));
  }
}

void add_assumptions(const CheckReport& r, Text& text) {
  add_masks(r, text);
  if (!r.assumes.opaque.empty()) {
    text.item("opaque", "at " + listed(r.assumes.opaque) +
                            ", on both sides: equal for every function there, so for the identity");
  }
  if (!r.assumes.one_sided.empty()) text.item("one-sided", listed(r.assumes.one_sided));
  if (!r.assumes.readings.empty()) text.item("assumes", listed(r.assumes.readings));
  if (!r.assumes.conditions.empty()) text.item("assumes", listed(r.assumes.conditions));
  if (r.assumes.padding) {
    text.item("assumes",
              "padding of uneven blocks reaches no result: runs with NaN there show none; a select by `block_size` "
              "alone is a proof");
  }
  if (r.assumes.narrow_floats)
    text.item("assumes", r.assumes.narrow_dtypes() + " count as exact: converting to them rounds nothing");
  if (r.assumes.f64_to_f32) text.item("assumes", "f32 made of f64 counts as exact: it rounds and overflows nowhere");
  if (r.assumes.floats_to_integers) {
    text.item("assumes", "floats that become integers count as exact up to there: nothing before rounds them past one");
  }
}

/// Those that are not the derived ones first.
void add_backwards(const CheckReport& r, Text& text) {
  constexpr size_t kMost = 2;
  std::vector<const BackwardReport*> order;
  for (const BackwardReport& b : r.backwards) order.push_back(&b);
  std::stable_partition(order.begin(), order.end(),
                        [](const BackwardReport* b) { return b->verdict != Verdict::equal; });
  for (size_t i = 0; i < order.size() && i < kMost; ++i) {
    text.item(i == 0 ? "backward" : "",
              "@" + order[i]->backward + " of @" + order[i]->function + ": " + order[i]->finding);
  }
  if (order.size() > kMost) text.item("", "... and " + std::to_string(order.size() - kMost) + " more");
}

void add_floats(const CheckReport& r, Text& text) {
  double abs = 0, rel = 0, bound = 0;
  for (const OutputReport& o : r.outputs) {
    abs = std::max(abs, o.floats.max_abs);
    rel = std::max(rel, o.floats.max_rel);
    bound = std::max(bound, o.floats.max_bound);
  }
  const bool hides = r.equivalence == Verdict::not_equal && abs <= bound;
  text.item("f64", "max abs " + number(abs, 2) + ", max rel " + number(rel, 2) + ", rounding <= " + number(bound, 2) +
                       " on one random input" + (hides ? " that does not show the difference" : "") +
                       " (never the proof)");
}

}  // namespace

std::string detail_text(const OutputReport& o, const CheckReport& r) {
  if (o.floats.counterexample)
    return counterexample_text(*o.floats.counterexample, r, !o.ring.disagreeing_positions.empty(), o.ring.step);
  if (!o.ring.equal && o.verdict == Verdict::undecided) {
    return (o.ring.first_index.empty() && !o.type.shape.empty()
                ? ""
                : "differs on " + rungs_in_words(r.differing(o)) + " at " + index_in_words(o.ring.first_index) + ", ") +
           "f64 shows no difference beyond rounding";
  }
  return "";
}

std::string to_text(const CheckReport& r, bool colour, bool explain) {
  Text text(colour);
  if (!r.bad_input.empty()) {
    for (const Diagnostic& d : r.bad_input) text.append(render(d, colour));
    return text.take();
  }
  text.line(text.bold("check @" + r.claim.left.name + " == @" + r.claim.right.name) +
            (r.claim.location.known() ? "  (" + r.claim.location.to_string() + ")" : ""));
  text.item("programs", program_text(r.claim.left) + "; " + program_text(r.claim.right));
  add_state_errors(r, text, colour);
  add_order(r, text, colour);
  if (r.failure) {
    text.append(render(shortened(*r.failure), colour));
  } else if (r.stops() == nullptr) {
    add_outputs(r, text);
    add_diagnosis(r, text);
    add_ratios(r, text);
    text.item("formulas", formulas_text(r));
    add_assumptions(r, text);
    add_backwards(r, text);
    add_floats(r, text);
    if (!r.reason.empty() && r.reason.location.known()) text.item("reason", "at " + r.reason.location.in_words());
  }
  if (explain) text.append(explain_text(r));
  text.item("order", "deadlock " + r.deadlock.words() + ", race " + r.race.words());
  text.item("time", seconds_in_words(r.seconds));
  text.line(text.verdict(r.verdict(), r.headline()));
  return text.take();
}

}  // namespace isoshard::verify
