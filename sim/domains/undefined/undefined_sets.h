#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim/domains/prime_field.h"

namespace isoshard::sim {

/// Sets of conditions, named by numbers: an element has no value where one of them holds (docs/spec/verdict.md, "Where
/// a formula has no value"). Two programs that share one of these name equal conditions alike. Not thread-safe.
class UndefinedSets {
 public:
  /// 0 is the empty set.
  using Set = uint32_t;
  /// An element of a ring, by its residues; 0 is the number 1.
  using Element = uint32_t;
  /// What an infinity is multiplied by, as a polynomial of formal factors at a random point: n (1/n) is 1, but 0 times
  /// infinity is nan. With kSeveral it is a name for several such points.
  using Factors = uint64_t;
  static constexpr Factors kSeveral = Factors{1} << 62;

  /// The set of a weight that a row of a lookup has: the other rows do not count (UndefinedDomain::dot).
  static constexpr Set kWeight = 1;
  /// Where there are too many conditions to tell.
  static constexpr Set kTooMany = 2;

  /// What a partial function asks of an operand, as bits: >= 0, != 0, between -1 and 1, not -inf.
  enum Needs : uint32_t { kNonnegative = 1, kNonzero = 2, kInside1 = 4, kFinite = 8 };
  /// Beside these, which zero it may be: none says +0. That of an input is one, those of two programs are not known to
  /// be the same.
  enum Zeros : uint32_t { kZeroOfInput = 16, kAnyZeroHere = 32, kAnyZeroThere = 64 };
  static constexpr uint32_t kZeros = kZeroOfInput | kAnyZeroHere | kAnyZeroThere;

  /// One that does not follow from others: `element` is not as it needs to be.
  struct Missing {
    Element element = 0;
    uint32_t needs = 0;
    auto operator<=>(const Missing&) const = default;
  };

  /// `fields`: of the residues of an element.
  explicit UndefinedSets(std::vector<PrimeField> fields);

  Element element(std::span<const uint64_t> residues);
  Element product(Element x, Element y);
  /// A name for what is made of these in a way that no residues tell.
  Element token(const std::vector<uint32_t>& words);
  Element negative(Element x);
  /// 1 / x; of what has no inverse some element.
  Element inverse(Element x);
  /// 1 - x
  Element complement(Element x);

  /// What a value is marked with that no construction shows to be as needed. It says nothing until a partial function
  /// is applied to it, and stays with products and quotients, which are 0 where a factor is.
  Set factor(Element element, uint32_t needs);
  Set factors(Set x);
  Set conditions(Set x);
  /// Those that are the element `of`, or its negative.
  Set of_element(Set factors, Element of, bool either_sign);
  /// The condition that some factor is not as it needs to be; `infinite`: the result is then an infinity, not nan. In a
  /// quotient that infinity is `numerator` over the factor and what else `denominator` is made of.
  Set failing(Set factors, uint32_t needs, bool infinite, Element numerator = 0, Element denominator = 0);
  /// The condition that the maximum of some elements is -inf.
  Set no_maximum(Element maximum);

  Set unite(Set x, Set y);
  Set unite(const std::vector<Set>& all);
  Set unite(std::initializer_list<Set> all) { return unite(std::vector<Set>(all)); }
  /// There are too many conditions: all further sets that are not empty are kTooMany.
  bool exceeded() const { return exceeded_; }
  /// Infinities times y.
  Set scaled(Set x, Element y);
  /// Only where a predicate holds.
  Set guarded(Set x, Element predicate);
  /// x where a predicate holds, otherwise y.
  Set chosen(Element predicate, Set x, Set y);
  /// The conditions of a function of `operand` that is nan where that is, and may be finite where it is an infinity.
  Set through(uint32_t function, Element operand, Set x);
  /// The conditions of the larger or smaller one of some elements, each with its set.
  Set of_extreme(uint32_t function, std::span<const std::pair<Element, Set>> operands);
  /// The conditions of a function that has some value, such as a comparison, where its operands have none.
  Set decided(uint32_t function, std::span<const std::pair<Element, Set>> operands);

  /// What may take the value of an element with `sharded` that leaves the value of one with `reference`; of too many
  /// conditions Missing{}.
  std::vector<Missing> missing(Set sharded, Set reference);
  /// The elements that must be positive for an element with `x` to have a value.
  std::set<Element> positive(Set x) const;

 private:
  enum class Kind : uint32_t { weight, factor, too_many, negative, zero, no_maximum, function, extreme, decision };
  using Words = std::vector<uint32_t>;

  struct Condition {
    Kind kind;
    bool infinite;
    Missing missing;
    Words words;
    std::vector<Set> inside;  ///< it may hold only where one of these does
  };

  /// A condition of an element of a set.
  struct Item {
    uint32_t condition = 0;
    Element guard = 0;  ///< it counts where this predicate holds
    Factors times = 1;  ///< of an infinity
    auto operator<=>(const Item&) const = default;
  };
  using Items = std::vector<Item>;

  uint32_t condition(Kind kind, const Words& words, const std::vector<Set>& inside);
  bool is_factor(const Item& item) const { return conditions_[item.condition].kind <= Kind::factor; }
  static Factors joined(Factors x, Factors y);
  static void merge(Items& items);
  Set set(Items items);
  template <class Keep>
  Set only(Set x, const Keep& keep);
  using Leaves = std::vector<std::pair<Element, Set>>;
  void add_leaves(uint32_t function, const std::pair<Element, Set>& operand, Leaves& leaves) const;
  Factors times(Factors factors, Element y);
  Factors of_zero(uint32_t needs);
  bool follows(const Item& item, const Items& reference) const;
  /// Both x > y and x <= y are of it, say: nan holds neither.
  bool is_compared_twice(const Condition& condition, const Items& reference) const;
  /// What is inside of several conditions is looked at once: there are as many ways to it as the depth allows.
  void collect(const Item& item, const Items& reference, std::set<Item>& seen, std::vector<Missing>& result);

  std::vector<PrimeField> fields_;
  std::map<std::vector<uint64_t>, Element> elements_;
  std::vector<std::vector<uint64_t>> residues_;
  std::map<Words, uint32_t> condition_names_;
  std::vector<Condition> conditions_;
  std::map<Items, Set> set_names_;
  std::vector<Items> sets_;
  size_t items_ = 0;  ///< of all sets
  std::map<std::pair<Set, Set>, Set> unions_;
  std::map<std::pair<Set, Element>, Set> scaled_;
  bool exceeded_ = false;
};

}  // namespace isoshard::sim
