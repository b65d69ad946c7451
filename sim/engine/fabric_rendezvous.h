#pragma once  // internal

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/domains/domain.h"
#include "sim/engine/contribution.h"
#include "sim/evaluate/accumulator.h"

namespace isoshard::sim {

/// One meeting of the members of a group; used by Fabric only.
class Rendezvous {
 public:
  explicit Rendezvous(size_t size) : members_(size) {}

  /// Takes `contribution` of `member`; true when this call completed the meeting. Adds up, outside the lock, whatever
  /// terms of a sum are next in member order; members that arrive meanwhile leave their terms to this call.
  bool arrive(size_t member, Contribution contribution, const Domain& domain);
  bool complete() const { return complete_.load(std::memory_order_acquire); }
  /// The result of `member`, once; requires complete().
  Value leave(size_t member);

  // For reports, while no device runs.
  bool mismatched() const { return mismatched_; }
  /// The first member that holds another value than member 0 where an assert_equal says the same, and the element.
  struct Difference {
    size_t member;
    int64_t element;
  };
  const std::optional<Difference>& difference() const { return difference_; }
  bool has_arrived(size_t member) const { return members_[member].work != nullptr; }
  size_t size() const { return members_.size(); }
  /// What it brought; of a term that has been added only the type.
  const Contribution& member(size_t i) const { return members_[i]; }

 private:
  const InstructionWork& reference() const { return *members_[first_].work; }
  bool sums() const;
  bool agrees(const Contribution& contribution) const;
  bool asserts() const;
  std::optional<Difference> find_difference(const Domain& domain) const;
  Value exchanged_with(size_t member, const Collective& collective) const;
  std::vector<Value> next_terms();
  void add_terms(std::unique_lock<std::mutex>& lock, const Domain& domain);
  void make_results();

  std::mutex mutex_;
  std::vector<Contribution> members_;
  size_t count_ = 0;
  size_t first_ = 0;     ///< who arrived first: what the others are compared with
  size_t next_ = 0;      ///< the next term of a sum
  bool adding_ = false;  ///< somebody is in add_terms
  bool mismatched_ = false;
  std::optional<Difference> difference_;
  std::optional<Accumulator> sum_;
  Value shared_;  ///< the result of all members: a sum, a concatenation, or what was sent
  std::atomic<bool> complete_ = false;
};

/// True when two members may meet: same op and dimension, or both are messages.
bool same_collective(const InstructionWork& a, const InstructionWork& b);

}  // namespace isoshard::sim
