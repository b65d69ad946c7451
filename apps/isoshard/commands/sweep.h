#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "core/support/diagnostic.h"

namespace isoshard::app {

/// The most meshes of one sweep.
inline constexpr size_t kMaxSweep = 10'000;

/// One mesh of a sweep: a size per swept axis, in the order of the axes as written.
struct SweepPoint {
  std::vector<MeshAxis> axes;

  /// `data=2,model=1`, as `--mesh` takes it.
  std::string text() const;
};

/// All meshes that `--sweep` texts ask for, the last axis fastest: `data=1..3,model=1,2,4` has nine.
///
/// A size is a number or an inclusive range; a part without `=` is one more size of the axis before it. Reports what is
/// no such text, an empty range, an axis given twice and more than kMaxSweep meshes.
std::optional<std::vector<SweepPoint>> parse_sweep(const std::vector<std::string>& texts, DiagnosticSink& sink);

}  // namespace isoshard::app
