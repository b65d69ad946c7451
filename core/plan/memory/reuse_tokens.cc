// Which tokens put each use of bytes behind the one before. Lifetimes are taken in the order in which they begin, with
// the last one that has had each range of bytes: to follow that one is to follow all before it. Cost: lifetimes times
// the logarithm of ranges.
#include "core/plan/memory/reuse_tokens.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/support/check.h"

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
  /// Those that have had some of [begin, end) last; from now on that is `use`.
  std::set<BlockUse> take(int64_t begin, int64_t end, const BlockUse& use) {
    cut(begin);
    cut(end);
    const auto from = ranges_.lower_bound(begin), to = ranges_.lower_bound(end);
    std::set<BlockUse> before;
    for (auto range = from; range != to; ++range) before.insert(range->second.second);
    ranges_.erase(from, to);
    ranges_[begin] = {end, use};
    return before;
  }

 private:
  void cut(int64_t at) {
    const auto behind = ranges_.upper_bound(at);
    if (behind == ranges_.begin()) return;
    auto& [begin, range] = *std::prev(behind);
    if (begin == at || range.first <= at) return;
    const std::pair<int64_t, BlockUse> rest = range;
    range.first = at;
    ranges_.emplace_hint(behind, at, rest);
  }

  std::map<int64_t, std::pair<int64_t, BlockUse>> ranges_;  ///< by their begin: the end, and who has had them
};

}  // namespace

std::vector<ReuseToken> reuse_tokens(const Lifetimes& lifetimes, const Blocks& blocks, const Arena& arena,
                                     const ReuseOrder& order) {
  std::vector<BlockUse> uses;
  for (size_t b = 0; b < blocks.all.size(); ++b) {
    if (blocks.all[b].bytes == 0) continue;
    for (const size_t id : blocks.all[b].lifetimes) uses.push_back({id, b});
  }
  const auto begins = [&](const BlockUse& use) { return std::pair(lifetimes.all[use.lifetime].first, use.lifetime); };
  std::sort(uses.begin(), uses.end(), [&](const BlockUse& a, const BlockUse& b) { return begins(a) < begins(b); });
  LastUses last;
  std::set<ReuseToken> tokens;
  for (const BlockUse& use : uses) {
    const int64_t begin = arena.offsets[use.block];
    for (const BlockUse& before : last.take(begin, begin + blocks.all[use.block].bytes, use)) {
      const std::optional<std::vector<ReuseToken>> more =
          order.missing(before.lifetime, use.lifetime, before.block == use.block);
      ISOSHARD_CHECK(more.has_value(), "bytes are used again where that can be ordered");
      tokens.insert(more->begin(), more->end());
    }
  }
  return {tokens.begin(), tokens.end()};
}

}  // namespace isoshard
