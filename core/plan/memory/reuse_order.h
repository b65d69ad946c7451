#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/memory/lifetimes.h"
#include "core/plan/memory/memory_plan.h"
#include "core/plan/order/timeline.h"

namespace isoshard {

/// A token that orders the use of some bytes behind their last use for something else.
struct ReuseToken {
  InstructionId waits;
  Token token;
  auto operator<=>(const ReuseToken&) const = default;
};

/// Whether bytes of one lifetime may be used for a later one.
class ReuseOrder {
 public:
  ReuseOrder(const Lifetimes& lifetimes, const Timeline& timeline, Reuse reuse)
      : lifetimes_(lifetimes), timeline_(timeline), reuse_(reuse) {}

  /// `a` begins before `b`. With `same_bytes` the writer of `b` may be the last one that reads `a`.
  bool may_follow(size_t a, size_t b, bool same_bytes) const;
  /// Per queue, how many runs have finished when anything that begins at `moment` or later starts.
  std::vector<uint32_t> finished_by(size_t moment) const;
  /// Whether whatever begins at `moment` or later may follow `a`; `finished` is finished_by(moment).
  bool is_over(size_t a, size_t moment, const std::vector<uint32_t>& finished) const;
  /// The last moment that must be over before anything else may have the bytes of `a`; kEnd: they stay.
  size_t needed_until(size_t a) const;
  /// Adds the tokens that `b` needs so that it may follow.
  void add_missing(size_t a, size_t b, bool same_bytes, std::vector<ReuseToken>& tokens) const;

 private:
  /// Calls `late(writer, queue, touched)` for each writer of `b` and queue that may still touch `a` then, until it
  /// returns false; whether it never did.
  template <class Late>
  bool for_each_late(size_t a, size_t b, bool same_bytes, const Late& late) const;
  /// Whether a token can order a writer behind the runs of a queue before `touched`.
  bool has_token(const Lifetime::Writer& writer, uint32_t queue, uint32_t touched) const;
  ReuseToken token(const Lifetime::Writer& writer, uint32_t queue, uint32_t touched) const;

  const Lifetimes& lifetimes_;
  const Timeline& timeline_;
  Reuse reuse_;
};

}  // namespace isoshard
