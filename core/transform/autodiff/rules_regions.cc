// Calls and scans: the backward program calls the backward part, and runs the body's adjoint from the last iteration to
// the first.
#include <algorithm>
#include <utility>

#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {

void adjoint(const Call&, OpAdjoint& at) {
  const Vjp& vjp = at.analysis().callees.at(at.id().index());
  std::vector<ValueId> operands;
  for (const size_t result : vjp.active_results) operands.push_back(at.cotangent(result));
  for (size_t i = 0; i < vjp.residuals; ++i) operands.push_back(at.extra(i));
  const std::vector<ValueId> gradients = at.ops(Call{vjp.backward}, std::move(operands));
  for (size_t i = 0; i < vjp.wrt.size(); ++i) at.give(vjp.wrt[i], gradients[i]);
}

namespace {

/// The values of one iteration, computed again from its carries and slices.
class Iteration final : public Primals {
 public:
  Iteration(const Program& program, Builder& out, const CopyOptions& options) : copy_(program, out, options) {}
  ValueId value(ValueId original) override { return copy_.value(original); }
  ValueId extra(const ExtraResult& which) override { return copy_.extra(which); }
  RegionCopy& copy() { return copy_; }

 private:
  RegionCopy copy_;
};

/// The backward scan of one scan: carries the cotangents of the active carries and the carries that never change, reads
/// what each iteration saw and the cotangents of what it stacked, all reversed, and stacks the cotangents of the
/// slices.
class BackwardScan {
 public:
  BackwardScan(const Scan& scan, OpAdjoint& at)
      : at_(at),
        scan_(scan),
        op_(at.program().op(at.id())),
        region_(op_.regions.front()),
        carries_(static_cast<size_t>(scan.carries)),
        first_(region_.arguments.size() - op_.operands.size()),
        changing_(changing_carries(op_)) {}

  void run() {
    ScanOperands operands;
    operands.trips = scan_.trips;
    for (size_t c = 0; c < carries_; ++c) {
      if (carried(c)) operands.initial.push_back(at_.cotangent(c));
    }
    for (size_t c = 0; c < carries_; ++c) {
      if (!changes(c)) operands.initial.push_back(at_.forward_operand(c));
    }
    if (first_ == 1) operands.stacked.push_back(at_.reverse(at_.op(Iota{DType::i32, {scan_.trips}, 0}, {}), 0));
    for (const size_t c : changing_) operands.stacked.push_back(at_.reverse(at_.extra(c), 0));
    for (size_t i = carries_; i < op_.operands.size(); ++i) {
      operands.stacked.push_back(at_.reverse(at_.forward_operand(i), 0));
    }
    for (size_t r = carries_; r < op_.results.size(); ++r) {
      if (at_.wants_result(r)) operands.stacked.push_back(at_.reverse(at_.cotangent(r), 0));
    }
    give(at_.builder().scan(
        operands, [this](const ScanArguments& in, bool) { return body(in); }, at_.location()));
  }

 private:
  /// A carry has a cotangent where its value in the body is active.
  bool carried(size_t c) const { return at_.active(argument(c)); }
  bool changes(size_t c) const { return std::find(changing_.begin(), changing_.end(), c) != changing_.end(); }
  ValueId argument(size_t operand) const { return region_.arguments[first_ + operand]; }

  /// Binds what the iteration saw; what is left of the slices are cotangents, from the returned one on.
  size_t bind(const ScanArguments& in, size_t fixed, RegionCopy& copy) const {
    size_t next = 0;
    if (first_ == 1) copy.bind(region_.arguments[0], in.slices[next++]);
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      const bool fixed_carry = i < carries_ && !changes(i);
      copy.bind(argument(i), fixed_carry ? in.carries[fixed++] : in.slices[next++]);
    }
    return next;
  }

  std::optional<ScanYield> body(const ScanArguments& in) {
    Iteration iteration(at_.program(), at_.builder(), at_.analysis().copy);
    const size_t fixed = in.carries.size() - (carries_ - changing_.size());
    size_t next = bind(in, fixed, iteration.copy());
    if (!iteration.copy().copy(region_)) return std::nullopt;
    Adjoint pass(at_.builder(), at_.program(), at_.analysis(), iteration);
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
    yield.carries.insert(yield.carries.end(), in.carries.begin() + static_cast<std::ptrdiff_t>(fixed),
                         in.carries.end());
    return yield;
  }

  void give(const std::vector<ValueId>& results) {
    size_t next = 0;
    for (size_t c = 0; c < carries_; ++c) {
      if (carried(c)) at_.give(c, results[next++]);
    }
    next += carries_ - changing_.size();
    for (size_t i = carries_; i < op_.operands.size(); ++i) {
      if (at_.wants(i)) at_.give(i, at_.reverse(results[next++], 0));
    }
  }

  OpAdjoint& at_;
  const Scan& scan_;
  const Op& op_;
  const Region& region_;
  size_t carries_, first_;
  std::vector<size_t> changing_;
};

}  // namespace

void adjoint(const Scan& op, OpAdjoint& at) { BackwardScan(op, at).run(); }

void adjoint(const PipelineRun&, OpAdjoint& at) { at.refuse("it gives gradients itself (wrt), which have none"); }

void differentiate(const OpData& data, OpAdjoint& at) {
  std::visit([&](const auto& op) { adjoint(op, at); }, data);
}

}  // namespace isoshard::autodiff
