// A minimum vertex cut by maximum flow (Menger; L. Ford and D. Fulkerson 1956). Each node is split into two with an arc
// of capacity 1 between them, or unlimited where it may not be removed; edges are unlimited. Augmenting paths are found
// breadth first, one unit at a time: a cut of more than a few dozen nodes is of no use, so that the flow is small
// however large the graph is. The cut is read off backwards, from the nodes that can still reach the end, which gives
// the one nearest to the sinks. Costs (most + 1) walks over the graph.
#include "verify/abstraction/vertex_cut.h"

namespace isoshard::verify {
namespace {

constexpr size_t kUnlimited = ~size_t{0};

/// A flow from node 0 to node 1; node v of the graph is the arc from 2v + 2 to 2v + 3.
class Flow {
 public:
  explicit Flow(const CutGraph& graph) : arcs_(2 * graph.next.size() + 2) {
    for (size_t v = 0; v < graph.next.size(); ++v) {
      add(in(v), out(v), graph.removable[v] ? 1 : kUnlimited);
      for (const size_t w : graph.next[v]) add(out(v), in(w), kUnlimited);
    }
    for (const size_t v : graph.sources) add(0, in(v), kUnlimited);
    for (const size_t v : graph.sinks) add(out(v), 1, kUnlimited);
  }

  static size_t in(size_t v) { return 2 * v + 2; }
  static size_t out(size_t v) { return 2 * v + 3; }

  /// Sends one more unit; false when none fits. `unlimited` is set where a path has no node that may be removed.
  bool augment(bool& unlimited) {
    std::vector<Step> from(arcs_.size());
    std::vector<size_t> open{0};
    from[0].seen = true;
    for (size_t k = 0; k < open.size() && !from[1].seen; ++k) {
      const size_t v = open[k];
      for (size_t a = 0; a < arcs_[v].size(); ++a) {
        const Arc& arc = arcs_[v][a];
        if (arc.room == 0 || from[arc.to].seen) continue;
        from[arc.to] = Step{true, v, a};
        open.push_back(arc.to);
      }
    }
    if (!from[1].seen) return false;
    unlimited = true;
    for (size_t v = 1; v != 0; v = from[v].node) {
      Arc& arc = arcs_[from[v].node][from[v].arc];
      unlimited = unlimited && arc.room == kUnlimited;
      Arc& back = arcs_[v][arc.back];
      if (arc.room != kUnlimited) --arc.room;
      if (back.room != kUnlimited) ++back.room;
    }
    return true;
  }

  /// Per node of the flow: whether a unit could still go on from it to node 1.
  std::vector<bool> reaches_end() const {
    std::vector<bool> reaches(arcs_.size(), false);
    std::vector<size_t> open{1};
    reaches[1] = true;
    for (size_t k = 0; k < open.size(); ++k) {
      for (const Arc& arc : arcs_[open[k]]) {
        if (reaches[arc.to] || arcs_[arc.to][arc.back].room == 0) continue;
        reaches[arc.to] = true;
        open.push_back(arc.to);
      }
    }
    return reaches;
  }

 private:
  struct Arc {
    size_t to, room, back;  ///< `back`: the index of the opposite arc at `to`
  };
  struct Step {
    bool seen = false;
    size_t node = 0, arc = 0;
  };

  void add(size_t from, size_t to, size_t room) {
    arcs_[from].push_back(Arc{to, room, arcs_[to].size()});
    arcs_[to].push_back(Arc{from, 0, arcs_[from].size() - 1});
  }

  std::vector<std::vector<Arc>> arcs_;
};

}  // namespace

std::optional<std::vector<size_t>> least_vertex_cut(const CutGraph& graph, size_t most) {
  Flow flow(graph);
  size_t units = 0;
  for (bool unlimited = false; flow.augment(unlimited);) {
    if (unlimited || ++units > most) return std::nullopt;
  }
  const std::vector<bool> reaches = flow.reaches_end();
  std::vector<size_t> result;
  for (size_t v = 0; v < graph.next.size(); ++v) {
    if (reaches[Flow::out(v)] && !reaches[Flow::in(v)]) result.push_back(v);
  }
  return result;
}

}  // namespace isoshard::verify
