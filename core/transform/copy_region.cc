#include "core/transform/copy_region.h"

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
    results = copy_scan(*scan, op, depth_ == 0 && options_.save_carries.contains(id.index()));
  } else {
    std::vector<ValueId> operands;
    for (const ValueId operand : op.operands) operands.push_back(value(operand));
    OpData data = op.data;
    const auto callee = options_.callees.find(id.index());
    const bool other = depth_ == 0 && callee != options_.callees.end();
    if (other) data = Call{callee->second};
    results = to_.append(std::move(data), std::move(operands), other ? std::vector<std::string>{} : names(op.results),
                         op.location);
  }
  if (results.empty() ? !op.results.empty() : !results.front().valid()) return false;
  const std::vector<size_t> saved =
      std::holds_alternative<Scan>(op.data) ? changing_carries(op) : std::vector<size_t>();
  for (size_t i = 0; i < results.size(); ++i) {
    if (i < op.results.size()) {
      bind(op.results[i], results[i]);
    } else {
      const size_t extra = i - op.results.size();
      extras_[ExtraResult{id, saved.empty() ? extra : saved[extra]}] = results[i];
    }
  }
  return true;
}

std::vector<std::string> RegionCopy::names(const std::vector<ValueId>& values) const {
  std::vector<std::string> result;
  for (const ValueId id : values) result.push_back(from_.value(id).name);
  return result;
}

std::vector<ValueId> RegionCopy::copy_scan(const Scan& scan, const Op& op, bool save) {
  const Region& region = op.regions.front();
  const size_t first = region.arguments.size() - op.operands.size(), carries = static_cast<size_t>(scan.carries);
  ScanOperands operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    (i < carries ? operands.initial : operands.stacked).push_back(value(op.operands[i]));
  }
  operands.trips = scan.trips;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const std::string& name = from_.value(region.arguments[first + i]).name;
    (i < carries ? operands.carry_names : operands.slice_names).push_back(name);
  }
  operands.result_names = names(op.results);
  const std::vector<size_t> saved = save ? changing_carries(op) : std::vector<size_t>();
  operands.result_names.resize(op.results.size() + saved.size());
  operands.with_index = first == 1;
  const ScanBody body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
    if (first == 1) bind(region.arguments[0], in.index);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      bind(region.arguments[first + i], i < carries ? in.carries[i] : in.slices[i - carries]);
    }
    ++depth_;
    const bool good = copy(region);
    --depth_;
    if (!good) return std::nullopt;
    ScanYield yield{{}, {}, op.location};
    for (size_t i = 0; i < region.results.size(); ++i) {
      (i < carries ? yield.carries : yield.stacked).push_back(value(region.results[i]));
    }
    for (const size_t c : saved) yield.stacked.push_back(in.carries[c]);
    return yield;
  };
  return to_.scan(operands, body, op.location);
}

}  // namespace isoshard
