// Mistakes in numbers: scales, terms, signs, masks, and values that are not the latest.

#include <algorithm>

#include "tests/mutation/operators/operators.h"

namespace isoshard::mutation {
namespace {

/// Operand `i` is made of constants only, directly or through broadcasts.
bool is_number(const Place& p, ValueId original, int depth = 3) {
  const Op* maker = p.maker_of(original);
  if (maker == nullptr || depth == 0) return false;
  if (std::holds_alternative<Constant>(maker->data)) return true;
  const bool spread = std::holds_alternative<BroadcastInDim>(maker->data) ||
                      std::holds_alternative<Reshape>(maker->data) || std::holds_alternative<Convert>(maker->data);
  return spread && is_number(p, maker->operands[0], depth - 1);
}

/// The operand that a number scales, or -1.
int scaled_operand(const Place& p) {
  const bool divides = p.as<Divide>() != nullptr;
  if ((!divides && p.as<Multiply>() == nullptr) || !p.float_result()) return -1;
  if (is_number(p, p.op().operands[1])) return 0;
  return !divides && is_number(p, p.op().operands[0]) ? 1 : -1;
}

Replacement missing_scale(Place& p) {
  const int scaled = scaled_operand(p);
  if (scaled < 0) return std::nullopt;
  p.did = "without the factor";
  return std::vector{p.operand(static_cast<size_t>(scaled))};
}

Replacement doubled_scale(Place& p) {
  const int scaled = scaled_operand(p);
  if (scaled < 0) return std::nullopt;
  p.did = "the factor twice";
  std::vector<ValueId> in = p.operands();
  in[static_cast<size_t>(scaled)] = p.again(in)[0];
  return p.again(in);
}

/// x * factor or x / factor, where the factor is data: a rescale, a weight, a mask.
Replacement dropped_rescale(Place& p) {
  const bool divides = p.as<Divide>() != nullptr;
  if ((!divides && p.as<Multiply>() == nullptr) || !p.float_result() || scaled_operand(p) >= 0) return std::nullopt;
  p.did = "not rescaled";
  return std::vector{p.operand(divides ? 0 : p.dice.below(2))};
}

/// An earlier value of the same type in place of an operand.
Replacement stale_operand(Place& p) {
  if (p.operands().empty() || std::holds_alternative<Scan>(p.op().data)) return std::nullopt;
  const size_t i = p.dice.below(p.operands().size());
  std::vector<ValueId> earlier;
  for (const ValueId value : p.visible()) {
    if (value != p.operand(i) && p.type(value) == p.type(p.operand(i))) earlier.push_back(value);
  }
  if (earlier.empty()) return std::nullopt;
  std::vector<ValueId> in = p.operands();
  in[i] = p.dice.chance(50) ? earlier.back() : p.dice.pick(earlier);
  p.did = "an earlier value as operand " + std::to_string(i + 1);
  return p.again(in);
}

Replacement lost_term(Place& p) {
  if (p.as<Add>() == nullptr) return std::nullopt;
  const size_t kept = p.dice.below(2);
  p.did = "only operand " + std::to_string(kept + 1);
  return std::vector{p.operand(kept)};
}

Replacement wrong_sign(Place& p) {
  if (p.as<Subtract>() != nullptr) {
    p.did = "the operands change places";
    return p.again({p.operand(1), p.operand(0)});
  }
  if (p.as<Negate>() != nullptr) {
    p.did = "not negated";
    return p.operands();
  }
  if (p.as<Add>() == nullptr || !p.float_result()) return std::nullopt;
  p.did = "subtract in place of add";
  return p.append(Subtract{}, p.operands());
}

/// lt for le, or one more on one side of a comparison of integers.
Replacement compare_off_by_one(Place& p) {
  const Compare* op = p.as<Compare>();
  if (op == nullptr) return std::nullopt;
  const bool integers = !p.floats(p.operand(0)) && p.type(p.operand(0)).dtype != DType::pred;
  if (integers && p.dice.chance(50)) {
    p.did = "with one more";
    return p.again({p.add(Add{}, {p.operand(0), p.constant(Rational(1), p.operand(0))}), p.operand(1)});
  }
  constexpr Direction kOther[] = {Direction::none, Direction::ne, Direction::eq, Direction::le,
                                  Direction::lt,   Direction::ge, Direction::gt};
  p.did = "strict or not, the other way";
  return p.append(Compare{kOther[static_cast<size_t>(op->direction)]}, p.operands());
}

Replacement dropped_mask(Place& p) {
  if (p.as<Select>() != nullptr) {
    const size_t side = p.dice.chance(70) ? 1 : 2;
    p.did = "without the choice";
    return std::vector{p.operand(side)};
  }
  if (p.as<And>() != nullptr || p.as<Or>() != nullptr) {
    p.did = "one condition only";
    return std::vector{p.operand(p.dice.below(2))};
  }
  if (p.as<Maximum>() != nullptr || p.as<Minimum>() != nullptr) {
    p.did = "without the bound";
    return std::vector{p.operand(p.dice.below(2))};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Operator> wrong_values() {
  return {{"missing_scale", false, missing_scale},
          {"doubled_scale", false, doubled_scale},
          {"dropped_rescale", false, dropped_rescale},
          {"stale_operand", false, stale_operand},
          {"lost_term", false, lost_term},
          {"wrong_sign", false, wrong_sign},
          {"compare_off_by_one", false, compare_off_by_one},
          {"dropped_mask", false, dropped_mask}};
}

}  // namespace isoshard::mutation
