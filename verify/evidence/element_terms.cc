// Takes one element of a sum apart into its terms: a weight, which depends on no input, times an element or the product
// of two. It walks back from the sum through additions, contractions and collectives, and through copies and constants,
// which go to the weight; what it meets otherwise is a term. Weights are fingerprints in all lanes, so that constants
// need no rationals. Terms that are 0 are left out, unless the caller asks for those that an input has chosen. Each
// term keeps its path, from which a cause can be told. Cost: at most 4096 terms, else nothing is said.
#include "verify/evidence/element_terms.h"

#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostElementTerms = 4096;

/// Whether element n of the result is made of elements n of the operands, for all that sums of values are made of.
bool keeps_places(const Instruction& i) {
  const Collective* c = std::get_if<Collective>(&i.data());
  return (c != nullptr && c->kind == CollectiveKind::all_reduce) ||
         is_one_of<Add, Subtract, Negate, Multiply, Divide, Reshape, StopGradient>(local_op(i));
}

class TermCollector {
 public:
  TermCollector(ElementSources& sources, TermKind kind) : sources_(sources), kind_(kind) {}

  /// False when there are too many terms.
  bool add(Element e, Term term) {
    for (;;) {
      if (terms.size() >= kMostElementTerms) return false;
      term.path.push_back(e);
      const Made made = sources_.made(e);
      const bool chosen = kind_ == TermKind::chosen_zeros && made.chosen_by && !plain_copy(sources_, made);
      const bool values = kind_ == TermKind::values;
      if (!chosen && !values && (made.how == Made::How::zero || sources_.of(e) == Fingerprint{})) return true;
      const Instruction& i = sources_.plan().instruction(sources_.maker(e.value));
      if (values && !keeps_places(i)) break;
      if (made.how == Made::How::summed) return add_all(made, term);
      if (made.how == Made::How::dotted) return add_products(made, term);
      if (values && op_of<Subtract>(i) != nullptr) return add_difference(made, term);
      std::optional<Element> next = plain_copy(sources_, made);
      if (!next) next = scaled(e, made, term);
      if (!next) break;
      e = *next;
    }
    term.factors = term.bare = {e};
    terms.push_back(std::move(term));
    return true;
  }

  std::vector<Term> terms;

 private:
  bool add_all(const Made& made, const Term& term) {
    for (const Element& from : made.from) {
      if (!add(from, term)) return false;
    }
    return true;
  }

  bool add_difference(const Made& made, Term term) {
    if (!add(made.from[0], term)) return false;
    term.weight = sources_.fingerprinter().subtract({}, term.weight);
    return add(made.from[1], std::move(term));
  }

  bool add_products(const Made& made, const Term& term) {
    for (const std::array<Element, 2>& product : made.products) {
      if (sources_.of(product[0]) == Fingerprint{} || sources_.of(product[1]) == Fingerprint{}) continue;
      if (terms.size() >= kMostElementTerms) return false;
      terms.push_back(term);
      terms.back().factors = {product[0], product[1]};
      for (const Element& factor : product) terms.back().bare.push_back(stripped(factor, terms.back()));
    }
    return true;
  }

  /// A factor without its copies and constants, which go to the weight.
  Element stripped(Element e, Term& term) const {
    for (;;) {
      const Made made = sources_.made(e);
      std::optional<Element> next = plain_copy(sources_, made);
      if (!next) next = repeated(made, term);
      if (!next) next = scaled(e, made, term);
      if (!next) return e;
      e = *next;
    }
  }

  /// What a sum of equal elements adds up; their number goes to the weight.
  std::optional<Element> repeated(const Made& made, Term& term) const {
    if (made.how != Made::How::summed || made.from.size() < 2) return std::nullopt;
    const Fingerprint one = sources_.of(made.from[0]);
    for (const Element& from : made.from) {
      if (sources_.of(from) != one) return std::nullopt;
    }
    Fingerprint count{};
    for (size_t lane = 0; lane < sources_.fingerprinter().lanes(); ++lane) count[lane] = made.from.size();
    term.weight = sources_.fingerprinter().multiply(term.weight, count);
    return made.from[0];
  }

  /// What is left of a product with a constant, whose value goes to the weight.
  std::optional<Element> scaled(const Element& e, const Made& made, Term& term) const {
    const Instruction& i = sources_.plan().instruction(sources_.maker(e.value));
    if (made.from.empty() || sources_.is_constant(e.value)) return std::nullopt;
    const Fingerprinter& f = sources_.fingerprinter();
    const auto constant = [&](size_t k) { return sources_.is_constant(made.from[k].value); };
    size_t kept = 0;
    if (op_of<Negate>(i) != nullptr) {
      term.weight = f.subtract({}, term.weight);
    } else if (op_of<Multiply>(i) != nullptr && (constant(0) || constant(1))) {
      kept = constant(0) ? 1 : 0;
      term.weight = f.multiply(term.weight, sources_.of(made.from[1 - kept]));
    } else if (op_of<Divide>(i) != nullptr && constant(1) && f.is_unit(sources_.of(made.from[1]))) {
      term.weight = f.multiply(term.weight, f.inverse(sources_.of(made.from[1])));
    } else {
      return std::nullopt;
    }
    term.scaled = e;
    return made.from[kept];
  }

  ElementSources& sources_;
  const TermKind kind_;
};

}  // namespace

std::optional<Element> plain_copy(ElementSources& sources, const Made& made) {
  const bool plain = made.how == Made::How::copied && (!made.chosen_by || sources.is_constant(made.chosen_by->value));
  return plain ? std::optional(made.from[0]) : std::nullopt;
}

std::optional<std::vector<Term>> terms_of(ElementSources& sources, const Element& sum, TermKind kind) {
  TermCollector collector(sources, kind);
  Term whole;
  whole.weight = sources.fingerprinter().one();
  if (!collector.add(sum, std::move(whole))) return std::nullopt;
  return std::move(collector.terms);
}

}  // namespace isoshard::verify
