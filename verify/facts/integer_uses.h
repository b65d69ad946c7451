#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// From `low` to before `high`.
struct NumberRange {
  int64_t low, high;
};

/// The uses of all integer globals by both programs.
struct IntegerUses {
  std::map<GlobalId, NumberRange> rows;          ///< of the reference: where all indices made of it are rows
  std::map<GlobalId, std::set<int64_t>> equals;  ///< numbers that it is told from by equality
  std::map<GlobalId, std::set<int64_t>> compared;
  std::map<GlobalId, std::set<int64_t>> offsets;  ///< with which it is compared, besides 0
  std::set<GlobalId> otherwise;                   ///< used in another way: a function of it, of all of its values
};

/// What instructions a walk counts: those that one output depends on.
struct OutputCone {
  uint32_t output;
  std::vector<bool> instructions;
};

/// What a walk knows of the program besides its plan.
struct WalkedProgram {
  const Plan& plan;
  bool is_reference;
  const OutputCone* cone;                 ///< null: all instructions count
  const std::vector<GlobalId>& elements;  ///< per global: whose elements it has, another's where a check maps it
};

/// Adds what `program` does with its integer globals.
void add_integer_uses(const WalkedProgram& program, IntegerUses& uses);

/// Arrays of more rows have indices that stand for any number.
constexpr int64_t kMostRows = int64_t{1} << 16;

}  // namespace isoshard::verify
