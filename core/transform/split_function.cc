// Cuts a function into two: what some results need, and the rest. For schedules that run a backward in an input and a
// weight part (docs/adr/0027-parts-of-the-backward-program.md). Which part has which value is decided by
// split_parts.cc; here both are written. What both need is computed in the first part and handed over, but for
// constants. A scan becomes two scans, of which the first stacks what the second reads; a call becomes calls of the two
// parts of its callee. Neither part computes what it does not need, so the two together do the work of the whole. Cost:
// one walk over the function per part.
#include "core/transform/split_function.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/ir/builder/builder.h"
#include "core/transform/split_parts.h"

namespace isoshard {
namespace {

/// Writes one part of a function.
class PartWriter {
 public:
  PartWriter(const Program& program, const SplitParts& parts, bool second, Builder& out)
      : program_(program), parts_(parts), second_(second), out_(out) {}

  /// The arguments of the original that this part has.
  std::vector<size_t> arguments() {
    std::vector<size_t> result;
    const std::vector<ValueId>& arguments = program_.body().arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!has(arguments[i])) continue;
      const Value& value = program_.value(arguments[i]);
      values_[arguments[i].index()] = out_.argument(value.name, value.type, value.location);
      result.push_back(i);
    }
    return result;
  }
  /// What the other part hands over, as arguments of these types.
  void take(const std::vector<ValueType>& types) {
    for (size_t k = 0; k < types.size(); ++k) bind(parts_.handed(std::nullopt)[k], out_.argument("", types[k]));
  }
  bool write() { return region(program_.body()); }
  std::vector<ValueId> results(const std::vector<size_t>& which) const {
    std::vector<ValueId> values;
    for (const size_t r : which) values.push_back(value(program_.body().results[r]));
    return values;
  }
  std::vector<ValueId> handed(std::optional<OpId> scan) const {
    std::vector<ValueId> values;
    for (const KeptValue& what : parts_.handed(scan)) {
      values.push_back(what.value.valid() ? value(what.value) : extras_.at(what.extra));
    }
    return values;
  }

 private:
  bool has(ValueId v) const { return second_ ? parts_.in_second(v) : parts_.in_first(v); }
  ValueId value(ValueId original) const { return values_.at(original.index()); }
  void bind(const KeptValue& what, ValueId copy) {
    if (what.value.valid()) {
      values_[what.value.index()] = copy;
    } else {
      extras_[what.extra] = copy;
    }
  }

  bool region(const Region& region) {
    for (const OpId id : region.ops) {
      const Op& op = program_.op(id);
      if (std::none_of(op.results.begin(), op.results.end(), [&](ValueId v) { return has(v); })) continue;
      const bool good = std::holds_alternative<Scan>(op.data) ? scan(id, op) : plain(id, op);
      if (!good) return false;
    }
    return true;
  }

  bool plain(OpId id, const Op& op) {
    const SplitFunction* split = parts_.callee(id);
    if (split != nullptr) return call(id, op, *split);
    std::vector<ValueId> operands;
    for (const ValueId operand : op.operands) operands.push_back(value(operand));
    const std::vector<ValueId> results = out_.append(op.data, std::move(operands), names(op.results), op.location);
    for (size_t i = 0; i < results.size(); ++i) {
      if (has(op.results[i])) values_[op.results[i].index()] = results[i];
    }
    return results.empty() || results.front().valid();
  }

  bool call(OpId id, const Op& op, const SplitFunction& split) {
    std::vector<ValueId> operands;
    for (const size_t i : second_ ? split.second_arguments : split.first_arguments) {
      operands.push_back(value(op.operands[i]));
    }
    for (size_t k = 0; second_ && k < split.handed; ++k) operands.push_back(extras_.at(ExtraResult{id, k}));
    const std::vector<size_t>& given = second_ ? split.second_results : split.first_results;
    const std::vector<ValueId> results =
        out_.append(Call{second_ ? split.second : split.first}, std::move(operands), {}, op.location);
    for (size_t i = 0; i < results.size(); ++i) {
      if (i < given.size()) {
        values_[op.results[given[i]].index()] = results[i];
      } else {
        extras_[ExtraResult{id, i - given.size()}] = results[i];
      }
    }
    return results.empty() || results.front().valid();
  }

  std::vector<std::string> names(const std::vector<ValueId>& values) const {
    std::vector<std::string> result;
    for (const ValueId v : values) result.push_back(program_.value(v).name);
    return result;
  }

  /// The carries, slices and stacks of one part of a scan, as numbers of the original's operands and results.
  struct ScanPart {
    std::vector<size_t> carries, slices, stacks;
  };
  ScanPart part_of(const Op& op) const {
    const Region& region = op.regions.front();
    const size_t first = region.arguments.size() - op.operands.size();
    const auto carries = static_cast<size_t>(std::get<Scan>(op.data).carries);
    ScanPart part;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (has(region.arguments[first + i])) (i < carries ? part.carries : part.slices).push_back(i);
    }
    for (size_t r = carries; r < op.results.size(); ++r) {
      if (has(op.results[r])) part.stacks.push_back(r);
    }
    return part;
  }

  bool scan(OpId id, const Op& op) {
    const Region& region = op.regions.front();
    const size_t first = region.arguments.size() - op.operands.size();
    const ScanPart part = part_of(op);
    ScanOperands operands;
    for (const size_t c : part.carries) operands.initial.push_back(value(op.operands[c]));
    for (const size_t i : part.slices) operands.stacked.push_back(value(op.operands[i]));
    const size_t own_slices = part.slices.size(), handed_over = parts_.handed(id).size();
    for (size_t k = 0; second_ && k < handed_over; ++k) operands.stacked.push_back(extras_.at(ExtraResult{id, k}));
    operands.trips = std::get<Scan>(op.data).trips;
    operands.with_index = first == 1 && has(region.arguments[0]);
    const ScanBody body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
      if (operands.with_index) values_[region.arguments[0].index()] = in.index;
      for (size_t k = 0; k < part.carries.size(); ++k) {
        values_[region.arguments[first + part.carries[k]].index()] = in.carries[k];
      }
      for (size_t k = 0; k < own_slices; ++k) {
        values_[region.arguments[first + part.slices[k]].index()] = in.slices[k];
      }
      for (size_t k = own_slices; k < in.slices.size(); ++k) bind(parts_.handed(id)[k - own_slices], in.slices[k]);
      if (!this->region(region)) return std::nullopt;
      ScanYield yield{{}, {}, op.location};
      for (const size_t c : part.carries) yield.carries.push_back(value(region.results[c]));
      for (const size_t r : part.stacks) yield.stacked.push_back(value(region.results[r]));
      const std::vector<ValueId> extra = second_ ? std::vector<ValueId>() : handed(id);
      yield.stacked.insert(yield.stacked.end(), extra.begin(), extra.end());
      return yield;
    };
    const std::vector<ValueId> results = out_.scan(operands, body, op.location);
    std::vector<size_t> given = part.carries;
    given.insert(given.end(), part.stacks.begin(), part.stacks.end());
    for (size_t i = 0; i < results.size(); ++i) {
      if (i >= given.size()) {
        extras_[ExtraResult{id, i - given.size()}] = results[i];
      } else if (has(op.results[given[i]])) {
        values_[op.results[given[i]].index()] = results[i];
      }
    }
    return results.empty() || results.front().valid();
  }

  const Program& program_;
  const SplitParts& parts_;
  const bool second_;
  Builder& out_;
  std::map<size_t, ValueId> values_;
  std::map<ExtraResult, ValueId> extras_;
};

Builder part_builder(Module& module, const Program& program, const std::string& suffix, DiagnosticSink& sink) {
  return Builder(module, program.name() + suffix, program.shared_mesh(), sink,
                 BuilderOptions{ProgramKind::function, program.typed(), program.location()});
}

}  // namespace

std::optional<SplitFunction> split_function(Module& module, ProgramId function,
                                            const std::vector<size_t>& first_results, DiagnosticSink& sink) {
  const Program program = module.program(function);  // a copy: the module grows
  SplitParts parts(program, [&](ProgramId callee, const std::vector<size_t>& results) {
    return split_function(module, callee, results, sink);
  });
  if (!parts.choose(first_results)) return std::nullopt;
  SplitFunction result;
  result.first_results = first_results;
  for (size_t r = 0; r < program.body().results.size(); ++r) {
    const bool chosen = std::find(first_results.begin(), first_results.end(), r) != first_results.end();
    if (!chosen) result.second_results.push_back(r);
  }
  Builder first = part_builder(module, program, ".first", sink);
  PartWriter first_writer(program, parts, false, first);
  result.first_arguments = first_writer.arguments();
  if (!first_writer.write()) return std::nullopt;
  const std::vector<ValueId> handed = first_writer.handed(std::nullopt);
  std::vector<ValueType> types;
  for (const ValueId id : handed) types.push_back(first.type(id));
  std::vector<ValueId> values = first_writer.results(result.first_results);
  values.insert(values.end(), handed.begin(), handed.end());
  first.results(std::move(values), program.location());
  const std::optional<ProgramId> first_id = first.finish();
  Builder second = part_builder(module, program, ".second", sink);
  PartWriter second_writer(program, parts, true, second);
  result.second_arguments = second_writer.arguments();
  second_writer.take(types);
  if (!second_writer.write()) return std::nullopt;
  second.results(second_writer.results(result.second_results), program.location());
  const std::optional<ProgramId> second_id = second.finish();
  if (!first_id || !second_id) return std::nullopt;
  result.first = *first_id;
  result.second = *second_id;
  result.handed = handed.size();
  return result;
}

}  // namespace isoshard
