// What the report of a check says in one line, and the exit code. The verdict about formulas and the one about states
// are apart: state errors make the claim fail, and the headline says as well what holds of the program without them. A
// proof is quoted with its terms: rungs, lanes, error, orders and draws. For a difference the headline names the most
// telling fact that is known, in this order: a failure, a NaN, a factor common to all outputs, the cause, the first
// output that differs or whose copies disagree. Nothing is calculated here; docs/soundness.md says what each verdict
// means.
#include "verify/report/report.h"

#include <algorithm>

#include "verify/answers/words.h"

namespace isoshard::verify {

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
      return "EQUAL";
    case Verdict::not_equal:
      return "NOT EQUAL";
    case Verdict::not_refuted:
      return "NOT REFUTED";
    case Verdict::float_differs:
      return "EQUAL as formulas, f64 differs";
    case Verdict::deadlock:
      return "DEADLOCK";
    case Verdict::race:
      return "RACE";
    case Verdict::undecided:
      break;
  }
  return "COULD NOT DECIDE";
}

std::string OutputReport::label(int64_t steps) const {
  if (is_update) return "@" + name + " after step " + std::to_string(ring.step);
  return "@" + name + (steps > 1 && verdict != Verdict::equal ? " in step " + std::to_string(ring.step) : "");
}

bool BackwardReport::repeats(const BackwardReport& other) const {
  return function == other.function && backward == other.backward && finding == other.finding;
}

Verdict CheckReport::verdict() const {
  if (deadlock.found()) return Verdict::deadlock;
  if (race.found()) return Verdict::race;
  if (!state_errors.empty()) return Verdict::not_equal;
  const bool ordered = deadlock.none() && race.none();
  return ordered || equivalence == Verdict::not_equal ? equivalence : Verdict::undecided;
}

const Diagnostic* CheckReport::stops() const {
  if (deadlock.verdict == DeadlockVerdict::deadlock) return &*deadlock.finding;
  return failure ? &*failure : nullptr;
}

int CheckReport::exit_code() const {
  if (!bad_input.empty()) return 2;
  switch (verdict()) {
    case Verdict::equal:
      return 0;
    case Verdict::not_equal:
    case Verdict::deadlock:
    case Verdict::race:
      return 1;
    case Verdict::not_refuted:
      return claim.accept_sampled ? 0 : 3;
    case Verdict::float_differs:
    case Verdict::undecided:
      break;
  }
  return 3;
}

std::vector<Rung> CheckReport::tried() const {
  std::vector<Rung> all;
  for (const RungRecord& r : rungs) add_once(r.rung(), all);
  return all;
}

std::vector<Rung> CheckReport::tried(bool spoke) const {
  std::vector<Rung> spoken, others;
  for (const RungRecord& r : rungs) {
    if (r.silent.empty()) add_once(r.rung(), spoken);
  }
  for (const Rung rung : tried()) {
    if (std::find(spoken.begin(), spoken.end(), rung) == spoken.end()) others.push_back(rung);
  }
  return spoke ? spoken : others;
}

std::vector<Rung> CheckReport::differing(const OutputReport& output) const {
  std::vector<Rung> result;
  for (const RungRecord& r : rungs) {
    for (const RungAnswer& a : r.answers) {
      if (&outputs[a.output] == &output && a.says == RungSays::differs) add_once(r.rung(), result);
    }
  }
  return result;
}

namespace {

/// `(rung A, 2 lanes, error <= 2^-52, 8 draws of @ids)`
std::string terms(const CheckReport& r) {
  std::string text = "(rung " + enumerated(r.terms.deciding) + ", " + std::to_string(r.terms.lanes) +
                     (r.terms.lanes == 1 ? " lane, " : " lanes, ");
  if (r.terms.decisions > 0)
    text += std::to_string(r.terms.draws) + " orders, s >= " + std::to_string(static_cast<int64_t>(r.terms.decisions)) +
            ", ";
  text += r.terms.error_text();
  if (!r.assumes.drawn.empty()) {
    text += ", " + std::to_string(r.terms.draws) + " draws of ";
    for (size_t i = 0; i < r.assumes.drawn.size(); ++i) text += (i > 0 ? " @" : "@") + r.assumes.drawn[i];
  }
  if (r.claim.steps > 1) text += ", " + std::to_string(r.claim.steps) + " steps";
  return text + ")";
}

/// `@W is 8x too large (= size(data)*size(model))` where that is true of all outputs that differ, and the cause tells
/// another factor: what it names is then not all that is wrong.
std::string factor_of_outputs(const CheckReport& r) {
  const OutputReport* first = nullptr;
  for (const OutputReport& o : r.outputs) {
    if (o.verdict != Verdict::not_equal) continue;
    if (first == nullptr) first = &o;
    if (!o.ring.ratio || o.ratio_words.empty() || !(o.ring.ratio == first->ring.ratio)) return "";
  }
  if (first == nullptr || first->ring.ratio->numerator <= first->ring.ratio->denominator) return "";
  const std::string factor = to_string(*first->ring.ratio) + "x too large", cause = " " + r.diagnosis.cause;
  if (cause.find("x too ") == std::string::npos || cause.find(" " + factor) != std::string::npos) return "";
  return first->label(r.claim.steps) + " is " + factor + " (= " + first->ratio_words + ")";
}

std::string why_not_equal(const CheckReport& r) {
  if (r.failure) return ": " + r.failure->message;
  for (const OutputReport& o : r.outputs) {
    if (o.floats.counterexample && o.floats.counterexample->undefined())
      return ": " + o.label(r.claim.steps) + " is nan where the reference is a number";
  }
  if (const std::string factor = factor_of_outputs(r); !factor.empty()) return ": " + factor;
  if (!r.diagnosis.cause.empty()) return ": " + r.diagnosis.cause;
  const OutputReport* first = nullptr;  // to differ
  for (const OutputReport& o : r.outputs) {
    if (o.verdict == Verdict::not_equal && (first == nullptr || o.ring.step < first->ring.step)) first = &o;
  }
  if (first == nullptr) return "";
  const std::optional<Counterexample>& shown = first->floats.counterexample;
  const std::string where = shown && !shown->integers.empty() ? " where " + shown->integers : "";
  if (first->ring.disagreeing_positions.empty()) return ": " + first->label(r.claim.steps) + " differs" + where;
  return ": copies of " + first->label(r.claim.steps) + " disagree along " +
         axes_in_words(first->ring.disagreeing_axes, r.claim.mesh);
}

/// `@dense`
std::string reference_of(const CheckReport& r) {
  return "@" + (r.claim.reference_is_left ? r.claim.left : r.claim.right).name;
}

/// `for @ids in 0..32 `
std::string for_all(const CheckReport& r) {
  return r.assumes.ranges.empty() ? "" : "for " + enumerated(r.assumes.ranges) + " ";
}

std::string what_was_sampled(const CheckReport& r) {
  for (const OutputReport& o : r.outputs) {
    if (o.verdict != Verdict::not_refuted) continue;
    if (!o.sampled.empty())
      return "but " + o.sampled + " only sampled" + (r.reason.empty() ? "" : "; " + r.reason.text);
    return "but nothing shows " + o.ring.rests_on + " wherever " + reference_of(r) + " has a value";
  }
  return "";
}

std::string equivalence_headline(const CheckReport& r) {
  switch (r.equivalence) {
    case Verdict::equal:
      return "EQUAL as formulas " + for_all(r) + terms(r);
    case Verdict::not_refuted:
      return "NOT REFUTED " + terms(r) + ": no difference found, " + what_was_sampled(r);
    case Verdict::not_equal:
      return "NOT EQUAL" + why_not_equal(r);
    case Verdict::float_differs:
      return "EQUAL as formulas " + terms(r) + ", BUT " + r.reason.text;
    case Verdict::undecided:
    case Verdict::deadlock:  // not of values
    case Verdict::race:
      break;
  }
  return "COULD NOT DECIDE: " + r.reason.text;
}

/// What is not about values, in front of what is: `DEADLOCK: rank 0 waits for rank 1, which waits for rank 0`.
std::string order_headline(const CheckReport& r) {
  const auto behind_rule_name = [](const Diagnostic& d) { return d.message.substr(d.message.find(": ")); };
  if (r.deadlock.verdict == DeadlockVerdict::deadlock) return "DEADLOCK" + behind_rule_name(*r.deadlock.finding);
  if (r.deadlock.found()) {
    return "DEADLOCK in one launch order" + behind_rule_name(*r.deadlock.finding) + "; values: ";
  }
  if (r.race.found()) return "RACE: " + r.race.finding->message + "; values: ";
  if (!r.deadlock.none()) {
    return "COULD NOT DECIDE whether ranks deadlock: " + r.deadlock.finding->message + "; values: ";
  }
  return r.race.none() ? "" : "COULD NOT DECIDE whether buffers race: " + r.race.finding->message + "; values: ";
}

/// What nobody should miss who reads the last line only.
std::string written_backwards(const CheckReport& r) {
  std::vector<std::string> names;
  for (const BackwardReport& b : r.backwards) {
    if (b.verdict != Verdict::equal) add_once("@" + b.backward, names);
  }
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return std::string("; with the backward") + (one ? " " : "s ") + enumerated(names) + " as written, not the derived " +
         (one ? "one" : "ones");
}

}  // namespace

std::string CheckReport::headline() const {
  if (!bad_input.empty()) return "BAD INPUT: the two programs cannot be compared";
  const std::string order = order_headline(*this);
  if (deadlock.verdict == DeadlockVerdict::deadlock) return order;
  if (state_errors.empty()) return order + equivalence_headline(*this) + written_backwards(*this);
  const size_t n = state_errors.size();
  return order + "DOES NOT HOLD: " + std::to_string(n) + (n == 1 ? " state error" : " state errors") +
         "; erased program: " + equivalence_headline(*this) + written_backwards(*this);
}

}  // namespace isoshard::verify
