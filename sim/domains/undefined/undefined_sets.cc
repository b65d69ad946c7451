// Sets of conditions, and which of them follow from which. Nan is nan in every function; an infinity may become a
// number again: exp(-inf), 1/inf, max(-inf, x). What becomes of it is named by the function, what it is applied to and
// the conditions there: the same name, the same fate. A select keeps a condition where its predicate holds; predicates
// multiply, so that nested selects are one. Sets are interned: the sets of most elements are empty or the same, and
// unions of two are made once. More than 2^20 conditions in all sets together end it, after which nothing is told.
// (docs/spec/verdict.md, "Where a formula has no value")
#include "sim/domains/undefined/undefined_sets.h"

#include <algorithm>
#include <iterator>

#include "core/support/mix.h"
#include "sim/domains/undefined/condition_names.h"

namespace isoshard::sim {
namespace {

const PrimeField kPoint((uint64_t{1} << 61) - 1);
constexpr size_t kMostItems = size_t{1} << 20;  ///< some 30 MB

}  // namespace

UndefinedSets::UndefinedSets(std::vector<PrimeField> fields) : fields_(std::move(fields)), sets_(1) {
  element(std::vector<uint64_t>(fields_.size(), 1));
  set({Item{condition(Kind::weight, {0, 0}, {})}});    // kWeight
  set({Item{condition(Kind::too_many, {0, 0}, {})}});  // kTooMany
}

UndefinedSets::Element UndefinedSets::element(std::span<const uint64_t> residues) {
  const std::vector<uint64_t> key(residues.begin(), residues.end());
  const auto [at, is_new] = elements_.emplace(key, static_cast<Element>(residues_.size()));
  if (is_new) residues_.push_back(key);
  return at->second;
}

UndefinedSets::Element UndefinedSets::product(Element x, Element y) {
  if (x == 0 || y == 0) return x + y;
  std::vector<uint64_t> result(fields_.size());
  for (size_t r = 0; r < result.size(); ++r) result[r] = fields_[r].multiply(residues_[x][r], residues_[y][r]);
  return element(result);
}

UndefinedSets::Element UndefinedSets::token(const std::vector<uint32_t>& words) {
  std::vector<uint64_t> key{~uint64_t{0}};
  key.insert(key.end(), words.begin(), words.end());
  const auto [at, is_new] = elements_.emplace(key, static_cast<Element>(residues_.size()));
  if (is_new) residues_.push_back(residues_[0]);
  return at->second;
}

UndefinedSets::Element UndefinedSets::negative(Element x) {
  std::vector<uint64_t> result(fields_.size());
  for (size_t r = 0; r < result.size(); ++r) result[r] = fields_[r].negate(residues_[x][r]);
  return element(result);
}

UndefinedSets::Element UndefinedSets::inverse(Element x) {
  std::vector<uint64_t> result(fields_.size());
  for (size_t r = 0; r < result.size(); ++r) result[r] = fields_[r].inverse(residues_[x][r]);
  return element(result);
}

UndefinedSets::Element UndefinedSets::complement(Element x) {
  std::vector<uint64_t> result(fields_.size());
  for (size_t r = 0; r < result.size(); ++r) result[r] = fields_[r].subtract(1, residues_[x][r]);
  return element(result);
}

uint32_t UndefinedSets::condition(Kind kind, const Words& words, const std::vector<Set>& inside) {
  Words key{static_cast<uint32_t>(kind)};
  key.insert(key.end(), words.begin(), words.end());
  key.insert(key.end(), inside.begin(), inside.end());
  const auto [at, is_new] = condition_names_.emplace(std::move(key), static_cast<uint32_t>(conditions_.size()));
  if (is_new) {
    const Missing missing = inside.empty() ? Missing{words[0], words[1]} : Missing{};
    conditions_.push_back({kind, kind != Kind::negative, missing, words, inside});
  }
  return at->second;
}

/// Several of one infinity in a sum may cancel, so that they are named by all that they are multiplied by: what is
/// added later does not bring them back.
UndefinedSets::Factors UndefinedSets::joined(Factors x, Factors y) {
  const auto part = [](Factors t) { return (t & kSeveral) != 0 ? t & ~kSeveral : mix(t) >> 4; };
  return kSeveral | ((part(x) + part(y)) & (kSeveral - 1));
}

void UndefinedSets::merge(Items& items) {
  size_t kept = 0;
  for (size_t i = 1; i < items.size(); ++i) {
    if (items[i].condition == items[kept].condition && items[i].guard == items[kept].guard) {
      items[kept].times = joined(items[kept].times, items[i].times);
    } else {
      items[++kept] = items[i];
    }
  }
  items.resize(kept + 1);
}

UndefinedSets::Set UndefinedSets::set(Items items) {
  if (items.empty()) return 0;
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  merge(items);
  const auto known = set_names_.find(items);
  if (known != set_names_.end()) return known->second;
  items_ += items.size();
  exceeded_ = exceeded_ || items_ > kMostItems;
  if (exceeded_) return kTooMany;
  sets_.push_back(items);
  return set_names_[std::move(items)] = static_cast<Set>(sets_.size() - 1);
}

template <class Keep>
UndefinedSets::Set UndefinedSets::only(Set x, const Keep& keep) {
  Items result;
  std::copy_if(sets_[x].begin(), sets_[x].end(), std::back_inserter(result), keep);
  return result.size() == sets_[x].size() ? x : set(std::move(result));
}

UndefinedSets::Set UndefinedSets::factor(Element element, uint32_t needs) {
  return set({Item{condition(Kind::factor, {element, needs}, {})}});
}

UndefinedSets::Set UndefinedSets::factors(Set x) {
  return x == 0 ? 0 : only(x, [&](const Item& item) { return is_factor(item); });
}

UndefinedSets::Set UndefinedSets::conditions(Set x) {
  return x == 0 ? 0 : only(x, [&](const Item& item) { return !is_factor(item); });
}

UndefinedSets::Set UndefinedSets::of_element(Set factors, Element of, bool either_sign) {
  if (factors == 0) return 0;
  const Element other = either_sign ? negative(of) : of;
  return only(factors, [&](const Item& item) {
    const Element own = conditions_[item.condition].missing.element;
    return own == of || own == other;
  });
}

/// 1/0 and 1/(-0) are two infinities.
UndefinedSets::Factors UndefinedSets::of_zero(uint32_t needs) {
  return (needs & kZeros) == 0 ? 1 : times(1, token({kZeroSign, needs & kZeros}));
}

UndefinedSets::Set UndefinedSets::failing(Set factors, uint32_t needs, bool infinite, Element numerator,
                                          Element denominator) {
  const Items from = sets_[factors];
  Items items;
  for (const Item& item : from) {
    const Missing missing = conditions_[item.condition].missing;
    if (!is_factor(item) || (missing.needs & needs) == 0) continue;
    const Kind kind = infinite ? Kind::zero : Kind::negative;
    const Element rest = infinite ? product(denominator, inverse(missing.element)) : 0;
    items.push_back(
        {condition(kind, {missing.element, missing.needs & needs}, {}), 0,
         infinite ? times(times(of_zero(missing.needs), numerator), denominator == 0 ? 0 : inverse(rest)) : 1});
  }
  return set(std::move(items));
}

UndefinedSets::Set UndefinedSets::no_maximum(Element maximum) {
  return set({Item{condition(Kind::no_maximum, {maximum, kFinite}, {})}});
}

UndefinedSets::Set UndefinedSets::unite(Set x, Set y) {
  if (x == 0 || y == 0 || x == y) return std::max(x, y);
  if (exceeded_ || x == kTooMany || y == kTooMany) return kTooMany;
  const auto known = unions_.find(std::minmax(x, y));
  if (known != unions_.end()) return known->second;
  Items both = sets_[x];
  both.insert(both.end(), sets_[y].begin(), sets_[y].end());
  return unions_[std::minmax(x, y)] = set(std::move(both));
}

UndefinedSets::Set UndefinedSets::unite(const std::vector<Set>& all) {
  if (all.empty()) return 0;
  Items items;
  for (const Set part : all) {
    if (exceeded_ || part == kTooMany) return kTooMany;
    items.insert(items.end(), sets_[part].begin(), sets_[part].end());
  }
  return set(std::move(items));
}

UndefinedSets::Factors UndefinedSets::times(Factors factors, Element y) {
  if (y == 0) return factors;
  if ((factors & kSeveral) != 0) return kSeveral | ((mix(factors) ^ mix(mix(y))) >> 4 & (kSeveral - 1));
  return y == negative(0) ? kPoint.negate(factors) : kPoint.multiply(factors, mix(mix(y)) >> 4 | 1);
}

UndefinedSets::Set UndefinedSets::scaled(Set x, Element y) {
  if (x == 0 || y == 0) return x;
  if (exceeded_ || x == kTooMany) return kTooMany;
  const auto known = scaled_.find({x, y});
  if (known != scaled_.end()) return known->second;
  Items items = sets_[x];
  for (Item& item : items) {
    if (conditions_[item.condition].infinite) item.times = times(item.times, y);
  }
  return scaled_[{x, y}] = set(std::move(items));
}

UndefinedSets::Set UndefinedSets::guarded(Set x, Element predicate) {
  if (x == 0 || predicate == 0) return x;
  const std::vector<uint64_t>& residues = residues_[predicate];
  if (std::all_of(residues.begin(), residues.end(), [](uint64_t r) { return r == 0; })) return 0;
  if (exceeded_ || x == kTooMany) return kTooMany;
  Items items = sets_[x];
  for (Item& item : items) item.guard = product(item.guard, predicate);
  return set(std::move(items));
}

UndefinedSets::Set UndefinedSets::chosen(Element predicate, Set x, Set y) {
  if (x == y) return x;
  const Items left = sets_[x], right = sets_[y];
  Items both, only_left, only_right;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  std::set_difference(left.begin(), left.end(), both.begin(), both.end(), std::back_inserter(only_left));
  std::set_difference(right.begin(), right.end(), both.begin(), both.end(), std::back_inserter(only_right));
  const Set apart =
      unite(guarded(set(std::move(only_left)), predicate), guarded(set(std::move(only_right)), complement(predicate)));
  return unite(set(std::move(both)), apart);
}

UndefinedSets::Set UndefinedSets::through(uint32_t function, Element operand, Set x) {
  const Set infinite = only(x, [&](const Item& item) { return conditions_[item.condition].infinite; });
  if (infinite == 0) return x;
  const Set nan = only(x, [&](const Item& item) { return !conditions_[item.condition].infinite; });
  return unite(nan, set({Item{condition(Kind::function, {function, operand}, {infinite})}}));
}

/// A maximum of maxima is one of all their operands.
void UndefinedSets::add_leaves(uint32_t function, const std::pair<Element, Set>& operand, Leaves& leaves) const {
  const Items& items = sets_[operand.second];
  const bool one = items.size() == 1 && items[0].guard == 0 && items[0].times == 1;
  const Condition* made = one ? &conditions_[items[0].condition] : nullptr;
  if (made == nullptr || made->kind != Kind::extreme || made->words[0] != function) return leaves.push_back(operand);
  for (size_t i = 0; i < made->inside.size(); ++i) leaves.emplace_back(made->words[i + 1], made->inside[i]);
}

UndefinedSets::Set UndefinedSets::of_extreme(uint32_t function, std::span<const std::pair<Element, Set>> operands) {
  Set nan = 0;
  Leaves leaves;
  bool any = false;
  for (const auto& [element, x] : operands) {
    nan = unite(nan, only(x, [&](const Item& item) { return !conditions_[item.condition].infinite; }));
    const Set infinite = only(x, [&](const Item& item) { return conditions_[item.condition].infinite; });
    any = any || infinite != 0;
    add_leaves(function, {element, infinite}, leaves);
  }
  if (!any) return nan;
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  Words words{function};
  std::vector<Set> inside;
  for (const auto& [element, x] : leaves) {
    words.push_back(element);
    inside.push_back(x);
  }
  return unite(nan, set({Item{condition(Kind::extreme, words, inside)}}));
}

UndefinedSets::Set UndefinedSets::decided(uint32_t function, std::span<const std::pair<Element, Set>> operands) {
  Words words{function};
  std::vector<Set> inside;
  bool any = false;
  for (const auto& [element, x] : operands) {
    words.push_back(element);
    inside.push_back(x);
    any = any || x != 0;
  }
  return any ? set({Item{condition(Kind::decision, words, inside)}}) : 0;
}

bool UndefinedSets::is_compared_twice(const Condition& condition, const Items& reference) const {
  if (condition.kind != Kind::decision) return false;
  return std::any_of(reference.begin(), reference.end(), [&](const Item& item) {
    const Condition& other = conditions_[item.condition];
    return other.kind == Kind::decision && other.words.size() == condition.words.size() &&
           other.words[0] != condition.words[0] &&
           std::equal(other.words.begin() + 1, other.words.end(), condition.words.begin() + 1);
  });
}

/// The reference has no value there, either: by the same condition, wherever that holds.
bool UndefinedSets::follows(const Item& item, const Items& reference) const {
  const Condition& condition = conditions_[item.condition];
  if (condition.kind == Kind::too_many || is_compared_twice(condition, reference)) return false;
  auto at = std::lower_bound(reference.begin(), reference.end(), Item{item.condition, 0, 0});
  for (; at != reference.end() && at->condition == item.condition; ++at) {
    if (at->guard == 0 || at->guard == item.guard) return true;
  }
  return false;
}

void UndefinedSets::collect(const Item& item, const Items& reference, std::set<Item>& seen,
                            std::vector<Missing>& result) {
  if (!seen.insert(item).second || follows(item, reference)) return;
  const Condition condition = conditions_[item.condition];
  if (condition.inside.empty()) result.push_back(condition.missing);
  for (const Set inside : condition.inside) {
    const Items items = sets_[inside];
    for (Item part : items) {
      part.guard = product(part.guard, item.guard);
      collect(part, reference, seen, result);
    }
  }
}

std::set<UndefinedSets::Element> UndefinedSets::positive(Set x) const {
  std::map<Element, uint32_t> needs;
  for (const Item& item : sets_[x]) {
    const Condition& condition = conditions_[item.condition];
    const bool counts = condition.kind == Kind::negative || condition.kind == Kind::zero;
    if (counts && item.guard == 0) needs[condition.missing.element] |= condition.missing.needs;
  }
  std::set<Element> result;
  for (const auto& [element, all] : needs) {
    if (all == (kNonnegative | kNonzero)) result.insert(element);
  }
  return result;
}

std::vector<UndefinedSets::Missing> UndefinedSets::missing(Set sharded, Set reference) {
  std::vector<Missing> result;
  const Items items = sets_[conditions(sharded)], of_reference = sets_[conditions(reference)];
  std::set<Item> seen;
  for (const Item& item : items) collect(item, of_reference, seen, result);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace isoshard::sim
