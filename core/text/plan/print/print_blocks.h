#pragma once  // internal

#include <cstddef>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/text/plan/print/line_names.h"
#include "core/text/plan/print/plan_calls.h"
#include "core/text/plan/print/plan_names.h"

namespace isoshard::text {

/// Calls that are lines of their own, and what they are called.
struct NamedCalls {
  const PlanCalls& calls;
  const PlanNames& names;
};

/// Prints blocks, loops and their lines, of a group or of a function.
class BlockPrinter {
 public:
  /// `calls` is null inside of a function, which has none and whose lines say no action. All outlive it.
  BlockPrinter(const Plan& plan, LineNames& names, const NamedCalls* calls)
      : plan_(plan), names_(names), calls_(calls) {}

  std::string print(const std::vector<isoshard::Block>& list, const std::string& indent);

  /// Whether lines of a function name a loop around all of them.
  bool names_outer_loop() const { return names_outer_loop_; }

 private:
  void blocks(const std::vector<isoshard::Block>& list, const std::string& indent);
  const CallLine* call_from(const std::vector<isoshard::Block>& list, size_t b) const;
  void repeat(const isoshard::Block& block, const std::string& indent);
  void queues(const isoshard::Block& block, const std::string& indent);
  std::string line(InstructionId id);
  std::string invoke(const CallLine& call);
  std::string bindings(const std::vector<PlanValueId>& inside, const std::vector<PlanValueId>& outside);
  std::string values(const std::vector<PlanValueId>& ids);

  const Plan& plan_;
  LineNames& names_;
  const NamedCalls* calls_;
  std::string out_;
  size_t loops_ = 0;  ///< around the line that is printed
  bool names_outer_loop_ = false;
};

}  // namespace isoshard::text
