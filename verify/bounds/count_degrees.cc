// Counts upper bounds of the degrees of all values of a Plan as quotients of polynomials, in one walk from inputs to
// outputs: each instruction has a transfer function (degree_rules.cc), a loop iterates that of its body, and an updated
// global brings its degree into the next step. Counting over the Plan and not over the program: groups, sums over
// devices and pipelines are explicit there. Denominators get a new id in each iteration, because a value of the body is
// another one each time; two sums over the same denominator then cost no degree, which is what keeps softmax and norms
// low (docs/spec/error_bound.md, "Degrees"). What rank groups exchange inside of loops is unbounded, since their loops
// are not walked side by side. Cost: instructions times iterations of loops times steps, nothing per element.

#include <algorithm>
#include <limits>
#include <numeric>

#include "verify/bounds/count_degrees.h"
#include "verify/bounds/degree_algebra.h"
#include "verify/bounds/degree_rules.h"
#include "verify/compare/random.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/moved_dims.h"

namespace isoshard::verify {
namespace {

class Counter {
 public:
  Counter(const Plan& plan, std::optional<ExpDegrees> exponential, const std::vector<bool>& opaque,
          const Generic& generic)
      : plan_(plan),
        opaque_(opaque),
        generic_(generic),
        exchanges_(plan),
        context_{plan, std::vector<Degree>(plan.values.size()), {}, exchanges_},
        globals_(plan.globals.size()) {
    for (Degree& d : globals_) d.numerator = 1;
    context_.counts.outputs.resize(plan.outputs.size());
    context_.counts.exponential = exponential;
    context_.counts.opaque_reciprocals = generic.reciprocals;
    context_.integers = generic.integers;
  }

  DegreeCounts count(int64_t steps) {
    for (int64_t step = 1; step <= steps; ++step) {
      context_.iteration = mix(static_cast<uint64_t>(step));
      for (const PlanItem& item : items_in_order(plan_)) {
        context_.devices = static_cast<double>(item.group->size(*plan_.mesh));
        if (item.repeat != nullptr) {
          run_repeat(*item.repeat);
        } else {
          run(item.instruction);
        }
      }
      take_updates();
    }
    for (Degree& d : context_.counts.outputs) {
      d.evaluations = std::min(d.evaluations, context_.counts.evaluations);
      d.exponentials = std::min(d.exponentials, context_.counts.exponentials);
    }
    return std::move(context_.counts);
  }

 private:
  const Degree& operand(const Instruction& i, size_t n) const { return context_.values[i.operands[n].index()]; }
  const Shape& shape(PlanValueId id) const { return plan_.value(id).type().shape; }

  /// Updated globals enter the next step with the degrees they were stored with.
  void take_updates() {
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      const GlobalId global = plan_.outputs[o].updates;
      if (!global.valid() || !is_float(plan_.outputs[o].type.dtype)) continue;
      Degree& next = globals_[global.index()];
      next = context_.counts.outputs[o];
      if (!generic_.updates.empty() && generic_.updates[global.index()]) {
        note_opaque(context_.counts, next, static_cast<double>(element_count(plan_.outputs[o].type.shape)));
        next = Degree{1, 0, next.evaluations + 1};
      }
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
      for (const PlanValueId id : from) values.push_back(context_.values[id.index()]);
      for (size_t i = 0; i < to.size(); ++i) context_.values[to[i].index()] = values[i];
    };
    const uint64_t outer = context_.iteration;
    ++loops_;
    std::vector<Degree> stacks(repeat.parts.size());
    copy(repeat.initial, repeat.arguments);
    for (int64_t i = 0; i < repeat.count; ++i) {
      context_.iteration = mix(outer ^ mix(static_cast<uint64_t>(i) + 1));
      for (size_t s = 0; s < repeat.slices.size(); ++s) {
        context_.values[repeat.slices[s].index()] = slice_of(repeat.stacked[s]);
      }
      run(repeat.body);
      for (size_t p = 0; p < stacks.size(); ++p) add_part(stacks[p], context_.values[repeat.parts[p].index()]);
      copy(repeat.yields, repeat.arguments);
    }
    context_.iteration = outer;
    --loops_;
    copy(repeat.arguments, repeat.results);
    for (size_t s = 0; s < stacks.size(); ++s) {
      stacks[s].dims &= all_dims(shape(repeat.stacks[s]));
      stacks[s].denominator_dims &= all_dims(shape(repeat.stacks[s]));
      context_.values[repeat.stacks[s].index()] = stacks[s];
    }
  }

  Degree slice_of(PlanValueId stacked) const {
    Degree d = context_.values[stacked.index()];
    const std::vector<int64_t> where = without(shape(stacked).size(), {0}, 0);
    d.dims = move_bits(d.dims, where);
    d.denominator_dims = move_bits(d.denominator_dims, where);
    if (d.denominator_id != 0) d.denominator_id = mix(d.denominator_id ^ context_.iteration);
    return d;
  }

  /// Part after part along a new dimension 0.
  static void add_part(Degree& stack, const Degree& part) {
    std::vector<int64_t> where(kDims - 1);
    std::iota(where.begin(), where.end(), 1);
    merge(stack, part);
    stack.denominator_id = product_id(stack.denominator_id, part.denominator_id);
    stack.dims |= move_bits(part.dims, where) | bit(0);
    stack.denominator_dims |= move_bits(part.denominator_dims, where) | (part.denominator > 0 ? bit(0) : 0);
  }

  void run(InstructionId id) {
    const Instruction& i = plan_.instruction(id);
    if (i.results.empty() && !std::holds_alternative<StoreBlock>(i.data())) return;  // a send
    if (const StoreBlock* store = std::get_if<StoreBlock>(&i.data()))
      return merge(context_.counts.outputs[store->output], operand(i, 0));
    const Degree degree = degree_of_result(i, id);
    for (const PlanValueId result : i.results) {
      Degree d = degree;
      const uint64_t dims = all_dims(shape(result));
      d.dims &= dims;
      d.denominator_dims &= dims;
      const DType dtype = plan_.value(result).type().dtype;  // integers are decided, not calculated with
      if (is_integer(dtype) || dtype == DType::key || dtype == DType::pred) d = of_integer(d, dtype, i, id);
      if (!opaque_.empty() && opaque_[result.index()]) d = opaque_result(d, i, context_);
      context_.values[result.index()] = d;
    }
  }

  /// Drawn integers are decided, not calculated with. Where they stand for all their values, a table of them has at
  /// most ten variables with two values or more, each with a weight that may be one of a count, whose mean is such a
  /// table. A weight by odds is a quotient, of a degree that grows with the places of its row.
  Degree of_integer(const Degree& d, DType dtype, const Instruction& i, InstructionId id) {
    constexpr double kTableDegree = 128;
    if (!generic_.integers) return dtype == DType::pred ? d : Degree{};
    const bool constant = i.operands.empty() && !std::holds_alternative<LoadBlock>(i.data());
    if (constant) return Degree{};
    Degree soft;
    for (const PlanValueId operand : i.operands) {
      soft.evaluations = std::max(soft.evaluations, context_.values[operand.index()].evaluations + 1);
      soft.numerator = std::max(soft.numerator, context_.values[operand.index()].numerator);
    }
    const bool known = soft.numerator == 0 && !std::holds_alternative<LoadBlock>(i.data());
    if (known) return Degree{};
    const double steps = steps_of(i);
    soft.evaluations += steps - 1;
    soft.numerator = kTableDegree * (1 + generic_.places);
    soft.denominator = kTableDegree * generic_.places;
    soft.denominator_id = generic_.places > 0 ? fresh_id(id) : 0;
    soft.evaluations = std::max(soft.evaluations, d.evaluations + 1);
    soft.dims = all_dims(shape(i.results[0]));
    soft.denominator_dims = generic_.places > 0 ? soft.dims : 0;
    note_opaque(context_.counts, soft,
                steps * context_.devices * static_cast<double>(element_count(shape(i.results[0]))));
    return soft;
  }

  /// Operations per result: of the k largest of a row at most three per element and rank
  /// (sim/domains/soft/tables/soft_largest.h).
  double steps_of(const Instruction& i) const {
    const TopK* top = op_of<TopK>(i);
    const Reduce* reduce = op_of<Reduce>(i);
    if (top != nullptr) return 3 * static_cast<double>(top->k) * static_cast<double>(shape(i.operands[0]).back());
    if (reduce == nullptr || reduce->op != Reducer::argmax) return 1;
    return 3 * static_cast<double>(shape(i.operands[0])[static_cast<size_t>(reduce->dims[0])]);
  }

  Degree degree_of_result(const Instruction& i, InstructionId id) {
    if (loops_ > 0 && !exchanges_.met_by(id).empty()) return unbounded();
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
    return load != nullptr ? input(load->global, i, id) : degree_of(i, id, context_);
  }

  /// Of what rank groups exchange in their loops, which are not walked side by side.
  static Degree unbounded() {
    Degree d;
    d.numerator = d.denominator = d.evaluations = d.exponentials = std::numeric_limits<double>::infinity();
    return d;
  }

  Degree input(GlobalId global, const Instruction& i, InstructionId id) const {
    Degree d = globals_[global.index()];
    d.dims = all_dims(shape(i.results[0]));
    d.denominator_dims = d.denominator > 0 ? d.dims : 0;
    d.denominator_id = d.denominator > 0 ? fresh_id(id) : 0;
    return d;
  }

  /// Of denominators that nothing else has: those of one value in one step and iteration.
  uint64_t fresh_id(InstructionId id) const { return mix(mix(id.index() + 1) ^ mix(context_.iteration)); }

  const Plan& plan_;
  const std::vector<bool>& opaque_;
  const Generic& generic_;
  const Exchanges exchanges_;
  DegreeContext context_;
  std::vector<Degree> globals_;  ///< per global, at the start of the step
  int loops_ = 0;                ///< that are being walked
};

}  // namespace

DegreeCounts count_degrees(const Plan& plan, int64_t steps, std::optional<ExpDegrees> exponential,
                           const std::vector<bool>& opaque, const Generic& generic) {
  DegreeCounts counts = Counter(plan, exponential, opaque, generic).count(steps);
  if (exponential && !exponential->by_exponentials) counts.recognised = 0;  // numbers are known by how they are made
  return counts;
}

}  // namespace isoshard::verify
