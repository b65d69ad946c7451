// A device that has the rows from `first` to first + n of a table asks whether an index is one of its own and takes
// another row where it is not: `own = (k >= 0) & (k < n)` with k = i - first, or `(i >= first) & (i < first + n)`. What
// is chosen then lies in 0..n, and the guards that JAX puts around it are decided. Both where the predicate holds and
// where it does not, a comparison limits the integer that it compares with a known one, and the difference of two;
// `and`, `or` and `not` join limits. A difference is looked at where it does not wrap around. Cost: the comparisons
// that are joined, and a look at the places of devices that were made before.
#include "core/import/stablehlo/analysis/guards.h"

#include <algorithm>
#include <utility>

#include "core/ir/reversed.h"

namespace isoshard::stablehlo {
namespace {

constexpr int64_t kLarge = int64_t{1} << 30;

/// What x may be where `x direction y` holds; more than `any` is not known before.
Bounds where_holds(Direction direction, Bounds any, const Bounds& y) {
  switch (direction) {
    case Direction::lt:
      return {any.least, std::min(any.greatest, y.greatest - 1)};
    case Direction::le:
      return {any.least, std::min(any.greatest, y.greatest)};
    case Direction::gt:
      return {std::max(any.least, y.least + 1), any.greatest};
    case Direction::ge:
      return {std::max(any.least, y.least), any.greatest};
    case Direction::eq:
      return {std::max(any.least, y.least), std::min(any.greatest, y.greatest)};
    default:
      return any;
  }
}

Direction opposite(Direction direction) {
  switch (direction) {
    case Direction::lt:
      return Direction::ge;
    case Direction::le:
      return Direction::gt;
    case Direction::gt:
      return Direction::le;
    case Direction::ge:
      return Direction::lt;
    case Direction::eq:
      return Direction::ne;
    default:
      return Direction::eq;
  }
}

/// What one of two says; an interval without numbers says nothing.
template <class Limits>
void limit(Limits& limits, const typename Limits::key_type& key, const Bounds& bounds) {
  const auto [found, is_new] = limits.emplace(key, bounds);
  const Bounds both{std::max(found->second.least, bounds.least), std::min(found->second.greatest, bounds.greatest)};
  if (both.least <= both.greatest) {
    found->second = both;
  } else if (is_new) {
    limits.erase(found);
  }
}

/// What both say.
template <class Limits>
Limits both_limits(Limits a, const Limits& b) {
  for (const auto& [key, bounds] : b) limit(a, key, bounds);
  return a;
}

}  // namespace

ValueId Guards::first_of(ValueId value) const {
  const auto found = same_.find(value);
  return found == same_.end() ? value : found->second;
}

void Guards::take_place(const OpData& op, const std::vector<ValueId>& operands, ValueId result) {
  constexpr size_t kMost = 256;  // looked at one by one
  const bool counts = std::holds_alternative<AxisIndex>(op) || std::holds_alternative<Constant>(op) ||
                      std::holds_alternative<Add>(op) || std::holds_alternative<Multiply>(op) ||
                      std::holds_alternative<Convert>(op) || std::holds_alternative<BroadcastInDim>(op);
  if (!counts) return;
  std::vector<ValueId> firsts;
  for (const ValueId operand : operands) firsts.push_back(first_of(operand));
  const auto is_same = [&](const Made& made) { return made.op == op && made.operands == firsts; };
  const auto found = std::find_if(made_.begin(), made_.end(), is_same);
  if (found != made_.end()) {
    same_[result] = found->result;
  } else if (made_.size() < kMost) {
    made_.push_back({op, std::move(firsts), result});
  }
}

void Guards::take_wide_sum(const OpData& broadcast, ValueId sum, ValueId result) {
  const auto terms = sums_.find(sum);
  if (terms == sums_.end()) return;
  const std::vector<ValueId> of{terms->second.first};
  const auto is_base = [&](const Made& made) { return made.op == broadcast && made.operands == of; };
  const auto base = std::find_if(made_.begin(), made_.end(), is_base);
  if (base != made_.end()) sums_[result] = {base->result, terms->second.second};
}

void Guards::compare(Direction direction, ValueId a, ValueId b, const MaybeBounds& of_a, const MaybeBounds& of_b,
                     const Bounds& any, Said& said) const {
  if (!of_b) return;
  const Bounds before = of_a.value_or(any);
  limit(said.yes, Compared{a, ValueId()}, where_holds(direction, before, *of_b));
  limit(said.no, Compared{a, ValueId()}, where_holds(opposite(direction), before, *of_b));
  if (of_b->least < 0 || of_b->greatest > kLarge || before.least < -kLarge) return;
  const auto difference = [&](ValueId base, int64_t above) {
    const Bounds wide{any.least, any.greatest};
    limit(said.yes, Compared{a, base}, where_holds(direction, wide, Bounds{above, above}));
    limit(said.no, Compared{a, base}, where_holds(opposite(direction), wide, Bounds{above, above}));
  };
  difference(b, 0);
  const auto sum = sums_.find(b);
  if (sum != sums_.end()) difference(sum->second.first, sum->second.second);
}

void Guards::take(const OpData& op, const std::vector<ValueId>& read, const std::vector<MaybeBounds>& known,
                  ValueId result, DType compared) {
  end_ = std::max(end_, result.index() + 1);
  take_place(op, read, result);
  std::vector<ValueId> operands;
  for (const ValueId operand : read) operands.push_back(first_of(operand));
  result = first_of(result);
  const auto is_small = [](const MaybeBounds& x) { return x && x->least >= 0 && x->greatest <= kLarge; };
  if (std::holds_alternative<Add>(op) && is_small(known[0]) && is_small(known[1])) {
    for (const size_t i : {0U, 1U}) {
      if (known[i]->least == known[i]->greatest) sums_[result] = {operands[1 - i], known[i]->least};
    }
  }
  if (std::holds_alternative<BroadcastInDim>(op)) take_wide_sum(op, operands[0], result);
  if (std::holds_alternative<Subtract>(op)) differences_[result] = {operands[0], operands[1]};
  Said said;
  if (const auto* comparison = std::get_if<Compare>(&op)) {
    if (compared != DType::i32) return;
    const Bounds any{-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
    compare(comparison->direction, operands[0], operands[1], known[0], known[1], any, said);
    compare(reversed(comparison->direction), operands[1], operands[0], known[1], known[0], any, said);
  }
  const auto of = [&](size_t i) {
    const auto found = said_.find(operands[i]);
    return found == said_.end() ? Said() : found->second;
  };
  if (std::holds_alternative<And>(op)) said.yes = both_limits(of(0).yes, of(1).yes);
  if (std::holds_alternative<Or>(op)) said.no = both_limits(of(0).no, of(1).no);
  if (std::holds_alternative<Not>(op)) said = {of(0).no, of(0).yes};
  if (!said.yes.empty() || !said.no.empty()) said_[result] = std::move(said);
}

MaybeBounds Guards::limited(const Limits& limits, ValueId value) const {
  const auto plain = limits.find({value, ValueId()});
  if (plain != limits.end()) return plain->second;
  const auto made = differences_.find(value);
  const auto difference = made == differences_.end() ? limits.end() : limits.find(made->second);
  return difference == limits.end() ? std::nullopt : MaybeBounds(difference->second);
}

MaybeBounds Guards::of_select(const OpData& op, const std::vector<ValueId>& read,
                              const std::vector<MaybeBounds>& known) const {
  if (!std::holds_alternative<Select>(op)) return std::nullopt;
  std::vector<ValueId> operands;
  for (const ValueId operand : read) operands.push_back(first_of(operand));
  const auto said = said_.find(operands[0]);
  if (said == said_.end()) return std::nullopt;
  const auto side = [&](const Limits& limits, size_t i) {
    const MaybeBounds narrow = limited(limits, operands[i]);
    return narrow ? narrow : known[i];
  };
  const MaybeBounds yes = side(said->second.yes, 1), no = side(said->second.no, 2);
  if (!yes || !no) return std::nullopt;
  return Bounds{std::min(yes->least, no->least), std::max(yes->greatest, no->greatest)};
}

void Guards::forget(ValueId value) {
  if (value.index() >= end_) return;  // nothing was ever known of it
  std::erase_if(made_, [&](const Made& made) {
    return made.result == value || std::find(made.operands.begin(), made.operands.end(), value) != made.operands.end();
  });
  std::erase_if(same_, [&](const auto& same) { return same.first == value || same.second == value; });
  said_.erase(value);
  differences_.erase(value);
  sums_.erase(value);
}

}  // namespace isoshard::stablehlo
