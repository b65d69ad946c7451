// Offsets by best fit: blocks in a sequence, each into the smallest gap between those placed before with which it may
// not share bytes, or behind them. First the largest first (as TensorFlow Lite's planner, Y. Pisarchyk and J. Lee 2020)
// and as they begin; then, while the arena is larger than what is held at once, the block that ends last comes first, a
// few times more, fewer where many blocks are apart. The lifetimes of a block follow each other, so that who may follow
// one of them may follow all before it, and only neighbours have to be compared. Cost: pairs of blocks that are there
// at the same time times the lifetimes of the one with fewer, once, and pairs that may not share for each sequence.
#include "core/plan/memory/arena.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace isoshard {
namespace {

constexpr size_t kMostSequences = 48;
/// Visits of pairs in all sequences behind the first two.
constexpr size_t kMostVisits = size_t{1} << 24;

using Range = std::pair<int64_t, int64_t>;

/// The start of the smallest gap between `taken` that has room, or their end.
int64_t best_fit(std::vector<Range>& taken, int64_t bytes) {
  std::sort(taken.begin(), taken.end());
  int64_t end = 0, best = -1, smallest = 0;
  for (const auto& [begin, behind] : taken) {
    const int64_t gap = begin - end;
    if (gap >= bytes && (best < 0 || gap < smallest)) {
      best = end;
      smallest = gap;
    }
    end = std::max(end, behind);
  }
  return best < 0 ? end : best;
}

/// Whether blocks may share bytes: each lifetime of the one with fewer lies between two of the other.
bool may_share(const Lifetimes& lifetimes, const ArenaBlock& a, const ArenaBlock& b, const ReuseOrder& order) {
  const bool first = a.lifetimes.size() < b.lifetimes.size();
  const std::vector<size_t>&few = (first ? a : b).lifetimes, &many = (first ? b : a).lifetimes;
  return std::all_of(few.begin(), few.end(), [&](size_t id) {
    const auto after = std::partition_point(
        many.begin(), many.end(), [&](size_t other) { return lifetimes.all[other].first <= lifetimes.all[id].first; });
    return (after == many.begin() || order.may_follow(*(after - 1), id, false)) &&
           (after == many.end() || order.may_follow(id, *after, false));
  });
}

class Placing {
 public:
  Placing(const Lifetimes& lifetimes, const Blocks& blocks, const ReuseOrder& order)
      : lifetimes_(lifetimes), blocks_(blocks), apart_(blocks.all.size()) {
    std::vector<size_t> open;  // those that some later block may not share bytes with
    for (const size_t b : as_they_begin()) {
      if (blocks.all[b].bytes == 0) continue;
      const size_t first = begin_of(b);
      const std::vector<uint32_t> finished = order.finished_by(first);
      open.erase(std::remove_if(open.begin(), open.end(), [&](size_t a) { return is_over(a, first, finished, order); }),
                 open.end());
      for (const size_t a : open) {
        if (may_share(lifetimes, blocks.all[a], blocks.all[b], order)) continue;
        apart_[a].push_back(b);
        apart_[b].push_back(a);
        visits_ += 2;
      }
      open.push_back(b);
    }
  }

  Arena best(int64_t live) const {
    std::vector<size_t> sequence = as_they_begin();
    Arena best = place(sequence);
    std::stable_sort(sequence.begin(), sequence.end(),
                     [&](size_t a, size_t b) { return blocks_.all[a].bytes > blocks_.all[b].bytes; });
    for (size_t i = 1; i < kMostSequences && best.bytes > live && (i == 1 || i * visits_ < kMostVisits); ++i) {
      Arena next = place(sequence);
      const auto last = std::find_if(sequence.begin(), sequence.end(), [&](size_t b) {
        return next.offsets[b] + aligned(blocks_.all[b].bytes) == next.bytes;
      });
      std::rotate(sequence.begin(), last, last + 1);
      if (next.bytes < best.bytes) best = std::move(next);
    }
    return best;
  }

 private:
  size_t begin_of(size_t block) const { return lifetimes_.all[blocks_.all[block].lifetimes[0]].first; }

  std::vector<size_t> as_they_begin() const {
    std::vector<size_t> sequence(blocks_.all.size());
    std::iota(sequence.begin(), sequence.end(), 0);
    std::sort(sequence.begin(), sequence.end(),
              [&](size_t a, size_t b) { return std::pair(begin_of(a), a) < std::pair(begin_of(b), b); });
    return sequence;
  }

  /// Whether whatever begins at `moment` or later may follow all lifetimes of a block: it may if it may follow the
  /// last.
  bool is_over(size_t block, size_t moment, const std::vector<uint32_t>& finished, const ReuseOrder& order) const {
    const size_t last = blocks_.all[block].lifetimes.back();
    return lifetimes_.all[last].first < moment && order.is_over(last, moment, finished);
  }

  Arena place(const std::vector<size_t>& sequence) const {
    Arena arena{std::vector<int64_t>(blocks_.all.size(), 0), 0};
    std::vector<bool> placed(blocks_.all.size(), false);
    for (const size_t b : sequence) {
      std::vector<Range> taken;
      for (const size_t other : apart_[b]) {
        const int64_t begin = arena.offsets[other];
        if (placed[other]) taken.emplace_back(begin, begin + aligned(blocks_.all[other].bytes));
      }
      const int64_t bytes = aligned(blocks_.all[b].bytes);
      arena.offsets[b] = best_fit(taken, bytes);
      arena.bytes = std::max(arena.bytes, arena.offsets[b] + bytes);
      placed[b] = true;
    }
    return arena;
  }

  const Lifetimes& lifetimes_;
  const Blocks& blocks_;
  std::vector<std::vector<size_t>> apart_;  ///< by block: those that it may not share bytes with
  size_t visits_ = 0;                       ///< of pairs, for one sequence
};

}  // namespace

Arena place_blocks(const Lifetimes& lifetimes, const Blocks& blocks, const ReuseOrder& order, int64_t live) {
  return Placing(lifetimes, blocks, order).best(live);
}

int64_t most_live(const Lifetimes& lifetimes, const Blocks& blocks, size_t moments) {
  std::vector<int64_t> change(moments + 2, 0);
  for (const ArenaBlock& block : blocks.all) {
    const int64_t bytes = aligned(block.bytes);
    for (size_t i = 0; i < block.lifetimes.size(); ++i) {
      const Lifetime& lifetime = lifetimes.all[block.lifetimes[i]];
      if (lifetime.first == Lifetime::kEnd) continue;
      size_t last = std::min(lifetime.last, moments);
      if (i + 1 < block.lifetimes.size()) last = std::min(last, lifetimes.all[block.lifetimes[i + 1]].first - 1);
      change[lifetime.first] += bytes;
      change[last + 1] -= bytes;
    }
  }
  int64_t held = 0, most = 0;
  for (const int64_t bytes : change) most = std::max(most, held += bytes);
  return most;
}

}  // namespace isoshard
