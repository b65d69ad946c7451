// Functions of models that need no parameters of their own: layer normalisation and softmax over the last dimension,
// causal masks, ids within a block of a table, and expert MLPs. Each is a short list of ops. The maximum that softmax
// subtracts has no gradient, because the result does not depend on it. Cost: one or two passes over x.
#include "parallel/layers/layers.h"

#include <numeric>
#include <utility>

namespace isoshard {
namespace {

/// 0, 1, ..., rank - 2: all dimensions but the last.
std::vector<int64_t> leading_dims(const Shape& shape) {
  std::vector<int64_t> dims(shape.size() - 1);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

}  // namespace

ValueId layer_norm(ModelBuilder& m, ValueId x, ValueId gamma, ValueId beta, std::string name,
                   const Location& location) {
  if (!x.valid()) return {};
  const int64_t last = static_cast<int64_t>(m.shape(x).size()) - 1, size = m.shape(x).back();
  const std::vector<int64_t> rows = leading_dims(m.shape(x));
  const auto mean = [&](ValueId v) {
    return m.with_constant(Divide{}, m.op(Reduce{Reducer::add, {last}, {}}, {v}, "", location), Rational(size), "",
                           location);
  };
  const ValueId centered = m.op(Subtract{}, {x, m.broadcast_like(mean(x), rows, x, "", location)}, "", location);
  const ValueId variance = mean(m.multiply(centered, centered, "", location));
  const ValueId shifted = m.with_constant(Add{}, variance, Rational(1, kEpsilonDenominator), "", location);
  const ValueId scale = m.broadcast_like(m.op(Rsqrt{}, {shifted}, "", location), rows, x, "", location);
  const ValueId normal = m.multiply(centered, scale, "", location);
  const ValueId scaled = m.multiply(normal, m.broadcast_like(gamma, {last}, x, "", location), "", location);
  return m.add(scaled, m.broadcast_like(beta, {last}, x, "", location), std::move(name), location);
}

ValueId softmax(ModelBuilder& m, ValueId x, std::string name, const Location& location) {
  if (!x.valid()) return {};
  const int64_t last = static_cast<int64_t>(m.shape(x).size()) - 1;
  const std::vector<int64_t> rows = leading_dims(m.shape(x));
  const ValueId fixed = m.op(StopGradient{}, {x}, "", location);
  const ValueId top = m.op(Reduce{Reducer::max, {last}, {}}, {fixed}, "", location);
  const ValueId shifted = m.op(Subtract{}, {x, m.broadcast_like(top, rows, x, "", location)}, "", location);
  const ValueId e = m.op(Exponential{}, {shifted}, "", location);
  const ValueId sum = m.op(Reduce{Reducer::add, {last}, {}}, {e}, "", location);
  return m.op(Divide{}, {e, m.broadcast_like(sum, rows, x, "", location)}, std::move(name), location);
}

ValueId causal_mask(ModelBuilder& m, int64_t n, std::string name, const Location& location) {
  const ValueId row = m.op(Iota{DType::i32, {n, n}, 0}, {}, "", location);
  const ValueId column = m.op(Iota{DType::i32, {n, n}, 1}, {}, "", location);
  return m.op(Compare{Direction::ge}, {row, column}, std::move(name), location);
}

ValueId clamp_ids(ModelBuilder& m, ValueId ids, int64_t count, std::string name, const Location& location) {
  const ValueId low = m.with_constant(Maximum{}, ids, Rational(0), "", location);
  return m.with_constant(Minimum{}, low, Rational(count - 1), std::move(name), location);
}

LocalIds local_ids(ModelBuilder& m, ValueId ids, int64_t count, const Group& axis, const Location& location) {
  const int64_t own = count / m.builder().mesh().size(axis);
  const ValueId index = m.op(AxisIndex{axis}, {}, "", location);
  const ValueId start = m.with_constant(Multiply{}, index, Rational(own), "", location);
  const ValueId local = m.op(Subtract{}, {ids, m.broadcast_like(start, {}, ids, "", location)}, "", location);
  const ValueId above = m.with_constant(Compare{Direction::ge}, local, Rational(0), "", location);
  const ValueId below = m.with_constant(Compare{Direction::lt}, local, Rational(own), "", location);
  return {local, m.op(And{}, {above, below}, "", location)};
}

ValueId expert_mlps(ModelBuilder& m, ValueId tokens, ValueId w1, ValueId w2, const Location& location) {
  const DotGeneral per_expert{{{2}, {1}}, {}, {{0}, {0}}};
  const ValueId h =
      activate(m, Activation::silu, m.op(per_expert, {tokens, w1}, "hidden", location), "active", location);
  return m.op(per_expert, {h, w2}, "answers", location);
}

}  // namespace isoshard
