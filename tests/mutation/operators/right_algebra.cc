// Rewrites of what each device computes that keep the meaning.

#include <algorithm>
#include <numeric>

#include "core/support/rational_gmp.h"
#include "tests/mutation/operators/operators.h"

namespace isoshard::mutation {
namespace {

/// The number that fills a value: made by a constant, perhaps through a broadcast.
std::optional<Rational> number(const Place& p, ValueId original) {
  const Op* maker = p.maker_of(original);
  if (maker != nullptr && std::holds_alternative<BroadcastInDim>(maker->data)) maker = p.maker_of(maker->operands[0]);
  const Constant* constant = maker == nullptr ? nullptr : std::get_if<Constant>(&maker->data);
  if (constant == nullptr || !constant->value.finite() || constant->value.is_zero()) return std::nullopt;
  return constant->value;
}

bool sums_products(const OpData& op) {
  return std::holds_alternative<DotGeneral>(op) || std::holds_alternative<Convolution>(op);
}

Rational inverse(const Rational& x) { return from_mpq(1 / to_mpq(x)); }

/// x/n to x * (1/n), or the other way round.
Replacement reciprocal(Place& p) {
  if ((p.as<Divide>() == nullptr && p.as<Multiply>() == nullptr) || !p.float_result()) return std::nullopt;
  const std::optional<Rational> n = number(p, p.op().operands[1]);
  if (!n) return std::nullopt;
  const ValueId factor = p.constant(inverse(*n), p.operand(1));
  p.did = "by 1/" + n->to_string();
  if (p.as<Divide>() != nullptr) return p.append(Multiply{}, {p.operand(0), factor});
  return p.append(Divide{}, {p.operand(0), factor});
}

/// f(c x) becomes c f(x) for a linear f.
Replacement scale_after(Place& p) {
  if (!is_linear(p.op().data) || !p.float_result()) return std::nullopt;
  const Op* maker = p.maker(0);
  if (maker == nullptr) return std::nullopt;
  const bool divides = std::holds_alternative<Divide>(maker->data);
  if (!divides && !std::holds_alternative<Multiply>(maker->data)) return std::nullopt;
  const std::optional<Rational> n = number(p, maker->operands[1]);
  if (!n) return std::nullopt;
  const ValueId y = p.again({p.copy(maker->operands[0])})[0];
  p.did = "the scale behind it";
  const ValueId c = p.constant(*n, y);
  return divides ? p.append(Divide{}, {y, c}) : p.append(Multiply{}, {y, c});
}

/// c f(x) becomes f(c x) for a linear f.
Replacement scale_before(Place& p) {
  const bool divides = p.as<Divide>() != nullptr;
  if ((!divides && p.as<Multiply>() == nullptr) || !p.float_result()) return std::nullopt;
  const Op* maker = p.maker(0);
  const std::optional<Rational> n = number(p, p.op().operands[1]);
  if (!n || maker == nullptr) return std::nullopt;
  p.did = "the scale before the " + std::string(op_name(maker->data));
  if (sums_products(maker->data)) {
    const ValueId b = p.copy(maker->operands[1]), c = p.constant(*n, b);
    const ValueId scaled = divides ? p.add(Divide{}, {b, c}) : p.add(Multiply{}, {b, c});
    return p.append(maker->data, {p.copy(maker->operands[0]), scaled});
  }
  if (!is_linear(maker->data)) return std::nullopt;
  const ValueId x = p.copy(maker->operands[0]), c = p.constant(*n, x);
  return p.append(maker->data, {divides ? p.add(Divide{}, {x, c}) : p.add(Multiply{}, {x, c})});
}

/// Scaled by 3 before a linear op and by 1/3 behind it.
Replacement scaled_through(Place& p) {
  if (!is_linear(p.op().data) || !p.float_result()) return std::nullopt;
  const ValueId scaled = p.add(Multiply{}, {p.operand(0), p.constant(Rational(3), p.operand(0))});
  const ValueId y = p.again({scaled})[0];
  p.did = "three times as much, and a third of it";
  return p.append(Divide{}, {y, p.constant(Rational(3), y)});
}

Replacement regrouped_sum(Place& p) {
  if (p.as<Add>() == nullptr) return std::nullopt;
  const Op* maker = p.maker(0);
  if (maker != nullptr && std::holds_alternative<Add>(maker->data)) {
    p.did = "a + (b + c)";
    const ValueId last = p.add(Add{}, {p.copy(maker->operands[1]), p.operand(1)});
    return p.append(Add{}, {p.copy(maker->operands[0]), last});
  }
  p.did = "b + a";
  return p.again({p.operand(1), p.operand(0)});
}

/// (a + b) c = a c + b c, also of dot_general and convolution.
Replacement distributed(Place& p) {
  const bool dot = sums_products(p.op().data);
  if ((!dot && p.as<Multiply>() == nullptr) || !p.float_result()) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Op* maker = p.maker(i);
    if (maker == nullptr) continue;
    if (!std::holds_alternative<Add>(maker->data) && !std::holds_alternative<Subtract>(maker->data)) continue;
    std::vector<ValueId> in = p.operands();
    in[i] = p.copy(maker->operands[0]);
    const ValueId first = p.again(in)[0];
    in[i] = p.copy(maker->operands[1]);
    p.did = "operand " + std::to_string(i + 1) + " term by term";
    return p.append(maker->data, {first, p.again(in)[0]});
  }
  return std::nullopt;
}

Replacement subtract_as_add(Place& p) {
  if (p.as<Subtract>() == nullptr || !p.float_result()) return std::nullopt;
  p.did = "a + (-1) b";
  const ValueId minus = p.add(Multiply{}, {p.operand(1), p.constant(Rational(-1), p.operand(1))});
  return p.append(Add{}, {p.operand(0), minus});
}

std::vector<int64_t> rotated(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

std::vector<int64_t> undone(const std::vector<int64_t>& order) {
  std::vector<int64_t> back(order.size());
  for (size_t d = 0; d < order.size(); ++d) back[at(order[d])] = static_cast<int64_t>(d);
  return back;
}

bool of_each_element(const Place& p) {
  const bool binary = p.as<Add>() != nullptr || p.as<Subtract>() != nullptr || p.as<Multiply>() != nullptr ||
                      p.as<Divide>() != nullptr || p.as<Maximum>() != nullptr || p.as<Minimum>() != nullptr;
  return p.float_result() && (binary || is_elementwise(p.op().data));
}

/// A transpose moved from behind an elementwise op to before it, with its inverse behind.
Replacement transposed(Place& p) {
  if (const DotGeneral* op = p.as<DotGeneral>()) {
    const Shape& a = p.shape(p.operand(0));
    const Shape& b = p.shape(p.operand(1));
    if (!op->batch.lhs.empty() || a.size() != 2 || b.size() != 2 || op->contract.lhs.size() != 1) return std::nullopt;
    DotGeneral other = *op;
    std::swap(other.contract.lhs, other.contract.rhs);
    p.did = "(B^T A^T)^T";
    return p.append(Transpose{{1, 0}}, p.append(other, {p.operand(1), p.operand(0)}));
  }
  if (!of_each_element(p) || p.shape(p.operand(0)).size() < 2) return std::nullopt;
  const std::vector<int64_t> order = rotated(p.shape(p.operand(0)).size());
  std::vector<ValueId> moved;
  for (const ValueId operand : p.operands()) moved.push_back(p.add(Transpose{order}, {operand}));
  p.did = "of transposed operands, and back";
  return p.append(Transpose{undone(order)}, p.again(moved));
}

/// slice(f(x)) becomes f(slice(x)), also of the own block.
Replacement slice_through(Place& p) {
  if (p.as<Slice>() == nullptr && p.as<SliceBlock>() == nullptr) return std::nullopt;
  const Op* maker = p.maker(0);
  if (maker == nullptr || maker->operands.empty()) return std::nullopt;
  std::vector<ValueId> parts;
  const bool binary = std::holds_alternative<Add>(maker->data) || std::holds_alternative<Subtract>(maker->data) ||
                      std::holds_alternative<Multiply>(maker->data) || std::holds_alternative<Divide>(maker->data);
  if (!binary && !is_elementwise(maker->data)) return std::nullopt;
  for (const ValueId operand : maker->operands) parts.push_back(p.again({p.copy(operand)})[0]);
  p.did = "before the " + std::string(op_name(maker->data));
  return p.append(maker->data, parts);
}

/// Both halves on their own, then joined.
Replacement split_and_joined(Place& p) {
  if (!of_each_element(p)) return std::nullopt;
  const Shape shape = p.shape(p.operand(0));
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 2) continue;
    const auto dim = static_cast<int64_t>(d);
    const int64_t cut = p.dice.in(1, shape[d] - 1);
    std::vector<ValueId> first, second;
    for (const ValueId x : p.operands()) {
      first.push_back(p.slice(x, dim, 0, cut));
      second.push_back(p.slice(x, dim, cut, shape[d]));
    }
    p.did = "in two parts, cut at " + std::to_string(cut);
    const ValueId a = p.again(first)[0];
    return p.append(Concatenate{dim}, {a, p.again(second)[0]});
  }
  return std::nullopt;
}

/// A contraction or sum as the sum of two parts.
Replacement split_contraction(Place& p) {
  const DotGeneral* dot = p.as<DotGeneral>();
  const Reduce* reduce = p.as<Reduce>();
  if ((dot == nullptr || dot->contract.lhs.empty()) && (reduce == nullptr || reduce->op != Reducer::add)) {
    return std::nullopt;
  }
  if (!p.float_result() || (reduce != nullptr && reduce->dims.empty())) return std::nullopt;
  const std::vector<int64_t> dims =
      dot != nullptr ? std::vector{dot->contract.lhs[0], dot->contract.rhs[0]} : std::vector{reduce->dims[0]};
  const int64_t size = p.shape(p.operand(0))[at(dims[0])];
  if (size < 2) return std::nullopt;
  const int64_t cut = p.dice.in(1, size - 1);
  std::vector<ValueId> first, second;
  for (size_t i = 0; i < p.operands().size(); ++i) {
    first.push_back(p.slice(p.operand(i), dims[i], 0, cut));
    second.push_back(p.slice(p.operand(i), dims[i], cut, size));
  }
  p.did = "as two sums, cut at " + std::to_string(cut);
  const ValueId a = p.again(first)[0];
  return p.append(Add{}, {a, p.again(second)[0]});
}

/// exp(a - b) = exp(a) / exp(b): a law of rung E.
Replacement exp_of_difference(Place& p) {
  if (p.as<Exponential>() == nullptr) return std::nullopt;
  const Op* maker = p.maker(0);
  if (maker == nullptr) return std::nullopt;
  const bool difference = std::holds_alternative<Subtract>(maker->data);
  if (!difference && !std::holds_alternative<Add>(maker->data)) return std::nullopt;
  const ValueId a = p.again({p.copy(maker->operands[0])})[0];
  const ValueId b = p.again({p.copy(maker->operands[1])})[0];
  p.did = difference ? "exp(a) / exp(b)" : "exp(a) exp(b)";
  return difference ? p.append(Divide{}, {a, b}) : p.append(Multiply{}, {a, b});
}

Replacement commuted(Place& p) {
  if (p.as<Multiply>() == nullptr && p.as<Maximum>() == nullptr && p.as<Minimum>() == nullptr) return std::nullopt;
  p.did = "the operands change places";
  return p.again({p.operand(1), p.operand(0)});
}

}  // namespace

std::vector<Operator> right_algebra() {
  return {{"reciprocal", true, reciprocal},
          {"scale_after", true, scale_after},
          {"scale_before", true, scale_before},
          {"scaled_through", true, scaled_through},
          {"regrouped_sum", true, regrouped_sum},
          {"distributed", true, distributed},
          {"subtract_as_add", true, subtract_as_add},
          {"transposed", true, transposed},
          {"slice_through", true, slice_through},
          {"split_and_joined", true, split_and_joined},
          {"split_contraction", true, split_contraction},
          {"exp_of_difference", true, exp_of_difference},
          {"commuted", true, commuted}};
}

}  // namespace isoshard::mutation
