// A sum of what is not negative is 0 where each term is, a product of numbers where a factor is, and an exponential
// where its exponent is -inf. So whether a sum of exponentials is 0 is whether all exponents are -inf, which is asked
// where constants say it (pair_facts/settled.h). With -1e30 in it an exponential is no 0, and yet one on every machine:
// a guard against that is for what runs, and stays. What a loop hands on would need a carry of its own. Cost: one
// instruction for each that makes the sum, for each question.
#include "verify/abstraction/zeros_of_sums.h"

#include <algorithm>
#include <utility>

#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/pair_facts/masks.h"

namespace isoshard::verify {

ZerosOfSums::ZerosOfSums(const Plan& plan, PlanInsertions& insertions)
    : plan_(plan), insertions_(insertions), made_(definitions(plan)) {}

std::optional<PlanValueId> ZerosOfSums::more_than_zero(PlanValueId id) {
  if (!settled_) settled_ = settled_zeros(plan_);
  const std::optional<Rational> constant = number_of(plan_, made_, id);
  if (constant && (constant->is_zero() || (constant->finite() && !constant->negative()))) {
    return number(id, constant->is_zero() ? 0 : 1);
  }
  const InstructionId made = made_[id.index()];
  return made.valid() ? of(id, plan_.instruction(made)) : std::nullopt;
}

TensorType ZerosOfSums::type(PlanValueId id) const {
  TensorType result = plan_.value(id).type();
  result.dtype = DType::i32;
  return result;
}

ZerosOfSums::Added ZerosOfSums::number(PlanValueId like, int64_t n) {
  const TensorType of = type(like);
  return insertions_.add(Constant{Rational(n), of.dtype, of.shape}, {}, of, "zero");
}

ZerosOfSums::Added ZerosOfSums::like(PlanValueId id, InstructionData data, const std::vector<PlanValueId>& operands) {
  return insertions_.add(std::move(data), operands, type(id), plan_.value(id).name() + ".more");
}

bool ZerosOfSums::not_negative(const Instruction& made) const {
  return std::all_of(made.operands.begin(), made.operands.end(), [&](PlanValueId id) {
    return settled_->not_negative[id.index()] && settled_->finite[id.index()];
  });
}

ZerosOfSums::Added ZerosOfSums::of(PlanValueId id, const Instruction& made) {
  if (const Collective* collective = std::get_if<Collective>(&made.data())) {
    const bool sum = collective->kind == CollectiveKind::all_reduce;
    if (plan_.groups.size() > 1 || !sum || !not_negative(made)) return std::nullopt;
    Collective largest = *collective;
    largest.kind = CollectiveKind::all_reduce_max;
    return moved(id, made, largest);
  }
  return local_op(made) != nullptr ? of_local(id, made) : std::nullopt;
}

ZerosOfSums::Added ZerosOfSums::of_local(PlanValueId id, const Instruction& made) {
  const OpData& op = local_op(made)->op;
  if (is_one_of<Exponential>(op)) return exponential(id, made.operands[0]);
  if (is_one_of<BroadcastInDim, Reshape, Transpose, Slice, StopGradient>(op)) return moved(id, made, LocalOp{op});
  if (is_one_of<Select>(op)) {
    const Added yes = more_than_zero(made.operands[1]), no = yes ? more_than_zero(made.operands[2]) : std::nullopt;
    return no ? like(id, LocalOp{op}, {made.operands[0], *yes, *no}) : std::nullopt;
  }
  if (!not_negative(made)) return std::nullopt;
  if (is_one_of<Add>(op)) return both(id, made, Maximum{});
  if (is_one_of<Multiply>(op)) return both(id, made, Minimum{});
  if (const Reduce* reduce = std::get_if<Reduce>(&op)) {
    const bool empty = element_count(plan_.value(made.operands[0]).type().shape) == 0;
    if (empty || reduce->op != Reducer::add) return std::nullopt;
    return moved(id, made, LocalOp{Reduce{Reducer::max, reduce->dims, {}}});
  }
  return std::nullopt;
}

ZerosOfSums::Added ZerosOfSums::exponential(PlanValueId id, PlanValueId exponent) {
  const size_t x = exponent.index();
  if (masks_.empty()) masks_ = made_of_masks(plan_, 1);
  if (settled_->finite[x]) return masks_[x] ? std::nullopt : number(id, 1);
  if (!settled_->low[x] || !settled_->infinite[x]) return std::nullopt;
  const TensorType of = plan_.value(exponent).type(), asked{DType::pred, of.shape};
  const PlanValueId infinity =
      insertions_.add(Constant{Rational::infinity(true), of.dtype, of.shape}, {}, of, "infinity");
  const PlanValueId more = insertions_.add(Compare{Direction::ne}, {exponent, infinity}, asked, "finite");
  return like(id, LocalOp{Convert{DType::i32}}, {more});
}

ZerosOfSums::Added ZerosOfSums::both(PlanValueId id, const Instruction& made, OpData op) {
  const Added a = more_than_zero(made.operands[0]), b = a ? more_than_zero(made.operands[1]) : std::nullopt;
  return b ? like(id, LocalOp{std::move(op)}, {*a, *b}) : std::nullopt;
}

ZerosOfSums::Added ZerosOfSums::moved(PlanValueId id, const Instruction& made, InstructionData data) {
  const Added of = more_than_zero(made.operands[0]);
  return of ? like(id, std::move(data), {*of}) : std::nullopt;
}

}  // namespace isoshard::verify
