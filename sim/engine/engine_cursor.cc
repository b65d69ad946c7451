// Progress of a queue through blocks and nested loops, compared by paths: block and iteration per loop, outermost
// first. How often an instruction has run is a number with one digit per loop around it, of which the digits that a
// path shares are those of the path, and what is behind or before is all or nothing of the rest. So a device keeps one
// path per queue and no count per instruction. Cost per question: the depth of the loops.
#include "sim/engine/engine_cursor.h"

namespace isoshard::sim {
namespace {

/// How often what is in these scopes runs, from that at `depth` inwards.
int64_t runs_from(const std::vector<const Scope*>& scopes, size_t depth) {
  int64_t runs = 1;
  for (size_t d = depth; d < scopes.size(); ++d) runs *= scopes[d]->count();
  return runs;
}

}  // namespace

int64_t QueueCursor::number(size_t levels) const {
  int64_t number = 0;
  for (size_t l = 1; l < levels; ++l) number = number * path_[l].scope->count() + path_[l].iteration;
  return number;
}

void QueueCursor::enter(const Scope& body) {
  path_.push_back(Level{&body});
  iterations_.push_back(0);
}

void QueueCursor::next_iteration() {
  path_.back().block = 0;
  iterations_.back() = ++path_.back().iteration;
}

void QueueCursor::leave() {
  path_.pop_back();
  if (path_.empty()) return;
  iterations_.pop_back();
  ++path_.back().block;
}

int64_t QueueCursor::finished(const InstructionPlace& place, size_t next) const {
  const std::vector<const Scope*>& scopes = place.scope->around;
  if (at_end()) return runs_from(scopes, 0);
  int64_t runs = 0;
  for (size_t l = 0; l < scopes.size(); ++l) {
    if (l == path_.size()) return runs * runs_from(scopes, l);  // in front of that loop
    runs = runs * scopes[l]->count() + path_[l].iteration;
    const bool innermost = l + 1 == scopes.size();
    const size_t block = innermost ? place.block : scopes[l + 1]->block;
    if (path_[l].block != block) return (runs + (path_[l].block > block ? 1 : 0)) * runs_from(scopes, l + 1);
    if (innermost) return runs + (next > place.index ? 1 : 0);
  }
  return runs;
}

int64_t QueueCursor::required(const InstructionPlace& place, bool precedes) const {
  const std::vector<const Scope*>& scopes = place.scope->around;
  int64_t runs = 0;
  size_t l = 0;
  for (; l < scopes.size() && l < path_.size() && path_[l].scope == scopes[l]; ++l) {
    runs = runs * scopes[l]->count() + path_[l].iteration;
  }
  return (runs + (precedes ? 1 : 0)) * runs_from(scopes, l);
}

int64_t QueueCursor::iterations_done(const QueueCursor& other) const {
  const size_t depth = other.path_.size() - 1;
  const int64_t all = other.path_.back().scope->count();
  if (at_end()) return all;
  for (size_t l = 0; l < depth; ++l) {
    if (l == path_.size()) return 0;
    const Level &own = path_[l], &its = other.path_[l];
    if (own.iteration != its.iteration) return own.iteration > its.iteration ? all : 0;
    if (own.block != its.block) return own.block > its.block ? all : 0;
  }
  if (path_.size() <= depth) return 0;
  const bool at_its_end = path_[depth].block == path_[depth].scope->blocks->size();
  return path_[depth].iteration + (at_its_end ? 1 : 0);
}

bool QueueCursor::is_before(const QueueCursor& other) const {
  for (size_t l = 0; l < path_.size() && l < other.path_.size(); ++l) {
    const Level &own = path_[l], &its = other.path_[l];
    if (own.iteration != its.iteration) return own.iteration < its.iteration;
    if (own.block != its.block) return own.block < its.block;
  }
  return false;
}

}  // namespace isoshard::sim
