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
  /// Takes note of an op that makes `result`; `known` are the bounds of its operands.
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

  void compare(Direction direction, ValueId a, ValueId b, const MaybeBounds& of_a, const MaybeBounds& of_b,
               const Bounds& any, Said& said) const;
  MaybeBounds limited(const Limits& limits, ValueId value) const;

  std::map<ValueId, Said> said_;
  std::map<ValueId, Compared> differences_;
  std::map<ValueId, std::pair<ValueId, int64_t>> sums_;  ///< of a value and a number
};

}  // namespace isoshard::stablehlo
