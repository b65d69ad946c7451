#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "sim/engine/engine.h"
#include "verify/facts/integers/index_range.h"

namespace isoshard::verify {

/// What a diagnosis puts in the place of a maximum that only shifts arguments of exponentials.
enum class MaximumStandIn : uint8_t {
  none,    ///< the value stays what it is
  zero,    ///< 0: a softmax without a maximum
  random,  ///< an opaque function of Side::maxima
};

/// One program of a check, lowered, or a Plan that was given.
struct Side {
  Plan plan;
  /// Per value of the plan: whether rung E puts an opaque identity after it (docs/spec/opaque.md, "Opaque identities");
  /// empty: none.
  std::vector<bool> opaque{};
  std::vector<MaximumStandIn> maximum_stand_ins{};  ///< per value of the plan, on rung E; empty: none
  std::vector<sim::Value> maxima{};                 ///< per position: what MaximumStandIn::random is a function of

  std::map<std::string, std::string> call_results{};  ///< NamedPlan

  /// `%dw.2`: the name in the program, where it is the result of a call, or that in the plan.
  std::string name(PlanValueId id) const {
    const auto known = call_results.find(plan.value(id).name());
    return "%" + (known == call_results.end() ? plan.value(id).name() : known->second);
  }
  /// The same, or the expression of the source where nobody gave the value a name.
  std::string in_words(PlanValueId id) const {
    const auto known = call_results.find(plan.value(id).name());
    const bool numbered =
        known == call_results.end() || known->second.find_first_not_of("0123456789") == known->second.npos;
    return numbered && !plan.value(id).written().empty() ? plan.value(id).written() : name(id);
  }
  bool is_opaque(PlanValueId id) const { return !opaque.empty() && opaque[id.index()]; }
};

/// A global that starts as a view of another one: `read` is one device that returns the view.
struct MappedGlobal {
  GlobalId global;
  Plan read;
};

/// Two programs on the same globals: `sharded` is examined, `reference` says what is right (of the two sides of a check
/// the one with fewer devices, in doubt the right one).
struct Pair {
  const Module* module = nullptr;
  Side sharded, reference;
  std::vector<size_t> reference_output;  ///< per output of `sharded`: the reference's output of that name
  std::vector<bool> used;                ///< per global: whether a program reads it, or a map does
  bool swapped = false;                  ///< the reference stands on the left of the check
  IndexRange indices;                    ///< of both sides
  int64_t steps = 1;
  std::vector<MappedGlobal> maps;
};

/// Both sides' outputs of one step on the same inputs.
struct PairResult {
  sim::RunResult sharded, reference;
};

/// What watches the values of each side; either may be null.
struct PairObservers {
  sim::ValueObserver* sharded = nullptr;
  sim::ValueObserver* reference = nullptr;
};

/// The values that appear as denominators of `plan`, per value: the first instruction that divides by it, or invalid.
std::vector<InstructionId> denominators(const Plan& plan);

}  // namespace isoshard::verify
