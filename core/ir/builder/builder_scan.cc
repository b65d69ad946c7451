// Scans: a body appended once or, until the states of its carries are known, again.
// States of a carry are known when the body, given them at its entry, gives the same at its exit
// (docs/adr/0010-scan.md; docs/spec/states.md, "Carries of a scan"). So the body, a function, is run with the states of
// the initial values; where it gives others, all that it appended is dropped and it is run again with what the carry
// takes from them (scan_states.h). Each axis changes at most twice, so that this ends. Caller and body may compare
// states that are written only in a last run, when they are settled. Errors of dtype and shape end it at once: they do
// not depend on states. Cost: runs times the body, whatever the trips.

#include <algorithm>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/ir/scan_states.h"
#include "core/support/check.h"
#include "core/support/counted.h"

namespace isoshard {
namespace {

std::string name_of(const std::vector<std::string>& names, size_t i) { return names.empty() ? "" : names[i]; }

}  // namespace

std::vector<ValueId> Builder::scan(const ScanOperands& operands, const ScanBody& body, Location location) {
  const std::vector<ValueId> invalid(std::max<size_t>(1, operands.result_names.size()));
  std::optional<Op> op = start_scan(operands, location);
  if (!op) {
    failed_ = true;
    return invalid;
  }
  const Scan& scan = std::get<Scan>(op->data);
  std::vector<CarryState> carries;
  for (const ValueId id : operands.initial) carries.emplace_back(operand_state(id), program_.typed_);
  for (bool settled = carries.empty();;) {
    const size_t values = program_.values_.size(), ops = program_.ops_.size();
    open_.push_back(OpenRegion{regions_++, {}, {}});
    const ScanArguments arguments = add_scan_arguments(operands, carries, location);
    const size_t errors = sink_.error_count();
    const std::optional<ScanYield> yield = body(arguments, settled);
    const bool good = yield && sink_.error_count() == errors && check_yield(scan, arguments, *yield);
    bool again = false;
    for (size_t c = 0; good && c < carries.size(); ++c) again |= carries[c].take(operand_state(yield->carries[c]));
    if (good && !again && (settled || !yield->check_states))
      return close_scan(operands, std::move(*op), arguments, *yield, carries);
    drop_region(values, ops);
    settled = !again;
    if (good) continue;
    failed_ = true;
    return invalid;
  }
}

/// The op with its operands; nothing after an error.
std::optional<Op> Builder::start_scan(const ScanOperands& operands, const Location& location) {
  std::vector<ValueId> all = operands.initial;
  all.insert(all.end(), operands.stacked.begin(), operands.stacked.end());
  const bool poisoned = std::any_of(all.begin(), all.end(), [](ValueId v) { return !v.valid(); });
  if (poisoned || captures("scan", all, location)) return std::nullopt;
  std::vector<TensorType> types;
  for (const ValueId id : all) types.push_back(type(id).tensor);
  const InferContext context(mesh(), module_, std::move(types), "scan", location, sink_);
  if (!operands.trips && operands.stacked.empty()) {
    context.error("T-scan", "nothing is stacked and `trips` is missing; expected how often the body runs");
    return std::nullopt;
  }
  Scan scan{operands.trips.value_or(0), static_cast<int64_t>(operands.initial.size())};
  if (!operands.trips) {
    const Shape& shape = type(operands.stacked[0]).tensor.shape;
    if (!shape.empty()) scan.trips = shape[0];
  }
  if (!scan.check_operands(context)) return std::nullopt;
  return Op{scan, std::move(all), {}, {}, location, {}};
}

ScanArguments Builder::add_scan_arguments(const ScanOperands& operands, const std::vector<CarryState>& carries,
                                          const Location& location) {
  ScanArguments result;
  if (operands.with_index) {
    ValueType index{TensorType{DType::i32, {}}, States(mesh().axis_count(), State::equal), false};
    result.index = new_value(std::move(index), OpId(), operands.index_name, location, false);
  }
  for (size_t c = 0; c < carries.size(); ++c) {
    const OperandState& inside = carries[c].inside();
    ValueType carry{type(operands.initial[c]).tensor, inside.states, inside.has_gradient};
    result.carries.push_back(
        new_value(std::move(carry), OpId(), name_of(operands.carry_names, c), location, inside.exact_zero));
  }
  for (size_t s = 0; s < operands.stacked.size(); ++s) {
    const ValueId whole = operands.stacked[s];
    ValueType slice = type(whole);
    slice.tensor = Scan::slice(std::move(slice.tensor));
    result.slices.push_back(
        new_value(std::move(slice), OpId(), name_of(operands.slice_names, s), location, exact_zero_[whole.index()]));
  }
  return result;
}

bool Builder::check_yield(const Scan& scan, const ScanArguments& arguments, const ScanYield& yield) {
  std::vector<ValueId> all = yield.carries;
  all.insert(all.end(), yield.stacked.begin(), yield.stacked.end());
  if (std::any_of(all.begin(), all.end(), [](ValueId v) { return !v.valid(); })) return false;
  const auto error = [&](const std::string& message) {
    sink_.error("T-scan", yield.location, "yield: " + message);
    return false;
  };
  if (captures("yield", all, yield.location)) return false;
  if (yield.carries.size() != static_cast<size_t>(scan.carries)) {
    return error("the body yields " + counted(yield.carries.size(), "next carry value") + " for " +
                 counted(arguments.carries.size(), "carry value") + "; expected one each");
  }
  if (all.empty()) return error("nothing is carried and nothing is stacked; expected at least one value");
  for (size_t c = 0; c < yield.carries.size(); ++c) {
    const Value& entry = program_.value(arguments.carries[c]);
    const Value& exit = program_.value(yield.carries[c]);
    if (entry.type.tensor == exit.type.tensor) continue;
    return error("the carry %" + entry.name + " is " + to_string(entry.type.tensor) + " and its next value %" +
                 exit.name + " is " + to_string(exit.type.tensor) + "; expected one dtype and shape");
  }
  return true;
}

/// The innermost region is complete: the op goes into the region around it.
std::vector<ValueId> Builder::close_scan(const ScanOperands& operands, Op op, const ScanArguments& arguments,
                                         const ScanYield& yield, const std::vector<CarryState>& carries) {
  Region region;
  if (arguments.index.valid()) region.arguments.push_back(arguments.index);
  for (const auto* ids : {&arguments.carries, &arguments.slices}) {
    region.arguments.insert(region.arguments.end(), ids->begin(), ids->end());
  }
  for (const auto* ids : {&yield.carries, &yield.stacked}) {
    region.results.insert(region.results.end(), ids->begin(), ids->end());
  }
  region.ops = std::move(open_.back().ops);
  open_.pop_back();
  const Scan scan = std::get<Scan>(op.data);
  const OpId id(program_.ops_.size());
  const size_t results = region.results.size();
  if (!operands.result_names.empty() && operands.result_names.size() != results) {
    sink_.error("V-results", op.location,
                "scan: has " + counted(results, "result") + " and " + counted(operands.result_names.size(), "name"));
    failed_ = true;
    return std::vector<ValueId>(operands.result_names.size());
  }
  for (size_t r = 0; r < results; ++r) {
    const OperandState yielded = operand_state(region.results[r]);
    ValueType made = type(region.results[r]);
    bool zero = yielded.exact_zero;
    if (r < carries.size()) {
      made.states = carry_states(carries[r], program_.value(arguments.carries[r]).name, yielded, op);
      made.has_gradient = carries[r].inside().has_gradient;
      zero = carries[r].inside().exact_zero;
    } else {
      made.tensor = scan.stack(std::move(made.tensor));
    }
    op.results.push_back(new_value(std::move(made), id, name_of(operands.result_names, r), op.location, zero));
  }
  op.regions.push_back(std::move(region));
  program_.ops_.push_back(std::move(op));
  add_to_region(id);
  return program_.ops_.back().results;
}

States Builder::carry_states(const CarryState& carry, const std::string& name, const OperandState& yielded, Op& op) {
  StateContext context{mesh(), module_, program_.typed_, "scan", {}, op.location, op.state_errors, {}, false};
  return carry.finish(name, yielded, context);
}

void Builder::drop_region(size_t values, size_t ops) {
  open_.pop_back();
  program_.values_.erase(program_.values_.begin() + static_cast<std::ptrdiff_t>(values), program_.values_.end());
  program_.ops_.erase(program_.ops_.begin() + static_cast<std::ptrdiff_t>(ops), program_.ops_.end());
  exact_zero_.resize(values);
  region_.resize(values);
}

}  // namespace isoshard
