// Buffers become blocks of bytes. A buffer in loops has the fewest copies, innermost loop first, with which each
// lifetime may follow the one before in the same bytes; a carry whose writer reads it element by element needs one.
// Then results of ops that work in place join the blocks of an operand, where all lifetimes of both may still follow
// each other: in the same loops with as many copies, or with one copy; each list of lifetimes is in order, so that only
// those are compared where two lists meet. Greedy, in issue order. Cost: lifetimes times queues for each number of
// copies that is tried, and the lifetimes of blocks that join out of order.
#include "core/plan/memory/blocks.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/plan/memory/trips.h"
#include "core/support/check.h"

namespace isoshard {
namespace {

using LifetimeIds = std::vector<size_t>;

class Maker {
 public:
  Maker(const Plan& plan, const Lifetimes& lifetimes, const ReuseOrder& order)
      : plan_(plan),
        all_(lifetimes.all),
        buffers_(lifetimes.buffers),
        order_(order),
        set_of_(buffers_.size()),
        slots_(buffers_.size()) {}

  Blocks make() {
    for (size_t b = 0; b < buffers_.size(); ++b) {
      set_of_[b] = b;
      out_.sets.push_back(BlockSet{{b}, copies_of(buffers_[b]), {}});
      slots_[b] = slots_of(buffers_[b], out_.sets[b].copies);
    }
    for (size_t b = 0; b < buffers_.size(); ++b) join_operands(b);
    for (size_t set = 0; set < out_.sets.size(); ++set) add_blocks(out_.sets[set], slots_[set]);
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
  bool follow_each_other(const Buffer& buffer, const std::vector<int64_t>& copies, size_t loop) const {
    std::map<std::vector<int64_t>, LifetimeIds> meeting;
    for (const size_t id : buffer.lifetimes) {
      std::vector<int64_t> key = all_[id].iterations;
      for (size_t l = loop; l < key.size(); ++l) key[l] %= copies[l];
      meeting[key].push_back(id);
    }
    return std::all_of(meeting.begin(), meeting.end(), [&](const auto& entry) { return is_chain(entry.second); });
  }

  /// Each may follow the one before, at the same place.
  bool is_chain(const LifetimeIds& lifetimes) const {
    for (size_t i = 1; i < lifetimes.size(); ++i) {
      if (!order_.may_follow(lifetimes[i - 1], lifetimes[i], true)) return false;
    }
    return true;
  }

  void join_operands(size_t buffer) {
    std::set<size_t> operands;
    for (const size_t id : buffers_[buffer].lifetimes) {
      for (const size_t other : all_[id].in_place_of) operands.insert(set_of_[all_[other].buffer]);
    }
    for (const size_t other : operands) {
      if (other != set_of_[buffer] && join(other, set_of_[buffer])) return;
    }
  }

  /// Whether the blocks of `from` could become those of `into`.
  bool join(size_t into, size_t from) {
    BlockSet &set = out_.sets[into], &other = out_.sets[from];
    const auto single = [](const BlockSet& one) {
      return std::all_of(one.copies.begin(), one.copies.end(), [](int64_t c) { return c == 1; });
    };
    const bool same = buffers_[set.buffers[0]].loops == buffers_[other.buffers[0]].loops;
    if (!(single(set) && single(other)) && !(same && set.copies == other.copies)) return false;
    for (const auto& [slot, lifetimes] : slots_[from]) {
      const auto known = slots_[into].find(slot);
      if (known != slots_[into].end() && !is_chain_together(known->second, lifetimes)) return false;
    }
    for (auto& [slot, lifetimes] : slots_[from]) merge(slots_[into][slot], std::move(lifetimes));
    for (const size_t b : other.buffers) set_of_[b] = into;
    set.buffers.insert(set.buffers.end(), other.buffers.begin(), other.buffers.end());
    other.buffers.clear();
    return true;
  }

  /// Whether two chains are one: where lifetimes of both are neighbours, the later one may follow.
  bool is_chain_together(const LifetimeIds& a, const LifetimeIds& b) const {
    for (size_t i = 0; i < b.size();) {
      const size_t first = all_[b[i]].first;
      const auto after = std::partition_point(a.begin(), a.end(), [&](size_t id) { return all_[id].first <= first; });
      if (after != a.begin() && !order_.may_follow(*(after - 1), b[i], true)) return false;
      if (after == a.end()) return true;
      while (i < b.size() && all_[b[i]].first < all_[*after].first) ++i;
      if (!order_.may_follow(b[i - 1], *after, true)) return false;
    }
    return true;
  }

  void merge(LifetimeIds& into, LifetimeIds from) const {
    const auto earlier = [&](size_t a, size_t b) { return all_[a].first < all_[b].first; };
    const auto middle = into.insert(into.end(), from.begin(), from.end());
    if (middle != into.begin() && earlier(*middle, *(middle - 1))) {
      std::inplace_merge(into.begin(), middle, into.end(), earlier);
    }
  }

  /// The lifetimes that take turns, by the number of the copy that they are in; each list in the order in which they
  /// begin.
  std::map<int64_t, LifetimeIds> slots_of(const Buffer& buffer, const std::vector<int64_t>& copies) const {
    std::map<int64_t, LifetimeIds> slots;
    for (const size_t id : buffer.lifetimes) {
      int64_t slot = 0;
      for (size_t l = 0; l < copies.size(); ++l) slot = slot * copies[l] + all_[id].iterations[l] % copies[l];
      slots[slot].push_back(id);
    }
    return slots;
  }

  void add_blocks(BlockSet& set, std::map<int64_t, LifetimeIds>& slots) {
    if (set.buffers.empty()) return;
    int64_t count = 1;
    for (const int64_t copies : set.copies) count *= copies;
    set.blocks.resize(static_cast<size_t>(count));
    for (int64_t slot = 0; slot < count; ++slot) {
      set.blocks[static_cast<size_t>(slot)] = out_.all.size();
      out_.all.push_back(ArenaBlock{buffers_[set.buffers[0]].bytes, std::move(slots.at(slot))});
    }
  }

  const Plan& plan_;
  const std::vector<Lifetime>& all_;
  const std::vector<Buffer>& buffers_;
  const ReuseOrder& order_;
  std::vector<size_t> set_of_;
  std::vector<std::map<int64_t, LifetimeIds>> slots_;  ///< by set
  std::map<const Repeat*, Trips> trips_;
  Blocks out_;
};

}  // namespace

Blocks make_blocks(const Plan& plan, const Lifetimes& lifetimes, const ReuseOrder& order) {
  return Maker(plan, lifetimes, order).make();
}

}  // namespace isoshard
