// Follows one wrong element and the one that is expected back through both programs, side by side, until two elements
// stand against each other of which the program took one instead of the other (docs/spec/diagnosis.md, "Wrong
// elements"). Copies are skipped on both sides; where an input decides what is copied, and decides differently, the
// deciding elements go on; functions of one kind compare their arguments and go on with the first that differs; sums
// are spread into terms with weights, of which those go on that are left (compared_terms.h).
// Elements are compared by their residues, so it works without names. The op that took the wrong element is the one on
// the path that chooses elements (a slice, a gather) before one that only places them. A limit on steps ends it in
// large sums.
#include "verify/causes/wrong_element.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "verify/answers/words.h"
#include "verify/causes/compared_terms.h"
#include "verify/causes/numbers.h"
#include "verify/evidence/element_terms.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

using ElementPath = std::vector<Element>;

constexpr int kMostTraceSteps = 200;
constexpr size_t kMostRatiosShown = 5;

/// Farther apart than two places in one array.
constexpr int64_t kOtherArray = int64_t{1} << 40;

/// What the program took, what it should have taken, and the way it went; its first element is used first.
struct Found {
  ElementPath path{};
  std::string got{}, expected{};
  int64_t distance = 0;    ///< of the two places in one array
  std::string in{};        ///< ` of @dense` where `expected` is a value of it
  std::string adjacent{};  ///< where the distance is 1: `[2, 0] of %x of @dense instead of [3, 0]`
  Explanation terms{};     ///< instead: the right elements are taken, but not all of them once
};

constexpr int kInnocent = 3;

/// How probably an op has moved elements wrongly, the most probable first; kInnocent: it moves none, or cannot.
int suspicion(const Instruction& i) {
  if (std::holds_alternative<TakeBlock>(i.data())) return 0;
  if (std::holds_alternative<LoadBlock>(i.data())) return 2;
  const Collective* c = std::get_if<Collective>(&i.data());
  if (c != nullptr && c->kind == CollectiveKind::all_reduce) return kInnocent;
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  if (local == nullptr) return 1;
  if (is_one_of<Slice, DynamicSlice, Gather, Select, DynamicUpdateSlice, ScatterAdd>(local)) return 0;
  return is_one_of<Reshape, Transpose, Concatenate, Reverse, Pad>(local) ? 1 : kInnocent;
}

class Tracer {
 public:
  explicit Tracer(const Evidence& e)
      : e_(e),
        wrong_(e.pair.sharded.plan, e.sharded, e.matcher.fingerprinter(), e.domain),
        right_(e.pair.reference.plan, e.reference, e.matcher.fingerprinter(), e.domain) {}

  /// The element of output `o` that differs first, as the device at `position` stores it.
  std::optional<Found> compare_output(const RingOutput& output, size_t o, int64_t position) {
    output_ = "@" + e_.plan().outputs[o].name + (output.first_index.empty() ? "" : index_in_words(output.first_index));
    const std::optional<Element> s = wrong_.stored(o, output.first_index, position);
    const std::optional<Element> r = right_.stored(e_.pair.reference_output[o], output.first_index, 0);
    return s && r ? compare(*s, *r, {}) : std::nullopt;
  }

  /// Two elements that should be equal and are not; `path` is how `s` came to be used.
  std::optional<Found> compare(Element s, Element r, ElementPath path) {
    while (++steps_ < kMostTraceSteps) {
      const std::optional<Element> s_chooser = walk(wrong_, s, path), r_chooser = walk(right_, r, ignored_);
      if (wrong_.of(s) == right_.of(r)) return std::nullopt;
      if (s_chooser && r_chooser) {
        if (wrong_.of(*s_chooser) == right_.of(*r_chooser)) {
          path.push_back(s);
          s = wrong_.made(s).from[0], r = right_.made(r).from[0];
          continue;
        }
        path.clear();
        s = *s_chooser, r = *r_chooser;
        continue;
      }
      if (std::optional<Found> found = misplaced(s, r, path)) return found;
      const std::optional<std::pair<Element, Element>> arguments = differing_arguments(s, r);
      if (!arguments) return compare_terms(s, r, path);
      s = arguments->first, r = arguments->second;
      path.clear();
    }
    return std::nullopt;
  }

  std::optional<Explanation> report(const Found& found) const {
    if (!found.terms.cause.empty()) return found.terms;
    const Element* culprit = nullptr;
    for (const Element& x : found.path) {
      if (!is_blamable(x)) continue;
      if (culprit == nullptr || suspicion(maker(x)) < suspicion(maker(*culprit))) culprit = &x;
    }
    if (culprit == nullptr) return std::nullopt;
    const Instruction& i = maker(*culprit);
    Explanation result{"", "", {}, culprit->value, "where a wrong element comes from"};
    const std::string name = e_.name(culprit->value);
    const std::string what = made_in_words(name, i.op()) + " takes ";
    const bool is_near = op_of<Slice>(i) != nullptr && !found.adjacent.empty();
    result.cause = is_near ? "off by one: " + what + found.adjacent
                           : what + found.got + " instead of " + found.expected + found.in;
    const Shape& shape = wrong_.shape(culprit->value);
    const std::string element =
        shape.empty() ? "" : "element " + index_in_words(unflatten(culprit->index, shape)) + " of ";
    const std::string device =
        e_.mesh().device_count() > 1 ? " on device " + device_name(e_.mesh(), culprit->position) : "";
    result.fact = output_ + " is made of " + found.got + ", which is " + element + name + device + "; " + reference_ +
                  " makes it of " + found.expected;
    return result;
  }

 private:
  /// Not what has a counterpart: the reference has it, too, so it is what it should be, and used where it should not.
  bool is_blamable(const Element& x) const {
    const Instruction& i = maker(x);
    return (suspicion(i) < kInnocent || op_of<RngBits>(i) != nullptr) && e_.match(x.value) == nullptr;
  }
  Instruction maker(const Element& x) const { return wrong_.plan().instruction(wrong_.maker(x.value)); }

  /// Follows copies that no input decides on; stops at one that an input decides on and says what decides.
  static std::optional<Element> walk(ElementSources& run, Element& x, ElementPath& path) {
    for (;;) {
      const Made made = run.made(x);
      const std::optional<Element> next = plain_copy(run, made);
      if (!next) {
        if (made.how == Made::How::loaded) path.push_back(x);
        return made.how == Made::How::copied ? made.chosen_by : std::nullopt;
      }
      path.push_back(x);
      x = *next;
    }
  }

  /// `s` stands where `r` should: it is another element of the same array, another random number, or a constant.
  std::optional<Found> misplaced(const Element& s, const Element& r, const ElementPath& path) {
    if (std::optional<Found> number = other_number(s, r, path)) return number;
    const bool moved =
        std::any_of(path.begin(), path.end(), [&](const Element& x) { return suspicion(maker(x)) < kInnocent; });
    if (!moved || right_.is_constant(r.value)) return std::nullopt;
    const bool s_loaded = wrong_.made(s).how == Made::How::loaded;
    const bool r_loaded = right_.made(r).how == Made::How::loaded;
    const std::string expected = r_loaded ? loaded(right_, r) : computed(r);
    const std::string in = r_loaded ? "" : " of " + reference_;
    if (s_loaded && r_loaded) {
      Found found{path, loaded(wrong_, s), expected, kOtherArray};
      if (global(wrong_, s) == global(right_, r)) note_distance(found, wrong_.place_in_global(s), r);
      return found;
    }
    if (!r_loaded && !is_at_hand(path, right_.of(r))) return std::nullopt;
    if (wrong_.is_constant(s.value) || wrong_.made(s).how == Made::How::zero) {
      return Found{path, wrong_.of(s) == Fingerprint{} ? "0" : "a constant", expected, kOtherArray, in};
    }
    const Fingerprint wanted = wrong_.of(s);
    const Shape& shape = right_.shape(r.value);
    for (Element at{r.value, r.position, 0}; !r_loaded && at.index < element_count(shape); ++at.index) {
      if (right_.of(at) != wanted) continue;
      const std::string got = e_.pair.reference.in_words(r.value) + index_in_words(unflatten(at.index, shape));
      Found found{path, got, expected, 0, in};
      note_distance(found, unflatten(at.index, shape), r);
      return found;
    }
    return std::nullopt;
  }

  /// Whether something on the way could have taken what is expected: it communicates, or what it takes from holds it.
  /// Otherwise that is made wrong before, and equal to another element by chance, as where inputs are equal.
  bool is_at_hand(const ElementPath& path, const Fingerprint& expected) {
    return std::any_of(path.begin(), path.end(), [&](const Element& x) {
      const Instruction& i = maker(x);
      if (suspicion(i) == kInnocent) return false;
      if (!std::holds_alternative<LocalOp>(i.data())) return true;
      return std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId operand) {
        const int64_t count = element_count(wrong_.shape(operand));
        for (Element at{operand, x.position, 0}; at.index < count; ++at.index) {
          if (wrong_.of(at) == expected) return true;
        }
        return false;
      });
    });
  }

  /// How far `got` lies from `r` in the array that both are of: the value of `r`, or the global that it was loaded
  /// from.
  void note_distance(Found& found, const std::vector<int64_t>& got, const Element& r) {
    const std::vector<int64_t> own = unflatten(r.index, right_.shape(r.value));
    const bool is_loaded = right_.made(r).how == Made::How::loaded;
    const std::vector<int64_t> expected = is_loaded ? right_.place_in_global(r) : own;
    found.distance = 0;
    for (size_t d = 0; d < got.size(); ++d) found.distance += std::abs(got[d] - expected[d]);
    if (found.distance != 1 || expected != own) return;
    found.adjacent = index_in_words(got) + " of " + e_.pair.reference.in_words(r.value) + " of " + reference_ +
                     " instead of " + index_in_words(expected);
  }

  /// Two numbers of one key: other places of an array, or arrays of other sizes.
  std::optional<Found> other_number(const Element& s, const Element& r, ElementPath path) const {
    const Instruction &a = maker(s), &b = right_.plan().instruction(right_.maker(r.value));
    const RngBits *own = op_of<RngBits>(a), *other = op_of<RngBits>(b);
    if (own == nullptr || other == nullptr || own->key_layout != other->key_layout) return std::nullopt;
    if (wrong_.of({a.operands[0], s.position, 0}) != right_.of({b.operands[0], r.position, 0})) return std::nullopt;
    path.insert(path.begin(), s);
    if (own->whole() == other->whole()) return Found{path, "random numbers at other places", "those of the element", 0};
    return Found{path, "random numbers of an array of " + index_in_words(own->whole()),
                 "those of " + index_in_words(other->whole()), 0};
  }

  std::string loaded(const ElementSources& run, const Element& x) const {
    return global(run, x) + index_in_words(run.place_in_global(x));
  }
  std::string computed(const Element& r) const {
    const Shape& shape = right_.shape(r.value);
    const std::string index = shape.empty() ? "" : index_in_words(unflatten(r.index, shape));
    return e_.pair.reference.in_words(r.value) + index;
  }

  static std::string global(const ElementSources& run, const Element& loaded) {
    const Plan& plan = run.plan();
    const LoadBlock& load = std::get<LoadBlock>(plan.instruction(run.maker(loaded.value)).data());
    return "@" + plan.globals[load.global.index()].name;
  }

  /// The first operands that differ, where both are the same function of as many.
  std::optional<std::pair<Element, Element>> differing_arguments(const Element& s, const Element& r) {
    const Instruction& other = right_.plan().instruction(right_.maker(r.value));
    const Made a = wrong_.made(s), b = right_.made(r);
    const bool same = a.how == Made::How::computed && b.how == Made::How::computed && maker(s).op() == other.op();
    if (!same || a.from.size() != b.from.size()) return std::nullopt;
    for (size_t k = 0; k < a.from.size(); ++k) {
      if (wrong_.of(a.from[k]) != right_.of(b.from[k])) return std::pair{a.from[k], b.from[k]};
    }
    return std::nullopt;
  }

  std::optional<Found> compare_terms(const Element& s, const Element& r, const ElementPath& path) {
    for (const TermKind kind :
         {TermKind::elements, TermKind::chosen_zeros}) {  // these where one side has no others left
      std::optional<std::vector<Term>> a = terms_of(wrong_, s, kind), b = terms_of(right_, r, kind);
      if (!a || !b || (is_atom(*a) && is_atom(*b))) continue;
      const size_t all = b->size();
      terms_.cancel(*a, *b);
      std::optional<Found> found = compare_rest(*a, *b, path);
      if (!found && kind == TermKind::chosen_zeros) found = count_rest(s, r, *a, *b, all);
      if (found) return found;
    }
    return std::nullopt;
  }

  static bool is_atom(const std::vector<Term>& terms) {
    return terms.size() == 1 && terms[0].path.size() == 1 && terms[0].factors.size() == 1;
  }

  /// Terms that stand in one sum only, the others in both.
  std::optional<Found> count_rest(const Element& s, const Element& r, const std::vector<Term>& a,
                                  const std::vector<Term>& b, size_t all) {
    const Made::How how = wrong_.made(s).how;
    if (is_unsigned(e_.plan().value(s.value).type().dtype)) return std::nullopt;  // random bits have no terms
    if (a.empty() == b.empty() || (how != Made::How::summed && how != Made::How::dotted)) return std::nullopt;
    const std::string lacks = "lacks " + std::to_string(b.size()) + " of the " + std::to_string(all) + " terms of ",
                      has = "has " + std::to_string(a.size()) + (a.size() == 1 ? " term" : " terms") + " more than ",
                      made = a.empty() ? made_of(right_, b[0]) : made_of(wrong_, a[0]);
    const std::string cause = made_in_words(e_.name(s.value), maker(s).op()) + " " + (a.empty() ? lacks : has) +
                              e_.pair.reference.in_words(r.value) + " of " + reference_;
    const std::string fact = made.empty() ? "" : "the first of these terms " + made;
    return Found{.terms = {cause, fact, {}, s.value, "a sum of other terms"}};
  }

  /// `is made of @x[2, 0]`: the elements of globals among the factors of a term.
  std::string made_of(ElementSources& run, const Term& term) {
    std::vector<std::string> words;
    for (Element x : term.bare) {
      while (run.made(x).how == Made::How::copied) x = run.made(x).from[0];
      if (run.made(x).how == Made::How::loaded) words.push_back(loaded(run, x));
    }
    return words.empty() ? "" : "is made of " + enumerated(words);
  }

  std::optional<Found> compare_rest(const std::vector<Term>& a, const std::vector<Term>& b, const ElementPath& path) {
    if (a.empty() || b.empty()) return std::nullopt;
    if (std::optional<Found> weights = other_weights(a, b)) return weights;
    std::optional<Found> best;
    for (const auto& [x, y] : terms_.likely_pairs(a, b)) {
      std::optional<Found> found = compare_pair(*x, *y, path);
      if (found && (!best || found->distance < best->distance)) best = std::move(found);
    }
    return best;
  }

  /// All terms stand in the other sum as well, times other numbers: which ones.
  std::optional<Found> other_weights(const std::vector<Term>& s, const std::vector<Term>& r) const {
    const Fingerprinter& f = wrong_.fingerprinter();
    std::map<ComparedTerms::Key, Fingerprint> weights;
    for (const Term& t : r) weights.emplace(ComparedTerms::factors(right_, t), t.weight);
    std::vector<Ratio> ratios;
    const Element* scaled = nullptr;
    for (const Term& t : s) {
      const auto it = weights.find(ComparedTerms::factors(wrong_, t));
      if (it == weights.end() || !f.is_unit(it->second)) return std::nullopt;
      const std::optional<Ratio> ratio = f.small_ratio(f.multiply(t.weight, f.inverse(it->second)));
      if (!ratio) return std::nullopt;
      if (std::find(ratios.begin(), ratios.end(), *ratio) == ratios.end()) ratios.push_back(*ratio);
      if (scaled == nullptr && t.scaled) scaled = &*t.scaled;
    }
    if (scaled == nullptr) return std::nullopt;
    std::vector<std::string> words;
    for (size_t k = 0; k < ratios.size() && k < kMostRatiosShown; ++k) words.push_back(to_string(ratios[k]) + "x");
    if (ratios.size() > kMostRatiosShown) words.back() = "...";
    const bool has_sizes = ratios.size() == 1 && !takes_written_number(e_, scaled->value);
    const std::string sizes = has_sizes ? in_words(ratios[0], e_.mesh(), {}) : "";
    if (!sizes.empty()) words[0] += " (= " + sizes + ")";
    const std::string cause =
        "terms of " + output_ + " count " + enumerated(words) + " what they count in " + reference_;
    const std::optional<Ratio> factor = ratios.size() == 1 ? std::optional(ratios[0]) : std::nullopt;
    return Found{.terms = {cause, "", factor, scaled->value, "which gives terms of a sum other weights"}};
  }

  std::optional<Found> compare_pair(const Term& s, const Term& r, ElementPath path) {
    if (s.factors.size() != r.factors.size()) return std::nullopt;
    if (s.factors.size() == 1) {
      path.insert(path.end(), s.path.begin(), s.path.end() - 1);  // the last one is the factor
      return compare(s.factors[0], r.factors[0], std::move(path));
    }
    const bool crossed =
        wrong_.of(s.factors[0]) == right_.of(r.factors[1]) || wrong_.of(s.factors[1]) == right_.of(r.factors[0]);
    for (size_t k = 0; k < 2; ++k) {
      const Element &x = s.factors[k], &y = r.factors[crossed ? 1 - k : k];
      if (wrong_.of(x) != right_.of(y)) return compare(x, y, {});
    }
    return std::nullopt;
  }

  const Evidence& e_;
  const std::string reference_ = "@" + e_.pair.reference.plan.program;
  std::string output_;  ///< what is wrong: `@y[0, 2]`
  ElementSources wrong_, right_;
  ComparedTerms terms_{wrong_, right_};
  ElementPath ignored_;
  int steps_ = 0;
};

}  // namespace

std::optional<Explanation> trace_wrong_element(const Evidence& e, const RingOutcome& outcome) {
  if (!e.keeps_values()) return std::nullopt;
  Tracer tracer(e);
  for (size_t o = 0; o < outcome.outputs.size(); ++o) {
    const RingOutput& output = outcome.outputs[o];
    if (!output.differs_first) continue;
    for (const int64_t position : output.wrong_positions) {
      if (const std::optional<Found> found = tracer.compare_output(output, o, position)) return tracer.report(*found);
    }
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
