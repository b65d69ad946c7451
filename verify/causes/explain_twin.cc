// Tells ops that are wrong by trying what the reference has in their place (docs/spec/diagnosis.md, "Trials").
//
// For each first wrong value twins.cc guesses what it was meant to be; its blocks of that are put in its place, and the
// outputs must come out right. Mistakes are often made several times: an op of a loop or of a function is mended in all
// its copies, and ops of one kind, or all, together, of which those that need no mending are then left out. From the op
// that was found the search goes on into operands that have no counterpart themselves, as masks and positions, while
// mending those does as well: the mistake is where it ends. Two programs that are built differently have no twins, and
// nothing is told. Costs a trial per guess, of which there are a limited number.
#include "verify/causes/explain_twin.h"

#include <algorithm>
#include <map>
#include <string>

#include "verify/causes/cancelling_maxima.h"
#include "verify/causes/numbers.h"
#include "verify/causes/twin_words.h"
#include "verify/causes/twins.h"
#include "verify/causes/verified.h"
#include "verify/evidence/placement.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostPlaces = 32, kMostAlternatives = 3, kMostDescents = 8;

/// Whether it takes elements as they are, or numbers by their places.
bool takes_elements(const Instruction& i) {
  return is_one_of<Slice, DynamicSlice, DynamicUpdateSlice, Gather, ScatterAdd, Concatenate, Pad, Reverse, Reshape,
                   Transpose, RngBits>(local_op(i));
}

using Mendings = std::vector<Mended>;  ///< of one place in the source

class TwinSearch {
 public:
  TwinSearch(const Evidence& e, const RingOutcome& outcome, const Trial& trial)
      : e_(e),
        trial_(trial),
        twins_(e, outcome),
        makers_(definitions(e.pair.reference.plan)),
        cancelling_(find_cancelling_maxima(e.plan())) {}

  std::optional<Explanation> run(const std::vector<InstructionId>& found) {
    for (const InstructionId id : found) add(id);
    std::vector<Mendings> groups = alone();
    if (groups.empty()) groups = together();
    return told(std::move(groups));
  }

  std::optional<Explanation> run_behind(const std::vector<InstructionId>& found) { return told(behind(found)); }

 private:
  std::optional<Explanation> told(std::vector<Mendings> groups) const {
    if (groups.empty()) return std::nullopt;
    for (size_t k = 0; k < kMostDescents && descend(groups); ++k) groups = needed(std::move(groups));
    return twin_in_words(e_, groups[0][0], groups.size());
  }

  /// Of first wrong values; per value its alternatives.
  struct Place {
    std::string where, op;
    std::vector<std::vector<Mended>> values;
  };

  /// The alternatives for what `id` makes, by its place in the source.
  void add(InstructionId id) {
    const Instruction& i = e_.plan().instruction(id);
    if (local_op(i) == nullptr || i.results.size() != 1 || is_part_of_maximum(i.results[0])) return;
    if (takes_elements(i)) return;  // which elements it takes is told by wrong_element.cc
    const std::string place = i.location().to_string();
    auto it = std::find_if(places_.begin(), places_.end(), [&](const Place& p) { return p.where == place; });
    if (it == places_.end()) {
      if (places_.size() == kMostPlaces) return;
      it = places_.insert(places_.end(), Place{place, i.op(), {}});
    }
    std::vector<Mended> alternatives;
    for (const PlanValueId other : twins_.of(i.results[0])) {
      if (!makers_[other.index()].valid()) continue;
      for (const Starts& starts : starts_of(i, other)) {
        if (alternatives.size() == kMostAlternatives) break;
        if (std::optional<Mended> mended = mend(i.results[0], other, starts)) alternatives.push_back(*mended);
      }
    }
    if (!alternatives.empty()) it->values.push_back(std::move(alternatives));
  }

  /// A maximum that only shifts exponentials, or one of a device before the one of all: another would do as well.
  bool is_part_of_maximum(PlanValueId id) const {
    if (cancelling_[id.index()]) return true;
    return std::any_of(e_.plan().instructions.begin(), e_.plan().instructions.end(), [&](const Instruction& i) {
      const Collective* c = std::get_if<Collective>(&i.data());
      return c != nullptr && i.operands[0] == id && c->kind == CollectiveKind::all_reduce_max;
    });
  }

  /// Where an operand of the same shape stands, or what sizes allow.
  std::vector<Starts> starts_of(const Instruction& i, PlanValueId other) const {
    const Shape& local = e_.plan().value(i.results[0]).type().shape;
    const Shape& whole = e_.pair.reference.plan.value(other).type().shape;
    for (const PlanValueId id : i.operands) {
      const Match* match = e_.match(id);
      const bool same = match != nullptr && !match->is_sum() && !match->micro && match->reference->type.shape == whole;
      if (!same || e_.plan().value(id).type().shape != local) continue;
      Starts starts;
      for (int64_t p = 0; p < e_.mesh().device_count(); ++p) starts.push_back(e_.matcher.start(*match, local, p));
      return {starts};
    }
    return possible_starts(e_.mesh(), local, whole);
  }

  /// Nothing where it is that already.
  std::optional<Mended> mend(PlanValueId own, PlanValueId other, const Starts& starts) const {
    const TensorType& type = e_.plan().value(own).type();
    const sim::Value& whole = e_.reference.value(other, 0);
    if (whole.data == nullptr || whole.type.dtype != type.dtype) return std::nullopt;
    std::optional<std::vector<sim::Value>> blocks = blocks_at(whole, type.shape, starts);
    if (!blocks) return std::nullopt;
    for (int64_t p = 0; p < e_.mesh().device_count(); ++p) {
      const sim::Value& is = e_.sharded.value(own, p);
      const Fingerprinter& f = e_.matcher.fingerprinter();
      if (is.data != nullptr && f.of(is) != f.of((*blocks)[static_cast<size_t>(p)])) {
        return Mended{own, other, starts, std::move(*blocks)};
      }
    }
    return std::nullopt;
  }

  /// `group` and the copies of its ops in later iterations, which have wrong operands and are not found as such.
  Mendings with_copies(const Mendings& group) const {
    const std::vector<PlanValueId> copies = copies_of(e_, group[0].own);
    const std::vector<PlanValueId> others = copies_in_reference(group[0].other);
    if (others.empty() || copies.size() % others.size() != 0) return group;
    const size_t times = copies.size() / others.size();
    Mendings result = group;
    for (const Mended& known : group) {
      const auto at = static_cast<size_t>(std::find(copies.begin(), copies.end(), known.own) - copies.begin());
      for (size_t c = at % times; c < copies.size(); c += times) {
        const bool listed =
            std::any_of(result.begin(), result.end(), [&](const Mended& m) { return m.own == copies[c]; });
        if (listed || e_.match(copies[c]) != nullptr) continue;
        if (std::optional<Mended> copy = mend(copies[c], others[c / times], known.starts)) result.push_back(*copy);
      }
    }
    return result;
  }

  std::vector<PlanValueId> copies_in_reference(PlanValueId id) const {
    const Plan& plan = e_.pair.reference.plan;
    const InstructionId maker = makers_[id.index()];
    if (!maker.valid()) return {};
    const Instruction& i = plan.instruction(maker);
    std::vector<PlanValueId> result;
    for (const Instruction& other : plan.instructions) {
      const bool same =
          other.op() == i.op() && other.results.size() == 1 && other.location().to_string() == i.location().to_string();
      if (same) result.push_back(other.results[0]);
    }
    return result;
  }

  bool mends(const std::vector<Mendings>& groups) const {
    Mends all;
    for (const Mendings& group : groups) {
      for (const Mended& m : group) {
        all[m.own] = [&m](int64_t position, const sim::Value&) { return m.values[static_cast<size_t>(position)]; };
      }
    }
    return trial_.makes_equal(all);
  }

  /// One place that makes everything right: one value of it, or all, or those of all iterations.
  std::vector<Mendings> alone() const {
    for (const Place& place : places_) {
      for (size_t a = 0; a < kMostAlternatives; ++a) {
        const Mendings group = alternative(place, a);
        if (group.empty()) break;
        if (mends({group})) return {smaller(group)};
        const Mendings copies = with_copies(group);
        if (copies.size() > group.size() && mends({copies})) return {copies};
      }
    }
    return {};
  }

  static Mendings alternative(const Place& place, size_t which) {
    Mendings group;
    for (const std::vector<Mended>& alternatives : place.values) {
      if (which < alternatives.size()) group.push_back(alternatives[which]);
    }
    return group;
  }

  /// One of several values where that does.
  Mendings smaller(const Mendings& group) const {
    for (const Mended& m : group) {
      if (group.size() > 1 && mends({{m}})) return {m};
    }
    return group;
  }

  /// Several places: of one op, or all.
  std::vector<Mendings> together() const {
    std::vector<std::vector<Mendings>> tries;
    std::map<std::string, std::vector<Mendings>> by_op;
    std::vector<Mendings> all;
    for (const Place& place : places_) {
      const Mendings group = alternative(place, 0);
      if (group.empty()) continue;
      by_op[place.op].push_back(with_copies(group));
      all.push_back(by_op[place.op].back());
    }
    for (const auto& [op, groups] : by_op) tries.push_back(groups);
    tries.push_back(all);
    for (std::vector<Mendings>& groups : tries) {
      if (groups.size() > 1 && mends(groups)) return needed(std::move(groups));
    }
    return {};
  }

  /// The first value behind them, of those at a place that both programs have, that makes everything right: what comes
  /// before it is built differently.
  std::vector<Mendings> behind(const std::vector<InstructionId>& found) const {
    size_t tried = 0;
    for (size_t k = found.empty() ? e_.plan().instructions.size() : found[0].index(); k < e_.plan().instructions.size();
         ++k) {
      const Instruction& i = e_.plan().instruction(InstructionId(k));
      if (local_op(i) == nullptr || i.results.size() != 1 || e_.match(i.results[0]) != nullptr) continue;
      const PlanValueId other = twins_.at_place_of(i.results[0]);
      if (!other.valid() || !makers_[other.index()].valid() || !is_float(e_.plan().value(i.results[0]).type().dtype))
        continue;
      for (const Starts& starts : starts_of(i, other)) {
        std::optional<Mended> mended = mend(i.results[0], other, starts);
        if (!mended || ++tried > kMostPlaces) continue;
        if (mends({{*mended}})) return {{std::move(*mended)}};
      }
    }
    return {};
  }

  std::vector<Mendings> needed(std::vector<Mendings> groups) const {
    for (size_t k = groups.size(); k-- > 0 && groups.size() > 1;) {
      std::vector<Mendings> fewer = groups;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (mends(fewer)) groups = std::move(fewer);
    }
    return groups;
  }

  /// To operands without counterpart, where mending those does: one of each op, or all.
  bool descend(std::vector<Mendings>& groups) const {
    const size_t count = e_.plan().instruction(e_.definition[groups[0][0].own.index()]).operands.size();
    for (size_t k = 0; k <= count; ++k) {
      std::vector<Mendings> below = k < count ? operands_of(groups, k, k + 1) : operands_of(groups, 0, count);
      if (below.empty() || !mends(below)) continue;
      groups = std::move(below);
      return true;
    }
    return false;
  }

  /// Operands `first` to `last` of the ops, by place; none where one of the places has none that may be wrong.
  std::vector<Mendings> operands_of(const std::vector<Mendings>& groups, size_t first, size_t last) const {
    std::vector<Mendings> below;
    for (const Mendings& group : groups) {
      const size_t before = below.size();
      for (size_t k = first; k < last; ++k) {
        Mendings operands;
        for (const Mended& m : group) {
          if (std::optional<Mended> operand = operand_of(m, k)) operands.push_back(std::move(*operand));
        }
        if (operands.size() == group.size()) below.push_back(std::move(operands));
      }
      if (below.size() == before) return {};
    }
    return below;
  }

  /// What operand `k` should be, where it is no right value and no number.
  std::optional<Mended> operand_of(const Mended& m, size_t k) const {
    const Instruction& i = e_.plan().instruction(e_.definition[m.own.index()]);
    if (!makers_[m.other.index()].valid()) return std::nullopt;
    const Instruction& j = e_.pair.reference.plan.instruction(makers_[m.other.index()]);
    if (local_op(i) == nullptr || i.op() != j.op() || k >= i.operands.size() || k >= j.operands.size()) {
      return std::nullopt;
    }
    const PlanValueId own = i.operands[k], other = j.operands[k];
    if (!may_be_wrong(own, other)) return std::nullopt;
    const Shape& local = e_.plan().value(own).type().shape;
    const Shape& whole = e_.pair.reference.plan.value(other).type().shape;
    for (const Starts& starts : starts_of_operand(m, i, j, local, whole)) {
      if (std::optional<Mended> operand = mend(own, other, starts)) return operand;
    }
    return std::nullopt;
  }

  /// Numbers are told with the op that takes them. A counterpart of an integer or a predicate may be one by accident.
  bool may_be_wrong(PlanValueId own, PlanValueId other) const {
    const InstructionId maker = e_.definition[own.index()];
    if (!maker.valid() || !makers_[other.index()].valid() || e_.load(own) != nullptr) return false;
    if (number_in(e_.plan(), e_.definition, own)) return false;
    if (e_.match(own) == nullptr) return true;
    return !is_float(e_.plan().value(own).type().dtype) && !is_value_of(e_, own, other);
  }

  /// As the results stand, where shapes are theirs; along the dimensions that a broadcast keeps; or what sizes allow.
  std::vector<Starts> starts_of_operand(const Mended& m, const Instruction& i, const Instruction& j, const Shape& local,
                                        const Shape& whole) const {
    const Shape& local_result = e_.plan().value(m.own).type().shape;
    const Shape& whole_result = e_.pair.reference.plan.value(m.other).type().shape;
    if (local == local_result && whole == whole_result) return {m.starts};
    const BroadcastInDim *own = op_of<BroadcastInDim>(i), *other = op_of<BroadcastInDim>(j);
    if (own == nullptr || other == nullptr || own->dims != other->dims) {
      return possible_starts(e_.mesh(), local, whole);
    }
    Starts starts;
    for (const std::vector<int64_t>& start : m.starts) {
      std::vector<int64_t>& kept = starts.emplace_back();
      for (size_t d = 0; d < local.size(); ++d) {
        kept.push_back(whole[d] == 1 ? 0 : start[static_cast<size_t>(own->dims[d])]);
      }
    }
    return {starts};
  }

  const Evidence& e_;
  const Trial& trial_;
  const Twins twins_;
  const std::vector<InstructionId> makers_;
  const std::vector<bool> cancelling_;  ///< maxima that another one would do for as well
  std::vector<Place> places_;
};

}  // namespace

std::optional<Explanation> explain_by_twin(const Evidence& e, const RingOutcome& outcome, const Trial& trial,
                                           const std::vector<InstructionId>& found) {
  if (!e.keeps_values() || e.plan().groups.size() > 1) return std::nullopt;
  return TwinSearch(e, outcome, trial).run(found);
}

std::optional<Explanation> explain_behind(const Evidence& e, const RingOutcome& outcome, const Trial& trial,
                                          const std::vector<InstructionId>& found) {
  const bool moved = std::any_of(found.begin(), found.end(), [&](InstructionId id) {  // which it should not, probably
    return takes_elements(e.plan().instruction(id));
  });
  if (moved || !e.keeps_values() || e.plan().groups.size() > 1) return std::nullopt;
  return TwinSearch(e, outcome, trial).run_behind(found);
}

}  // namespace isoshard::verify
