#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/plan/plan.h"
#include "verify/facts/integers/number_range.h"

namespace isoshard::verify {

/// The uses of all integer globals by both programs.
struct IntegerUses {
  /// Where all indices that the reference makes of it are rows, but those that are one of several integers. A maximum
  /// or minimum with a number that is a row leaves that end open.
  std::map<GlobalId, NumberRange> rows;
  /// Where any index of the reference that may be it or another integer (a select) is a row.
  std::map<GlobalId, NumberRange> chosen_rows;
  std::map<GlobalId, std::vector<NumberRange>> looked_up;  ///< by either program: where an index made of it is a row
  std::set<GlobalId> looked_up_when_sharded;
  std::map<GlobalId, std::set<int64_t>> equals;  ///< numbers that it is told from by equality
  std::map<GlobalId, std::set<int64_t>> compared;
  std::map<GlobalId, std::set<int64_t>> offsets;  ///< with which it is compared or looked up, besides 0
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
