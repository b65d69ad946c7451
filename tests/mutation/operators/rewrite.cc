#include "tests/mutation/operators/rewrite.h"

#include <algorithm>

namespace isoshard::mutation {
namespace {

/// Ends a copy whose mutant cannot be written.
struct NoMutant {};

class Copy {
 public:
  Copy(Module& module, const Program& source, const std::string& name, std::optional<OpId> at, uint64_t seed,
       const Apply& apply)
      : source_(source),
        at_(at),
        seed_(seed),
        apply_(apply),
        out_(module, name, source.shared_mesh(), sink_, {source.kind(), source.typed(), source.location()}),
        copies_(source.value_count()) {}

  std::optional<Rewritten> finish() {
    try {
      for (const ValueId id : source_.body().arguments) {
        define(id, out_.argument(source_.value(id).name, source_.value(id).type, source_.value(id).location));
      }
      ops(source_.body());
    } catch (const NoMutant&) {
      return std::nullopt;
    }
    for (const Output& output : source_.outputs()) {
      for (const ReturnPart& part : output.parts) {
        out_.output(output.name, copy(part.value), part.layout, part.location, output.type);
      }
    }
    for (const Output& update : source_.updates()) {
      for (const ReturnPart& part : update.parts) {
        out_.update(update.updates, copy(part.value), part.layout, part.location);
      }
    }
    if (source_.kind() == ProgramKind::function) {
      std::vector<ValueId> results;
      for (const ValueId result : source_.body().results) results.push_back(copy(result));
      out_.results(std::move(results), source_.location());
    }
    const std::optional<ProgramId> id = out_.finish();
    if (!id || did_.empty()) return std::nullopt;
    return Rewritten{*id, did_, where_};
  }

 private:
  ValueId copy(ValueId original) const { return copies_[original.index()]; }

  void define(ValueId original, ValueId value) {
    copies_[original.index()] = value;
    visible_.push_back(value);
  }

  void ops(const Region& region) {
    for (const OpId id : region.ops) {
      const Op& op = source_.op(id);
      std::vector<ValueId> results = written(id, op);
      if (results.size() != op.results.size()) throw NoMutant();
      for (size_t i = 0; i < results.size(); ++i) {
        if (!results[i].valid()) throw NoMutant();
        define(op.results[i], results[i]);
      }
    }
  }

  std::vector<ValueId> written(OpId id, const Op& op) {
    if (!at_ || *at_ == id) {
      Place place(out_, source_, op, copies_, visible_, seed_);
      place.read_operands();
      if (Replacement replacement = apply_(place)) {
        did_ = place.did;
        where_ = std::string(op_name(op.data)) + " %" + source_.value(op.results[0]).name;
        return *std::move(replacement);
      }
      if (at_) throw NoMutant();
    }
    return std::holds_alternative<Scan>(op.data) ? scan(op) : as_it_was(op);
  }

  std::vector<ValueId> as_it_was(const Op& op) {
    OpData data = op.data;
    if (View* view = std::get_if<View>(&data)) view->coverage = Coverage{0};
    std::vector<ValueId> operands;
    for (const ValueId operand : op.operands) operands.push_back(copy(operand));
    return out_.append(std::move(data), std::move(operands), names(op.results), op.location);
  }

  std::vector<std::string> names(const std::vector<ValueId>& values) const {
    std::vector<std::string> result;
    for (const ValueId value : values) result.push_back(source_.value(value).name);
    return result;
  }

  std::vector<ValueId> scan(const Op& op) {
    const Scan& data = std::get<Scan>(op.data);
    const Region& region = op.regions[0];
    ScanOperands operands;
    const auto carries = static_cast<std::ptrdiff_t>(data.carries);
    for (const ValueId operand : op.operands) operands.stacked.push_back(copy(operand));
    operands.initial.assign(operands.stacked.begin(), operands.stacked.begin() + carries);
    operands.stacked.erase(operands.stacked.begin(), operands.stacked.begin() + carries);
    operands.trips = data.trips;
    operands.with_index = region.arguments.size() > op.operands.size();
    operands.result_names = names(op.results);
    const auto body = [&](const ScanArguments& arguments, bool) { return scan_body(region, arguments, data.carries); };
    return out_.scan(operands, body, op.location);
  }

  std::optional<ScanYield> scan_body(const Region& region, const ScanArguments& arguments, int64_t carries) {
    std::vector<ValueId> outside;
    std::swap(outside, visible_);
    std::vector<ValueId> values;
    if (arguments.index.valid()) values.push_back(arguments.index);
    values.insert(values.end(), arguments.carries.begin(), arguments.carries.end());
    values.insert(values.end(), arguments.slices.begin(), arguments.slices.end());
    for (size_t i = 0; i < values.size(); ++i) define(region.arguments[i], values[i]);
    ops(region);
    std::swap(outside, visible_);
    ScanYield yield;
    for (const ValueId result : region.results) {
      const bool carried = std::ssize(yield.carries) < carries;
      (carried ? yield.carries : yield.stacked).push_back(copy(result));
    }
    return yield;
  }

  const Program& source_;
  const std::optional<OpId> at_;
  const uint64_t seed_;
  const Apply& apply_;
  DiagnosticSink sink_;
  Builder out_;
  std::vector<ValueId> copies_;   ///< per original value
  std::vector<ValueId> visible_;  ///< of the copy, in the open region
  std::string did_, where_;
};

void mark(const Program& program, ValueId value, std::vector<bool>& live);

void mark(const Program& program, OpId id, std::vector<bool>& live) {
  if (live[id.index()]) return;
  live[id.index()] = true;
  for (const ValueId operand : program.op(id).operands) mark(program, operand, live);
  for (const Region& region : program.op(id).regions) {
    for (const ValueId result : region.results) mark(program, result, live);
  }
}

void mark(const Program& program, ValueId value, std::vector<bool>& live) {
  if (program.value(value).definition.valid()) mark(program, program.value(value).definition, live);
}

/// A program may move while another one is added to its module.
std::optional<Rewritten> copy_of(Module& module, ProgramId source, const std::string& name, std::optional<OpId> at,
                                 uint64_t seed, const Apply& apply) {
  const Program original = module.program(source);
  return Copy(module, original, name, at, seed, apply).finish();
}

}  // namespace

void Place::read_operands() {
  operands_.clear();
  for (const ValueId operand : op_.operands) operands_.push_back(copy(operand));
}

const Op* Place::maker_of(ValueId original) const {
  const OpId definition = program_.value(original).definition;
  return definition.valid() ? &program_.op(definition) : nullptr;
}

bool Place::float_result(size_t i) const { return is_float(program_.value(op_.results[i]).type.tensor.dtype); }

std::vector<ValueId> Place::append(OpData data, std::vector<ValueId> operands) {
  if (View* view = std::get_if<View>(&data)) view->coverage = Coverage{0};
  std::vector<ValueId> results = out_.append(std::move(data), std::move(operands), {});
  if (results.empty() || !results[0].valid()) throw NoMutant();
  return results;
}

ValueId Place::constant(const Rational& number, ValueId like) {
  const TensorType wanted = type(like);
  return add(Constant{number, wanted.dtype, wanted.shape}, {});
}

ValueId Place::slice(ValueId value, int64_t dim, int64_t start, int64_t limit) {
  Slice op{std::vector<int64_t>(shape(value).size(), 0), shape(value), {}};
  op.start[static_cast<size_t>(dim)] = start;
  op.limit[static_cast<size_t>(dim)] = limit;
  return add(op, {value});
}

std::optional<Rewritten> rewrite(Module& module, ProgramId source, const std::string& name, OpId at, uint64_t seed,
                                 const Apply& apply) {
  return copy_of(module, source, name, at, seed, apply);
}

std::optional<Rewritten> rewrite_all(Module& module, ProgramId source, const std::string& name, uint64_t seed,
                                     const Apply& apply) {
  return copy_of(module, source, name, std::nullopt, seed, apply);
}

std::vector<OpId> live_ops(const Program& program) {
  std::vector<bool> live(program.op_count(), false);
  for (const auto* outputs : {&program.outputs(), &program.updates()}) {
    for (const Output& output : *outputs) {
      for (const ReturnPart& part : output.parts) mark(program, part.value, live);
    }
  }
  for (const ValueId value : program.body().results) mark(program, value, live);
  std::vector<OpId> result;
  for (size_t i = 0; i < live.size(); ++i) {
    if (live[i]) result.push_back(OpId(i));
  }
  return result;
}

}  // namespace isoshard::mutation
