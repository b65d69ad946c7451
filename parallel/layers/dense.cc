#include "parallel/layers/dense.h"

#include <utility>

namespace isoshard {

ValueId as_state(ModelBuilder& m, ValueId x, const Group& axis, State to, const Location& location) {
  if (!x.valid() || !m.typed()) return x;
  std::vector<AxisId> other;
  for (const AxisId a : axis.axes) {
    const State state = m.builder().type(x).states[a.index()];
    if (state != to && state != State::unknown) other.push_back(a);
  }
  return other.empty() ? x : m.op(Reinterpret{Group{std::move(other)}, to}, {x}, "", location);
}

ValueId in_dtype(ModelBuilder& m, ValueId x, std::optional<DType> dtype, const Location& location) {
  if (!x.valid() || !dtype || m.builder().type(x).tensor.dtype == *dtype) return x;
  return m.op(Convert{*dtype}, {x}, "", location);
}

ValueId dense(Scope& self, const Dense& layer, ValueId x, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid()) return {};
  const Shape shape = m.shape(x);
  if (shape.empty())
    return m.error("C-dense", "dense: x is a scalar; expected features in its last dimension", location);
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const auto computed = [&](ValueId v) { return in_dtype(m, v, layer.dtype, location); };
  const ValueId kernel = computed(self.param("kernel", layer.kernel_init, {shape.back(), layer.features}));
  const ValueId y = m.op(DotGeneral{DimPairs{{last}, {0}}, m.typed() ? self.terms().set() : AxisSet()},
                         {computed(x), kernel}, layer.use_bias ? "" : name, location);
  if (!layer.use_bias) return y;
  const ValueId own = computed(self.param("bias", zeros_initializer(), {layer.features}));
  const ValueId bias = as_state(m, own, self.terms(), State::partial, location);
  return m.add(y, m.broadcast_like(bias, {last}, y, "", location), name, location);
}

DenseFn dense_fn(int64_t features, std::optional<DType> dtype) {
  return DenseFn{"Dense", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
                   return dense(self, Dense{features, kernel_init, use_bias, dtype}, x);
                 }};
}

}  // namespace isoshard
