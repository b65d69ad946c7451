#pragma once  // internal

#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::text {

/// What a line of a Plan's text calls values, instructions and queues, which differs inside of a function.
class LineNames {
 public:
  virtual ~LineNames() = default;
  /// With its `%`.
  virtual std::string value(PlanValueId id) = 0;
  /// `#7`.
  virtual std::string number(InstructionId id) = 0;
  /// What stands behind `after`.
  virtual std::string token(const isoshard::Token& token) = 0;
  virtual std::string queue(QueueId id) = 0;
};

/// `a, b`.
std::string comma_list(const std::vector<std::string>& parts);

/// Built by appending: g++ 12 warns wrongly about `"[" + text` (-Wrestrict).
std::string enclosed(char open, const std::string& text, char close);
std::string prefixed(char prefix, const std::string& text);

}  // namespace isoshard::text
