#pragma once  // internal

#include <functional>
#include <memory>
#include <optional>
#include "verify/check_options.h"
#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// How a pair is decided: a user's options, and what tests put in place of parts.
struct EquivalenceOptions : CheckOptions {
  std::optional<sim::MemoryLimit> memory{};                 ///< see RingOptions
  RingFactory ring{};                                       ///< empty: rung A; tests plant faulty ones
  RingInputs ring_inputs{};                                 ///< empty: draw_ring
  std::function<std::unique_ptr<sim::Domain>()> bounded{};  ///< empty: sim's; tests plant faulty ones
  bool side_by_side = false;  ///< rung F begins beside the rings: there is memory for both
};

}  // namespace isoshard::verify
