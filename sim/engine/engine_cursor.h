#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/engine/engine_scope.h"

namespace isoshard::sim {

/// Where a queue of a device is: in which block and iteration of each loop, outermost first. At its end the path is
/// empty.
class QueueCursor {
 public:
  struct Level {
    const Scope* scope = nullptr;
    size_t block = 0;
    int64_t iteration = 0;
  };

  explicit QueueCursor(const Scope* root) : path_{Level{root}} {}

  bool at_end() const { return path_.empty(); }
  Level& level() { return path_.back(); }
  const std::vector<Level>& path() const { return path_; }
  /// The iterations of the enclosing repeats, innermost last.
  const std::vector<int64_t>& iterations() const { return iterations_; }
  /// Of all of them, as one number; of those around the innermost one.
  int64_t iteration() const { return number(path_.size()); }
  int64_t outer_iteration() const { return number(path_.size() - 1); }

  void enter(const Scope& body);
  void next_iteration();
  /// Behind the loop, or to the end.
  void leave();

  /// How many instances of the instruction at `place`, which is on this queue, have finished; `next` is the first that
  /// has not in the queue's current block.
  int64_t finished(const InstructionPlace& place, size_t next) const;
  /// The same of one outside of loops: whether it has.
  bool has_finished(const InstructionPlace& place, size_t next) const {
    if (at_end() || path_[0].block != place.block) return at_end() || path_[0].block > place.block;
    return next > place.index;
  }
  /// How many must have before an instance that is here starts: all that are issued before, where `precedes`, else all
  /// of earlier iterations of the loops that both are in.
  int64_t required(const InstructionPlace& place, bool precedes) const;
  /// How many iterations of the innermost loop of `other` this one is done with, in the same run of that loop.
  int64_t iterations_done(const QueueCursor& other) const;
  /// Whether it is at an earlier place in issue order, as far as blocks and iterations say.
  bool is_before(const QueueCursor& other) const;

 private:
  int64_t number(size_t levels) const;

  std::vector<Level> path_;
  std::vector<int64_t> iterations_;
};

}  // namespace isoshard::sim
