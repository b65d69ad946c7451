// jnp.logaddexp, jax.nn.softplus, and a loss of logits by hand take the larger of two numbers and a correction that
// does not overflow. Over real numbers that is log(exp a + exp b), and rungs of exponentials know the laws of that: it
// is associative, and exp of it is a sum. Where the correction is added to something else, as in max(x, 0) - x z +
// log(1 + exp(-|x|)), it is log(exp a + exp b) - max(a, b), whose maximum cancels against the one that is there.
//
// Where both a and b are -inf, a - b is no number, and the logarithm is -inf. So a choice `a - b != a - b ? a + b :
// ...` is written as the logarithm whatever a and b are; without that choice one of them has to be made of nothing that
// may be infinite or undefined. Zeros of what is written may have either sign, which two negations tell
// (verify/facts/signs/zero_sign.h). Cost: one walk over the Plan, and two for what may be infinite where it has such a
// correction.
#include "verify/abstraction/logs_of_sums.h"

#include <optional>
#include <utility>
#include <vector>

#include "verify/abstraction/plan_insertions.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"
#include "verify/pair_facts/infinities.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify {
namespace {

/// a and b of log(1 + exp(-|a - b|)); no `b` stands for 0.
struct Terms {
  PlanValueId difference, a, b{};
};

/// What instructions make of others, seen through two negations.
class Formulas {
 public:
  explicit Formulas(const Plan& plan) : plan_(plan), definitions_(definitions(plan)) {}

  std::optional<Instruction> maker(PlanValueId id) const {
    const InstructionId made = definitions_[id.index()];
    return made.valid() ? std::optional(plan_.instruction(made)) : std::nullopt;
  }
  /// The operands of `id` where an `Op` makes it; none otherwise.
  template <class Op>
  std::vector<PlanValueId> operands(PlanValueId id) const {
    const std::optional<Instruction> made = id.valid() ? maker(plain(id)) : std::nullopt;
    if (!made || op_of<Op>(*made) == nullptr) return {};
    return {made->operands.begin(), made->operands.end()};
  }
  /// x of `f(x)`; invalid where `id` is not that.
  template <class Op>
  PlanValueId inside(PlanValueId id) const {
    const std::vector<PlanValueId> of = operands<Op>(id);
    return of.empty() ? PlanValueId() : of[0];
  }
  /// The number that all elements of `id` are.
  std::optional<Rational> number(PlanValueId id) const { return number_of(plan_, definitions_, id); }
  bool is(PlanValueId id, const Rational& value) const { return number(id) == std::optional(value); }
  /// Whether two values are one, or one constant.
  bool is_same(PlanValueId a, PlanValueId b) const {
    if (a == b) return true;
    const std::optional<Rational> x = number(a);
    return x && x == number(b);
  }

  std::optional<Terms> correction(PlanValueId id) const {
    const std::vector<PlanValueId> sum = operands<Add>(inside<Log>(id));
    for (size_t n = 0; n < sum.size(); ++n) {
      if (!is(sum[n], Rational(1))) continue;
      const PlanValueId difference = inside<Abs>(negated(inside<Exponential>(sum[1 - n])));
      if (difference.valid()) return terms_of(difference);
    }
    return std::nullopt;
  }
  /// Whether `id` is the larger of both; that of -inf and b may be written b.
  bool is_larger(PlanValueId id, const Terms& of) const {
    if (of.b.valid() && is(of.a, Rational::infinity(true)) && id == of.b) return true;
    if (of.b.valid() && is(of.b, Rational::infinity(true)) && id == of.a) return true;
    const std::vector<PlanValueId> both = operands<Maximum>(id);
    return !both.empty() && (are(both[0], both[1], of) || are(both[1], both[0], of));
  }
  /// The correction that `id` adds to the larger of both.
  std::optional<Terms> whole(PlanValueId id) const {
    const std::vector<PlanValueId> sum = operands<Add>(id);
    for (size_t n = 0; n < sum.size(); ++n) {
      const std::optional<Terms> terms = correction(sum[n]);
      if (terms && is_larger(sum[1 - n], *terms)) return terms;
    }
    return std::nullopt;
  }
  /// That of a choice of a + b where a - b is no number.
  std::optional<Terms> guarded(PlanValueId id) const {
    const std::vector<PlanValueId> sides = operands<Select>(id);
    const std::optional<Terms> terms = sides.empty() ? std::nullopt : whole(sides[2]);
    const std::optional<Instruction> asked = terms ? maker(sides[0]) : std::nullopt;
    const Compare* compare = asked ? op_of<Compare>(*asked) : nullptr;
    if (compare == nullptr || compare->direction != Direction::ne || asked->operands[0] != terms->difference ||
        asked->operands[1] != terms->difference) {
      return std::nullopt;
    }
    const std::vector<PlanValueId> both = operands<Add>(sides[1]);
    const bool adds = !both.empty() && (are(both[0], both[1], *terms) || are(both[1], both[0], *terms));
    return adds ? terms : std::nullopt;
  }

 private:
  /// x of -(-x), as what is written of functions for digits ends (core/plan/passes/write_out.h).
  PlanValueId plain(PlanValueId id) const {
    const std::optional<Instruction> made = maker(id);
    if (!made || op_of<Negate>(*made) == nullptr) return id;
    const std::optional<Instruction> again = maker(made->operands[0]);
    return again && op_of<Negate>(*again) != nullptr ? again->operands[0] : id;
  }
  /// x of -x.
  PlanValueId negated(PlanValueId id) const {
    const std::optional<Instruction> made = id.valid() ? maker(id) : std::nullopt;
    return made && op_of<Negate>(*made) != nullptr ? made->operands[0] : PlanValueId();
  }
  Terms terms_of(PlanValueId difference) const {
    const std::vector<PlanValueId> both = operands<Subtract>(difference);
    return both.empty() ? Terms{difference, difference} : Terms{difference, both[0], both[1]};
  }
  bool are(PlanValueId x, PlanValueId y, const Terms& of) const {
    return is_same(x, of.a) && (of.b.valid() ? is_same(y, of.b) : is(y, Rational(0)));
  }

  const Plan& plan_;
  std::vector<InstructionId> definitions_;
};

class LogWriter {
 public:
  LogWriter(const Plan& plan, int64_t steps) : plan_(plan), steps_(steps), formulas_(plan), insertions_(plan) {}

  std::optional<Plan> run() {
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      const LocalOp* local = local_op(plan_.instructions[i]);
      if (is_one_of<Select, Add, Log>(local)) look_at(InstructionId(i), plan_.instructions[i].results[0]);
    }
    return written_ ? std::optional(std::move(insertions_).finish()) : std::nullopt;
  }

 private:
  void look_at(InstructionId at, PlanValueId id) {
    if (const std::optional<Terms> terms = formulas_.guarded(id)) return write(at, *terms);
    if (const std::optional<Terms> terms = formulas_.whole(id); terms && one_is_a_number(*terms)) {
      return write(at, *terms);
    }
    const std::optional<Terms> terms = formulas_.correction(id);
    if (terms && is_number(terms->a) && is_number(terms->b)) write_correction(at, *terms);
  }

  bool one_is_a_number(const Terms& terms) { return is_number(terms.a) || is_number(terms.b); }
  /// Whatever inputs are.
  bool is_number(PlanValueId id) {
    if (id.valid() && unsure_.empty()) find_unsure();
    return !id.valid() || !unsure_[id.index()];
  }

  /// What is made of an infinity, or where a function may have no value.
  void find_unsure() {
    std::vector<bool> fails(plan_.instructions.size(), false);
    for (const PartialUse& use : partial_uses(plan_, steps_).uses) fails[use.use.index()] = true;
    unsure_ = reached_from(
        plan_, [&](const Instruction& i) { return fails[i.id.index()]; }, {}, {}, steps_);
    const std::vector<bool> infinite = made_of_infinity(plan_, steps_).at_all;
    for (size_t v = 0; v < unsure_.size(); ++v) unsure_[v] = unsure_[v] || infinite[v];
  }

  TensorType type_at(InstructionId at) const { return plan_.value(plan_.instruction(at).results[0]).type(); }
  PlanValueId add(InstructionId at, OpData op, const std::vector<PlanValueId>& operands, const char* suffix) {
    return insertions_.add(std::move(op), operands, type_at(at),
                           plan_.value(plan_.instruction(at).results[0]).name() + suffix);
  }
  PlanValueId constant(InstructionId at, int64_t number, const char* suffix) {
    const TensorType type = type_at(at);
    return add(at, Constant{Rational(number), type.dtype, type.shape}, {}, suffix);
  }

  /// From here on `at` makes something that nobody reads.
  void begin(InstructionId at) {
    written_ = true;
    insertions_.begin(at);
    insertions_.rename_result(at, 0);
  }

  void write(InstructionId at, const Terms& terms) {
    const PlanValueId result = plan_.instruction(at).results[0];
    begin(at);
    for (const auto& [one, other] : {std::pair{terms.a, terms.b}, {terms.b, terms.a}}) {
      const bool alone = one.valid() && other.valid() && formulas_.is(one, Rational::infinity(true));
      if (alone) return insertions_.add_for(LocalOp{Reshape{type_at(at).shape}}, {other}, {result});
    }
    insertions_.add_for(LocalOp{Negate{}}, {add(at, Negate{}, {log_of(at, terms)}, ".negated")}, {result});
  }

  void write_correction(InstructionId at, const Terms& terms) {
    const PlanValueId result = plan_.instruction(at).results[0];
    begin(at);
    const PlanValueId other = terms.b.valid() ? terms.b : constant(at, 0, ".zero");
    const PlanValueId larger = add(at, Maximum{}, {terms.a, other}, ".larger");
    insertions_.add_for(LocalOp{Subtract{}}, {log_of(at, terms), larger}, {result});
  }

  PlanValueId log_of(InstructionId at, const Terms& terms) {
    const PlanValueId a = add(at, Exponential{}, {terms.a}, ".a");
    const PlanValueId b = terms.b.valid() ? add(at, Exponential{}, {terms.b}, ".b") : constant(at, 1, ".b");
    return add(at, Log{}, {add(at, Add{}, {a, b}, ".sum")}, ".log");
  }

  const Plan& plan_;
  int64_t steps_;
  Formulas formulas_;
  PlanInsertions insertions_;
  std::vector<bool> unsure_;  ///< per value; empty: not asked yet
  bool written_ = false;
};

}  // namespace

std::optional<Pair> write_logs_of_sums(const Pair& pair) {
  return with_plans(pair, LogWriter(pair.sharded.plan, pair.steps).run(),
                    LogWriter(pair.reference.plan, pair.steps).run());
}

}  // namespace isoshard::verify
