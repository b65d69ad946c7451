// Of two sums that should be equal, equal terms cancel; a term is what its factors are, in any order, times its weight.
// Of the rest those are compared that have most in common: factors, or arguments of the function that they are. Cost:
// a sort of each term's factors, and a bounded number of pairs.
#include "verify/causes/compared_terms.h"

#include <algorithm>
#include <map>

namespace isoshard::verify {
namespace {

constexpr size_t kMostPairs = 8, kMostCompared = 64;

}  // namespace

ComparedTerms::Key ComparedTerms::factors(const ElementSources& run, const Term& term) {
  Key result;
  for (const Element& f : term.bare) result.push_back(run.of(f));
  std::sort(result.begin(), result.end());
  return result;
}

ComparedTerms::Key ComparedTerms::key(const ElementSources& run, const Term& term) {
  Key result = factors(run, term);
  result.push_back(term.weight);
  return result;
}

void ComparedTerms::cancel(std::vector<Term>& s, std::vector<Term>& r) const {
  std::map<Key, int64_t> lacking, own;
  for (const Term& t : r) ++lacking[key(right_, t)];
  for (const Term& t : s) ++own[key(wrong_, t)];
  const auto taken = [](std::map<Key, int64_t>& left, const Key& k) {
    const auto it = left.find(k);
    return it != left.end() && it->second-- > 0;
  };
  std::erase_if(s, [&](const Term& t) { return taken(lacking, key(wrong_, t)); });
  std::erase_if(r, [&](const Term& t) { return taken(own, key(right_, t)); });
}

int ComparedTerms::likeness(const Term& s, const Term& r) {
  if (s.factors.size() != r.factors.size()) return -1;
  int result = 0;
  for (const Element& a : s.factors) {
    for (const Element& b : r.factors) result += wrong_.of(a) == right_.of(b) ? 2 : 0;
  }
  if (s.factors.size() > 1) return result;
  const Made a = wrong_.made(s.factors[0]), b = right_.made(r.factors[0]);
  for (size_t k = 0; k < a.from.size() && k < b.from.size(); ++k)
    result += wrong_.of(a.from[k]) == right_.of(b.from[k]);
  return result;
}

ComparedTerms::Pairs ComparedTerms::likely_pairs(const std::vector<Term>& s, const std::vector<Term>& r) {
  Pairs result;
  int most = 0;
  for (size_t i = 0; i < std::min(s.size(), kMostCompared); ++i) {
    for (size_t k = 0; k < std::min(r.size(), kMostCompared); ++k) {
      const int like = likeness(s[i], r[k]);
      if (like > most) most = like, result.clear();
      if (like == most && most > 0 && result.size() < kMostPairs) result.emplace_back(&s[i], &r[k]);
    }
  }
  if (result.empty()) result.emplace_back(&s[0], &r[0]);  // in order
  return result;
}

}  // namespace isoshard::verify
