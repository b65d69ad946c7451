// Recognises a maximum that should have been taken over devices and was not. In a total order a maximum is one of its
// operands, unchanged; so a value of the reference that is, element by element, that of some device of each group is
// the maximum over the group. Axes are tried one by one, then all together. The cause is told only where every element
// agrees. Cost: elements times devices per value of the reference of the same type.
#include <algorithm>

#include "verify/answers/words.h"
#include "verify/causes/explain.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

/// `max` or `min`, for an op that takes that of what each device holds; empty for others.
std::string extreme_of(const Instruction& i) {
  if (const Reduce* reduce = op_of<Reduce>(i)) {
    return reduce->op == Reducer::max ? "max" : reduce->op == Reducer::min ? "min" : "";
  }
  const Collective* collective = std::get_if<Collective>(&i.data());
  if (collective == nullptr) return "";
  if (collective->kind == CollectiveKind::all_reduce_max) return "max";
  return collective->kind == CollectiveKind::all_reduce_min ? "min" : "";
}

/// Where all_reduces go on with the maximum: the value after the last of them.
PlanValueId last_of(const Evidence& e, PlanValueId id, const std::string& extreme) {
  for (const Instruction& i : e.plan().instructions) {
    if (std::holds_alternative<Collective>(i.data()) && i.operands[0] == id && extreme_of(i) == extreme) {
      id = i.results[0];
    }
  }
  return id;
}

/// Whether every element of `r` is that element of `id` on some device of each group. In a total order the maximum is
/// one of its operands, unchanged.
bool taken_from(const Evidence& e, PlanValueId id, const Group& group, const ReferenceValue& r) {
  const Fingerprinter& fingerprinter = e.matcher.fingerprinter();
  const sim::Value& whole = r.global.valid() ? e.globals[r.global.index()] : e.reference.value(r.value, 0);
  for (int64_t i = 0; i < whole.size(); ++i) {
    const Fingerprint wanted = fingerprinter.of_element(whole, i);
    for (int64_t p = 0; p < e.mesh().device_count(); ++p) {
      if (e.mesh().leader(group, p) != p) continue;
      bool found = false;
      for (int64_t k = 0; k < e.mesh().size(group) && !found; ++k) {
        found = fingerprinter.of_element(e.sharded.value(id, e.mesh().member(group, p, k)), i) == wanted;
      }
      if (!found) return false;
    }
  }
  return true;
}

/// Each axis with several devices, then all of them.
std::vector<std::vector<AxisId>> axis_sets(const Mesh& mesh) {
  std::vector<std::vector<AxisId>> result;
  std::vector<AxisId> all;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    if (mesh.axes()[a].size == 1) continue;
    all.push_back(AxisId(a));
    result.push_back({AxisId(a)});
  }
  if (all.size() > 1) result.push_back(all);
  return result;
}

}  // namespace

std::optional<Explanation> explain_missing_max(const Evidence& e, const Instruction& instruction) {
  const std::string extreme = extreme_of(instruction);
  if (extreme.empty() || !e.keeps_values()) return std::nullopt;
  const PlanValueId id = last_of(e, instruction.results[0], extreme);
  const TensorType& type = e.plan().value(id).type();
  if (!is_float(type.dtype)) return std::nullopt;
  for (const std::vector<AxisId>& axes : axis_sets(e.mesh())) {
    for (const ReferenceValue& r : e.matcher.references()) {
      if (r.type != type || !taken_from(e, id, Group{axes}, r)) continue;
      const std::string over = e.name(id) + " over " + axes_in_words(axes, e.mesh());
      return Explanation{
          "missing all_reduce {op=" + extreme + "} of " + over,
          "the " + std::string(extreme == "max" ? "maximum" : "minimum") + " of " + over + " is " + e.name(r)};
    }
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
