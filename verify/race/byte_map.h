#pragma once  // internal

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "verify/race/rank_runs.h"

namespace isoshard::verify {

/// What has happened to some bytes since they were written for the last time.
struct ByteHistory {
  int64_t end = 0;
  const ByteAccess* write = nullptr;       ///< null: nothing has been written
  std::vector<const ByteAccess*> reads{};  ///< the last one on each queue, or null
};

/// The bytes of an arena, in ranges of one history each.
class ByteMap {
 public:
  /// Calls `visit(begin, history)` for all of [begin, end), which it cuts at both ends.
  template <class Visit>
  void for_each(int64_t begin, int64_t end, const Visit& visit) {
    cut(begin);
    cut(end);
    int64_t at = begin;
    for (auto range = ranges_.lower_bound(begin); at < end; ++range) {
      if (range == ranges_.end() || range->first > at) {
        const int64_t gap = range == ranges_.end() ? end : std::min(end, range->first);
        range = ranges_.emplace_hint(range, at, ByteHistory{gap});
      }
      at = range->second.end;
      visit(range->first, range->second);
    }
  }
  /// Makes one range of all of [begin, end).
  void write(int64_t begin, int64_t end, const ByteAccess& access) {
    cut(begin);
    cut(end);
    ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
    ranges_[begin] = ByteHistory{end, &access};
  }

 private:
  void cut(int64_t at) {
    auto behind = ranges_.upper_bound(at);
    if (behind == ranges_.begin()) return;
    auto& [begin, history] = *std::prev(behind);
    if (begin == at || history.end <= at) return;
    ByteHistory rest = history;
    history.end = at;
    ranges_.emplace_hint(behind, at, std::move(rest));
  }

  std::map<int64_t, ByteHistory> ranges_;  ///< by their begin
};

}  // namespace isoshard::verify
