// What a factor or a surplus of a value says is tried before it is told: the value is divided by the factor, or what it
// should be is put in its place, and the outputs must come out right. An op in a loop or a function that is called
// several times may be wrong in each of them, so its copies are mended together where one alone does not do. Cost: two
// trials.
#include "verify/causes/verified.h"

#include <algorithm>

#include "sim/evaluate/conversion.h"
#include "verify/compare/substitution.h"
#include "verify/evidence/placement.h"

namespace isoshard::verify {
namespace {

/// With the values for all micro-batches of each.
Mends divided(const Evidence& e, const Trial& trial, const std::vector<PlanValueId>& ids, const Ratio& factor) {
  const bool negative = factor.numerator < 0;
  const Ratio inverse{negative ? -factor.denominator : factor.denominator, std::abs(factor.numerator)};
  const Mend mend = [&trial, inverse](int64_t, const sim::Value& value) {
    return multiplied(value, inverse, trial.domain());
  };
  Mends mends;
  for (const PlanValueId id : ids) {
    if (!is_float(e.plan().value(id).type().dtype)) return {};
    mends[id] = mend;
    for (const PlanValueId micro : e.sharded.groups().micro_batches(id)) mends[micro] = mend;
  }
  return mends;
}

/// Whether the device adds nothing to a sum over devices, since the first of them brings all of it.
bool brings_nothing(const Mesh& mesh, const std::vector<FoldStep>& steps, int64_t position) {
  return std::any_of(steps.begin(), steps.end(), [&](const FoldStep& step) {
    return step.kind == FoldKind::sum && mesh.coordinate(position, step.axis) != 0;
  });
}

}  // namespace

std::vector<PlanValueId> copies_of(const Evidence& e, PlanValueId id) {
  const Instruction& i = e.plan().instruction(e.definition[id.index()]);
  const auto result = static_cast<size_t>(std::find(i.results.begin(), i.results.end(), id) - i.results.begin());
  std::vector<PlanValueId> copies;
  for (const Instruction& other : e.plan().instructions) {
    const bool same = other.op() == i.op() && other.results.size() == i.results.size() &&
                      other.location().to_string() == i.location().to_string();
    if (same) copies.push_back(other.results[result]);
  }
  return copies;
}

bool factor_is_all(const Evidence& e, const Trial& trial, PlanValueId id, const Ratio& factor) {
  if (e.plan().groups.size() > 1) return true;  // what a stage keeps for its backward part is not mended with it
  if (factor.numerator == 0) return false;
  if (trial.makes_equal(divided(e, trial, {id}, factor))) return true;
  const std::vector<PlanValueId> copies = copies_of(e, id);
  return copies.size() > 1 && trial.makes_equal(divided(e, trial, copies, factor));
}

bool stands_for(const Evidence& e, const Trial& trial, PlanValueId id, const ReferenceValue& reference,
                const Folded& folded) {
  if (e.plan().groups.size() > 1) return true;
  if (folded.micro || !e.keeps_values()) return false;
  const Shape& local = e.plan().value(id).type().shape;
  const Match match{&reference, folded.steps};
  Starts starts;
  for (int64_t p = 0; p < e.mesh().device_count(); ++p) starts.push_back(e.matcher.start(match, local, p));
  const sim::Value& whole =
      reference.global.valid() ? e.globals[reference.global.index()] : e.reference.value(reference.value, 0);
  const std::optional<std::vector<sim::Value>> blocks = blocks_at(whole, local, starts);
  if (!blocks) return false;
  const Mend mend = [&](int64_t position, const sim::Value& value) {
    return brings_nothing(e.mesh(), folded.steps, position) ? sim::zeros(value.type, trial.domain())
                                                            : (*blocks)[static_cast<size_t>(position)];
  };
  return trial.makes_equal({{id, mend}});
}

}  // namespace isoshard::verify
