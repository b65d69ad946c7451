#include "verify/evidence/element_terms.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostElementTerms = 4096;

class TermCollector {
 public:
  TermCollector(ElementSources& sources, bool chosen_zeros) : sources_(sources), chosen_zeros_(chosen_zeros) {}

  /// False when there are too many terms.
  bool add(Element e, Term term) {
    for (;;) {
      if (terms.size() >= kMostElementTerms) return false;
      term.path.push_back(e);
      const Made made = sources_.made(e);
      const bool chosen = chosen_zeros_ && made.chosen_by && !plain_copy(sources_, made);
      if (!chosen && (made.how == Made::How::zero || sources_.of(e) == Fingerprint{})) return true;
      if (made.how == Made::How::summed) return add_all(made, term);
      if (made.how == Made::How::dotted) return add_products(made, term);
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
    const LocalOp* local = std::get_if<LocalOp>(&sources_.plan().instruction(sources_.maker(e.value)).data);
    if (local == nullptr || made.from.empty() || sources_.is_constant(e.value)) return std::nullopt;
    const Fingerprinter& f = sources_.fingerprinter();
    const auto constant = [&](size_t k) { return sources_.is_constant(made.from[k].value); };
    size_t kept = 0;
    if (std::holds_alternative<Negate>(local->op)) {
      term.weight = f.subtract({}, term.weight);
    } else if (std::holds_alternative<Multiply>(local->op) && (constant(0) || constant(1))) {
      kept = constant(0) ? 1 : 0;
      term.weight = f.multiply(term.weight, sources_.of(made.from[1 - kept]));
    } else if (std::holds_alternative<Divide>(local->op) && constant(1) && f.is_unit(sources_.of(made.from[1]))) {
      term.weight = f.multiply(term.weight, f.inverse(sources_.of(made.from[1])));
    } else {
      return std::nullopt;
    }
    term.scaled = e;
    return made.from[kept];
  }

  ElementSources& sources_;
  bool chosen_zeros_;
};

}  // namespace

std::optional<Element> plain_copy(ElementSources& sources, const Made& made) {
  const bool plain = made.how == Made::How::copied && (!made.chosen_by || sources.is_constant(made.chosen_by->value));
  return plain ? std::optional(made.from[0]) : std::nullopt;
}

std::optional<std::vector<Term>> terms_of(ElementSources& sources, const Element& sum, bool chosen_zeros) {
  TermCollector collector(sources, chosen_zeros);
  Term whole;
  whole.weight = sources.fingerprinter().one();
  if (!collector.add(sum, std::move(whole))) return std::nullopt;
  return std::move(collector.terms);
}

}  // namespace isoshard::verify
