// A lifetime may follow another one in the same bytes where all that touches the first has finished when any writer of
// the second starts: one comparison of clocks per writer. What is not ordered so, but is issued before, can be ordered
// by tokens: one for the latest run of an instruction, or for the latest in an iteration before of the loops that are
// around both. Cost: queues.
#include "core/plan/memory/reuse_order.h"

#include <algorithm>
#include <limits>

namespace isoshard {

std::optional<std::vector<ReuseToken>> ReuseOrder::missing(size_t a, size_t b, bool same_bytes) const {
  const Lifetime &before = all_[a], &after = all_[b];
  if (before.last == Lifetime::kEnd) return std::nullopt;
  const auto& taken = after.in_place_of;
  const bool in_place = same_bytes && std::find(taken.begin(), taken.end(), a) != taken.end();
  std::vector<ReuseToken> tokens;
  for (const auto& [queue, writer] : after.writers) {
    const std::span<const uint32_t> started = timeline_.started(writer);
    for (uint32_t q = 0; q < started.size(); ++q) {
      const uint32_t known = started[q] + (in_place && q == queue ? 1 : 0);
      if (before.touched[q] <= known) continue;
      if (reuse_ == Reuse::ordered) return std::nullopt;
      const std::optional<ReuseToken> more = token(writer, q, before.touched[q] - 1);
      if (!more) return std::nullopt;
      tokens.push_back(*more);
    }
  }
  return tokens;
}

/// By order: on each queue the next run comes first, and knows least.
std::vector<uint32_t> ReuseOrder::finished_by(size_t moment) const {
  std::vector<uint32_t> finished(timeline_.queues(), std::numeric_limits<uint32_t>::max());
  if (reuse_ == Reuse::tokens) return finished;
  for (uint32_t q = 0; q < timeline_.queues(); ++q) {
    const std::optional<size_t> next = timeline_.next_on(q, moment);
    if (!next) continue;
    const std::span<const uint32_t> started = timeline_.started(*next);
    for (uint32_t other = 0; other < started.size(); ++other)
      finished[other] = std::min(finished[other], started[other]);
  }
  return finished;
}

/// Tokens order whatever is issued later behind runs that are in one loop at most.
bool ReuseOrder::is_over(size_t a, size_t moment, const std::vector<uint32_t>& finished) const {
  const Lifetime& before = all_[a];
  return before.last < moment && std::equal(before.touched.begin(), before.touched.end(), finished.begin(),
                                            [](uint32_t touched, uint32_t done) { return touched <= done; });
}

std::optional<ReuseToken> ReuseOrder::token(size_t writer, uint32_t queue, uint32_t touched) const {
  const size_t needed = timeline_.at(queue, touched);
  if (needed >= writer) return std::nullopt;
  const Timeline::Moment &waits = timeline_.moment(writer), &last = timeline_.moment(needed);
  if (waits.queue == last.queue) return std::nullopt;
  const size_t loops = timeline_.common_loops(waits.instruction, last.instruction);
  size_t same = 0;
  while (same < loops && waits.iterations[same] == last.iterations[same]) ++same;
  return ReuseToken{waits.instruction, Token{last.instruction, same < loops}};
}

}  // namespace isoshard
