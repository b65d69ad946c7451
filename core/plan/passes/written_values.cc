#include "core/plan/passes/written_values.h"

#include "core/ir/written_as.h"

namespace isoshard {

void note_written(const Program& program, const std::string& prefix,
                  const std::vector<std::vector<PlanValueId>>& values, PlanBuilder& out) {
  for (size_t v = 0; v < program.value_count(); ++v) {
    const std::string text = written_as(program, ValueId(v));
    if (text.empty()) continue;
    for (const std::vector<PlanValueId>& of_group : values) {
      const PlanValueId id = v < of_group.size() ? of_group[v] : PlanValueId();
      if (id.valid() && out.name(id) == prefix + program.value(ValueId(v)).name) out.set_written(id, text);
    }
  }
}

}  // namespace isoshard
