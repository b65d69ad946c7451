#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/domains/undefined/undefined_domain.h"
#include "verify/compare/pair.h"
#include "verify/compare/steps.h"
#include "verify/watches/element_place.h"
#include "verify/watches/use_marks.h"

namespace isoshard::verify {

/// A ring like that of a run, and its inputs. `hard_order`: floats are ordered in one of many ways.
struct RingAgain {
  std::unique_ptr<sim::ExactRing> ring;
  DrawGlobal draw;
  bool hard_order = false;
};

/// Both programs in a ring in which each element has the conditions under which it has no value: those of an element of
/// the sharded program must follow from those of the reference's (docs/spec/verdict.md, "Where a formula has no
/// value"). All that is handed in must outlive it.
class ElementConditions {
 public:
  /// `thin`: uses of the sharded program that fail on a thin set only have conditions, too.
  ElementConditions(const Pair& pair, const UseMarks& sharded, const UseMarks& reference, RingAgain again, bool thin);

  /// Whether programs are small enough for that: sets of the elements of larger ones take minutes.
  static bool can_run(const Pair& pair);

  /// Per output what it rests on; nothing where there are too many conditions.
  std::optional<std::vector<std::string>> run();
  /// The uses that fail on a thin set only and that some element of the sharded program rests on where the same element
  /// of the reference does not; and, of each element that it rests on, one place.
  struct Thin {
    std::set<size_t> uses;
    std::map<ElementPlace, size_t> places;  ///< and the use
  };
  const Thin& thin() const { return missed_; }
  /// What integers of the sharded program need to be those of the reference: which output has which is not told.
  void add_of_integers(std::vector<std::string>& conditions);

  /// Whether what has a value where its operand has none, is_finite and comparisons, is one function of it in both
  /// programs, and each output among `asked` is the same with any such functions and has a value wherever the
  /// reference has one. With a hard order it is not known.
  bool sees_alike(const std::vector<bool>& asked);

 private:
  using Set = sim::UndefinedDomain::Set;
  using Missing = sim::UndefinedSets::Missing;
  using Element = sim::UndefinedSets::Element;
  using UsesOf = std::map<std::pair<Element, uint32_t>, size_t>;  ///< by element and what is needed

  sim::Substitute marking(const UseMarks& marks, bool of_reference);
  void note(const UseMarks::Mark& mark, const sim::Value& value, ElementPlace place);
  void note_shown(const std::vector<Needs>& shown, const sim::Value& value);
  void compare(const PairResult& result, std::vector<std::string>& rests_on);
  bool is_equal(const PairResult& result, size_t output) const;
  std::string missing_in(const sim::StoredBlock& block, const TensorType& type, const std::vector<Set>& expected);
  const std::string& missing(Set sharded, Set reference);
  bool is_shown(const Missing& missing) const;
  bool is_product(const Missing& missing, const std::set<Element>& positive);
  std::string of_wide(const std::vector<Missing>& missing);
  size_t use_of(const Missing& missing) const;
  std::string in_words(const std::vector<Missing>& missing) const;

  const Pair& pair_;
  const UseMarks &sharded_, &reference_;
  sim::UndefinedDomain domain_;
  DrawGlobal draw_;
  bool hard_order_, thin_, turned_ = false;
  UsesOf wide_use_of_, thin_use_of_;        ///< of the sharded program, the first ones
  std::map<Element, ElementPlace> places_;  ///< of the sharded program, the first ones
  std::map<Element, uint32_t> shown_;       ///< of the reference: what all inputs leave an element
  std::map<std::pair<int64_t, PlanValueId>, size_t> times_;
  Thin missed_;
  std::set<size_t> unequal_;  ///< outputs that differ where functions of what has no value are any
  std::map<std::pair<Set, Set>, std::string> missing_;
};

}  // namespace isoshard::verify
