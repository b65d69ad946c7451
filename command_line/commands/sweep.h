#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::command_line {

/// The most rows of one sweep.
inline constexpr size_t kMaxSweep = 10'000;

/// One row of a sweep: a size per swept axis and a value per swept `let` or setting, in the order as written.
struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> axes, settings;

  /// `data=2,model=1`, as `--mesh` takes it.
  std::string mesh_text() const;
  /// `d=64,act=gelu`, as `--set` takes it.
  std::string set_text() const;
  /// Both.
  std::string text() const;
};

/// All rows that `--sweep` and `--sweep-set` ask for, what is written last fastest: `data=1..3,model=1,2,4` has nine.
///
/// A size is a number or an inclusive range, a value also any word; a part without `=` is one more of them for the name
/// before it. Reports what is no such text, an empty range, a name given twice and more than kMaxSweep rows.
std::optional<std::vector<SweepPoint>> parse_sweep(const std::vector<std::string>& meshes,
                                                   const std::vector<std::string>& settings, DiagnosticSink& sink);

}  // namespace isoshard::command_line
