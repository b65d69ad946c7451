// Scans: a body appended once or, until the states of its carries are known, again.
// States of a carry are known when the body, given them at its entry, gives the same at its exit
// (docs/adr/0010-scan.md; docs/spec/states.md, "Carries of a scan"). So the body, a function, is run with the states of
// the initial values; where it gives others, all that it appended is dropped and it is run again with what the carry
// takes from them (scan_states.h). Each axis changes at most twice, so that this ends. Caller and body may compare
// states that are written only in a last run, when they are settled. Errors of dtype and shape end it at once: they do
// not depend on states. Cost: runs times the body, whatever the trips.
#include "core/ir/builder/scan_builder.h"

#include <algorithm>
#include <utility>

#include "core/support/counted.h"

namespace isoshard {
namespace {

std::string name_of(const std::vector<std::string>& names, size_t i) { return names.empty() ? "" : names[i]; }

std::vector<ValueId> chained(std::vector<ValueId> first, const std::vector<ValueId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

ScanBuilder::ScanBuilder(OpenProgram& open, const Module& module, DiagnosticSink& sink, const ScanOperands& operands,
                         const Location& location)
    : open_(open),
      module_(module),
      sink_(sink),
      operands_(operands),
      op_{Scan{operands.trips.value_or(0), static_cast<int64_t>(operands.initial.size())},
          chained(operands.initial, operands.stacked),
          {},
          {},
          location,
          {}} {}

std::optional<std::vector<ValueId>> ScanBuilder::append(const ScanBody& body) {
  if (!start()) return std::nullopt;
  for (const ValueId id : operands_.initial) carries_.emplace_back(open_.operand_state(id), open_.program().typed());
  for (bool settled = carries_.empty();;) {
    open_.open_region();
    const ScanArguments arguments = add_arguments();
    const size_t errors = sink_.error_count();
    const std::optional<ScanYield> yield = body(arguments, settled);
    const bool good = yield && sink_.error_count() == errors && check_yield(arguments, *yield);
    bool again = false;
    for (size_t c = 0; good && c < carries_.size(); ++c) {
      again |= carries_[c].take(open_.operand_state(yield->carries[c]));
    }
    if (good && !again && (settled || !yield->check_states)) return close(arguments, *yield);
    open_.drop_region();
    if (!good) return std::nullopt;
    settled = !again;
  }
}

/// Checks the operands and finds the number of trips; false after an error.
bool ScanBuilder::start() {
  const std::vector<ValueId>& all = op_.operands;
  const bool poisoned = std::any_of(all.begin(), all.end(), [](ValueId v) { return !v.valid(); });
  if (poisoned || open_.captures("scan", all, op_.location)) return false;
  std::vector<const TensorType*> types;
  for (const ValueId id : all) types.push_back(&open_.type(id).tensor);
  const InferContext context(mesh(), module_, std::move(types), "scan", op_.location, sink_);
  if (!operands_.trips && operands_.stacked.empty()) {
    context.error("T-scan", "nothing is stacked and `trips` is missing; expected how often the body runs");
    return false;
  }
  Scan& scan = std::get<Scan>(op_.data);
  if (!operands_.trips) {
    const Shape& shape = open_.type(operands_.stacked[0]).tensor.shape;
    if (!shape.empty()) scan.trips = shape[0];
  }
  return scan.check_operands(context);
}

ScanArguments ScanBuilder::add_arguments() {
  ScanArguments result;
  const auto add = [&](ValueType type, std::string name, bool exact_zero) {
    return open_.add({std::move(type), OpId(), std::move(name), op_.location, exact_zero});
  };
  if (operands_.with_index) {
    ValueType index{TensorType{DType::i32, {}}, States(mesh().axis_count(), State::equal), false};
    result.index = add(std::move(index), operands_.index_name, false);
  }
  for (size_t c = 0; c < carries_.size(); ++c) {
    const OperandState& inside = carries_[c].inside();
    ValueType carry{open_.type(operands_.initial[c]).tensor, inside.states, inside.has_gradient};
    result.carries.push_back(add(std::move(carry), name_of(operands_.carry_names, c), inside.exact_zero));
  }
  for (size_t s = 0; s < operands_.stacked.size(); ++s) {
    const ValueId whole = operands_.stacked[s];
    ValueType slice = open_.type(whole);
    slice.tensor = Scan::slice(std::move(slice.tensor));
    result.slices.push_back(add(std::move(slice), name_of(operands_.slice_names, s), open_.is_exact_zero(whole)));
  }
  return result;
}

bool ScanBuilder::check_yield(const ScanArguments& arguments, const ScanYield& yield) {
  const std::vector<ValueId> all = chained(yield.carries, yield.stacked);
  if (std::any_of(all.begin(), all.end(), [](ValueId v) { return !v.valid(); })) return false;
  const auto error = [&](const std::string& message) {
    sink_.error("T-scan", yield.location, "yield: " + message);
    return false;
  };
  if (open_.captures("yield", all, yield.location)) return false;
  if (yield.carries.size() != carries_.size()) {
    return error("the body yields " + counted(yield.carries.size(), "next carry value") + " for " +
                 counted(arguments.carries.size(), "carry value") + "; expected one each");
  }
  if (all.empty()) return error("nothing is carried and nothing is stacked; expected at least one value");
  for (size_t c = 0; c < yield.carries.size(); ++c) {
    const Value& entry = open_.program().value(arguments.carries[c]);
    const Value& exit = open_.program().value(yield.carries[c]);
    if (entry.type.tensor == exit.type.tensor) continue;
    return error("the carry %" + entry.name + " is " + to_string(entry.type.tensor) + " and its next value %" +
                 exit.name + " is " + to_string(exit.type.tensor) + "; expected one dtype and shape");
  }
  return true;
}

/// The innermost region is complete: the op goes into the region around it.
std::optional<std::vector<ValueId>> ScanBuilder::close(const ScanArguments& arguments, const ScanYield& yield) {
  Region region;
  if (arguments.index.valid()) region.arguments.push_back(arguments.index);
  region.arguments = chained(chained(std::move(region.arguments), arguments.carries), arguments.slices);
  region.results = chained(yield.carries, yield.stacked);
  region.ops = open_.close_region();
  const size_t results = region.results.size();
  if (!operands_.result_names.empty() && operands_.result_names.size() != results) {
    sink_.error("V-results", op_.location,
                "scan: has " + counted(results, "result") + " and " + counted(operands_.result_names.size(), "name"));
    return std::nullopt;
  }
  for (size_t r = 0; r < results; ++r) op_.results.push_back(add_result(r, region, arguments));
  op_.regions.push_back(std::move(region));
  return open_.add_op(std::move(op_)).results;
}

ValueId ScanBuilder::add_result(size_t index, const Region& region, const ScanArguments& arguments) {
  const ValueId inside = region.results[index];
  const OperandState yielded = open_.operand_state(inside);
  ValueType made = open_.type(inside);
  bool zero = yielded.exact_zero;
  if (index < carries_.size()) {
    const CarryState& carry = carries_[index];
    made.states = carry_states(carry, open_.program().value(arguments.carries[index]).name, yielded);
    made.has_gradient = carry.inside().has_gradient;
    zero = carry.inside().exact_zero;
  } else {
    made.tensor = std::get<Scan>(op_.data).stack(std::move(made.tensor));
  }
  return open_.add({std::move(made), open_.next_op(), name_of(operands_.result_names, index), op_.location, zero});
}

States ScanBuilder::carry_states(const CarryState& carry, const std::string& name, const OperandState& yielded) {
  StateContext context{mesh(), module_, open_.program().typed(), "scan", {}, op_.location, op_.state_errors.own(),
                       {},     false};
  return carry.finish(name, yielded, context);
}

}  // namespace isoshard
