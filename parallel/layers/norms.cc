// RMSNorm and LayerNorm over the last dimension, as Flax computes them (docs/spec/originals.md, "Norms"): statistics in
// f32, the fast variance mean(x^2) - mean(x)^2, not below 0. Where features are split over an axis, the means of one
// layer are stacked and summed in one all_reduce, as Flax joins them. The order of operations is Flax's too, since
// floats tell the difference. Cost: one pass over x, and one small all_reduce.
#include "parallel/layers/norms.h"

#include <numeric>
#include <utility>

#include "parallel/layers/dense.h"

namespace isoshard {
namespace {

/// Works over the last dimension of x, which is f32.
class Features {
 public:
  Features(ModelBuilder& m, ValueId x, Location location)
      : m_(m), x_(x), last_(static_cast<int64_t>(m.shape(x).size()) - 1), location_(std::move(location)) {}

  /// The means of the given values over their features, over those of all devices where there is an axis.
  std::vector<ValueId> means(const std::vector<ValueId>& values, const Group& axis) {
    std::vector<ValueId> result;
    for (const ValueId value : values) result.push_back(divided(sum(value), m_.shape(x_).back()));
    return axis.empty() ? result : mean_over(axis, result);
  }

  ValueId per_row(ValueId value) {
    std::vector<int64_t> rows(static_cast<size_t>(last_));
    std::iota(rows.begin(), rows.end(), 0);
    return m_.broadcast_like(value, std::move(rows), x_, "", location_);
  }

  ValueId parameter(Scope& self, const std::string& name, const Initializer& initializer) {
    return m_.broadcast_like(self.param(name, initializer, {m_.shape(x_).back()}), {last_}, x_, "", location_);
  }

 private:
  ValueId sum(ValueId value) { return m_.op(Reduce{Reducer::add, {last_}, {}}, {value}, "", location_); }
  ValueId divided(ValueId value, int64_t by) { return m_.with_constant(Divide{}, value, Rational(by), "", location_); }

  /// One all_reduce for all of them, as Flax joins them for its pmean.
  std::vector<ValueId> mean_over(const Group& axis, const std::vector<ValueId>& values) {
    const ValueId terms = as_state(m_, m_.stack(values, "", location_), axis, State::partial, location_);
    const ValueId total = m_.all_reduce(terms, axis, State::replicated, "", location_);
    const ValueId mean = divided(total, m_.mesh().size(axis));
    std::vector<ValueId> result;
    for (size_t i = 0; i < values.size(); ++i)
      result.push_back(m_.element(mean, static_cast<int64_t>(i), "", location_));
    return result;
  }

  ModelBuilder& m_;
  ValueId x_;
  int64_t last_;
  Location location_;
};

/// x as f32; invalid after an error.
ValueId float_features(ModelBuilder& m, const std::string& layer, ValueId x, const Location& location) {
  if (!x.valid()) return {};
  if (m.shape(x).empty())
    return m.error("C-norm", layer + ": x is a scalar; expected features in its last dimension", location);
  return m.builder().type(x).tensor.dtype == DType::f32 ? x : m.op(Convert{DType::f32}, {x}, "", location);
}

ValueId inverse_root(ModelBuilder& m, ValueId mean, const Rational& epsilon, const Location& location) {
  return m.op(Rsqrt{}, {m.with_constant(Add{}, mean, epsilon, "", location)}, "", location);
}

}  // namespace

ValueId rms_norm(Scope& self, const RmsNorm& layer, ValueId x, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  x = float_features(m, "RMSNorm", x, location);
  if (!x.valid()) return {};
  Features features(m, x, location);
  const ValueId mean = features.means({m.multiply(x, x, "", location)}, layer.axis).front();
  const ValueId scale = features.parameter(self, "scale", ones_initializer());
  const ValueId factor = features.per_row(inverse_root(m, mean, layer.epsilon, location));
  const ValueId y = m.multiply(x, m.multiply(factor, scale, "", location), layer.dtype ? "" : name, location);
  return in_dtype(m, y, layer.dtype, location);
}

ValueId layer_norm(Scope& self, const LayerNorm& layer, ValueId x, const std::string& name, const Location& location) {
  ModelBuilder& m = self.m();
  x = float_features(m, "LayerNorm", x, location);
  if (!x.valid()) return {};
  Features features(m, x, location);
  const std::vector<ValueId> means = features.means({x, m.multiply(x, x, "", location)}, layer.axis);
  const ValueId square = m.multiply(means[0], means[0], "", location);
  const ValueId difference = m.op(Subtract{}, {means[1], square}, "", location);
  const ValueId variance = m.with_constant(Maximum{}, difference, Rational(0), "", location);
  const ValueId scale = features.parameter(self, "scale", ones_initializer());
  const ValueId bias = features.parameter(self, "bias", zeros_initializer());
  const ValueId factor = features.per_row(inverse_root(m, variance, layer.epsilon, location));
  const ValueId centered = m.op(Subtract{}, {x, features.per_row(means[0])}, "", location);
  const ValueId scaled = m.multiply(centered, m.multiply(factor, scale, "", location), "", location);
  return in_dtype(m, m.add(scaled, bias, layer.dtype ? "" : name, location), layer.dtype, location);
}

}  // namespace isoshard
