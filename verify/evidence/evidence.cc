#include "verify/evidence/evidence.h"

#include <algorithm>

namespace isoshard::verify {

std::string Evidence::name(const ReferenceValue& value) const {
  return value.global.valid() ? value.name : value.name + " of @" + pair.reference.plan.program;
}

const LoadBlock* Evidence::load(PlanValueId id) const {
  const InstructionId maker = definition[id.index()];
  return maker.valid() ? std::get_if<LoadBlock>(&plan().instruction(maker).data()) : nullptr;
}

FoldKind Evidence::kind(PlanValueId id, AxisId axis) const {
  const Match* m = match(id);
  if (m != nullptr && !m->starts.empty()) {
    const Group group{{axis}};
    for (int64_t p = 0; p < mesh().device_count(); ++p) {
      const size_t leader = static_cast<size_t>(mesh().leader(group, p));
      if (m->starts[static_cast<size_t>(p)] != m->starts[leader]) return FoldKind::concat;
    }
    return FoldKind::equal;
  }
  if (const LoadBlock* block = m == nullptr ? load(id) : nullptr) {
    const bool split = std::any_of(block->block.begin(), block->block.end(),
                                   [&](const Expr& index) { return index.axes().contains(axis); });
    return split ? FoldKind::concat : FoldKind::equal;
  }
  const FoldStep* step = m == nullptr ? nullptr : m->step(axis);
  return step == nullptr ? FoldKind::equal : step->kind;
}

std::vector<AxisId> Evidence::axes_of_kind(PlanValueId id, FoldKind wanted) const {
  std::vector<AxisId> result;
  for (size_t a = 0; a < mesh().axis_count(); ++a) {
    if (mesh().axes()[a].size > 1 && kind(id, AxisId(a)) == wanted) result.push_back(AxisId(a));
  }
  return result;
}

}  // namespace isoshard::verify
