#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/import/stablehlo/analysis/integer_bounds.h"
#include "core/ir/types/value.h"

namespace isoshard::stablehlo {

/// What predicates say of the integers that they compare, for choices guarded by them: `k >= 0 and k < n ? k : 0`.
class Guards {
 public:
  /// Takes note of an op that makes `result`, integers or predicates; `known` are the bounds of its operands, which are
  /// of dtype `compared`.
  void take(const OpData& op, const std::vector<ValueId>& operands, const std::vector<MaybeBounds>& known,
            ValueId result, DType compared);
  /// The bounds of a select, one side of which is what its predicate compares; nothing where that gives no more.
  MaybeBounds of_select(const OpData& op, const std::vector<ValueId>& operands,
                        const std::vector<MaybeBounds>& known) const;
  /// Nothing is known of `value` any more.
  void forget(ValueId value);

 private:
  /// An integer a, or a - b of two.
  using Compared = std::pair<ValueId, ValueId>;
  using Limits = std::map<Compared, Bounds>;
  /// What holds where a predicate does, and where it does not.
  struct Said {
    Limits yes, no;
  };

  /// An op that makes integers of the place of a device or of numbers, and what it makes.
  struct Made {
    OpData op;
    std::vector<ValueId> operands;
    ValueId result;
  };

  /// The first value that is made as `value` is: `2 * axis_index` is written anew wherever it is used.
  ValueId first_of(ValueId value) const;
  void take_place(const OpData& op, const std::vector<ValueId>& operands, ValueId result);
  /// A sum that is repeated is the sum of what is repeated.
  void take_wide_sum(const OpData& broadcast, ValueId sum, ValueId result);
  void compare(Direction direction, ValueId a, ValueId b, const MaybeBounds& of_a, const MaybeBounds& of_b,
               const Bounds& any, Said& said) const;
  MaybeBounds limited(const Limits& limits, ValueId value) const;

  size_t end_ = 0;  ///< of the values of which something may be known
  std::vector<Made> made_;
  std::map<ValueId, ValueId> same_;
  std::map<ValueId, Said> said_;
  std::map<ValueId, Compared> differences_;
  std::map<ValueId, std::pair<ValueId, int64_t>> sums_;  ///< of a value and a number
};

}  // namespace isoshard::stablehlo
