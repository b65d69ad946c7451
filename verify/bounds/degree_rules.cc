// The degree rule of each op: what its results are as quotients of polynomials in inputs and in results of opaque
// functions, from above (docs/spec/error_bound.md, "Degrees"). Rules follow what the rings compute and not what the ops
// mean: a division is a product with an inverse that may be a hash, maximum is y + m(x - y), logistic on rung E is 1/(1
// + exp(-x)), a logarithm is opaque to everything but sums and multiples. A rule that counts too little would make the
// printed bound wrong (tests/unit/verify/verify_bound_test.cc). One overload per op, so that the compiler names an op
// without a rule; ops that lowering leaves nowhere end in an internal error. Constant time per instruction.
#include "verify/bounds/degree_rules.h"

#include <algorithm>
#include <cmath>

#include "core/support/check.h"
#include "sim/domains/residues/ring_numbers.h"
#include "verify/bounds/degree_algebra.h"
#include "verify/bounds/degree_movement.h"
#include "verify/compare/random.h"
#include "verify/facts/constant_exponent.h"
#include "verify/facts/moved_dims.h"

namespace isoshard::verify {
namespace {

/// The rules of one instruction, one per op.
class Rules : private DegreeMovement {
 public:
  using DegreeMovement::DegreeMovement;
  using DegreeMovement::operator();

  Degree operator()(const LocalOp& op) { return std::visit(*this, op.op); }
  Degree operator()(const TakeBlock&) { return moved(); }
  Degree operator()(const KeepOn&) { return moved(); }
  Degree operator()(const Permute&) { return from_all_ranks(); }
  Degree operator()(const Recv&) { return from_all_ranks(); }
  Degree operator()(const Send&) { internal_error("Send", "has no results", __FILE__, __LINE__); }
  Degree operator()(const PutBlock& put) { return varying_along(moved(), put.dim); }
  Degree operator()(const ScalarIndex&) { return Degree{}; }  // an integer
  Degree operator()(const Collective& c) {
    const Degree d = from_all_ranks();
    if (c.kind == CollectiveKind::assert_equal) return d;
    if (c.kind == CollectiveKind::all_gather) return varying_along(d, c.dim);
    if (c.kind == CollectiveKind::all_to_all) return varying_along(d, c.concat_dim);
    const double members =
        static_cast<double>(context_.plan.communicators[c.communicator.index()].size(*context_.plan.mesh));
    if (c.kind == CollectiveKind::all_reduce_max || c.kind == CollectiveKind::all_reduce_min) {
      return extreme_of_terms(sum_terms(d, members, members), members, members - 1);
    }
    return sum_terms(d, members, members);
  }

  Degree operator()(const LoadBlock&) {
    internal_error("LoadBlock", "has the degree of its global", __FILE__, __LINE__);
  }
  Degree operator()(const StoreBlock&) { internal_error("StoreBlock", "has no results", __FILE__, __LINE__); }

  /// Views, state ops, calls and collectives have other forms in a Plan.
  template <class T>
  Degree operator()(const T&) {
    internal_error(T::kName.data(), "lowering leaves no such op as a local op", __FILE__, __LINE__);
  }
  Degree operator()(const Constant&) { return Degree{}; }
  Degree operator()(const Negate&) { return operand(0); }
  Degree operator()(const Exponential&) { return is_exponential() ? exponential_of(operand(0)) : opaque(); }
  Degree operator()(const Tanh&) { return logistic(); }  // 2 logistic(2x) - 1
  Degree operator()(const Logistic&) { return logistic(); }
  Degree operator()(const Add&) { return sum(); }
  Degree operator()(const Subtract&) { return sum(); }
  Degree operator()(const Multiply&) { return product(operand(0), operand(1)); }

  Degree operator()(const Divide&) {
    const Degree& x = operand(0);
    const Degree& y = operand(1);
    if (context_.counts.opaque_reciprocals) return multiply(x, opaque_reciprocal(y));
    if (y.numerator == 0 && y.denominator == 0) return x;  // by a constant
    Degree inverse = plain(y);
    record(inverse);  // a non-unit inverts to an opaque hash
    std::swap(inverse.numerator, inverse.denominator);
    inverse.denominator_id = mix((instruction_.operands[1].index() + 1) ^ context_.iteration);
    inverse.denominator_dims = y.dims;
    inverse.evaluations += 1;
    return multiply(plain(x), inverse);
  }

  /// A unit is kept as what it is the logarithm of; of others the logarithm is opaque.
  Degree operator()(const Log&) {
    if (!is_exponential()) return opaque();
    const Degree x = plain(operand(0));
    Degree d = seeing(opaque(x));
    d.log_degree = std::max({x.numerator, x.denominator, 1.0});
    return d;
  }
  Degree operator()(const Sqrt&) { return seeing(opaque()); }
  Degree operator()(const Sine&) { return sinusoid(); }
  Degree operator()(const Cosine&) { return sinusoid(); }
  Degree operator()(const ErfInv&) { return opaque(); }
  Degree operator()(const Erf&) { return opaque(); }
  Degree operator()(const Atan2&) { return opaque_of_two(); }
  Degree operator()(const Floor&) { return recognising(opaque()); }
  Degree operator()(const RoundNearestEven&) { return recognising(opaque()); }
  Degree operator()(const RoundNearestAfz&) { return recognising(opaque()); }
  Degree operator()(const Cbrt&) { return recognising(opaque()); }
  /// 1 over the opaque root.
  Degree operator()(const Rsqrt&) {
    const Degree root = seeing(opaque());
    return context_.counts.opaque_reciprocals ? opaque_reciprocal(root) : inverse(root, mix(id_.index()));
  }
  Degree operator()(const Remainder&) { return recognising(opaque_of_two()); }
  Degree operator()(const Convert&) {
    const bool rounds = is_float(context_.plan.value(instruction_.operands[0]).type().dtype) &&
                        is_integer(context_.plan.value(instruction_.results[0]).type().dtype);
    return rounds ? recognising(opaque()) : operand(0);
  }
  Degree operator()(const StopGradient&) { return operand(0); }

  /// A product where the exponent is a number, which may be any integer up to kMaxPower; otherwise opaque.
  Degree operator()(const Power&) {
    const Degree& y = operand(1);
    if (sees_integers() && !exponent(instruction_.operands[1])) {
      return exponential_of(product((*this)(Log{}), y));  // exp(z log x)
    }
    const Degree result = opaque_of_two();
    if (y.numerator > 0 || y.denominator > 0) return recognising(result);
    const double times = exponent(instruction_.operands[1]).value_or(static_cast<double>(sim::kMaxPower));
    Degree x = plain(operand(0));
    x.numerator *= std::abs(times);
    x.denominator *= std::abs(times);
    if (times > 0 && exponent(instruction_.operands[1])) return x;
    const double most = std::max({x.numerator, x.denominator, 1.0});
    if (context_.counts.opaque_reciprocals) return power_or_reciprocal(x);
    if (!exponent(instruction_.operands[1])) x.numerator = x.denominator = most;
    return inverse(x, mix(id_.index()));
  }

  Degree operator()(const Cumsum& op) {
    const Degree x = moved();
    const Shape& in = shape(instruction_.operands[0]);
    const Degree d = sum_terms(x, product_of(in, {op.dim}, ~uint64_t{0}), product_of(in, {op.dim}, x.denominator_dims));
    return varying_along(d, op.dim);
  }

  Degree operator()(const Abs&) { return multiply(seeing(opaque()), plain(operand(0))); }
  Degree operator()(const Sign&) {
    const Degree above = seeing(opaque());
    return add(above, opaque());
  }
  Degree operator()(const Maximum&) { return extreme(); }
  Degree operator()(const Minimum&) { return extreme(); }
  Degree operator()(const And&) { return multiply(operand(0), operand(1)); }
  Degree operator()(const Or&) { return multiply(operand(0), operand(1)); }
  Degree operator()(const Xor&) { return multiply(operand(0), operand(1)); }
  Degree operator()(const ShiftLeft&) { return Degree{}; }  // integers, as keys and random bits are
  Degree operator()(const ShiftRightLogical&) { return Degree{}; }
  Degree operator()(const ShiftRightArithmetic&) { return Degree{}; }
  Degree operator()(const IntegerDivide&) { return Degree{}; }
  Degree operator()(const Popcnt&) { return Degree{}; }
  Degree operator()(const CountLeadingZeros&) { return Degree{}; }
  Degree operator()(const RngFoldIn&) { return Degree{}; }
  Degree operator()(const RngSplit&) { return Degree{}; }
  Degree operator()(const RngBits&) { return Degree{}; }
  Degree operator()(const BitcastConvert&) { return Degree{}; }
  Degree operator()(const Not&) { return operand(0); }
  Degree operator()(const Compare&) {
    const DType dtype = context_.plan.value(instruction_.operands[0]).type().dtype;
    if (dtype == DType::pred) return multiply(operand(0), operand(1));
    return is_float(dtype) ? seeing(opaque(add(operand(0), operand(1)))) : Degree{};
  }
  Degree operator()(const IsFinite&) { return seeing(opaque()); }
  /// With a predicate of integers, the same for all entries, it is one of the two.
  Degree operator()(const Select&) {
    Degree p = operand(0);
    const bool scalar = shape(instruction_.operands[0]).empty();
    if (scalar && p.numerator == 0 && p.denominator == 0 && p.evaluations == 0) return joined(1, 3);
    if (shape(instruction_.operands[0]) != shape(instruction_.results[0])) {
      p.denominator_id = moved_id(p.denominator_id);  // a scalar, repeated
    }
    const Degree difference = add(operand(1), operand(2));
    Degree d = add(operand(2), multiply(p, plain(difference)));
    d.log_degree = difference.log_degree;  // a decided predicate gives an operand unchanged
    if (context_.integers && is_exponential()) d.log_degree += p.numerator;  // x + log of the predicate
    return d;
  }
  /// A hard order moves entries; otherwise each of the largest is a sum over the row.
  Degree operator()(const TopK&) {
    if (!context_.integers) return moved();
    const Shape& in = shape(instruction_.operands[0]);
    const auto terms = static_cast<double>(in.back());
    Degree weight = opaque();
    weight.numerator = std::max(weight.numerator, terms);
    return varying_everywhere(sum_terms(multiply(weight, plain(operand(0))), terms, terms));
  }

  Degree operator()(const Reduce& op) {
    const Degree x = moved();
    const Shape& in = shape(instruction_.operands[0]);
    const double terms = product_of(in, op.dims, ~uint64_t{0});
    Degree d = sum_terms(x, terms, product_of(in, op.dims, x.denominator_dims));
    if (op.op == Reducer::argmax) d = x;
    if (op.op == Reducer::max || op.op == Reducer::min) {
      d = extreme_of_terms(d, terms, std::ceil(std::log2(std::max(terms, 1.0))));
    }
    const std::vector<int64_t> where = without(in.size(), op.dims, 0);
    d.dims = move_bits(d.dims, where);
    d.denominator_dims = move_bits(d.denominator_dims, where);
    return d;
  }

  Degree operator()(const DotGeneral& op) {
    const Degree& a = operand(0);
    const Degree& b = operand(1);
    const Shape& lhs = shape(instruction_.operands[0]);
    double terms = 1, distinct = 1;
    for (size_t k = 0; k < op.contract.lhs.size(); ++k) {
      const size_t l = static_cast<size_t>(op.contract.lhs[k]), r = static_cast<size_t>(op.contract.rhs[k]);
      terms *= static_cast<double>(lhs[l]);
      const bool differs = ((a.denominator_dims & bit(l)) | (b.denominator_dims & bit(r))) != 0;
      if (differs) distinct *= static_cast<double>(lhs[l]);
    }
    Degree d = sum_terms(product(a, b), terms, distinct);
    const auto batches = static_cast<int64_t>(op.batch.lhs.size());
    const auto rows = static_cast<int64_t>(lhs.size() - op.contract.lhs.size()) - batches;
    const auto left = dot_dims(lhs.size(), op.contract.lhs, op.batch.lhs, batches);
    const auto right = dot_dims(shape(instruction_.operands[1]).size(), op.contract.rhs, op.batch.rhs, batches + rows);
    d.dims = move_bits(a.dims, left) | move_bits(b.dims, right);
    d.denominator_dims = move_bits(a.denominator_dims, left) | move_bits(b.denominator_dims, right);
    d.denominator_id = moved_id(d.denominator_id);
    return d;
  }

  /// Opaque functions: a fresh variable per evaluation, whose argument's degrees are recorded.
  Degree opaque(const Degree& x) {
    record(x.log_degree > 0 ? raised(x) : x);
    Degree d;
    d.numerator = 1;
    d.evaluations = x.evaluations + (x.log_degree > 0 ? 2 : 1);
    d.dims = x.dims;
    return d;
  }

 private:
  bool is_exponential() const { return context_.counts.exponential.has_value(); }
  double times() const { return context_.devices * static_cast<double>(element_count(shape(instruction_.results[0]))); }
  /// exp(q x), once per entry.
  Degree raised(const Degree& x) { return exponential(x, context_.counts, times()); }
  /// 1/(1 + exp(-x))
  Degree logistic() {
    if (!is_exponential()) return opaque();
    Degree d = exponential_of(operand(0));
    d.numerator = d.denominator = std::max(d.numerator, d.denominator);
    record(d);
    return inverse(d, mix(id_.index()));
  }
  /// What every op but + and rational multiples sees of a value that may be a logarithm: an opaque function of exp of
  /// it.
  Degree plain(Degree x) {
    if (x.log_degree == 0) return x;
    record(raised(x));
    x.numerator = std::max(x.numerator, 1.0);
    x.evaluations += 1;
    x.log_degree = 0;
    return x;
  }
  /// exp(a) u of a + log u; of a fraction of a logarithm exp of the opaque one.
  Degree exponential_of(const Degree& x) {
    Degree d = raised(x);
    if (x.log_degree > 0) {
      record(d);
      d.numerator = std::max(d.numerator, 2.0);
      d.evaluations += 1;
    }
    d.denominator_id = d.denominator > 0 ? mix(mix(id_.index() + 1) ^ context_.iteration) : 0;
    return d;
  }
  /// A rational multiple of a logarithm is one; in other products it is opaque.
  Degree product(const Degree& x, const Degree& y) {
    if (x.log_degree == 0 && y.log_degree == 0) return multiply(x, y);
    const auto is_number = [](const Degree& d) { return d.numerator == 0 && d.denominator == 0 && d.log_degree == 0; };
    Degree d = multiply(plain(x), plain(y));
    if (is_number(x) || is_number(y)) d.log_degree = std::max(x.log_degree, y.log_degree);
    return d;
  }

  Degree opaque() { return opaque(operand(0)); }

  Degree opaque_of_two() {
    Degree d = opaque();
    const Degree second = opaque(operand(1));
    d.evaluations += second.evaluations - 1;
    d.dims |= second.dims;
    return d;
  }

  /// Of what is no number an opaque function; numbers, such as a count of elements, keep their reciprocals.
  Degree opaque_reciprocal(const Degree& x) { return x.numerator == 0 ? opaque(x) : recognising(opaque(x)); }
  Degree power_or_reciprocal(const Degree& power) {
    Degree d = opaque_reciprocal(power);
    d.numerator = std::max(d.numerator, power.numerator);
    return d;
  }

  bool sees_integers() const { return is_exponential() && context_.counts.exponential->by_exponentials; }
  /// On rung E with what is made of exponentials the function is another one where its argument looks like an integer.
  Degree seeing(const Degree& d) { return sees_integers() ? recognising(d) : d; }
  /// What is added to a number is a number where it looks like one.
  Degree sum() {
    const Degree result = add(operand(0), operand(1));
    const auto is_number = [](const Degree& d) { return d.numerator == 0 && d.denominator == 0; };
    if (!sees_integers() || !(is_number(operand(0)) || is_number(operand(1)))) return result;
    record(plain(result));
    return recognising(result);
  }
  /// (exp(ix) - exp(-ix)) / 2i
  Degree sinusoid() {
    if (!sees_integers()) return opaque();
    Degree d = exponential(plain(operand(0)), context_.counts, 2 * times());
    d.exponentials += 1;
    return d;
  }

  /// The function is another one where an argument that depends on the inputs looks like a number.
  Degree recognising(Degree d) {
    context_.counts.recognised += context_.devices * static_cast<double>(element_count(shape(instruction_.results[0])));
    return d;
  }

  /// 1 / x, whose denominators are those of `id`.
  Degree inverse(const Degree& x, uint64_t id) const { return reciprocal(x, mix(id ^ context_.iteration)); }

  std::optional<double> exponent(PlanValueId id) const { return constant_exponent(context_.plan, id); }

  void record(const Degree& argument) { note_opaque(context_.counts, argument, times()); }

  /// y + m(x - y) with an opaque m per entry, or (rung B) one of the two.
  Degree extreme() {
    const Degree difference = add(operand(0), operand(1));
    Degree d = add(operand(1), multiply(opaque(difference), plain(difference)));
    d.log_degree = difference.log_degree;
    return d;
  }

  /// The extreme of `terms` entries; `sum` is the degree of their sum and `steps` the depth of the comparisons.
  Degree extreme_of_terms(Degree sum, double terms, double steps) {
    if (terms < 2) return sum;
    const double log_degree = sum.log_degree;
    const double before = context_.counts.evaluations;
    sum = plain(sum);
    record(sum);
    sum.log_degree = log_degree;
    context_.counts.evaluations += (terms - 2) * (context_.counts.evaluations - before);
    sum.numerator += steps;
    sum.evaluations += terms - 1;
    return sum;
  }
};

}  // namespace

Degree degree_of(const Instruction& instruction, InstructionId id, DegreeContext& context) {
  return std::visit(Rules(instruction, id, context), instruction.data());
}

Degree opaque_result(const Degree& argument, const Instruction& instruction, DegreeContext& context) {
  return Rules(instruction, InstructionId(), context).opaque(argument);
}

}  // namespace isoshard::verify
