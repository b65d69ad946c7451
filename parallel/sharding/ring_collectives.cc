// Gathers and scatters as rings of permutes (docs/spec/originals.md, "Ring gathers", "Ring scatters"): N - 1 steps,
// each to a neighbour, between which a layer can compute, where one collective would make it wait. A gather passes on
// what has come and keeps a list; a scatter adds its own term to the sum that comes by, so that the order of additions
// depends on the device, which matters in floats only. Bidirectional gathers take half of the items from either side,
// split ones send one half of the features each way; both need half the time per link. Cost: N - 1 permutes of one
// block per device.
#include "parallel/sharding/ring_collectives.h"

#include <algorithm>
#include <utility>

#include "core/support/counted.h"

namespace isoshard {
namespace {

/// All items exist, and as many as devices.
bool check_items(ModelBuilder& m, const std::vector<ValueId>& xs, const Group& axis, const std::string& function,
                 const Location& location) {
  const int64_t size = m.mesh().size(axis);
  if (static_cast<int64_t>(xs.size()) != size) {
    m.error("C-ring-items",
            function + ": the list has " + counted(static_cast<int64_t>(xs.size()), "item") + " and " +
                m.mesh().to_string(axis) + " has " + counted(size, "device") +
                "; expected one item for each device of the axis",
            location);
    return false;
  }
  return std::all_of(xs.begin(), xs.end(), [](ValueId x) { return x.valid(); });
}

bool has_width(ModelBuilder& m, ValueId x, const std::string& function, const Location& location) {
  if (!m.shape(x).empty()) return true;
  m.error("C-ring-width", function + ": the value is a scalar; expected a last dimension that can be halved", location);
  return false;
}

}  // namespace

ValueId ring_step(ModelBuilder& m, ValueId x, const Group& axis, bool up, const std::string& name,
                  const Location& location) {
  const bool in_mesh_order = std::is_sorted(axis.axes.begin(), axis.axes.end());
  CollectivePermute permute{axis, up ? 1 : -1, {}, PermuteOrder::unspecified};
  if (!in_mesh_order) permute.order = PermuteOrder::mesh;
  return m.op(std::move(permute), {x}, name, location);
}

std::vector<ValueId> async_gather(ModelBuilder& m, ValueId x, const Group& axis, bool shift_up,
                                  const Location& location) {
  std::vector<ValueId> items{x};
  for (int64_t k = 1; k < m.mesh().size(axis); ++k) {
    items.push_back(ring_step(m, items.back(), axis, shift_up, "", location));
  }
  return items;
}

std::vector<ValueId> async_gather_bidirectional(ModelBuilder& m, ValueId x, const Group& axis, bool shift_up,
                                                const Location& location) {
  std::vector<ValueId> up, down;
  for (int64_t i = 1; i < m.mesh().size(axis); ++i) {
    const bool odd = i % 2 != 0;
    std::vector<ValueId>& ring = odd ? up : down;
    ring.push_back(ring_step(m, ring.empty() ? x : ring.back(), axis, odd, "", location));
  }
  const std::vector<ValueId>&near = shift_up ? up : down, &far = shift_up ? down : up;
  std::vector<ValueId> items{x};
  items.insert(items.end(), near.begin(), near.end());
  items.insert(items.end(), far.rbegin(), far.rend());
  return items;
}

std::vector<ValueId> async_gather_split(ModelBuilder& m, ValueId x, const Group& axis, const Location& location) {
  if (!x.valid() || !has_width(m, x, "async_gather_split", location)) return {};
  const int64_t width = m.shape(x).back();
  if (width % 2 != 0) {
    m.error("C-ring-width",
            "async_gather_split: the last dimension has " + counted(width, "element") +
                "; expected an even number, for one half travels up and the other down; "
                "async_gather_bidirectional takes any",
            location);
    return {};
  }
  std::vector<ValueId> items = async_gather(m, m.slice(x, -1, 0, width / 2, "", location), axis, true, location);
  const std::vector<ValueId> down =
      async_gather(m, m.slice(x, -1, width / 2, width, "", location), axis, false, location);
  items.insert(items.end(), down.begin(), down.end());
  return items;
}

ValueId async_scatter(ModelBuilder& m, const std::vector<ValueId>& xs, const Group& axis, bool shift_up,
                      const std::string& name, const Location& location) {
  if (!check_items(m, xs, axis, "async_scatter", location)) return {};
  ValueId sum = xs.front();
  for (size_t k = 1; k < xs.size(); ++k) {
    sum = m.add(ring_step(m, sum, axis, shift_up, "", location), xs[k], k + 1 == xs.size() ? name : "", location);
  }
  return sum;
}

ValueId async_scatter_split(ModelBuilder& m, const std::vector<ValueId>& xs, const Group& axis, const std::string& name,
                            const Location& location) {
  if (!check_items(m, xs, axis, "async_scatter_split", location)) return {};
  std::vector<ValueId> first, second;
  for (const ValueId x : xs) {
    if (!has_width(m, x, "async_scatter_split", location)) return {};
    const int64_t width = m.shape(x).back();
    if (width > 1) first.push_back(m.slice(x, -1, 0, width / 2, "", location));
    second.push_back(m.slice(x, -1, width / 2, width, "", location));
  }
  if (first.empty()) return async_scatter(m, xs, axis, false, name, location);
  const ValueId up = async_scatter(m, first, axis, true, "", location);
  const ValueId down = async_scatter(m, second, axis, false, "", location);
  if (!up.valid() || !down.valid()) return {};
  const auto last = static_cast<int64_t>(m.shape(down).size()) - 1;
  return m.op(Concatenate{last}, {up, down}, name, location);
}

}  // namespace isoshard
