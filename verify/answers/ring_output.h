#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/types/mesh.h"
#include "verify/answers/reason.h"
#include "verify/compare/integer_values.h"
#include "verify/compare/ratio.h"

namespace isoshard::verify {

struct RingOptions;

/// What the ring says of one output.
struct RingOutput {
  bool equal = true;
  uint32_t step = 1;                             ///< that this speaks of: the first that differs, or the last
  bool differs_first = false;                    ///< in RingOutcome::first_step
  bool copies_agree = true;                      ///< those of the sharded program, and those of the reference
  std::vector<int64_t> wrong_positions{};        ///< of the sharded program, in the draw that differed
  std::vector<int64_t> disagreeing_positions{};  ///< of the sharded program: copies that differ from the first one
  std::vector<AxisId> disagreeing_axes{};        ///< along which those copies differ
  std::vector<int64_t> first_index{};            ///< of the first element that differs
  std::optional<Ratio> ratio{};                  ///< output / reference, where that is one small rational everywhere
  std::string rests_on{};  ///< what is not known of all inputs, of an equal one: `%s != 0 (divide at ...)`
  Reason doubt{};          ///< why equal values are no equal formulas, on rung E
  bool masked = false;     ///< equal on a rung that read constants as infinite
  /// The values of integers for which it is equal, all of them; null: they were drawn.
  std::shared_ptr<const IntegerInputs> covered_by{};
  /// How it was asked, where it differs when all integers stand for all their values.
  std::shared_ptr<const RingOptions> told_apart{};
};

}  // namespace isoshard::verify
