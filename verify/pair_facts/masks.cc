// e^-1e9 is positive, but rung E, which takes -1e9 for -inf where it meets data, has 0 for it. So what is positive, or
// between -1 and 1, by its construction may be none of it in that ring, and no sign may rest on such a number there.
// How large numbers are is bounded by their construction: constants, counts and integers of declared ranges, and what
// is added, multiplied and chosen of them; all others count as large. A number that multiplies data stays one, a scale,
// but what is chosen of it, added to it, or its exponential is a mask from there on. Cost: two walks over the Plan.
#include "verify/pair_facts/masks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"
#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"

namespace isoshard::verify {
namespace {

constexpr double kSurelySmall = 0.999 * static_cast<double>(sim::kLeastMask);  // bounds are rounded
constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// Bounds of the magnitudes of numbers.
class Magnitudes {
 public:
  explicit Magnitudes(const Plan& plan) : plan_(plan), bounds_(plan.values.size(), kUnknown) {
    for (const Instruction& i : plan.instructions) {  // what an instruction reads is made before, or is unknown
      for (const PlanValueId id : i.results) {
        const double bound = of(i);
        bounds_[id.index()] = std::isnan(bound) ? kUnknown : bound;  // 0 times what is not known
      }
    }
  }

  double at(PlanValueId id) const { return bounds_[id.index()]; }

 private:
  double of(const Instruction& i) const {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) return of(plan_.globals[load->global.index()]);
    if (std::holds_alternative<Collective>(i.data()))
      return largest(i) * static_cast<double>(plan_.mesh->device_count());
    if (std::holds_alternative<TakeBlock>(i.data())) return largest(i);
    const LocalOp* local = local_op(i);
    if (local == nullptr) return kUnknown;
    if (const Constant* constant = std::get_if<Constant>(&local->op)) return of(constant->value);
    if (const Iota* iota = std::get_if<Iota>(&local->op))
      return static_cast<double>(iota->shape[static_cast<size_t>(iota->dim)]);
    if (plan_.value(i.results[0]).type().dtype == DType::pred || is_one_of<Sine, Cosine, Tanh, Logistic>(local))
      return 1;
    if (wraps(plan_.value(i.results[0]).type().dtype) && op_facts(local->op).kind != OpClass::movement) return kUnknown;
    if (is_one_of<Add, Subtract>(local)) return at(i.operands[0]) + at(i.operands[1]);
    if (is_one_of<Multiply>(local)) return at(i.operands[0]) * at(i.operands[1]);
    if (const Reduce* reduce = std::get_if<Reduce>(&local->op))
      return reduce->op == Reducer::add ? largest(i) * terms(i) : largest(i);
    const bool moves = op_facts(local->op).kind == OpClass::movement;
    if (moves || is_one_of<Convert, Negate, Abs, Maximum, Minimum, Select>(local)) return largest(i);
    return kUnknown;
  }

  static double of(const Rational& value) { return value.finite() ? std::abs(to_mpq(value).get_d()) : kUnknown; }

  static double of(const Global& global) {
    if (const std::optional<Rational> value = exact_value(global)) return of(*value);
    if (global.type.dtype == DType::pred) return 1;
    if (!global.range) return kUnknown;
    double bound =
        std::max(std::abs(static_cast<double>(global.range->low)), std::abs(static_cast<double>(global.range->high)));
    for (const int64_t other : global.range->others) bound = std::max(bound, std::abs(static_cast<double>(other)));
    return bound;
  }

  /// Whether small numbers of other signs or dtypes become large ones, or the other way round.
  static bool wraps(DType dtype) { return is_unsigned(dtype) || dtype == DType::i8; }

  /// Elements of the operand for each of the result.
  double terms(const Instruction& i) const {
    const auto count = [&](PlanValueId id) { return static_cast<double>(element_count(plan_.value(id).type().shape)); };
    return count(i.operands[0]) / std::max(1.0, count(i.results[0]));
  }

  double largest(const Instruction& i) const {
    double bound = 0;
    for (const PlanValueId id : i.operands) bound = std::max(bound, at(id));
    return bound;
  }

  const Plan& plan_;
  std::vector<double> bounds_;
};

class MaskReach {
 public:
  MaskReach(const Plan& plan, int64_t steps)
      : plan_(plan),
        steps_(steps),
        magnitudes_(plan),
        data_(reached_from(
            plan, [&](const Instruction& i) { return loads_input(plan, i); }, is_float_type, {}, steps)) {}

  std::vector<bool> run() const {
    std::vector<bool> made = reached_from(
        plan_, [&](const Instruction& i) { return makes_mask(i); }, is_float_type,
        [](const Instruction& i) { return !is_one_of<Sine, Cosine>(local_op(i)); }, steps_);
    for (size_t v = 0; v < made.size(); ++v) made[v] = made[v] || is_large_number(PlanValueId(v));
    return made;
  }

 private:
  static bool is_float_type(const TensorType& type) { return is_float(type.dtype); }

  bool is_large_number(PlanValueId id) const {
    return is_float_type(plan_.value(id).type()) && !data_[id.index()] && !(magnitudes_.at(id) < kSurelySmall);
  }

  bool makes_mask(const Instruction& i) const {
    if (i.results.empty() ||
        std::none_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return is_large_number(id); })) {
      return false;
    }
    const LocalOp* local = local_op(i);
    if (is_one_of<Exponential, Logistic, Tanh>(local)) return true;
    return data_[i.results[0].index()] && !is_one_of<Multiply, Divide, DotGeneral, Convolution>(local);
  }

  const Plan& plan_;
  int64_t steps_;
  Magnitudes magnitudes_;
  std::vector<bool> data_;
};

}  // namespace

std::vector<bool> made_of_masks(const Plan& plan, int64_t steps) { return MaskReach(plan, steps).run(); }

}  // namespace isoshard::verify
