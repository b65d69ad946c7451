// Copies ops from one program into another through its Builder, so that types and states are inferred again and no op
// is trusted. Options say what is to be different: ops that are left out because a value takes their place, calls of
// other functions, and scans that stack more values of their body. A value of an outer region that a scan's body needs
// is carried through unchanged, because bodies capture nothing. Such carries are taken away from the results again, so
// that users see the same results as before. Cost: the ops of the region, times the runs of scan bodies.
#include "core/transform/copy_region.h"

#include <algorithm>
#include <utility>

namespace isoshard {

std::vector<size_t> changing_carries(const Op& scan) {
  const Region& region = scan.regions.front();
  const size_t first = region.arguments.size() - scan.operands.size();
  std::vector<size_t> result;
  for (size_t c = 0; c < static_cast<size_t>(std::get<Scan>(scan.data).carries); ++c) {
    if (region.results[c] != region.arguments[first + c]) result.push_back(c);
  }
  return result;
}

bool RegionCopy::copy(const Region& region) {
  for (const OpId id : region.ops) {
    if (!copy_op(id, from_.op(id))) return false;
  }
  return true;
}

bool RegionCopy::copy_op(OpId id, const Op& op) {
  if (replaced_.contains(id.index())) return true;
  std::vector<ValueId> results;
  if (const Scan* scan = std::get_if<Scan>(&op.data)) {
    const auto with = options_.scans.find(id.index());
    results = copy_scan(*scan, op, plain_ == 0 && with != options_.scans.end() ? with->second : ScanCopy());
  } else {
    std::vector<ValueId> operands;
    for (const ValueId operand : op.operands) operands.push_back(value(operand));
    OpData data = op.data;
    const auto callee = options_.callees.find(id.index());
    const bool other = plain_ == 0 && callee != options_.callees.end();
    std::vector<std::string> own = names(op.results);
    if (other) {
      data = Call{callee->second};
      own.resize(to_.module().program(callee->second).body().results.size());  // what else it gives has no name
    }
    results = to_.append(std::move(data), std::move(operands), std::move(own), op.location);
  }
  if (results.empty() ? !op.results.empty() : !results.front().valid()) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    if (i < op.results.size()) {
      bind(op.results[i], results[i]);
    } else {
      extras_[ExtraResult{id, i - op.results.size()}] = results[i];
    }
  }
  return true;
}

std::vector<std::string> RegionCopy::names(const std::vector<ValueId>& values) const {
  std::vector<std::string> result;
  for (const ValueId id : values) result.push_back(from_.value(id).name);
  return result;
}

void RegionCopy::find_carried(const Region& region, std::vector<ValueId>& results) const {
  if (carried_in_.empty()) return;
  for (const OpId id : region.ops) {
    const Op& op = from_.op(id);
    if (carried_in_.contains(id.index())) results.push_back(op.results.front());
    for (const Region& inner : op.regions) find_carried(inner, results);
  }
}

std::vector<ValueId> RegionCopy::copy_scan(const Scan& scan, const Op& op, const ScanCopy& with) {
  const Region& region = op.regions.front();
  const size_t first = region.arguments.size() - op.operands.size(), carries = static_cast<size_t>(scan.carries);
  ScanOperands operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    (i < carries ? operands.initial : operands.stacked).push_back(value(op.operands[i]));
  }
  std::vector<ValueId> inner;
  find_carried(region, inner);
  for (const ValueId id : inner) operands.initial.push_back(value(id));
  operands.trips = scan.trips;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const std::string& name = from_.value(region.arguments[first + i]).name;
    (i < carries ? operands.carry_names : operands.slice_names).push_back(name);
  }
  // A name of the body that held the op, and none that a body around it may have.
  for (const ValueId id : inner) {
    const bool own = std::find(region.ops.begin(), region.ops.end(), from_.value(id).definition) != region.ops.end();
    operands.carry_names.push_back(own ? from_.value(id).name : "");
  }
  operands.result_names = names(op.results);
  const auto behind_carries = [carries](auto& list) { return list.begin() + static_cast<std::ptrdiff_t>(carries); };
  operands.result_names.insert(behind_carries(operands.result_names), inner.size(), "");
  operands.result_names.resize(operands.result_names.size() + with.saved.size());
  operands.with_index = first == 1;
  const ScanBody body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
    if (first == 1) bind(region.arguments[0], in.index);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bind(region.arguments[first + i], i < carries ? in.carries[i] : in.slices[i - carries]);
    }
    for (size_t i = 0; i < inner.size(); ++i) bind(inner[i], in.carries[carries + i]);
    plain_ += with.inner ? 0 : 1;
    const bool good = copy(region);
    plain_ -= with.inner ? 0 : 1;
    if (!good) return std::nullopt;
    ScanYield yield{{}, {}, op.location};
    for (size_t i = 0; i < region.results.size(); ++i) {
      (i < carries ? yield.carries : yield.stacked).push_back(value(region.results[i]));
    }
    for (size_t i = 0; i < inner.size(); ++i) yield.carries.push_back(in.carries[carries + i]);
    for (const KeptValue& saved : with.saved) yield.stacked.push_back(kept(saved));
    return yield;
  };
  std::vector<ValueId> results = to_.scan(operands, body, op.location);
  for (size_t i = 0; i < inner.size(); ++i) bind(inner[i], operands.initial[carries + i]);
  if (results.size() > inner.size() && !inner.empty()) {
    results.erase(behind_carries(results), behind_carries(results) + static_cast<std::ptrdiff_t>(inner.size()));
  }
  return results;
}

}  // namespace isoshard
