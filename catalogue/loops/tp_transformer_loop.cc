#include "catalogue/loops/tp_transformer_loop.h"

#include <cmath>
#include <utility>

namespace isoshard {
namespace {

constexpr const char* kLowest = "-340282346638528859811704183484516925440";  // of f32: -(2 - 2^-23) 2^127

/// The features of one head of [b, positions, heads d].
ValueId head_of(ModelBuilder& m, ValueId x, int64_t head, int64_t d) {
  return m.slice(x, -1, head * d, (head + 1) * d);
}

/// x times one of `query`, `key` and `value`; heads one after another.
ValueId project(const DeviceLoop& loop, int64_t device, const std::string& path, const std::string& name, ValueId x) {
  ModelBuilder& m = loop.m();
  const ValueId kernel = loop.param(device, below(path, name + "/kernel"));
  const Shape shape = m.shape(kernel);
  const ValueId matrix = m.op(Reshape{{shape[0], shape[1] * shape[2]}}, {kernel});
  return m.op(DotGeneral{{{2}, {0}}, {}, {}}, {x, matrix});
}

/// The norm over the features of each head.
ValueId per_head_norm(const DeviceLoop& loop, int64_t device, const std::string& path, ValueId x, int64_t d) {
  ModelBuilder& m = loop.m();
  std::vector<ValueId> heads;
  for (int64_t h = 0; h < m.shape(x).back() / d; ++h) {
    heads.push_back(loop.rms_norm(device, path, head_of(m, x, h, d)));
  }
  return m.op(Concatenate{2}, heads);
}

/// Queries, keys and values of all heads of a device side by side.
DeviceFn qkv_of(const DeviceAttention& layer) {
  return [layer](const DeviceLoop& loop, int64_t device, const std::string& path, ValueId x) {
    ValueId q = project(loop, device, path, "query", x), k = project(loop, device, path, "key", x);
    if (layer.normalize_qk) {
      q = per_head_norm(loop, device, below(path, "query_norm"), q, layer.head_dim);
      k = per_head_norm(loop, device, below(path, "key_norm"), k, layer.head_dim);
    }
    return loop.m().op(Concatenate{2}, {q, k, project(loop, device, path, "value", x)});
  };
}

/// The lowest number where the key [.., query, key] is later than the query.
ValueId hide_later_keys(ModelBuilder& m, ValueId scores) {
  const Shape shape = m.shape(scores);
  const ValueId query = m.op(Iota{DType::i32, shape, 1}, {}), key = m.op(Iota{DType::i32, shape, 2}, {});
  const ValueId later = m.op(Compare{Direction::gt}, {key, query});
  return m.op(Select{}, {later, m.constant_like(scores, *Rational::parse(kLowest)), scores});
}

/// exp(x - max) over their sum, in the last dimension.
ValueId softmax_of(ModelBuilder& m, ValueId x) {
  const ValueId top = m.op(Reduce{Reducer::max, {2}, {}}, {m.op(StopGradient{}, {x})});
  const ValueId e = m.op(Exponential{}, {m.op(Subtract{}, {x, m.broadcast_like(top, {0, 1}, x)})});
  return m.op(Divide{}, {e, m.broadcast_like(m.op(Reduce{Reducer::add, {2}, {}}, {e}), {0, 1}, e)});
}

/// Attention of one head: [b, positions, d] each.
ValueId attend(ModelBuilder& m, ValueId q, ValueId k, ValueId v, bool causal) {
  const double scale = 1 / std::sqrt(static_cast<double>(m.shape(q).back()));
  const ValueId scaled = m.with_constant(Multiply{}, q, Rational::from_double(scale));
  const ValueId scores = m.op(DotGeneral{{{2}, {2}}, {}, {{0}, {0}}}, {scaled, k});
  return m.op(DotGeneral{{{2}, {1}}, {}, {{0}, {0}}}, {softmax_of(m, causal ? hide_later_keys(m, scores) : scores), v});
}

/// All heads of a device, from its queries, keys and values.
ValueId heads_of(ModelBuilder& m, const DeviceAttention& layer, ValueId qkv) {
  std::vector<ValueId> results;
  for (int64_t h = 0; h < layer.heads; ++h) {
    const auto part = [&](int64_t which) { return head_of(m, qkv, which * layer.heads + h, layer.head_dim); };
    results.push_back(attend(m, part(0), part(1), part(2), layer.causal));
  }
  return m.op(Concatenate{2}, results);
}

/// The heads of a device times its `out`, whose kernel is [heads, d, features].
ValueId project_out(const DeviceLoop& loop, int64_t device, const std::string& path, ValueId x) {
  ModelBuilder& m = loop.m();
  const ValueId kernel = loop.param(device, below(path, "out/kernel")),
                bias = loop.param(device, below(path, "out/bias"));
  const Shape shape = m.shape(kernel);
  const ValueId matrix = m.op(Reshape{{shape[0] * shape[1], shape[2]}}, {kernel});
  const ValueId y = m.op(DotGeneral{{{2}, {0}}, {}, {}}, {x, matrix});
  return bias.valid() ? m.add(y, m.broadcast_like(bias, {2}, y)) : y;
}

DeviceValues added(ModelBuilder& m, const DeviceValues& a, const DeviceValues& b) {
  DeviceValues result;
  for (size_t i = 0; i < a.size(); ++i) result.push_back(m.add(a[i], b[i]));
  return result;
}

}  // namespace

DeviceValues device_attention(const DeviceLoop& loop, const DeviceAttention& layer, const DeviceValues& xs) {
  const DeviceValues normal = loop.rms_norm(below(layer.path, "pre_norm/sharded"), xs);
  const DeviceValues qkv = loop.async_gather(DeviceLayer{below(layer.path, "qkv"), qkv_of(layer)}, normal);
  const DeviceValues heads =
      loop.each([&](int64_t d) { return heads_of(loop.m(), layer, qkv[static_cast<size_t>(d)]); });
  const DeviceLayer out{below(layer.path, "out"), project_out};
  return layer.split_scatter ? loop.async_scatter_split(out, heads) : loop.async_scatter(out, heads);
}

DeviceValues device_transformer_block(const DeviceLoop& loop, const DeviceAttention& attention, const DeviceMlp& mlp,
                                      const DeviceValues& xs) {
  const DeviceValues y = added(loop.m(), xs, device_attention(loop, attention, xs));
  return added(loop.m(), y, device_mlp(loop, mlp, y));
}

DeviceValues device_parallel_block(const DeviceLoop& loop, const std::string& path, const DeviceAttention& attention,
                                   const DeviceValues& xs) {
  ModelBuilder& m = loop.m();
  const int64_t width = attention.heads * attention.head_dim;
  const DeviceFn dense = device_dense(), qkv = qkv_of(attention);
  const DeviceFn input = [&](const DeviceLoop& l, int64_t device, const std::string& at, ValueId x) {
    return m.op(Concatenate{2}, {dense(l, device, at + "/mlp/dense", x), qkv(l, device, at + "/qkv", x)});
  };
  const DeviceFn output = [&](const DeviceLoop& l, int64_t device, const std::string& at, ValueId x) {
    const int64_t all = m.shape(x).back();
    const ValueId h = activate(m, Activation::silu, m.slice(x, -1, 0, all - width), "");
    const ValueId attn = project_out(l, device, at + "/attn", m.slice(x, -1, all - width, all));
    return m.add(dense(l, device, at + "/mlp/dense", h), attn);
  };
  const DeviceValues joined =
      loop.async_gather(DeviceLayer{below(path, "hqkv"), input}, loop.rms_norm(below(path, "pre_norm/sharded"), xs));
  const DeviceValues mixed = loop.each([&](int64_t d) {
    const ValueId x = joined[static_cast<size_t>(d)];
    const int64_t all = m.shape(x).back(), hidden = all - 3 * width;
    return m.op(Concatenate{2}, {m.slice(x, -1, 0, hidden), heads_of(m, attention, m.slice(x, -1, hidden, all))});
  });
  const DeviceLayer out{below(path, "out"), output};
  return added(m, xs, attention.split_scatter ? loop.async_scatter_split(out, mixed) : loop.async_scatter(out, mixed));
}

}  // namespace isoshard
