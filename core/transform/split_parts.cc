// Decides which part of a split function needs which values: backwards from the chosen results, everything they depend
// on is the first part's; backwards from the others, what is not yet the first part's is the second's. A value of the
// first part that the second reads is handed over, out of loops as a stack. A carry of a scan needs what it becomes as
// well as what it begins with, and its scan is in both parts where both take some of it. Callees that both need are
// split in turn. Constants are made in both, which is cheaper than handing them over. Cost: one visit per value and
// part.
#include "core/transform/split_parts.h"

#include <algorithm>
#include <utility>

namespace isoshard {
namespace {

size_t key(std::optional<OpId> scan) { return scan ? scan->index() + 1 : 0; }

/// What the argument of a scan's body needs.
template <class Take>
void take_argument(const Op& scan, size_t operand, bool carry, const Take& take) {
  if (carry) take(scan.regions.front().results[operand]);
  take(scan.operands[operand]);
}

/// What the result of a scan needs: a carry's result the carry as well.
template <class Take>
void take_scan_result(const Op& op, ValueId v, const Take& take) {
  const Region& region = op.regions.front();
  const auto r = static_cast<size_t>(std::find(op.results.begin(), op.results.end(), v) - op.results.begin());
  take(region.results[r]);
  if (r < static_cast<size_t>(std::get<Scan>(op.data).carries)) {
    take(region.arguments[region.arguments.size() - op.operands.size() + r]);
  }
}

}  // namespace

SplitParts::SplitParts(const Program& program, SplitCallee split_callee)
    : program_(program),
      split_callee_(std::move(split_callee)),
      first_(program.value_count()),
      second_(program.value_count()),
      constant_(program.value_count()) {
  for (size_t i = 0; i < program.op_count(); ++i) describe(OpId(i));
  for (const OpId id : program.body().ops) note_constants(program.op(id));
}

bool SplitParts::choose(const std::vector<size_t>& first_results) {
  const std::vector<ValueId>& results = program_.body().results;
  for (const size_t r : first_results) take_first(results[r]);
  for (size_t r = 0; r < results.size(); ++r) {
    if (std::find(first_results.begin(), first_results.end(), r) == first_results.end()) take_second(results[r]);
  }
  return good_;
}

const SplitFunction* SplitParts::callee(OpId call) const {
  const auto it = callees_.find(call.index());
  return it == callees_.end() ? nullptr : &it->second;
}

const std::vector<KeptValue>& SplitParts::handed(std::optional<OpId> scan) const {
  static const std::vector<KeptValue> none;
  const auto it = handed_.find(key(scan));
  return it == handed_.end() ? none : it->second;
}

void SplitParts::describe(OpId id) {
  const Op& op = program_.op(id);
  const Scan* scan = std::get_if<Scan>(&op.data);
  if (scan == nullptr) return;
  const Region& region = op.regions.front();
  const size_t first = region.arguments.size() - op.operands.size();
  for (size_t i = 0; i < region.arguments.size(); ++i) {
    BodyArgument& argument = arguments_[region.arguments[i].index()];
    argument.scan = id;
    if (i < first) continue;
    argument.operand = i - first;
    argument.carry = i - first < static_cast<size_t>(scan->carries);
    argument.fixed = argument.carry && region.results[i - first] == region.arguments[i];
  }
  for (const OpId inner : region.ops) enclosing_[inner.index()] = id;
}

void SplitParts::note_constants(const Op& op) {
  for (const Region& region : op.regions) {
    for (const OpId id : region.ops) note_constants(program_.op(id));
  }
  if (std::holds_alternative<Scan>(op.data) || std::holds_alternative<Call>(op.data)) return;
  const auto constant = [&](ValueId v) { return constant_[v.index()]; };
  const bool all = std::all_of(op.operands.begin(), op.operands.end(), constant);
  for (const ValueId result : op.results) constant_[result.index()] = all;
}

std::optional<OpId> SplitParts::scan_of(OpId op) const {
  const auto it = enclosing_.find(op.index());
  return it == enclosing_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<OpId> SplitParts::home(ValueId v) const {
  if (const BodyArgument* known = argument(v)) return known->scan;
  const OpId definition = program_.value(v).definition;
  return definition.valid() ? scan_of(definition) : std::nullopt;
}

const SplitParts::BodyArgument* SplitParts::argument(ValueId v) const {
  const auto it = arguments_.find(v.index());
  return it == arguments_.end() ? nullptr : &it->second;
}

void SplitParts::take_first(ValueId v) {
  if (first_[v.index()]) return;
  first_[v.index()] = true;
  const auto take = [&](ValueId x) { take_first(x); };
  if (const BodyArgument* known = argument(v)) {
    const Op& scan = program_.op(known->scan);
    if (known->carry) first_[scan.results[*known->operand].index()] = true;  // a carry comes out as it is carried
    if (known->operand) take_argument(scan, *known->operand, known->carry, take);
    return;
  }
  const OpId id = program_.value(v).definition;
  if (!id.valid()) return;
  const Op& op = program_.op(id);
  if (std::holds_alternative<Scan>(op.data)) return take_scan_result(op, v, take);
  if (!std::holds_alternative<Call>(op.data)) {
    for (const ValueId result : op.results) first_[result.index()] = true;
  }
  for (const ValueId operand : op.operands) take(operand);
}

/// Arguments and slices are read by both parts, and so is a carry that does not change.
bool SplitParts::is_handed(ValueId v) const {
  if (!in_first(v) || constant_[v.index()]) return false;
  if (const BodyArgument* known = argument(v)) return known->carry && !known->fixed;
  return program_.value(v).definition.valid();
}

void SplitParts::take_second(ValueId v) {
  if (is_handed(v)) return hand(KeptValue{v, {}}, home(v));
  if (second_[v.index()]) return;
  second_[v.index()] = true;
  const auto take = [&](ValueId x) { take_second(x); };
  if (const BodyArgument* known = argument(v)) {
    if (known->operand) take_argument(program_.op(known->scan), *known->operand, known->carry, take);
    return;
  }
  const OpId id = program_.value(v).definition;
  if (!id.valid()) return;
  const Op& op = program_.op(id);
  if (std::holds_alternative<Scan>(op.data)) return take_scan_result(op, v, take);
  if (std::holds_alternative<Call>(op.data)) split_call(id, op);
  if (const SplitFunction* parts = callee(id)) {
    for (const size_t i : parts->second_arguments) take(op.operands[i]);
  } else {
    for (const ValueId operand : op.operands) take(operand);
  }
}

/// The second part reads a value of the first one. In a body, the scan around it stacks it and hands the stack over.
void SplitParts::hand(const KeptValue& what, std::optional<OpId> scan) {
  const bool is_new =
      what.value.valid() ? known_values_.insert(what.value.index()).second : known_extras_.insert(what.extra).second;
  if (!is_new) return;
  handed_[key(scan)].push_back(what);
  if (scan) hand(KeptValue{{}, ExtraResult{*scan, handed_[key(scan)].size() - 1}}, scan_of(*scan));
}

void SplitParts::split_call(OpId id, const Op& op) {
  if (callee(id) != nullptr) return;
  std::vector<size_t> chosen;
  for (size_t r = 0; r < op.results.size(); ++r) {
    if (in_first(op.results[r])) chosen.push_back(r);
  }
  if (chosen.empty()) return;
  const std::optional<SplitFunction> split = split_callee_(std::get<Call>(op.data).callee, chosen);
  if (!split) {
    good_ = false;
    return;
  }
  callees_[id.index()] = *split;
  for (size_t k = 0; k < split->handed; ++k) hand(KeptValue{{}, ExtraResult{id, k}}, scan_of(id));
}

}  // namespace isoshard
