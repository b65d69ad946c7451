#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/domains/soft/tables/soft_names.h"
#include "sim/domains/soft/tables/soft_tables.h"

namespace isoshard::sim {

/// Partitions of the joint entries of variables, each by a decision diagram (Bryant, Graph-Based Algorithms for Boolean
/// Function Manipulation, 1986) that asks the last variable first. Parts are numbered in the order in which the joint
/// entries reach them, so that equal partitions have equal ids. Not thread-safe.
class SoftPartitions {
 public:
  using Id = uint32_t;
  using Variables = SoftTables::Variables;
  /// The partition that has all joint entries in one part.
  static constexpr Id kWhole = 0;
  /// The most parts of a partition by one variable; SoftLimits::joint by several.
  static constexpr size_t kMostOfOne = size_t{1} << 16;
  /// A variable with more entries than these keeps each of them as a part.
  static constexpr size_t kManyEntries = 64;
  /// The most steps of one operation, a step for each way from a node to the next one, and of all together. Where
  /// variables have a table steps do not count.
  static constexpr size_t kMostSteps = size_t{1} << 16, kMostStepsOfAll = size_t{1} << 23;
  /// The most variables that a partition is by: the degree of its weights.
  static constexpr size_t kMostVariables = 64;

  /// A partition with one number per part; a number may be that of several parts.
  struct Numbered {
    Id partition = kWhole;
    std::vector<int64_t> numbers{};
    bool operator<(const Numbered& o) const {
      return partition != o.partition ? partition < o.partition : numbers < o.numbers;
    }
  };

  /// `names` has the fields of the weights.
  SoftPartitions(const SoftTables& tables, const SoftNames& names);

  size_t parts(Id x) const { return partitions_[x].parts; }
  /// The variables of a partition, in ascending order.
  const Variables& variables(Id x) const { return partitions_[x].variables; }

  /// The partition that has one part per entry of a variable.
  Id of_variable(uint32_t variable);
  /// Whether equal parts become one. Over one variable with many entries each has a part of its own, so that all that
  /// is made of it has one partition.
  bool merges(const Variables& variables) const;
  /// Whether their joint table has few enough entries.
  bool have_table(const Variables& variables) const;
  /// By the numbers of a table over `variables` as SoftTables has it: one part per number, but where merges() is not.
  Numbered of_table(const Variables& variables, std::span<const int64_t> table);
  /// The coarsest one that is at least as fine as both; nothing where that is too large.
  std::optional<Id> joint(Id x, Id y);
  /// Per part of `over`, which is at least as fine as `of`, the part of `of` that holds it.
  const std::vector<uint32_t>& places(Id of, Id over);
  /// Parts with equal `labels` become one.
  Id merged(Id x, std::span<const uint32_t> labels);
  /// Different parts with different numbers.
  Numbered merged(const Numbered& x);

  /// Per entry of the joint table of variables(x) its part.
  std::vector<uint32_t> dense(Id x) const;
  /// The weight of each part, per residue of SoftNames (adjacent per part).
  std::vector<uint64_t> weights(Id x) const;

 private:
  /// A node, or kPart + a part.
  using Ref = uint32_t;
  static constexpr Ref kPart = Ref{1} << 31;

  struct Node {
    uint32_t variable;
    std::vector<Ref> children;  ///< per entry
    mutable bool mark = false;  ///< of below()
  };
  struct Partition {
    Ref root;
    size_t parts;
    Variables variables;
  };
  struct PairHash {
    size_t operator()(uint64_t pair) const;
  };
  class Joiner;
  class Numbering;

  static bool is_part(Ref ref) { return (ref & kPart) != 0; }
  Ref node(uint32_t variable, std::vector<Ref> children);
  Id keep(Ref root, size_t parts);
  Ref built(const Variables& variables, size_t count, size_t offset, std::span<const uint32_t> labels);
  std::vector<Ref> below(Ref root) const;

  const SoftTables& tables_;
  const SoftNames& names_;
  std::vector<Node> nodes_;
  std::unordered_multimap<uint64_t, Ref> known_nodes_;  ///< by hash
  std::vector<Partition> partitions_;
  std::map<Ref, Id> known_;
  size_t steps_ = 0;
  std::map<uint32_t, Id> of_variables_;
  std::map<std::pair<Id, Id>, std::optional<Id>> joints_;
  std::map<std::pair<Id, Id>, std::vector<uint32_t>> places_;
};

}  // namespace isoshard::sim
