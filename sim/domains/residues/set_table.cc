#include "sim/domains/residues/set_table.h"

#include <algorithm>
#include <iterator>

namespace isoshard::sim {

size_t SetTable::Hash::operator()(const Element& x) const {
  // Residues of maxima are hashes already.
  return static_cast<size_t>((uint64_t{x[0]} << 32 | x[1]) * 0x9e3779b97f4a7c15u);
}

SetTable::Set SetTable::of(const Element& x) const {
  const std::lock_guard lock(mutex_);
  const auto found = sets_.find(x);
  return found != sets_.end() ? found->second : std::make_shared<const std::vector<Element>>(1, x);
}

bool SetTable::remember(const Element& x, const Set& set) const {
  const std::lock_guard lock(mutex_);
  if (elements_ + set->size() > kMostElements) return false;
  if (sets_.emplace(x, set).second) elements_ += set->size();
  return true;
}

SetTable::Set SetTable::unite(const Set& a, const Set& b) {
  std::vector<Element> both;
  both.reserve(a->size() + b->size());
  std::set_union(a->begin(), a->end(), b->begin(), b->end(), std::back_inserter(both));
  return std::make_shared<const std::vector<Element>>(std::move(both));
}

}  // namespace isoshard::sim
