// With labels in 0..32 or -100, jnp.where(labels == -100, 0, labels) lies in 0..32: the guard of an ignored label takes
// away the one number outside, and the guards that jnp.take puts around the index are decided then. Only a comparison
// with one number and a choice of the same value are looked at. Cost: two look-ups for each op.
#include "core/import/stablehlo/analysis/known_ranges.h"

#include <algorithm>

namespace isoshard::stablehlo {

Bounds KnownRanges::ends_of(const ValueRange& range) {
  Bounds ends{range.low, range.high - 1};
  for (const int64_t number : range.others) {
    ends = {std::min(ends.least, number), std::max(ends.greatest, number)};
  }
  return ends;
}

void KnownRanges::forget(ValueId value) {
  ranges_.erase(value);
  questions_.erase(value);
}

void KnownRanges::take(const OpData& op, const std::vector<ValueId>& operands, const std::vector<MaybeBounds>& known,
                       ValueId result) {
  const auto of = operands.empty() ? ranges_.end() : ranges_.find(operands[0]);
  if (of == ranges_.end()) return;
  const auto* compare = std::get_if<Compare>(&op);
  const bool asks = compare != nullptr && (compare->direction == Direction::eq || compare->direction == Direction::ne);
  if (asks && known[1] && known[1]->least == known[1]->greatest) {
    questions_[result] = {operands[0], known[1]->least, compare->direction == Direction::eq};
  }
  if (moves_elements(op)) set(result, ValueRange(of->second));
}

MaybeBounds KnownRanges::of_select(const OpData& op, const std::vector<ValueId>& operands,
                                   const std::vector<MaybeBounds>& known) const {
  if (!std::holds_alternative<Select>(op)) return std::nullopt;
  const auto question = questions_.find(operands[0]);
  if (question == questions_.end()) return std::nullopt;
  const size_t other = question->second.equal ? 2 : 1;  // where it is not that number
  if (operands[other] != question->second.of || !known[3 - other]) return std::nullopt;
  ValueRange left = ranges_.at(question->second.of);
  std::erase(left.others, question->second.number);
  const Bounds a = ends_of(left), b = *known[3 - other];
  return Bounds{std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

}  // namespace isoshard::stablehlo
