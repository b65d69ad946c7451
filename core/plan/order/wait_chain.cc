#include "core/plan/order/wait_chain.h"

#include <algorithm>

namespace isoshard {
namespace {

constexpr size_t kMostSteps = 12;  ///< of a chain that are written out

/// `rank 0 waits for rank 1, which waits for rank 0`.
std::string chain_text(const std::vector<WaitingRank>& chain, bool cycle) {
  std::vector<int64_t> ranks;
  for (const WaitingRank& step : chain) {
    if (ranks.empty() || ranks.back() != step.position) ranks.push_back(step.position);
  }
  if (cycle && ranks.size() > 1 && ranks.back() == ranks.front()) ranks.pop_back();
  std::string text = rank_name(ranks[0]);
  if (ranks.size() == 1) return text += cycle ? " waits for itself" : " waits for a rank that has finished";
  for (size_t i = 1; i < std::min(ranks.size(), kMostSteps); ++i) {
    text += (i == 1 ? " waits for " : ", which waits for ") + rank_name(ranks[i]);
  }
  if (ranks.size() > kMostSteps) text += ", ... (" + std::to_string(ranks.size() - kMostSteps) + " more)";
  return text += cycle ? ", which waits for " + rank_name(ranks[0]) : ", which waits for a rank that has finished";
}

}  // namespace

Diagnostic deadlock_diagnostic(const std::vector<WaitingRank>& chain, bool cycle, int64_t stuck, int64_t ranks) {
  Diagnostic diagnostic{Severity::error,
                        "D-deadlock",
                        chain.front().location,
                        "deadlock: " + chain_text(chain, cycle) + "; " + std::to_string(stuck) + " of " +
                            std::to_string(ranks) + " ranks cannot go on",
                        {}};
  for (size_t i = 0; i < std::min(chain.size(), kMostSteps); ++i) diagnostic.note(chain[i].location, chain[i].text);
  return diagnostic;
}

std::string rank_name(int64_t position) {
  std::string text("rank ");
  return text += std::to_string(position);
}

}  // namespace isoshard
