#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

/// The verdict `race`: whether what uses bytes of a device's memory is ordered (docs/spec/plan.md, "Races").
namespace isoshard::verify {

/// One use of bytes: by which instruction, in which iterations of the loops around, for which value.
struct RaceAccess {
  InstructionId instruction{};  ///< not valid: the end, where what is stored is read
  std::vector<int64_t> iterations{};
  bool writes = false;
  PlanValueId value{};
};

/// Two uses of the same bytes of a rank that are wrong together. `first` is issued before, or is the same run.
struct Race {
  enum class Kind : uint8_t {
    unordered,    ///< nothing orders them, and one of them writes
    overwritten,  ///< `second` reads what `first` has left there, which is another value
  };
  Kind kind = Kind::unordered;
  size_t group = 0;  ///< the rank group, each rank of which does this
  RaceAccess first{};
  RaceAccess second{};
  int64_t begin = 0;  ///< of the bytes in the arena
  int64_t end = 0;
  std::optional<Token> missing{};  ///< what `second` would have to wait for
};

/// Which iterations of long loops are looked at: as many as show every race (rank_runs.cc), or all, which is slow.
enum class RaceLoops : uint8_t { few, all };

struct RaceVerdict {
  std::optional<Race> race{};  ///< the first in issue order; nothing: the Plan has none
  size_t runs = 0;             ///< of instructions that were looked at, all groups together
};

/// The race as an error at its second use, `L-race`, with a note where the first one is.
Diagnostic to_diagnostic(const Plan& plan, const Race& race);

}  // namespace isoshard::verify
