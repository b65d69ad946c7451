#pragma once  // internal

#include <string>
#include <unordered_map>
#include <vector>

#include "core/text/plan/print/line_names.h"
#include "core/text/plan/print/plan_calls.h"

namespace isoshard::text {

/// What the lines of a call are inside of its function: numbers count from the first one, values have names without
/// that of the call, and what comes from outside is a parameter or is given, by its first use.
class FunctionNames final : public LineNames {
 public:
  /// `results` are what the call defines in its order, `parameters` values from outside, `queues` by their ids. Empty
  /// lists of these two: they are numbers. All outlive it.
  FunctionNames(const Plan& plan, const CallLine& line, const std::vector<std::string>& results,
                const std::vector<std::string>& parameters, const std::vector<std::string>& queues);

  std::string value(PlanValueId id) override;
  std::string number(InstructionId id) override;
  std::string token(const isoshard::Token& token) override;
  std::string queue(QueueId id) override;

  /// Those that were asked for.
  const std::vector<PlanValueId>& arguments() const { return arguments_; }
  const std::vector<isoshard::Token>& given() const { return given_; }

 private:
  const std::vector<std::string>&parameters_, &queues_;
  std::unordered_map<uint32_t, std::string> results_;  ///< by value
  std::unordered_map<uint32_t, size_t> inside_;        ///< by instruction
  std::unordered_map<uint32_t, size_t> places_;        ///< of arguments
  std::vector<PlanValueId> arguments_;
  std::vector<isoshard::Token> given_;
};

}  // namespace isoshard::text
