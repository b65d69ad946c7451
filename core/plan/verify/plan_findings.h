#pragma once  // internal

#include <string>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard {

/// What does not hold in a Plan.
class PlanFindings {
 public:
  explicit PlanFindings(const Plan& plan) : plan_(plan) {}

  /// `text` goes on after the name of the instruction.
  void at(InstructionId id, std::string rule, const std::string& text) {
    const Instruction& instruction = plan_.instruction(id);
    std::string message("#");  // appended to: g++ 12 warns wrongly about "#" + text
    message += std::to_string(id.index());
    add(std::move(rule), instruction.location(), message + " " + instruction.op() + " " + text);
  }
  void at(const Repeat& repeat, std::string rule, const std::string& text) {
    add(std::move(rule), repeat.location, "a repeat " + text);
  }
  void add(std::string rule, Location location, std::string message) {
    all_.push_back(Diagnostic{Severity::error, std::move(rule), std::move(location), std::move(message), {}});
  }
  std::string name(PlanValueId id) const {
    std::string text("%");
    return text += plan_.value(id).name();
  }

  bool empty() const { return all_.empty(); }
  std::vector<Diagnostic> take() { return std::move(all_); }

 private:
  const Plan& plan_;
  std::vector<Diagnostic> all_;
};

}  // namespace isoshard
