#pragma once

#include <map>
#include <vector>

#include "core/import/stablehlo/analysis/integer_bounds.h"
#include "core/ir/types/value.h"
#include "core/ir/types/value_range.h"

namespace isoshard::stablehlo {

/// Of which values it is known that they are numbers of a range or single others, such as labels and the one that is
/// ignored; and what is left of them where they are not chosen.
class KnownRanges {
 public:
  /// The least and the greatest of `range`.
  static Bounds ends_of(const ValueRange& range);
  void set(ValueId value, const ValueRange& range) { ranges_[value] = range; }
  /// Nothing is known of `value` any more.
  void forget(ValueId value);
  /// Takes note of an op that makes `result`; `known` are the bounds of its operands.
  void take(const OpData& op, const std::vector<ValueId>& operands, const std::vector<MaybeBounds>& known,
            ValueId result);
  /// The bounds of a select(x = n, y, x), in which x is not n; nothing where it is another op, or gives no more.
  MaybeBounds of_select(const OpData& op, const std::vector<ValueId>& operands,
                        const std::vector<MaybeBounds>& known) const;

 private:
  /// A predicate that asks whether `of` is, or is not, a number.
  struct Question {
    ValueId of;
    int64_t number = 0;
    bool equal = true;
  };

  std::map<ValueId, ValueRange> ranges_;
  std::map<ValueId, Question> questions_;
};

}  // namespace isoshard::stablehlo
