#include "catalogue/loops/device_loop.h"

#include <numeric>
#include <utility>

#include "core/support/check.h"

namespace isoshard {
namespace {

const Rational kEpsilon{1, 1'000'000};

int64_t last_of(ModelBuilder& m, ValueId x) { return static_cast<int64_t>(m.shape(x).size()) - 1; }

/// A vector over the features of x.
ValueId per_feature(ModelBuilder& m, ValueId vector, ValueId x) { return m.broadcast_like(vector, {last_of(m, x)}, x); }

ValueId mean(ModelBuilder& m, ValueId x) {
  const int64_t last = last_of(m, x);
  std::vector<int64_t> rows(static_cast<size_t>(last));
  std::iota(rows.begin(), rows.end(), 0);
  const ValueId sum = m.op(Reduce{Reducer::add, {last}, {}}, {x});
  return m.broadcast_like(m.with_constant(Divide{}, sum, Rational(m.shape(x).back())), std::move(rows), x);
}

/// x rsqrt(square + epsilon) scale.
ValueId normed(ModelBuilder& m, ValueId x, ValueId square, ValueId scale) {
  const ValueId root = m.op(Rsqrt{}, {m.with_constant(Add{}, square, kEpsilon)});
  return m.multiply(m.multiply(x, root), per_feature(m, scale, x));
}

ValueId rms_of(ModelBuilder& m, ValueId x, ValueId scale) { return normed(m, x, mean(m, m.multiply(x, x)), scale); }

ValueId layer_norm_of(ModelBuilder& m, ValueId x, ValueId scale, ValueId bias) {
  const ValueId center = mean(m, x);
  const ValueId difference = m.op(Subtract{}, {mean(m, m.multiply(x, x)), m.multiply(center, center)});
  const ValueId variance = m.with_constant(Maximum{}, difference, Rational(0));
  return m.add(normed(m, m.op(Subtract{}, {x, center}), variance, scale), per_feature(m, bias, x));
}

}  // namespace

std::string below(const std::string& path, const std::string& name) { return path.empty() ? name : path + "/" + name; }

DeviceFn device_dense() {
  return [](const DeviceLoop& loop, int64_t device, const std::string& path, ValueId x) {
    ModelBuilder& m = loop.m();
    const ValueId kernel = loop.param(device, below(path, "kernel"));
    const ValueId y = m.op(DotGeneral{DimPairs{{last_of(m, x)}, {0}}, {}}, {x, kernel});
    const ValueId bias = loop.param(device, below(path, "bias"));
    return bias.valid() ? m.add(y, per_feature(m, bias, y)) : y;
  };
}

DeviceLoop::DeviceLoop(ModelBuilder& m, const Params& params, std::shared_ptr<const Mesh> mesh, Group axis,
                       int64_t around, std::map<std::string, ValueId> whole)
    : m_(&m),
      params_(std::make_shared<DeviceParams>(m, params, mesh, std::move(whole))),
      mesh_(std::move(mesh)),
      axis_(std::move(axis)),
      around_(around) {}

DeviceLoop DeviceLoop::layer(int64_t index) const {
  DeviceLoop result = *this;
  result.layers_.push_back(index);
  return result;
}

DeviceLoop DeviceLoop::around(int64_t device, Group axis) const {
  DeviceLoop result = *this;
  result.around_ = mesh_->member(axis_, around_, device);
  result.axis_ = std::move(axis);
  return result;
}

int64_t DeviceLoop::devices() const { return mesh_->size(axis_); }

ValueId DeviceLoop::param(int64_t device, const std::string& path) const {
  ValueId value = params_->at(path, mesh_->member(axis_, around_, device));
  for (const int64_t layer : layers_) {
    if (value.valid()) value = m_->element(value, layer);
  }
  return value;
}

DeviceValues DeviceLoop::each(const std::function<ValueId(int64_t device)>& f) const {
  DeviceValues result;
  for (int64_t d = 0; d < devices(); ++d) result.push_back(f(d));
  return result;
}

DeviceValues DeviceLoop::split(ValueId x) const {
  const int64_t features = m_->shape(x).back(), width = features / devices();
  ISOSHARD_CHECK(width * devices() == features, "the devices do not divide the features");
  return each([&](int64_t d) { return m_->slice(x, -1, d * width, (d + 1) * width); });
}

ValueId DeviceLoop::join(const DeviceValues& xs) const {
  return xs.size() == 1 ? xs.front() : m_->op(Concatenate{last_of(*m_, xs.front())}, xs);
}

DeviceValues DeviceLoop::skip_communication(const DeviceLayer& layer, const DeviceValues& xs) const {
  const std::string path = devices() == 1 ? layer.class_name + "_0" : layer.dense_name + "/sharded";
  return each([&](int64_t d) { return layer.fn(*this, d, below(layer.path, path), xs[static_cast<size_t>(d)]); });
}

DeviceValues DeviceLoop::gather(const DeviceLayer& layer, const DeviceValues& xs) const {
  return skip_communication(layer, DeviceValues(xs.size(), join(xs)));
}

DeviceValues DeviceLoop::scatter(const DeviceLayer& layer, const DeviceValues& xs) const {
  return split(m_->sum(skip_communication(layer, xs)));
}

/// What `device` makes of its x, or of the one that has come to it, with its shard k. Indices are taken mod N.
ValueId DeviceLoop::shard(const DeviceLayer& layer, int64_t k, int64_t device, const DeviceValues& xs) const {
  const std::string path = "shard_" + std::to_string(k) + (devices() == 1 ? "" : "/sharded");
  return layer.fn(*this, device, below(layer.path, path), xs[static_cast<size_t>(device)]);
}

DeviceValues DeviceLoop::async_gather(const DeviceLayer& layer, const DeviceValues& xs) const {
  const int64_t n = devices();
  return each([&](int64_t d) {
    DeviceValues terms, seen = xs;
    for (int64_t k = 0; k < n; ++k) {
      seen[static_cast<size_t>(d)] = xs[static_cast<size_t>((d - k + n) % n)];
      terms.push_back(shard(layer, k, d, seen));
    }
    return m_->sum(terms);
  });
}

DeviceValues DeviceLoop::ring_sums(const DeviceLayer& layer, const DeviceValues& xs, bool up) const {
  const int64_t n = devices();
  return each([&](int64_t d) {
    DeviceValues terms;
    for (int64_t k = 0; k < n; ++k) terms.push_back(shard(layer, k, (up ? d + 1 + k : d - 1 - k + n) % n, xs));
    return m_->sum(terms);
  });
}

DeviceValues DeviceLoop::async_scatter(const DeviceLayer& layer, const DeviceValues& xs) const {
  return ring_sums(layer, xs, true);
}

DeviceValues DeviceLoop::async_scatter_split(const DeviceLayer& layer, const DeviceValues& xs) const {
  const DeviceValues up = ring_sums(layer, xs, true);
  DeviceValues down = ring_sums(layer, xs, false);
  const int64_t features = m_->shape(up.front()).back();
  if (features < 2) return down;
  return each([&](int64_t d) {
    const auto i = static_cast<size_t>(d);
    return join({m_->slice(up[i], -1, 0, features / 2), m_->slice(down[i], -1, features / 2, features)});
  });
}

ValueId DeviceLoop::rms_norm(int64_t device, const std::string& path, ValueId x) const {
  return rms_of(*m_, x, param(device, below(path, "scale")));
}

ValueId DeviceLoop::layer_norm(int64_t device, const std::string& path, ValueId x) const {
  return layer_norm_of(*m_, x, param(device, below(path, "scale")), param(device, below(path, "bias")));
}

DeviceValues DeviceLoop::rms_norm(const std::string& path, const DeviceValues& xs) const {
  const ValueId scale = join(each([&](int64_t d) { return param(d, below(path, "scale")); }));
  return split(rms_of(*m_, join(xs), scale));
}

DeviceValues DeviceLoop::layer_norm(const std::string& path, const DeviceValues& xs) const {
  const ValueId scale = join(each([&](int64_t d) { return param(d, below(path, "scale")); }));
  const ValueId bias = join(each([&](int64_t d) { return param(d, below(path, "bias")); }));
  return split(layer_norm_of(*m_, join(xs), scale, bias));
}

}  // namespace isoshard
