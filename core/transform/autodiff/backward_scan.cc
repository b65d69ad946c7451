// Differentiates a scan without unrolling it: the backward pass is a scan from the last iteration to the first, whose
// carries are the cotangents of the active carries, and which stacks the cotangents of slices. What an iteration reads
// of the forward one is stacked by the forward scan (Remat::none), but for what takes no work to make again, such as
// constants and repetitions; or the iteration is computed again from its carries (Remat::full; T. Chen et al. 2016).
// What is read is found by differentiating the body once, for nothing but that. Carries that never change are handed
// through once. Cost: trips times the body's rules, and, stacked, trips times what is read in memory.
#include "core/transform/autodiff/backward_scan.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace isoshard::autodiff {
namespace {

/// The values of one iteration, computed again from its carries and slices.
class RecomputedIteration final : public Primals {
 public:
  RecomputedIteration(const Program& program, Builder& out, const CopyOptions& options)
      : copy_(program, out, options) {}
  bool compute(const Region& region) { return copy_.copy(region); }
  void bind(const KeptValue& original, ValueId copy) { copy_.bind(original.value, copy); }
  ValueId value(ValueId original) override { return copy_.value(original); }
  ValueId extra(const ExtraResult& which) override { return copy_.extra(which); }

 private:
  RegionCopy copy_;
};

/// The values of one iteration that are read, and what takes no work to make of them: constants, what depends on them
/// and the iteration alone, and repetitions.
class SavedIteration final : public Primals {
 public:
  /// `missing` gives a value that was not bound.
  SavedIteration(const Program& program, OpId scan, Builder& out, std::function<ValueId(const KeptValue&)> missing)
      : program_(program), out_(out), missing_(std::move(missing)) {
    const Op& op = program.op(scan);
    const Region& region = op.regions.front();
    if (region.arguments.size() > op.operands.size()) index_ = region.arguments.front();
  }

  void bind(const KeptValue& original, ValueId copy) {
    if (original.value.valid()) {
      values_[original.value.index()] = copy;
    } else {
      extras_[original.extra] = copy;
    }
  }
  ValueId value(ValueId original) override {
    const auto known = values_.find(original.index());
    if (known != values_.end()) return known->second;
    const OpId id = program_.value(original).definition;
    if (!id.valid() || !costs_nothing(id)) return values_[original.index()] = missing_(KeptValue{original, {}});
    const Op& op = program_.op(id);
    std::vector<ValueId> operands;
    for (const ValueId operand : op.operands) operands.push_back(value(operand));
    const std::vector<ValueId> results = out_.append(op.data, std::move(operands), {}, op.location);
    for (size_t i = 0; i < results.size(); ++i) values_[op.results[i].index()] = results[i];
    return values_.at(original.index());
  }
  ValueId extra(const ExtraResult& which) override {
    const auto known = extras_.find(which);
    return known != extras_.end() ? known->second : extras_[which] = missing_(KeptValue{{}, which});
  }

 private:
  bool costs_nothing(OpId id) const {
    const Op& op = program_.op(id);
    return std::holds_alternative<BroadcastInDim>(op.data) || std::holds_alternative<Reshape>(op.data) ||
           std::holds_alternative<StopGradient>(op.data) || std::holds_alternative<Reinterpret>(op.data) ||
           is_constant(id);
  }
  /// The same in every run of the program, but for the iteration.
  bool is_constant(OpId id) const {
    const Op& op = program_.op(id);
    if (std::holds_alternative<Scan>(op.data) || std::holds_alternative<Call>(op.data)) return false;
    return std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId v) {
      const OpId definition = program_.value(v).definition;
      return v == index_ || (definition.valid() && is_constant(definition));
    });
  }

  const Program& program_;
  Builder& out_;
  std::function<ValueId(const KeptValue&)> missing_;
  ValueId index_;
  std::map<size_t, ValueId> values_;
  std::map<ExtraResult, ValueId> extras_;
};

}  // namespace

std::optional<ScanResiduals> scan_residuals(Module& module, const Program& program, const Analysis& analysis, OpId scan,
                                            DiagnosticSink& sink) {
  const Op& op = program.op(scan);
  const Region& region = op.regions.front();
  const auto carries = static_cast<size_t>(std::get<Scan>(op.data).carries);
  const size_t first = region.arguments.size() - op.operands.size();
  Builder scratch(module, program.name() + ".body", program.shared_mesh(), sink,
                  BuilderOptions{ProgramKind::function, program.typed(), op.location});
  ScanResiduals result;
  const auto missing = [&](const KeptValue& asked) {
    const auto argument = std::find(region.arguments.begin(), region.arguments.end(), asked.value);
    const auto place = static_cast<size_t>(argument - region.arguments.begin());
    const bool known = argument != region.arguments.end() &&
                       (place < first || place - first >= carries || region.results[place - first] == *argument);
    if (known) {
      result.read_arguments.insert(place);
    } else {
      result.saved.push_back(asked);
    }
    return scratch.argument(
        "", asked.value.valid() ? program.value(asked.value).type : extra_type(module, program, analysis, asked.extra));
  };
  SavedIteration values(program, scan, scratch, missing);
  Adjoint pass(scratch, program, analysis, values);
  for (size_t r = 0; r < region.results.size(); ++r) {
    const ValueId active = r < carries ? region.arguments[first + r] : op.results[r];
    if (!pass.active(active)) continue;
    // A carry has one state, at the beginning and at the end.
    ValueType type = cotangent_type(program, r < carries ? active : region.results[r]);
    pass.give(region.results[r], scratch.argument("", std::move(type)), op.location);
  }
  if (!pass.run(region, sink)) return std::nullopt;
  return result;
}

BackwardScan::BackwardScan(OpAdjoint& at)
    : at_(at),
      op_(at.program().op(at.id())),
      region_(op_.regions.front()),
      copy_(at.analysis().copy.scans.at(at.id().index())),
      read_(at.analysis().read_arguments.at(at.id().index())),
      carries_(static_cast<size_t>(std::get<Scan>(op_.data).carries)),
      first_(region_.arguments.size() - op_.operands.size()) {
  for (size_t c = 0; c < carries_; ++c) fixed_ += fixed(c) && reads(first_ + c) ? 1U : 0U;
}

ScanOperands BackwardScan::operands() {
  const int64_t trips = std::get<Scan>(op_.data).trips;
  ScanOperands operands;
  operands.trips = trips;
  for (size_t c = 0; c < carries_; ++c) {
    if (carried(c)) operands.initial.push_back(at_.cotangent(c));
  }
  for (size_t c = 0; c < carries_; ++c) {
    if (fixed(c) && reads(first_ + c)) operands.initial.push_back(at_.forward_operand(c));
  }
  if (first_ == 1 && reads(0)) operands.stacked.push_back(at_.reverse(at_.op(Iota{DType::i32, {trips}, 0}, {}), 0));
  for (size_t k = 0; k < copy_.saved.size(); ++k) operands.stacked.push_back(at_.reverse(at_.extra(k), 0));
  for (size_t i = carries_; i < op_.operands.size(); ++i) {
    if (reads(first_ + i)) operands.stacked.push_back(at_.reverse(at_.forward_operand(i), 0));
  }
  for (size_t r = carries_; r < op_.results.size(); ++r) {
    if (at_.wants_result(r)) operands.stacked.push_back(at_.reverse(at_.cotangent(r), 0));
  }
  return operands;
}

void BackwardScan::run() {
  give(at_.builder().scan(
      operands(), [this](const ScanArguments& in, bool) { return body(in); }, at_.location()));
}

/// Binds what the iteration saw or saved; what is left of the slices are cotangents, from the returned one on.
template <class Values>
size_t BackwardScan::bind(const ScanArguments& in, size_t first_fixed, Values& values) const {
  size_t next = 0;
  if (first_ == 1 && reads(0)) values.bind(KeptValue{region_.arguments[0], {}}, in.slices[next++]);
  for (const KeptValue& saved : copy_.saved) values.bind(saved, in.slices[next++]);
  for (size_t i = 0; i < op_.operands.size(); ++i) {
    if (!reads(first_ + i)) continue;
    values.bind(KeptValue{argument(i), {}}, i < carries_ ? in.carries[first_fixed++] : in.slices[next++]);
  }
  return next;
}

std::optional<ScanYield> BackwardScan::body(const ScanArguments& in) {
  const size_t first_fixed = in.carries.size() - fixed_;
  if (copy_.inner) {
    const auto unknown = [](const KeptValue&) -> ValueId {
      throw std::logic_error("the backward pass of an iteration reads something else than it did before");
    };
    SavedIteration iteration(at_.program(), at_.id(), at_.builder(), unknown);
    return adjoint(in, bind(in, first_fixed, iteration), iteration);
  }
  RecomputedIteration iteration(at_.program(), at_.builder(), at_.analysis().copy);
  const size_t next = bind(in, first_fixed, iteration);
  if (!iteration.compute(region_)) return std::nullopt;
  return adjoint(in, next, iteration);
}

std::optional<ScanYield> BackwardScan::adjoint(const ScanArguments& in, size_t next, Primals& primals) {
  Adjoint pass(at_.builder(), at_.program(), at_.analysis(), primals);
  size_t carry = 0;
  for (size_t c = 0; c < carries_; ++c) {
    if (carried(c)) pass.give(region_.results[c], in.carries[carry++], at_.location());
  }
  for (size_t r = carries_; r < op_.results.size(); ++r) {
    if (at_.wants_result(r)) pass.give(region_.results[r], in.slices[next++], at_.location());
  }
  if (!pass.run(region_, at_.sink())) return std::nullopt;
  ScanYield yield{{}, {}, at_.location()};
  for (size_t i = 0; i < op_.operands.size(); ++i) {
    if (i < carries_ ? !carried(i) : !at_.wants(i)) continue;
    (i < carries_ ? yield.carries : yield.stacked).push_back(pass.cotangent_or_zeros(argument(i), at_.location()));
  }
  yield.carries.insert(yield.carries.end(), in.carries.end() - static_cast<std::ptrdiff_t>(fixed_), in.carries.end());
  return yield;
}

void BackwardScan::give(const std::vector<ValueId>& results) {
  size_t next = 0;
  for (size_t c = 0; c < carries_; ++c) {
    if (carried(c)) at_.give(c, results[next++]);
  }
  next += fixed_;
  for (size_t i = carries_; i < op_.operands.size(); ++i) {
    if (at_.wants(i)) at_.give(i, at_.reverse(results[next++], 0));
  }
}

}  // namespace isoshard::autodiff
