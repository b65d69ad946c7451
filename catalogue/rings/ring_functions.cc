#include <map>
#include <tuple>
#include <utility>

#include "catalogue/models.h"
#include "parallel/sharding/ring_collectives.h"

/// The ring gathers and scatters as models of their own. The references have no mesh: they take what arrives at each
/// device from a table of all devices, by the closed forms of docs/spec/originals.md, "Ring gathers" and "Ring
/// scatters".
namespace isoshard {
namespace {

enum class Ring : uint8_t { gather, gather_bidirectional, gather_split, scatter, scatter_split };

constexpr const char* name_of(Ring ring) {
  switch (ring) {
    case Ring::gather:
      return "async_gather";
    case Ring::gather_bidirectional:
      return "async_gather_bidirectional";
    case Ring::gather_split:
      return "async_gather_split";
    case Ring::scatter:
      return "async_scatter";
    case Ring::scatter_split:
      return "async_scatter_split";
  }
  return "";
}

constexpr bool gathers(Ring ring) { return ring <= Ring::gather_split; }
constexpr bool splits(Ring ring) { return ring == Ring::gather_split || ring == Ring::scatter_split; }

/// What both programs are made from. `x` is [dp, tp, rows, features] for gathers; scatters have a list of as many as
/// devices in the ring before the rows.
struct RingSizes {
  int64_t dp, tp, rows, features;
  bool tuple, up;  ///< whether the ring runs over (dp, tp); the direction

  int64_t devices() const { return tuple ? dp * tp : tp; }
  /// The place of the ring's member `member` in the ring of the device (i, j), as indices into dp and tp.
  std::pair<int64_t, int64_t> member(int64_t i, int64_t member) const {
    const int64_t n = devices(), m = (member % n + n) % n;
    return tuple ? std::pair{m / tp, m % tp} : std::pair{i, m};
  }
};

RingSizes sizes_of(const ModelSettings& settings) {
  const Mesh& mesh = *settings.mesh;
  const bool split = settings.words.count("direction") == 0;
  return RingSizes{mesh.size(Group{{*mesh.find("dp")}}),
                   mesh.size(Group{{*mesh.find("tp")}}),
                   settings.number("rows"),
                   settings.number("features"),
                   settings.word("over") == "dp_tp",
                   split || settings.word("direction") == "up"};
}

/// Columns `start` to `limit` of x at the leading `place`, as rows by columns, or as a list of one such block.
ValueId cut(ModelBuilder& m, ValueId x, Shape place, int64_t start, int64_t limit, bool listed = false) {
  Shape from = place, to = std::move(place);
  for (int64_t& index : to) ++index;
  const int64_t rows = m.shape(x)[m.shape(x).size() - 2];
  from.insert(from.end(), {0, start});
  to.insert(to.end(), {rows, limit});
  Shape shape{rows, limit - start};
  if (listed) shape.insert(shape.begin(), 1);
  return m.op(Reshape{std::move(shape)}, {m.op(Slice{std::move(from), std::move(to), {}}, {x})});
}

template <Ring kRing>
ValueId run_ring(ModelBuilder& m, ValueId x, const Group& axis, const RingSizes& sizes) {
  if constexpr (kRing == Ring::gather) return m.stack(async_gather(m, x, axis, sizes.up), "y");
  if constexpr (kRing == Ring::gather_bidirectional) {
    return m.stack(async_gather_bidirectional(m, x, axis, sizes.up), "y");
  }
  if constexpr (kRing == Ring::gather_split) {
    const std::vector<ValueId> items = async_gather_split(m, x, axis);
    return items.empty() ? ValueId() : m.stack(items, "y");
  }
  std::vector<ValueId> items;
  if constexpr (!gathers(kRing)) {
    for (int64_t k = 0; k < sizes.devices(); ++k) items.push_back(cut(m, x, {k}, 0, sizes.features));
  }
  if constexpr (kRing == Ring::scatter) return async_scatter(m, items, axis, sizes.up, "y");
  if constexpr (kRing == Ring::scatter_split) return async_scatter_split(m, items, axis, "y");
}

template <Ring kRing>
std::optional<ProgramId> build_sharded_ring(GlobalId x, const RingSizes& sizes, const ModelSettings& settings,
                                            Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, name_of(kRing), settings.mesh, sink);
  const auto own = [&](const char* axis) {
    ViewEntry entry = m.split(axis);
    entry.split = Split::stack;
    return entry;
  };
  Layout in{own("dp"), own("tp"), {}, {}}, out = in;
  if (gathers(kRing)) out.emplace_back();
  if (!gathers(kRing)) in.emplace_back();
  Group axis = m.group("tp");
  if (sizes.tuple) axis.axes.insert(axis.axes.begin(), m.group("dp").axes.front());
  const ValueId y = run_ring<kRing>(m, m.view(x, in, "x"), axis, sizes);
  if (!y.valid()) return std::nullopt;
  m.output("y", y, out);
  return m.finish();
}

/// What every device of a ring ends up with.
template <Ring kRing>
class RingResult {
 public:
  RingResult(ModelBuilder& m, ValueId x, const RingSizes& sizes) : m_(m), x_(x), sizes_(sizes) {}

  /// Of the device with index `d` in its ring of row `i`.
  ValueId at(int64_t i, int64_t d) { return gathers(kRing) ? list_at(i, d) : sum_at(i, d); }

 private:
  int64_t toward() const { return sizes_.up ? 1 : -1; }
  /// Columns that go the first way round.
  int64_t half() const { return splits(kRing) ? sizes_.features / 2 : sizes_.features; }

  ValueId list_at(int64_t i, int64_t d) {
    const int64_t n = sizes_.devices();
    std::vector<ValueId> items;
    for (int64_t k = 0; k < n; ++k) items.push_back(listed(i, d - toward() * k, 0, half()));
    for (int64_t k = 0; k < n && splits(kRing); ++k) items.push_back(listed(i, d + k, half(), sizes_.features));
    return m_.op(Concatenate{0}, std::move(items));
  }

  /// What a member begins with, cut out once: it arrives at all devices.
  ValueId listed(int64_t i, int64_t member, int64_t start, int64_t limit) {
    const auto [row, column] = sizes_.member(i, member);
    ValueId& block = listed_[{row, column, start, limit}];
    if (!block.valid()) block = cut(m_, x_, {row, column}, start, limit, true);
    return block;
  }

  ValueId sum_at(int64_t i, int64_t d) {
    std::vector<ValueId> first, second;
    for (int64_t k = 0; k < sizes_.devices(); ++k) {
      if (half() > 0) first.push_back(item(i, d + toward() * (1 + k), k, 0, half()));
      if (splits(kRing)) second.push_back(item(i, d - 1 - k, k, half(), sizes_.features));
    }
    if (second.empty()) return m_.sum(first);
    return first.empty() ? m_.sum(second) : m_.op(Concatenate{1}, {m_.sum(first), m_.sum(second)});
  }

  /// Of the list that a member begins with.
  ValueId item(int64_t i, int64_t member, int64_t k, int64_t start, int64_t limit) {
    const auto [row, column] = sizes_.member(i, member);
    return cut(m_, x_, {row, column, k}, start, limit);
  }

  ModelBuilder& m_;
  ValueId x_;
  const RingSizes& sizes_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, ValueId> listed_{};  ///< by row, column and features
};

template <Ring kRing>
std::optional<ProgramId> build_ring_reference(GlobalId global, const RingSizes& sizes, Module& module,
                                              DiagnosticSink& sink) {
  ModelBuilder m(module, "by_index", std::make_shared<const Mesh>(), sink);
  const ValueId x = m.view(global, Layout(module.global(global).type.shape.size()), "x");
  RingResult<kRing> result(m, x, sizes);
  std::vector<ValueId> rows;
  for (int64_t i = 0; i < sizes.dp; ++i) {
    std::vector<ValueId> devices;
    for (int64_t j = 0; j < sizes.tp; ++j) {
      devices.push_back(result.at(i, sizes.tuple ? i * sizes.tp + j : j));
    }
    rows.push_back(m.stack(devices));
  }
  const ValueId y = m.stack(rows, "y");
  if (y.valid()) m.output("y", y, Layout(m.shape(y).size()));
  return m.finish();
}

template <Ring kRing>
bool build_ring_function(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const RingSizes sizes = sizes_of(settings);
  Shape shape{sizes.dp, sizes.tp, sizes.rows, sizes.features};
  if (!gathers(kRing)) shape.insert(shape.begin() + 2, sizes.devices());
  const GlobalId x = declare(module, "x", std::move(shape), Role::input, InitKind::normal);
  const std::optional<ProgramId> sharded = build_sharded_ring<kRing>(x, sizes, settings, module, sink);
  if (!sharded) return false;
  return add_check(module, sharded, build_ring_reference<kRing>(x, sizes, module, sink));
}

template <Ring kRing>
Model ring_model(std::string doc) {
  ModelInfo info;
  info.name = name_of(kRing);
  info.doc = std::move(doc);
  info.axes.push_back(AxisInfo{"dp", 1, "rings side by side, or the first axis of one ring"});
  info.axes.push_back(AxisInfo{"tp", 4, "the ring"});
  info.settings.push_back(SettingInfo{"rows", 2, "", {}, "rows of a device's x"});
  info.settings.push_back(SettingInfo{"features", kRing == Ring::scatter_split ? 5 : 6, "", {}, "columns of it"});
  info.settings.push_back(SettingInfo{"over", 0, "", {"tp", "dp_tp"}, "the axes of the ring: tp, or both as a tuple"});
  if (!splits(kRing)) {
    info.settings.push_back(
        SettingInfo{"direction", 0, "", {"up", "down"}, "to the next device, or to the one before"});
  }
  return Model{std::move(info), {}, build_ring_function<kRing>};
}

}  // namespace

std::vector<Model> ring_function_models() {
  return {ring_model<Ring::gather>("x of every device as a list, by permutes in one direction"),
          ring_model<Ring::gather_bidirectional>("the list of async_gather by permutes in both directions"),
          ring_model<Ring::gather_split>("the halves of x of every device, each half in its own direction"),
          ring_model<Ring::scatter>("a sum over devices per device, added on its way round the ring"),
          ring_model<Ring::scatter_split>("async_scatter with one half in either direction")};
}

}  // namespace isoshard
