#include "core/text/plan/print/function_names.h"

#include <algorithm>
#include <span>

#include "core/text/plan/print/defined_values.h"

namespace isoshard::text {

FunctionNames::FunctionNames(const Plan& plan, const CallLine& line, const std::vector<std::string>& results,
                             const std::vector<std::string>& parameters, const std::vector<std::string>& queues)
    : parameters_(parameters), queues_(queues) {
  visit_instructions(line.body, [&](InstructionId id) { inside_.emplace(id.value, id.index() - line.first.index()); });
  size_t next = 0;
  visit_defined_values(plan, line.body, [&](std::span<const PlanValueId> ids, CallId) {
    for (const PlanValueId id : ids) results_.emplace(id.value, results[next++]);
  });
}

std::string FunctionNames::value(PlanValueId id) {
  const auto result = results_.find(id.value);
  if (result != results_.end()) return prefixed('%', result->second);
  const auto [place, is_new] = places_.emplace(id.value, arguments_.size());
  if (is_new) arguments_.push_back(id);
  return prefixed('%', parameters_.empty() ? std::to_string(place->second) + "?" : parameters_[place->second]);
}

std::string FunctionNames::number(InstructionId id) { return prefixed('#', std::to_string(inside_.at(id.value))); }

std::string FunctionNames::token(const isoshard::Token& token) {
  const auto inside = inside_.find(token.instruction.value);
  if (inside != inside_.end()) {
    return (token.previous ? "previous " : "") + prefixed('#', std::to_string(inside->second));
  }
  auto known = std::find(given_.begin(), given_.end(), token);
  if (known == given_.end()) known = given_.insert(given_.end(), token);
  return "given " + std::to_string(known - given_.begin());
}

std::string FunctionNames::queue(QueueId id) {
  return queues_.empty() ? std::to_string(id.index()) : queues_[id.index()];
}

}  // namespace isoshard::text
