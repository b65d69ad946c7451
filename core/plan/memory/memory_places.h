#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/plan/memory/memory_plan.h"
#include "core/plan/plan.h"

namespace isoshard {

/// Finds the bytes of the values of a Plan in arenas, iteration by iteration. Plan and memory must outlive it.
class MemoryPlaces {
 public:
  MemoryPlaces(const Plan& plan, const MemoryPlan& memory);

  /// Where a value begins in the arena of its rank, in these iterations of the loops around it, outermost first.
  /// Nothing: it has no bytes.
  std::optional<int64_t> offset(PlanValueId value, std::vector<int64_t> iterations) const;

  /// Bytes of a value that has just been made, and another place where they are wanted.
  struct Copy {
    int64_t from = 0;  ///< in the value
    int64_t to = 0;    ///< in the arena
    int64_t bytes = 0;
  };
  /// The rows of stacks to which whatever makes a value copies it: parts that are not made in their rows.
  std::vector<Copy> copies(PlanValueId value, const std::vector<int64_t>& iterations) const;

 private:
  /// What a loop does with a name.
  enum class Role : uint8_t { initial, yield, stacked, part, argument, result, slice };
  struct Use {
    Role role;
    const Repeat* repeat;
    size_t index;
  };
  /// Part of a value: where it begins, and its bytes.
  struct Piece {
    PlanValueId value;
    std::vector<int64_t> iterations;
    int64_t begin = 0;
    int64_t from = 0;  ///< in the value that was asked for
    int64_t bytes = 0;
  };

  void note(const std::vector<Block>& blocks);
  void note(const Repeat& repeat);
  void find_copied();
  bool leads_to_copy(PlanValueId value) const;
  int64_t bytes(PlanValueId value) const { return memory_.values[value.index()].bytes; }
  // The pieces that a loop makes of one that it is given, to be followed further.
  void carry(const Use& use, Piece piece, std::vector<Piece>& open) const;
  std::optional<Copy> put(const Use& use, Piece piece, std::vector<Piece>& open) const;
  void slice(const Use& use, const Piece& piece, std::vector<Piece>& open) const;

  const MemoryPlan& memory_;
  std::unordered_map<PlanValueId, Use> made_by_;                     ///< names that loops define
  std::unordered_map<PlanValueId, std::vector<Use>> uses_;           ///< by loops
  std::unordered_map<PlanValueId, std::vector<PlanValueId>> names_;  ///< other names that instructions give
  std::vector<bool> copied_;                                         ///< by value: some of it is copied somewhere
};

}  // namespace isoshard
