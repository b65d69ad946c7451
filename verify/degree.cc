#include "verify/degree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/support/check.h"
#include "sim/domains/ring_a.h"
#include "verify/degree_algebra.h"
#include "verify/random.h"

namespace isoshard::verify {
namespace {

class Counter {
 public:
  explicit Counter(const Plan& plan) : plan_(plan), degrees_(plan.values.size()), globals_(plan.globals.size()) {
    for (Degree& d : globals_) d.numerator = 1;
    counts_.outputs.resize(plan.outputs.size());
  }

  DegreeCounts count(int64_t steps) {
    for (int64_t step = 1; step <= steps; ++step) {
      iteration_ = mix(static_cast<uint64_t>(step));
      for (const RankGroup& group : plan_.groups) {
        devices_ = static_cast<double>(group.positions.empty() ? static_cast<size_t>(plan_.mesh->device_count())
                                                               : group.positions.size());
        run(group.blocks);
      }
      take_updates();
    }
    for (Degree& d : counts_.outputs) d.evaluations = std::min(d.evaluations, counts_.evaluations);
    return std::move(counts_);
  }

 private:
  const Degree& operand(const Instruction& i, size_t n) const { return degrees_[i.operands[n].index()]; }
  const Shape& shape(PlanValueId id) const { return plan_.value(id).type.shape; }

  /// Updated globals enter the next step with the degrees they were stored with.
  void take_updates() {
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      const GlobalId global = plan_.outputs[o].updates;
      if (global.valid() && is_float(plan_.outputs[o].type.dtype)) globals_[global.index()] = counts_.outputs[o];
    }
  }

  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat) {
        run_repeat(*block.repeat);
        continue;
      }
      std::vector<InstructionId> order;
      for (const Queue& queue : block.queues) {
        order.insert(order.end(), queue.instructions.begin(), queue.instructions.end());
      }
      std::sort(order.begin(), order.end());  // instructions are numbered in program order, operands first
      for (const InstructionId id : order) run(id);
    }
  }

  /// Iterates the transfer function of the body. A value of the body is another one in each iteration: so are its
  /// denominators.
  void run_repeat(const Repeat& repeat) {
    auto copy = [&](const std::vector<PlanValueId>& from, const std::vector<PlanValueId>& to) {
      std::vector<Degree> values;
      for (const PlanValueId id : from) values.push_back(degrees_[id.index()]);
      for (size_t i = 0; i < to.size(); ++i) degrees_[to[i].index()] = values[i];
    };
    const uint64_t outer = iteration_;
    std::vector<Degree> stacks(repeat.parts.size());
    copy(repeat.initial, repeat.arguments);
    for (int64_t i = 0; i < repeat.count; ++i) {
      iteration_ = mix(outer ^ mix(static_cast<uint64_t>(i) + 1));
      for (size_t s = 0; s < repeat.slices.size(); ++s) {
        degrees_[repeat.slices[s].index()] = slice_of(repeat.stacked[s]);
      }
      run(repeat.body);
      for (size_t p = 0; p < stacks.size(); ++p) add_part(stacks[p], degrees_[repeat.parts[p].index()]);
      copy(repeat.yields, repeat.arguments);
    }
    iteration_ = outer;
    copy(repeat.arguments, repeat.results);
    for (size_t s = 0; s < stacks.size(); ++s) {
      stacks[s].dims &= all_dims(shape(repeat.stacks[s]));
      stacks[s].denominator_dims &= all_dims(shape(repeat.stacks[s]));
      degrees_[repeat.stacks[s].index()] = stacks[s];
    }
  }

  Degree slice_of(PlanValueId stacked) const {
    Degree d = degrees_[stacked.index()];
    const std::vector<int64_t> where = without(shape(stacked).size(), {0}, 0);
    d.dims = move_bits(d.dims, where);
    d.denominator_dims = move_bits(d.denominator_dims, where);
    if (d.denominator_id != 0) d.denominator_id = mix(d.denominator_id ^ iteration_);
    return d;
  }

  /// Part after part along a new dimension 0.
  static void add_part(Degree& stack, const Degree& part) {
    std::vector<int64_t> where(kDims - 1);
    std::iota(where.begin(), where.end(), 1);
    merge_output(stack, part);
    stack.denominator_id = product_id(stack.denominator_id, part.denominator_id);
    stack.dims |= move_bits(part.dims, where) | bit(0);
    stack.denominator_dims |= move_bits(part.denominator_dims, where) | (part.denominator > 0 ? bit(0) : 0);
  }

  void run(InstructionId id) {
    const Instruction& i = plan_.instruction(id);
    if (const StoreBlock* store = std::get_if<StoreBlock>(&i.data))
      return merge_output(counts_.outputs[store->output], operand(i, 0));
    const Degree degree = degree_of(i, id);
    for (const PlanValueId result : i.results) {
      Degree d = degree;
      const uint64_t dims = all_dims(shape(result));
      d.dims &= dims;
      d.denominator_dims &= dims;
      const DType dtype = plan_.value(result).type.dtype;  // integers are decided, not calculated with
      if (is_integer(dtype) || dtype == DType::key) d = Degree{};
      degrees_[result.index()] = d;
    }
  }

  static void merge_output(Degree& output, const Degree& part) {
    output.numerator = std::max(output.numerator, part.numerator);
    output.denominator = std::max(output.denominator, part.denominator);
    output.evaluations = std::max(output.evaluations, part.evaluations);
  }

  Degree input(GlobalId global, const Instruction& i, InstructionId id) const {
    Degree d = globals_[global.index()];
    d.dims = all_dims(shape(i.results[0]));
    d.denominator_dims = d.denominator > 0 ? d.dims : 0;
    d.denominator_id = d.denominator > 0 ? fresh_id(id) : 0;
    return d;
  }

  /// Of denominators that nothing else has: those of one value in one step and iteration.
  uint64_t fresh_id(InstructionId id) const { return mix(mix(id.index() + 1) ^ mix(iteration_)); }

  /// The operand's entries elsewhere: which denominators meet is no longer known.
  Degree moved(const Instruction& i, InstructionId id) const {
    Degree d = operand(i, 0);
    d.denominator_id = moved_id(d.denominator_id, id);
    return d;
  }

  /// The same denominators seen through instruction `where`, which moves entries, in this iteration.
  uint64_t moved_id(uint64_t id, InstructionId where) const {
    return id == 0 ? 0 : mix(id ^ mix(where.index() + 1) ^ iteration_);
  }

  /// Entries that differ along `dim`, too.
  static Degree varying_along(Degree d, int64_t dim) {
    d.dims |= bit(static_cast<size_t>(dim));
    d.denominator_dims |= d.denominator > 0 ? bit(static_cast<size_t>(dim)) : 0;
    return d;
  }

  /// Entries that differ along every dimension of the result.
  Degree varying_everywhere(Degree d, const Instruction& i) const {
    d.dims = all_dims(shape(i.results[0]));
    d.denominator_dims = d.denominator > 0 ? d.dims : 0;
    return d;
  }

  Degree degree_of(const Instruction& i, InstructionId id) {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data)) return input(load->global, i, id);
    if (const LocalOp* local = std::get_if<LocalOp>(&i.data)) {
      return std::visit([&](const auto& op) { return local_op(op, i, id); }, local->op);
    }
    if (std::holds_alternative<TakeBlock>(i.data) || std::holds_alternative<KeepOn>(i.data) ||
        std::holds_alternative<Permute>(i.data)) {
      return moved(i, id);
    }
    if (const PutBlock* put = std::get_if<PutBlock>(&i.data)) return varying_along(moved(i, id), put->dim);
    if (const Collective* c = std::get_if<Collective>(&i.data)) return collective(*c, i, id);
    return Degree{};  // ScalarIndex: an integer
  }

  Degree collective(const Collective& c, const Instruction& i, InstructionId id) {
    const Degree d = moved(i, id);
    if (c.kind == CollectiveKind::assert_equal) return d;
    if (c.kind == CollectiveKind::all_gather) return varying_along(d, c.dim);
    if (c.kind == CollectiveKind::all_to_all) return varying_along(d, c.concat_dim);
    const double members = static_cast<double>(plan_.mesh->size(plan_.communicators[c.communicator.index()].group));
    if (c.kind == CollectiveKind::all_reduce_max || c.kind == CollectiveKind::all_reduce_min) {
      return extreme_of_terms(i, sum_terms(d, members, members), members, members - 1);
    }
    return sum_terms(d, members, members);
  }

  /// Opaque functions: a fresh variable per evaluation, whose argument's degrees are recorded.
  Degree opaque(const Instruction& i) { return opaque(i, operand(i, 0)); }

  Degree opaque(const Instruction& i, const Degree& x) {
    record(i, x);
    Degree d;
    d.numerator = 1;
    d.evaluations = x.evaluations + 1;
    d.dims = x.dims;
    return d;
  }

  Degree opaque_of_two(const Instruction& i) {
    Degree d = opaque(i);
    const Degree second = opaque(i, operand(i, 1));
    d.evaluations += second.evaluations - 1;
    d.dims |= second.dims;
    return d;
  }

  /// The function is another one where an argument that depends on the inputs looks like a number.
  Degree recognising(const Instruction& i, Degree d) {
    counts_.recognised += devices_ * static_cast<double>(element_count(shape(i.results[0])));
    return d;
  }

  /// 1 / x, whose denominators are those of `id`.
  Degree inverse(Degree x, uint64_t id) const {
    std::swap(x.numerator, x.denominator);
    x.denominator_id = x.denominator > 0 ? mix(id ^ iteration_) : 0;
    x.denominator_dims = x.dims;
    x.evaluations += 1;
    return x;
  }

  /// The integer that a value is in all elements, where it is made from one constant.
  std::optional<double> exponent(PlanValueId id) const {
    for (const Instruction& i : plan_.instructions) {
      const LocalOp* local = std::get_if<LocalOp>(&i.data);
      if (local == nullptr || i.results.empty() || i.results[0] != id) continue;
      if (std::holds_alternative<BroadcastInDim>(local->op)) return exponent(i.operands[0]);
      const Constant* constant = std::get_if<Constant>(&local->op);
      if (constant == nullptr || !constant->value.is_integer()) return std::nullopt;
      const double value = constant->value.to_double();
      if (std::abs(value) > static_cast<double>(sim::RingDomain::kMaxPower)) return std::nullopt;
      return value;
    }
    return std::nullopt;
  }

  void record(const Instruction& i, const Degree& argument) {
    counts_.opaque_numerator = std::max(counts_.opaque_numerator, argument.numerator);
    counts_.opaque_denominator = std::max(counts_.opaque_denominator, argument.denominator);
    counts_.evaluations += devices_ * static_cast<double>(element_count(shape(i.results[0])));
  }

  /// y + m(x - y) with an opaque m per entry, or (rung B) one of the two.
  Degree extreme(const Instruction& i) {
    const Degree difference = add(operand(i, 0), operand(i, 1));
    return add(operand(i, 1), multiply(opaque(i, difference), difference));
  }

  /// The extreme of `terms` entries; `sum` is the degree of their sum and `steps` the depth of the comparisons.
  Degree extreme_of_terms(const Instruction& i, Degree sum, double terms, double steps) {
    if (terms < 2) return sum;
    const double before = counts_.evaluations;
    record(i, sum);
    counts_.evaluations += (terms - 2) * (counts_.evaluations - before);
    sum.numerator += steps;
    sum.evaluations += terms - 1;
    return sum;
  }

  /// Views, state ops, calls and collectives have other forms in a Plan.
  template <class T>
  Degree local_op(const T&, const Instruction&, InstructionId) {
    internal_error(T::kName.data(), "lowering leaves no such op as a local op", __FILE__, __LINE__);
  }
  Degree local_op(const Constant&, const Instruction&, InstructionId) { return Degree{}; }
  Degree local_op(const Negate&, const Instruction& i, InstructionId) { return operand(i, 0); }
  Degree local_op(const Exponential&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Tanh&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Logistic&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Add&, const Instruction& i, InstructionId) { return add(operand(i, 0), operand(i, 1)); }
  Degree local_op(const Subtract&, const Instruction& i, InstructionId) { return add(operand(i, 0), operand(i, 1)); }
  Degree local_op(const Multiply&, const Instruction& i, InstructionId) {
    return multiply(operand(i, 0), operand(i, 1));
  }

  Degree local_op(const Divide&, const Instruction& i, InstructionId) {
    const Degree& x = operand(i, 0);
    const Degree& y = operand(i, 1);
    if (y.numerator == 0 && y.denominator == 0) return x;  // by a constant
    record(i, y);                                          // a non-unit inverts to an opaque hash
    Degree inverse = y;
    std::swap(inverse.numerator, inverse.denominator);
    inverse.denominator_id = mix((i.operands[1].index() + 1) ^ iteration_);
    inverse.denominator_dims = y.dims;
    inverse.evaluations = y.evaluations + 1;
    return multiply(x, inverse);
  }

  Degree local_op(const Log&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Sqrt&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Sine&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Cosine&, const Instruction& i, InstructionId) { return opaque(i); }
  Degree local_op(const Floor&, const Instruction& i, InstructionId) { return recognising(i, opaque(i)); }
  /// 1 over the opaque root.
  Degree local_op(const Rsqrt&, const Instruction& i, InstructionId id) { return inverse(opaque(i), mix(id.index())); }
  Degree local_op(const Remainder&, const Instruction& i, InstructionId) { return recognising(i, opaque_of_two(i)); }
  Degree local_op(const Convert&, const Instruction& i, InstructionId) {
    const bool rounds =
        is_float(plan_.value(i.operands[0]).type.dtype) && is_integer(plan_.value(i.results[0]).type.dtype);
    return rounds ? recognising(i, opaque(i)) : operand(i, 0);
  }
  Degree local_op(const StopGradient&, const Instruction& i, InstructionId) { return operand(i, 0); }

  /// A product where the exponent is a number, which may be any integer up to kMaxPower; otherwise opaque.
  Degree local_op(const Power&, const Instruction& i, InstructionId id) {
    const Degree& y = operand(i, 1);
    const Degree result = opaque_of_two(i);
    if (y.numerator > 0 || y.denominator > 0) return recognising(i, result);
    const double times = exponent(i.operands[1]).value_or(static_cast<double>(sim::RingDomain::kMaxPower));
    Degree x = operand(i, 0);
    x.numerator *= std::abs(times);
    x.denominator *= std::abs(times);
    if (times > 0 && exponent(i.operands[1])) return x;
    const double most = std::max({x.numerator, x.denominator, 1.0});
    if (!exponent(i.operands[1])) x.numerator = x.denominator = most;
    return inverse(x, mix(id.index()));
  }

  Degree local_op(const Cumsum& op, const Instruction& i, InstructionId id) {
    const Degree x = moved(i, id);
    const Shape& in = shape(i.operands[0]);
    const Degree d = sum_terms(x, product_of(in, {op.dim}, ~uint64_t{0}), product_of(in, {op.dim}, x.denominator_dims));
    return varying_along(d, op.dim);
  }

  Degree local_op(const Abs&, const Instruction& i, InstructionId) { return multiply(opaque(i), operand(i, 0)); }
  Degree local_op(const Sign&, const Instruction& i, InstructionId) {
    const Degree above = opaque(i);
    return add(above, opaque(i));
  }
  Degree local_op(const Maximum&, const Instruction& i, InstructionId) { return extreme(i); }
  Degree local_op(const Minimum&, const Instruction& i, InstructionId) { return extreme(i); }
  Degree local_op(const And&, const Instruction& i, InstructionId) { return multiply(operand(i, 0), operand(i, 1)); }
  Degree local_op(const Or&, const Instruction& i, InstructionId) { return multiply(operand(i, 0), operand(i, 1)); }
  Degree local_op(const Not&, const Instruction& i, InstructionId) { return operand(i, 0); }
  Degree local_op(const Compare&, const Instruction& i, InstructionId) {
    const DType dtype = plan_.value(i.operands[0]).type.dtype;
    if (dtype == DType::pred) return multiply(operand(i, 0), operand(i, 1));
    return is_float(dtype) ? opaque(i, add(operand(i, 0), operand(i, 1))) : Degree{};
  }
  Degree local_op(const Select&, const Instruction& i, InstructionId id) {
    Degree p = operand(i, 0);
    if (shape(i.operands[0]) != shape(i.results[0])) {
      p.denominator_id = moved_id(p.denominator_id, id);  // a scalar, repeated
    }
    return add(operand(i, 2), multiply(p, add(operand(i, 1), operand(i, 2))));
  }
  /// Only a hard order computes it, and then it moves entries.
  Degree local_op(const TopK&, const Instruction& i, InstructionId id) { return moved(i, id); }

  Degree local_op(const BroadcastInDim& op, const Instruction& i, InstructionId id) {
    Degree d = moved(i, id);
    d.dims = move_bits(d.dims, op.dims);
    d.denominator_dims = move_bits(d.denominator_dims, op.dims);
    return d;
  }
  Degree local_op(const Reshape&, const Instruction& i, InstructionId id) {
    Degree d = moved(i, id);
    const uint64_t all = all_dims(shape(i.results[0]));
    d.dims = d.dims != 0 ? all : 0;
    d.denominator_dims = d.denominator_dims != 0 ? all : 0;
    return d;
  }
  Degree local_op(const Transpose& op, const Instruction& i, InstructionId id) {
    std::vector<int64_t> where(op.permutation.size());
    for (size_t d = 0; d < where.size(); ++d) where[static_cast<size_t>(op.permutation[d])] = static_cast<int64_t>(d);
    Degree d = moved(i, id);
    d.dims = move_bits(d.dims, where);
    d.denominator_dims = move_bits(d.denominator_dims, where);
    return d;
  }
  Degree local_op(const Slice&, const Instruction& i, InstructionId id) { return moved(i, id); }

  Degree local_op(const Reverse&, const Instruction& i, InstructionId id) { return moved(i, id); }
  Degree local_op(const Iota&, const Instruction&, InstructionId) { return Degree{}; }

  /// Entries of the first `count` operands side by side.
  Degree joined(const Instruction& i, InstructionId id, size_t count) const {
    Degree d = operand(i, 0);
    for (size_t n = 1; n < count; ++n) {
      const Degree& x = operand(i, n);
      merge_output(d, x);
      d.denominator_id = product_id(d.denominator_id, x.denominator_id);
      d.dims |= x.dims;
      d.denominator_dims |= x.denominator_dims;
    }
    d.denominator_id = moved_id(d.denominator_id, id);
    return d;
  }

  Degree local_op(const Concatenate& op, const Instruction& i, InstructionId id) {
    return varying_along(joined(i, id, i.operands.size()), op.dim);
  }
  Degree local_op(const Pad&, const Instruction& i, InstructionId id) {
    return varying_everywhere(joined(i, id, 2), i);
  }
  Degree local_op(const DynamicSlice&, const Instruction& i, InstructionId id) { return moved(i, id); }
  Degree local_op(const DynamicUpdateSlice&, const Instruction& i, InstructionId id) {
    return varying_everywhere(joined(i, id, 2), i);
  }
  Degree local_op(const Gather&, const Instruction& i, InstructionId id) {
    const Degree d = moved(i, id);
    return d.dims == 0 ? d : varying_everywhere(d, i);
  }

  /// The worst case: all updates of one batch index meet in one entry.
  Degree local_op(const ScatterAdd& op, const Instruction& i, InstructionId id) {
    const Shape& ids = shape(i.operands[1]);
    const double terms = static_cast<double>(element_count(Shape(ids.begin() + op.batch, ids.end())));
    const Degree updates = operand(i, 2);
    Degree d = terms == 0 ? operand(i, 0) : add(operand(i, 0), sum_terms(updates, terms, terms));
    d.denominator_id = moved_id(d.denominator_id, id);
    return varying_everywhere(d, i);
  }

  Degree local_op(const Reduce& op, const Instruction& i, InstructionId id) {
    const Degree x = moved(i, id);
    const Shape& in = shape(i.operands[0]);
    const double terms = product_of(in, op.dims, ~uint64_t{0});
    Degree d = sum_terms(x, terms, product_of(in, op.dims, x.denominator_dims));
    if (op.op == Reducer::argmax) d = x;
    if (op.op == Reducer::max || op.op == Reducer::min) {
      d = extreme_of_terms(i, d, terms, std::ceil(std::log2(std::max(terms, 1.0))));
    }
    const std::vector<int64_t> where = without(in.size(), op.dims, 0);
    d.dims = move_bits(d.dims, where);
    d.denominator_dims = move_bits(d.denominator_dims, where);
    return d;
  }

  Degree local_op(const DotGeneral& op, const Instruction& i, InstructionId id) {
    const Degree& a = operand(i, 0);
    const Degree& b = operand(i, 1);
    const Shape& lhs = shape(i.operands[0]);
    double terms = 1, distinct = 1;
    for (size_t k = 0; k < op.contract.lhs.size(); ++k) {
      const size_t l = static_cast<size_t>(op.contract.lhs[k]), r = static_cast<size_t>(op.contract.rhs[k]);
      terms *= static_cast<double>(lhs[l]);
      const bool differs = ((a.denominator_dims & bit(l)) | (b.denominator_dims & bit(r))) != 0;
      if (differs) distinct *= static_cast<double>(lhs[l]);
    }
    Degree d = sum_terms(multiply(a, b), terms, distinct);
    const auto batches = static_cast<int64_t>(op.batch.lhs.size());
    const auto rows = static_cast<int64_t>(lhs.size() - op.contract.lhs.size()) - batches;
    const auto left = dot_dims(lhs.size(), op.contract.lhs, op.batch.lhs, batches);
    const auto right = dot_dims(shape(i.operands[1]).size(), op.contract.rhs, op.batch.rhs, batches + rows);
    d.dims = move_bits(a.dims, left) | move_bits(b.dims, right);
    d.denominator_dims = move_bits(a.denominator_dims, left) | move_bits(b.denominator_dims, right);
    d.denominator_id = moved_id(d.denominator_id, id);
    return d;
  }

  const Plan& plan_;
  std::vector<Degree> degrees_;
  DegreeCounts counts_;
  std::vector<Degree> globals_;  ///< per global, at the start of the step
  double devices_ = 1;
  uint64_t iteration_ = 0;  ///< tells steps and the iterations of the enclosing loops apart
};

}  // namespace

DegreeCounts count_degrees(const Plan& plan, int64_t steps) { return Counter(plan).count(steps); }

}  // namespace isoshard::verify
