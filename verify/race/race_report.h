#pragma once

#include <optional>
#include <string>

#include "core/support/diagnostic.h"

namespace isoshard::verify {

enum class RaceOutcome : uint8_t { none, race, undecided };

/// Whether uses of the buffers of a Plan race (docs/spec/plan.md, "Races").
struct RaceReport {
  RaceOutcome outcome = RaceOutcome::none;
  std::optional<Diagnostic> finding{};  ///< `L-race`; of undecided: why

  bool none() const { return outcome == RaceOutcome::none; }
  bool found() const { return outcome == RaceOutcome::race; }
  /// `none`, `found`, `not decided`.
  std::string words() const;
};

}  // namespace isoshard::verify
