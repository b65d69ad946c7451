#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/mutation/reductions.h"
#include "tests/mutation/suite.h"

/// Random programs that were differentiated, and each reduction left out or made twice in them.
namespace isoshard::mutation {

struct GradientOptions {
  uint64_t seed = 1;
  uint32_t programs = 600;     ///< random programs, every second one untyped
  uint32_t max_findings = 20;  ///< the run stops there
  bool shrink = true;          ///< make the programs of findings smaller
};

/// The program `number` of a seed: what a random program computes, and the gradients of all its outputs, each times a
/// random cotangent, with respect to the globals that it reads; one check, of it against itself.
///
/// Odd ones are untyped: their gradients are those of the sum of all devices' outputs (shard_map_unchecked). Nothing
/// where no output has a gradient.
std::optional<Module> random_gradients(uint64_t seed, uint32_t number);

struct GradientOutcome {
  uint32_t typed = 0, untyped = 0;     ///< programs judged, with reductions
  uint32_t backward = 0;               ///< mistakes in what differentiation wrote
  uint32_t undecided_bases = 0;        ///< not decided against themselves, or letting padding through: no mistakes made
  std::vector<Count> table;            ///< per kind of mistake
  std::vector<std::string> findings;   ///< what must not be, with both programs: each fails the suite
  std::vector<std::string> undecided;  ///< SAME programs that were not decided, with the reason
};
/// Every WRONG mistake is NOT EQUAL, no SAME one is.
GradientOutcome run_gradients(const GradientOptions& options, const Checker& checker);
/// The numbers as Markdown.
std::string to_table(const GradientOutcome& outcome, const GradientOptions& options);

}  // namespace isoshard::mutation
