// Says what a proof has only sampled: the integers and predicates that some output depends on, unless they were covered
// by weights, and the order of floats. They are found in the cones of both programs, over all steps; globals of an
// exact value are no inputs. The last rung that found the output equal tells how many draws there were. Cost: two cones
// per output.
#include "verify/ring/sampled.h"

#include <algorithm>
#include <set>
#include <vector>

#include "verify/answers/words.h"
#include "verify/facts/cones.h"

namespace isoshard::verify {
namespace {

void add_discrete(const Plan& plan, size_t output, const Pair& pair, std::set<GlobalId>& ids) {
  const std::vector<bool> cone = cone_over_steps(plan, static_cast<uint32_t>(output), pair.steps);
  for (size_t i = 0; i < cone.size(); ++i) {
    const LoadBlock* load = cone[i] ? std::get_if<LoadBlock>(&plan.instructions[i].data()) : nullptr;
    if (load == nullptr) continue;
    const Global& global = pair.module->global(load->global);
    if (!is_float(global.type.dtype) && !exact_value(global)) ids.insert(load->global);
  }
}

/// The last one that found the output equal.
const RungRecord* drawn_record(const RingOutcome& ring, size_t output) {
  const RungRecord* result = nullptr;
  for (const RungRecord& rung : ring.rungs) {
    const bool equal = std::any_of(rung.answers.begin(), rung.answers.end(), [&](const RungAnswer& a) {
      return a.output == output && a.says == RungSays::equal;
    });
    if (equal && !rung.covered) result = &rung;
  }
  return result;
}

}  // namespace

std::set<GlobalId> discrete_globals(const Pair& pair, size_t output) {
  std::set<GlobalId> ids;
  add_discrete(pair.sharded.plan, output, pair, ids);
  add_discrete(pair.reference.plan, pair.reference_output[output], pair, ids);
  return ids;
}

std::string sampled_in_words(const Pair& pair, const RingOutcome& ring, size_t output) {
  const RungRecord* rung = drawn_record(ring, output);
  const RingOutput& known = ring.outputs[output];
  if (rung == nullptr || known.covered_by || !known.equal) return "";
  std::vector<std::string> parts;
  for (const GlobalId id : discrete_globals(pair, output)) {
    const Global& global = pair.module->global(id);
    if (!rung->terms.soft_predicates || global.type.dtype != DType::pred) parts.push_back("@" + global.name);
  }
  std::sort(parts.begin(), parts.end());
  if (rung->terms.decisions > 0) parts.push_back("the order of floats");
  if (parts.empty()) return "";
  return enumerated(parts) + " (" + std::to_string(rung->terms.draws) +
         (rung->terms.decisions > 0 ? " orders)" : " draws)");
}

}  // namespace isoshard::verify
