// A lifetime may follow another one in the same bytes where all that touches the first has finished when any writer of
// the second starts: one comparison of clocks per writer. What is not ordered so, but is issued before, can be ordered
// by tokens: one for the latest run of an instruction, or for the latest in an iteration before of the loops that are
// around both. Cost: queues.
#include "core/plan/memory/reuse_order.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/support/check.h"

namespace isoshard {

template <class Late>
bool ReuseOrder::for_each_late(size_t a, size_t b, bool same_bytes, const Late& late) const {
  const std::span<const uint32_t> touched = lifetimes_.touched(a);
  const Lifetime& after = lifetimes_.all[b];
  const Numbers& taken = after.in_place_of;
  const bool in_place = same_bytes && std::find(taken.begin(), taken.end(), a) != taken.end();
  for (const Lifetime::Writer& writer : after.writers) {
    const std::span<const uint32_t> started = timeline_.started(writer.moment);
    for (uint32_t q = 0; q < started.size(); ++q) {
      const uint32_t known = started[q] + (in_place && q == writer.queue ? 1 : 0);
      if (touched[q] > known && !late(writer, q, touched[q])) return false;
    }
  }
  return true;
}

bool ReuseOrder::may_follow(size_t a, size_t b, bool same_bytes) const {
  if (lifetimes_.all[a].last == Lifetime::kEnd) return false;
  return for_each_late(a, b, same_bytes, [&](const Lifetime::Writer& writer, uint32_t queue, uint32_t touched) {
    return has_token(writer, queue, touched);
  });
}

size_t ReuseOrder::needed_until(size_t a) const {
  if (lifetimes_.all[a].last == Lifetime::kEnd) return Lifetime::kEnd;
  const std::span<const uint32_t> touched = lifetimes_.touched(a);
  size_t until = 0;
  for (size_t q = 0; q < touched.size(); ++q) {
    if (touched[q] > 0) until = std::max(until, timeline_.at(q, touched[q] - 1));
  }
  return until;
}

void ReuseOrder::add_missing(size_t a, size_t b, bool same_bytes, std::vector<ReuseToken>& tokens) const {
  ISOSHARD_CHECK(may_follow(a, b, same_bytes), "bytes are used again where that can be ordered");
  for_each_late(a, b, same_bytes, [&](const Lifetime::Writer& writer, uint32_t queue, uint32_t touched) {
    tokens.push_back(token(writer, queue, touched));
    return true;
  });
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
  if (lifetimes_.all[a].last >= moment) return false;
  const std::span<const uint32_t> touched = lifetimes_.touched(a);
  return reuse_ == Reuse::tokens || std::equal(touched.begin(), touched.end(), finished.begin(),
                                               [](uint32_t behind, uint32_t done) { return behind <= done; });
}

/// What is issued before, on another queue.
bool ReuseOrder::has_token(const Lifetime::Writer& writer, uint32_t queue, uint32_t touched) const {
  return reuse_ == Reuse::tokens && writer.queue != queue && timeline_.at(queue, touched - 1) < writer.moment;
}

ReuseToken ReuseOrder::token(const Lifetime::Writer& writer, uint32_t queue, uint32_t touched) const {
  const Timeline::Moment &waits = timeline_.moment(writer.moment),
                         &last = timeline_.moment(timeline_.at(queue, touched - 1));
  const std::span<const int64_t> ours = timeline_.iterations(waits), theirs = timeline_.iterations(last);
  const size_t loops = timeline_.common_loops(waits.instruction, last.instruction);
  size_t same = 0;
  while (same < loops && ours[same] == theirs[same]) ++same;
  return ReuseToken{waits.instruction, Token{last.instruction, same < loops}};
}

}  // namespace isoshard
