#pragma once

#include <optional>
#include <vector>

#include "core/plan/calls/fusion/reducing.h"
#include "core/plan/calls/rows.h"
#include "core/plan/plan_ids.h"

namespace isoshard::calls {

/// What a member of a row region does: a chain, or a reduction.
struct RowMember {
  struct Operand {
    PlanValueId value{};
    Held held;
    const Chain* number = nullptr;  ///< where it is a number that nobody has written
  };
  PlanValueId value{};
  Held result;
  std::vector<Operand> operands;
  Chain chain;
  std::optional<ReductionOf> reduction{};
};

/// One kernel that makes the value of the last of these members, with the bits of all of them one after another; what
/// members before them made lies in memory. Nothing: a kernel cannot, or no member reads what another one reduces
/// (row_program.cc).
std::optional<RowMap> row_map_of(const std::vector<RowMember>& members);

}  // namespace isoshard::calls
