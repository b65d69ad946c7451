// Which tokens put each use of bytes behind the one before. Lifetimes are taken in the order in which they begin, with
// the last one that has had each range of bytes: to follow that one is to follow all before it. Cost: lifetimes times
// the logarithm of ranges.
#include "core/plan/memory/reuse_tokens.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace isoshard {
namespace {

/// A lifetime in its block.
struct BlockUse {
  size_t lifetime = 0;
  size_t block = 0;
  auto operator<=>(const BlockUse&) const = default;
};

/// Who has had which bytes last.
class LastUses {
 public:
  /// Those that have had some of [begin, end) last, sorted, each once; from now on that is `use`.
  const std::vector<BlockUse>& take(int64_t begin, int64_t end, const BlockUse& use) {
    const auto from = cut(begin);
    const auto to = cut(end);
    before_.clear();
    for (auto range = from; range != to; ++range) before_.push_back(range->second.use);
    std::sort(before_.begin(), before_.end());
    before_.erase(std::unique(before_.begin(), before_.end()), before_.end());
    if (from == to) {
      ranges_.emplace_hint(to, begin, Range{end, use});
    } else {
      ranges_.erase(std::next(from), to);
      replace(from, begin, Range{end, use});
    }
    return before_;
  }

 private:
  struct Range {
    int64_t end = 0;
    BlockUse use;
  };
  using Ranges = std::map<int64_t, Range>;

  /// The first range that begins at `at` or later.
  Ranges::iterator cut(int64_t at) {
    const auto behind = ranges_.lower_bound(at);
    if (behind == ranges_.begin() || (behind != ranges_.end() && behind->first == at)) return behind;
    Range& range = std::prev(behind)->second;
    if (range.end <= at) return behind;
    const Range rest = range;
    range.end = at;
    return ranges_.emplace_hint(behind, at, rest);
  }

  /// In the node of `range`, which begins at `begin` or later.
  void replace(Ranges::iterator range, int64_t begin, const Range& by) {
    if (range->first != begin) {
      const auto behind = std::next(range);
      auto node = ranges_.extract(range);
      node.key() = begin;
      range = ranges_.insert(behind, std::move(node));
    }
    range->second = by;
  }

  Ranges ranges_;  ///< by their begin
  std::vector<BlockUse> before_;
};

/// All of them, in the order in which they begin.
std::vector<BlockUse> uses_in_order(const Lifetimes& lifetimes, const Blocks& blocks) {
  std::vector<BlockUse> uses;
  for (size_t b = 0; b < blocks.all.size(); ++b) {
    if (blocks.all[b].bytes == 0) continue;
    for (const uint32_t id : blocks.all[b].lifetimes) uses.push_back({id, b});
  }
  const auto begins = [&](const BlockUse& use) { return std::pair(lifetimes.all[use.lifetime].first, use.lifetime); };
  std::sort(uses.begin(), uses.end(), [&](const BlockUse& a, const BlockUse& b) { return begins(a) < begins(b); });
  return uses;
}

}  // namespace

std::vector<ReuseToken> reuse_tokens(const Lifetimes& lifetimes, const Blocks& blocks, const Arena& arena,
                                     const ReuseOrder& order) {
  LastUses last;
  std::vector<ReuseToken> tokens;
  for (const BlockUse& use : uses_in_order(lifetimes, blocks)) {
    const int64_t begin = arena.offsets[use.block];
    for (const BlockUse& before : last.take(begin, begin + blocks.all[use.block].bytes, use)) {
      order.add_missing(before.lifetime, use.lifetime, before.block == use.block, tokens);
    }
  }
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace isoshard
