#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/memory/lifetimes.h"
#include "core/plan/memory/memory_plan.h"
#include "core/plan/memory/timeline.h"

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
      : all_(lifetimes.all), timeline_(timeline), reuse_(reuse) {}

  /// `a` begins before `b`. With `same_bytes` the writer of `b` may be the last one that reads `a`.
  bool may_follow(size_t a, size_t b, bool same_bytes) const { return missing(a, b, same_bytes).has_value(); }
  /// Per queue, how many runs have finished when anything that begins at `moment` or later starts.
  std::vector<uint32_t> finished_by(size_t moment) const;
  /// Whether whatever begins at `moment` or later may follow `a`; `finished` is finished_by(moment).
  bool is_over(size_t a, size_t moment, const std::vector<uint32_t>& finished) const;
  /// The tokens that `b` needs so that it may follow; nothing where none help, or where none may be added.
  std::optional<std::vector<ReuseToken>> missing(size_t a, size_t b, bool same_bytes) const;

 private:
  std::optional<ReuseToken> token(size_t writer, uint32_t queue, uint32_t touched) const;

  const std::vector<Lifetime>& all_;
  const Timeline& timeline_;
  Reuse reuse_;
};

}  // namespace isoshard
