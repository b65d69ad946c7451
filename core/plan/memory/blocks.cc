// Buffers become blocks of bytes. A buffer in loops has the fewest copies, innermost loop first, with which each
// lifetime may follow the one before in the same bytes; a carry whose writer reads it element by element needs one.
// Then results of ops that work in place join the blocks of an operand, where all lifetimes of both may still follow
// each other: in the same loops with as many copies, or with one copy; each list of lifetimes is in order, so that only
// those are compared where two lists meet. Greedy, in issue order. Cost: lifetimes times queues for each number of
// copies that is tried, and the lifetimes of blocks that join out of order.
#include "core/plan/memory/blocks.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/plan/memory/trips.h"

namespace isoshard {
namespace {

class Maker {
 public:
  Maker(const Plan& plan, const Lifetimes& lifetimes, const ReuseOrder& order)
      : plan_(plan),
        lifetimes_(lifetimes),
        all_(lifetimes.all),
        buffers_(lifetimes.buffers),
        order_(order),
        set_of_(buffers_.size()) {}

  Blocks make() {
    out_.sets.reserve(buffers_.size());
    for (uint32_t b = 0; b < buffers_.size(); ++b) {
      set_of_[b] = b;
      out_.sets.push_back(BlockSet{{b}, copies_of(buffers_[b])});
      add_slots(b);
    }
    for (uint32_t b = 0; b < buffers_.size(); ++b) join_operands(b);
    for (uint32_t set = 0; set < out_.sets.size(); ++set) add_blocks(set);
    return std::move(out_);
  }

 private:
  /// Of a loop that many buffers may be in.
  const Trips& trips(const Repeat& repeat) {
    const auto known = trips_.find(&repeat);
    return known != trips_.end() ? known->second : trips_.emplace(&repeat, *trips_of(plan_, repeat)).first->second;
  }

  std::vector<int64_t> copies_of(const Buffer& buffer) {
    std::vector<int64_t> copies(buffer.loops.size(), 0);  // 0: iterations have nothing in common yet
    for (size_t l = buffer.loops.size(); l-- > 0;) {
      const Repeat& repeat = *buffer.loops[l];
      const auto& [walked, period] = trips(repeat);
      const bool all = walked == repeat.count;
      for (copies[l] = 1; copies[l] < walked; ++copies[l]) {
        if ((all || period % copies[l] == 0) && follow_each_other(buffer, copies, l)) break;
      }
    }
    return copies;
  }

  /// Lifetimes in the same bytes, where iterations of loops outside of `loop` do not meet.
  bool follow_each_other(const Buffer& buffer, const std::vector<int64_t>& copies, size_t loop) {
    std::vector<int64_t> places = copies;
    for (size_t l = 0; l < loop; ++l) places[l] = trips(*buffer.loops[l]).walked;
    meeting_.clear();
    for (const uint32_t id : buffer.lifetimes) meeting_.emplace_back(place(id, places), id);
    std::sort(meeting_.begin(), meeting_.end());
    for (size_t i = 1; i < meeting_.size(); ++i) {
      const bool meet = meeting_[i - 1].first == meeting_[i].first;
      if (meet && !order_.may_follow(meeting_[i - 1].second, meeting_[i].second, true)) return false;
    }
    return true;
  }

  /// Into the blocks of the first operand, in issue order, whose lifetimes allow it.
  void join_operands(uint32_t buffer) {
    operands_.clear();
    for (const uint32_t id : buffers_[buffer].lifetimes) {
      for (const uint32_t other : all_[id].in_place_of) operands_.push_back(set_of_[all_[other].buffer]);
    }
    std::sort(operands_.begin(), operands_.end());
    operands_.erase(std::unique(operands_.begin(), operands_.end()), operands_.end());
    for (const uint32_t other : operands_) {
      if (other != set_of_[buffer] && join(other, set_of_[buffer])) return;
    }
  }

  /// Whether the blocks of `from` could become those of `into`.
  bool join(uint32_t into, uint32_t from) {
    BlockSet &set = out_.sets[into], &other = out_.sets[from];
    const auto single = [](const BlockSet& one) {
      return std::all_of(one.copies.begin(), one.copies.end(), [](int64_t c) { return c == 1; });
    };
    const bool same = buffers_[set.buffers[0]].loops == buffers_[other.buffers[0]].loops;
    if (!(single(set) && single(other)) && !(same && set.copies == other.copies)) return false;
    const std::span<Numbers> ours = slots(into), theirs = slots(from);
    for (size_t slot = 0; slot < ours.size(); ++slot) {
      if (!is_chain_together(ours[slot], theirs[slot])) return false;
    }
    for (size_t slot = 0; slot < ours.size(); ++slot) merge(ours[slot], std::exchange(theirs[slot], Numbers()));
    for (const uint32_t b : other.buffers) set_of_[b] = into;
    set.buffers.append(other.buffers.begin(), other.buffers.end());
    other.buffers.clear();
    return true;
  }

  /// Whether two chains are one: where lifetimes of both are neighbours, the later one may follow.
  bool is_chain_together(const Numbers& a, const Numbers& b) const {
    for (size_t i = 0; i < b.size();) {
      const size_t first = all_[b[i]].first;
      const auto after = std::partition_point(a.begin(), a.end(), [&](uint32_t id) { return all_[id].first <= first; });
      if (after != a.begin() && !order_.may_follow(*(after - 1), b[i], true)) return false;
      if (after == a.end()) return true;
      while (i < b.size() && all_[b[i]].first < all_[*after].first) ++i;
      if (!order_.may_follow(b[i - 1], *after, true)) return false;
    }
    return true;
  }

  void merge(Numbers& into, const Numbers& from) const {
    const auto earlier = [&](uint32_t a, uint32_t b) { return all_[a].first < all_[b].first; };
    const size_t before = into.size();
    into.append(from.begin(), from.end());
    uint32_t* const middle = into.begin() + before;
    if (middle != into.begin() && earlier(*middle, *(middle - 1))) {
      std::inplace_merge(into.begin(), middle, into.end(), earlier);
    }
  }

  /// The lifetimes that take turns, by the number of the copy that they are in; each list in the order in which they
  /// begin.
  void add_slots(uint32_t set) {
    const std::vector<int64_t>& copies = out_.sets[set].copies;
    first_slot_.push_back(slots_.size());
    slots_.resize(slots_.size() + block_count(copies));
    for (const uint32_t id : buffers_[set].lifetimes) slots(set)[static_cast<size_t>(place(id, copies))].push_back(id);
  }
  /// The number of the copy that a lifetime is in, where a buffer has so many for each loop.
  int64_t place(uint32_t lifetime, const std::vector<int64_t>& copies) const {
    const std::span<const int64_t> iterations = lifetimes_.iterations_of(lifetime);
    int64_t place = 0;
    for (size_t l = 0; l < copies.size(); ++l) place = place * copies[l] + iterations[l] % copies[l];
    return place;
  }
  std::span<Numbers> slots(uint32_t set) {
    return std::span(slots_).subspan(first_slot_[set], block_count(out_.sets[set].copies));
  }

  void add_blocks(uint32_t number) {
    BlockSet& set = out_.sets[number];
    set.first_block = out_.all.size();
    if (set.buffers.empty()) return;
    const int64_t bytes = buffers_[set.buffers[0]].bytes;
    for (Numbers& lifetimes : slots(number)) out_.all.push_back(ArenaBlock{bytes, std::move(lifetimes)});
  }

  const Plan& plan_;
  const Lifetimes& lifetimes_;
  const std::vector<Lifetime>& all_;
  const std::vector<Buffer>& buffers_;
  const ReuseOrder& order_;
  std::vector<uint32_t> set_of_;
  std::vector<size_t> first_slot_;  ///< by set
  std::vector<Numbers> slots_;      ///< by set and number of the copy
  std::vector<std::pair<int64_t, uint32_t>> meeting_;
  std::vector<uint32_t> operands_;
  std::map<const Repeat*, Trips> trips_;
  Blocks out_;
};

}  // namespace

size_t block_count(const std::vector<int64_t>& copies) {
  int64_t count = 1;
  for (const int64_t number : copies) count *= number;
  return static_cast<size_t>(count);
}

Blocks make_blocks(const Plan& plan, const Lifetimes& lifetimes, const ReuseOrder& order) {
  return Maker(plan, lifetimes, order).make();
}

}  // namespace isoshard
