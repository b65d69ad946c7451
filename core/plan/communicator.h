#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/plan/plan_ids.h"

namespace isoshard {

/// Groups of devices that communicate, each as large as the others: one for every place off the axes of `group`, or the
/// `sets` (replica_groups of StableHLO), of which one with two positions is a pair. It belongs to exactly one queue;
/// the k-th collective that a device starts on it has sequence number k, and the k-th message from one device to
/// another goes to the k-th receive there.
struct Communicator {
  Group group;  ///< without axes where there are sets
  QueueId queue;
  std::vector<std::vector<int64_t>> sets{};  ///< positions in the order of members; those that are in none take no part

  /// How many members a group has.
  int64_t size(const Mesh& mesh) const;
  /// Whether `position` is in a group.
  bool includes(int64_t position) const { return sets.empty() || set_of(position) != nullptr; }
  /// The index of `position`, which is in a group, among its members.
  int64_t index_in(const Mesh& mesh, int64_t position) const;
  /// The position with index `index` in the group of `position`.
  int64_t member(const Mesh& mesh, int64_t position, int64_t index) const;
  /// The member with index 0 of the group of `position`; equal for members of one group only.
  int64_t leader(const Mesh& mesh, int64_t position) const { return member(mesh, position, 0); }
  /// `model`, `(data, model)` or `{{0,3},{1,2}}`.
  std::string to_string(const Mesh& mesh) const;

 private:
  const std::vector<int64_t>* set_of(int64_t position) const;
};

}  // namespace isoshard
