#pragma once  // internal

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"
#include "sim/domains/domain.h"
#include "sim/engine/contribution.h"

namespace isoshard::sim {

class Rendezvous;

/// Which meeting: the `sequence`-th collective on a communicator, among the group whose first member is `leader`; or
/// the `sequence`-th message on it from the device `leader` to the device `receiver`.
struct RendezvousKey {
  CommunicatorId communicator;
  int64_t leader = 0;
  int64_t receiver = -1;  ///< -1: a collective
  int64_t sequence = 0;
  auto operator<=>(const RendezvousKey&) const = default;
};

/// A member's place in a meeting, from arrival to departure. It keeps the meeting alive. In the meeting of a message
/// member 0 sends and member 1 receives.
struct Ticket {
  RendezvousKey key;
  int64_t member = 0;
  std::shared_ptr<Rendezvous> rendezvous;
};

/// Where devices meet: the only state that devices share. No method blocks on another device and there are no timeouts:
/// a member arrives, is told whether the meeting is complete, and comes back for its result when it is.
///
/// A meeting is keyed by (communicator, leader, sequence number), so that a slow member of one meeting can never be
/// taken for a member of the next. Sums are accumulated strictly in member order as arrivals permit: the bits do not
/// depend on the order of arrival. Each result is computed once and shared.
///
/// Memory ordering: everything a member wrote before `arrive` happens before `leave` of every member of that meeting
/// (the meeting's mutex, then a release store and an acquire load of its completion flag).
class Fabric {
 public:
  Fabric(const Plan& plan, const Domain& domain);

  struct Arrival {
    Ticket ticket;
    bool completed = false;  ///< this call completed the meeting: the caller must wake all members
  };
  /// Joins the meeting of the `sequence`-th collective of `contribution.position` on `communicator`. Waits for nobody;
  /// the caller may have to add up what other members brought (they do not wait for it either). Thread-safe.
  Arrival arrive(CommunicatorId communicator, int64_t sequence, Contribution contribution);

  /// The same for the `sequence`-th message from the device `sender` to the device `receiver`, one of which brings
  /// `contribution`: the former if it `sends`.
  Arrival arrive_with_message(CommunicatorId communicator, int64_t sender, int64_t receiver, int64_t sequence,
                              bool sends, Contribution contribution);

  /// True when all members have arrived and agree; then `leave` may be called. Thread-safe.
  static bool complete(const Ticket& ticket);

  /// The member's result; nothing for a sender. The meeting's state is destroyed when its last member has left.
  /// Thread-safe.
  Value leave(Ticket ticket) const;

  /// The position of the first member that has not arrived; nothing when all have. Only while no device runs.
  std::optional<int64_t> first_missing(const Ticket& ticket) const;
  /// The first meeting, by key, whose members bring different ops or types (D-mismatch) or, to an assert_equal,
  /// different values (D-assert). Only while no device runs.
  std::optional<Diagnostic> mismatch() const;
  /// Meetings that somebody waits in. Only while no device runs.
  size_t open_meetings() const;

 private:
  using Meetings = std::map<RendezvousKey, std::shared_ptr<Rendezvous>>;
  /// Incomplete meetings of leaders that are next to each other.
  struct alignas(64) Part {
    std::mutex mutex;  ///< of open; never held together with a meeting's mutex
    Meetings open;
  };

  Part& part_of(const RendezvousKey& key) { return parts_[static_cast<size_t>(key.leader) >> shift_]; }
  Arrival join(Ticket ticket, size_t members, Contribution contribution);
  Diagnostic unequal(const RendezvousKey& key, const Rendezvous& meeting) const;

  const Plan& plan_;
  const Domain& domain_;
  unsigned shift_ = 0;  ///< 2^shift leaders are in a part
  std::vector<Part> parts_;
};

}  // namespace isoshard::sim
