#pragma once  // internal

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "core/support/short_list.h"
#include "verify/race/rank_runs.h"

namespace isoshard::verify {

/// What has happened to some bytes since they were written for the last time.
struct ByteHistory {
  int64_t end = 0;
  const ByteAccess* write = nullptr;  ///< null: nothing has been written
  ShortList<uint32_t> reads{};        ///< numbers of accesses: the last one on each queue, in the order of queues
};

/// The bytes of an arena, in ranges of one history each.
class ByteMap {
 public:
  /// Calls `visit(begin, history)` for all of [begin, end), which it cuts at both ends.
  template <class Visit>
  void for_each(int64_t begin, int64_t end, const Visit& visit) {
    auto range = cut(begin);
    for (int64_t at = begin; at < end; ++range) {
      if (range == ranges_.end() || range->first > at) {
        const int64_t gap = range == ranges_.end() ? end : std::min(end, range->first);
        range = ranges_.emplace_hint(range, at, ByteHistory{gap});
      } else if (range->second.end > end) {
        cut(end);
      }
      at = range->second.end;
      visit(range->first, range->second);
    }
  }
  /// Makes one range of all of [begin, end), which for_each has visited last.
  void write(int64_t begin, int64_t end, const ByteAccess& access) {
    const auto first = ranges_.find(begin);  // its node stays: mostly it has had these bytes before
    first->second = ByteHistory{end, &access};
    auto behind = std::next(first);
    while (behind != ranges_.end() && behind->first < end) behind = ranges_.erase(behind);
  }

 private:
  using Ranges = std::map<int64_t, ByteHistory>;

  /// The first range that begins at `at` or later.
  Ranges::iterator cut(int64_t at) {
    const auto behind = ranges_.lower_bound(at);
    if (behind == ranges_.begin() || (behind != ranges_.end() && behind->first == at)) return behind;
    ByteHistory& history = std::prev(behind)->second;
    if (history.end <= at) return behind;
    ByteHistory rest = history;
    history.end = at;
    return ranges_.emplace_hint(behind, at, std::move(rest));
  }

  Ranges ranges_;  ///< by their begin
};

}  // namespace isoshard::verify
