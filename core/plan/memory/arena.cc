// Offsets by best fit: blocks in a sequence, each into the smallest gap between those placed before with which it may
// not share bytes, or behind them. First as they begin, then the largest first (as TensorFlow Lite's planner, Y.
// Pisarchyk and J. Lee 2020); then, while the arena is larger than what is held at once, the block that ends last comes
// first, a few times more, fewer where many blocks are apart; of many a little more than is held will do. The lifetimes
// of a block follow each other, so that who may follow one of them may follow all before it, and only neighbours have
// to be compared; most pairs are apart because the latest lifetime of one is still needed when the other begins. A
// sequence differs from the one before in one block that comes first, so that only what was in its way, and what that
// moves, is placed anew. Cost: pairs of blocks that are there at the same time, once, or twice where that arena is too
// large; then those that may not share, sorted by where they are, for each block that moves.
#include "core/plan/memory/arena.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace isoshard {
namespace {

constexpr size_t kMostSequences = 48;
/// Visits of pairs in all sequences behind the first two.
constexpr size_t kMostVisits = size_t{1} << 24;
/// With more blocks an arena may be larger than what is held at once, by this part of it.
constexpr size_t kManyBlocks = 4096;
constexpr int64_t kSpare = 32;

using Range = std::pair<int64_t, int64_t>;

/// The start of the smallest gap between `taken`, which ascend, that has room, or their end.
int64_t best_fit(const std::vector<Range>& taken, int64_t bytes) {
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
  const Numbers &few = (first ? a : b).lifetimes, &many = (first ? b : a).lifetimes;
  return std::all_of(few.begin(), few.end(), [&](uint32_t id) {
    const auto after = std::partition_point(many.begin(), many.end(), [&](uint32_t other) {
      return lifetimes.all[other].first <= lifetimes.all[id].first;
    });
    return (after == many.begin() || order.may_follow(*(after - 1), id, false)) &&
           (after == many.end() || order.may_follow(id, *after, false));
  });
}

/// The blocks in a sequence, and where that puts them.
class Placing {
 public:
  Placing(const Lifetimes& lifetimes, const Blocks& blocks, const ReuseOrder& order)
      : lifetimes_(lifetimes),
        blocks_(blocks),
        order_(order),
        earlier_(blocks.all.size()),
        later_(blocks.all.size()),
        moved_(blocks.all.size(), true) {
    for (const ArenaBlock& block : blocks.all) places_.push_back(Place{0, 0, aligned(block.bytes)});
    sequence_ = as_they_begin();
  }

  Arena best(int64_t live) {
    const int64_t enough = blocks_.all.size() > kManyBlocks ? live + live / kSpare : live;
    place_as_they_begin();
    if (bytes_ <= enough) return arena();
    list_apart_ = true;  // large for many blocks, so only where it is needed
    place_as_they_begin();
    Arena best = arena();
    list_later();
    std::stable_sort(sequence_.begin(), sequence_.end(),
                     [&](uint32_t a, uint32_t b) { return blocks_.all[a].bytes > blocks_.all[b].bytes; });
    for (size_t i = 0; i < sequence_.size(); ++i) places_[sequence_[i]].rank = static_cast<int64_t>(i);
    const size_t visits = apart_.size();  // of pairs, for one sequence
    for (size_t i = 1; i < kMostSequences && best.bytes > enough && (i == 1 || i * visits < kMostVisits); ++i) {
      place();
      if (bytes_ < best.bytes) best = arena();
      if (!put_last_first()) break;  // from here on all sequences are this one
    }
    return best;
  }

 private:
  size_t begin_of(uint32_t block) const { return lifetimes_.all[blocks_.all[block].lifetimes[0]].first; }

  std::vector<uint32_t> as_they_begin() const {
    std::vector<uint32_t> sequence(blocks_.all.size());
    std::iota(sequence.begin(), sequence.end(), 0U);
    const auto is_before = [&](uint32_t a, uint32_t b) {
      return std::pair(begin_of(a), a) < std::pair(begin_of(b), b);
    };
    if (!std::is_sorted(sequence.begin(), sequence.end(), is_before)) {  // with loops
      std::sort(sequence.begin(), sequence.end(), is_before);
    }
    return sequence;
  }

  /// Of a block.
  struct Place {
    int64_t rank = 0;  ///< ascends along the sequence
    int64_t begin = 0;
    int64_t bytes = 0;  ///< aligned
    int64_t end() const { return begin + bytes; }
  };
  /// Of a list, [begin, end).
  struct Part {
    size_t begin = 0;
    size_t end = 0;
  };
  /// A block that some later block may not share bytes with.
  struct Open {
    uint32_t block = 0;
    uint32_t lifetime = 0;  ///< the latest that has begun
    size_t until = 0;       ///< when that one is needed
  };

  /// Finds the pairs that may not share bytes, of blocks that are there at the same time, and places the later one.
  void place_as_they_begin() {
    std::vector<Open> open;  // in the order of their places
    bytes_ = 0;
    for (const uint32_t b : sequence_) {
      earlier_[b] = {apart_.size(), apart_.size()};
      if (places_[b].bytes == 0) continue;
      find_earlier(b, open);
      places_[b].begin = best_fit(taken_, places_[b].bytes);
      bytes_ = std::max(bytes_, places_[b].end());
      const auto behind = std::partition_point(
          open.begin(), open.end(), [&](const Open& a) { return places_[a.block].begin <= places_[b].begin; });
      open.insert(behind, Open{b, 0, order_.needed_until(blocks_.all[b].lifetimes[0])});
    }
  }

  /// Those of `open` that are apart from `block`, and the bytes that they take. Drops what is over for good.
  void find_earlier(uint32_t block, std::vector<Open>& open) {
    const size_t first = begin_of(block);
    std::optional<std::vector<uint32_t>> finished;
    size_t kept = 0;
    taken_.clear();
    for (Open& a : open) {
      go_on(a, first);
      const bool needed = a.until >= first;
      if (!needed && !finished) finished = order_.finished_by(first);
      if (!needed && is_over(a.block, first, *finished)) continue;
      open[kept++] = a;
      if (!needed && may_share(lifetimes_, blocks_.all[a.block], blocks_.all[block], order_)) continue;
      if (list_apart_) apart_.push_back(a.block);
      taken_.emplace_back(places_[a.block].begin, places_[a.block].end());
    }
    earlier_[block].end = apart_.size();
    open.resize(kept);
  }

  /// Comes to the latest lifetime that begins at `moment` or before.
  void go_on(Open& open, size_t moment) const {
    const Numbers& lifetimes = blocks_.all[open.block].lifetimes;
    const uint32_t before = open.lifetime;
    while (open.lifetime + 1 < lifetimes.size() && lifetimes_.all[lifetimes[open.lifetime + 1]].first <= moment) {
      ++open.lifetime;
    }
    if (open.lifetime != before) open.until = order_.needed_until(lifetimes[open.lifetime]);
  }

  /// The pairs the other way round.
  void list_later() {
    std::vector<size_t> counts(blocks_.all.size(), 0);
    for (const uint32_t a : apart_) ++counts[a];
    size_t begin = apart_.size();
    for (size_t b = 0; b < counts.size(); ++b) {
      later_[b] = {begin, begin};
      begin += counts[b];
    }
    apart_.resize(begin);
    for (const uint32_t b : sequence_) {
      for (size_t i = earlier_[b].begin; i < earlier_[b].end; ++i) apart_[later_[apart_[i]].end++] = b;
    }
  }
  template <class Visit>
  void for_each_apart(uint32_t block, const Visit& visit) const {
    for (const Part& part : {earlier_[block], later_[block]}) {
      for (size_t i = part.begin; i < part.end; ++i) visit(apart_[i]);
    }
  }

  /// Whether whatever begins at `moment` or later may follow all lifetimes of a block: it may if it may follow the
  /// last.
  bool is_over(uint32_t block, size_t moment, const std::vector<uint32_t>& finished) const {
    const uint32_t last = blocks_.all[block].lifetimes.back();
    return lifetimes_.all[last].first < moment && order_.is_over(last, moment, finished);
  }

  /// Blocks of which something before them in the sequence has moved.
  void place() {
    bytes_ = 0;
    for (const uint32_t b : sequence_) {
      if (moved_[b]) place(b);
      bytes_ = std::max(bytes_, places_[b].end());
    }
  }

  void place(uint32_t block) {
    Place& own = places_[block];
    taken_.clear();
    for_each_apart(block, [&](uint32_t other) {
      const Place& place = places_[other];
      if (place.rank < own.rank) taken_.emplace_back(place.begin, place.end());
    });
    std::sort(taken_.begin(), taken_.end());
    const int64_t begin = best_fit(taken_, own.bytes);
    moved_[block] = false;
    if (std::exchange(own.begin, begin) == begin) return;
    for_each_apart(block, [&](uint32_t other) {
      if (places_[other].rank > own.rank) moved_[other] = true;
    });
  }

  /// False: it is the first already.
  bool put_last_first() {
    const auto last =
        std::find_if(sequence_.begin(), sequence_.end(), [&](uint32_t b) { return places_[b].end() == bytes_; });
    if (last == sequence_.begin()) return false;
    const uint32_t block = *last;
    for_each_apart(block, [&](uint32_t other) {
      if (places_[other].rank < places_[block].rank) moved_[other] = true;
    });
    moved_[block] = true;
    places_[block].rank = places_[sequence_.front()].rank - 1;
    std::rotate(sequence_.begin(), last, last + 1);
    return true;
  }

  Arena arena() const {
    Arena arena{{}, bytes_};
    for (const Place& place : places_) arena.offsets.push_back(place.begin);
    return arena;
  }

  const Lifetimes& lifetimes_;
  const Blocks& blocks_;
  const ReuseOrder& order_;
  bool list_apart_ = false;    ///< what apart_ and earlier_ hold is wanted
  std::vector<Place> places_;  ///< by block
  int64_t bytes_ = 0;          ///< of the arena
  std::vector<uint32_t> sequence_;
  std::vector<uint32_t> apart_;  ///< by block: those that it may not share bytes with
  std::vector<Part> earlier_;    ///< by block: those of them that begin before it
  std::vector<Part> later_;
  std::vector<bool> moved_;  ///< by block: one of these that is placed before it has another place
  std::vector<Range> taken_;
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
