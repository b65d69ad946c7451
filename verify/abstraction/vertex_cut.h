#pragma once  // internal

#include <cstddef>
#include <optional>
#include <vector>

namespace isoshard::verify {

/// A directed graph whose nodes may be removed.
struct CutGraph {
  std::vector<std::vector<size_t>> next;  ///< per node: where its edges go
  std::vector<bool> removable;            ///< per node
  std::vector<size_t> sources, sinks;
};

/// The fewest removable nodes, at most `most`, without which no path leads from a source to a sink (both may be removed
/// themselves); of all such sets the one nearest to the sinks. Nothing where there is none. (Maximum flow, with nodes
/// of capacity 1.)
std::optional<std::vector<size_t>> least_vertex_cut(const CutGraph& graph, size_t most);

}  // namespace isoshard::verify
