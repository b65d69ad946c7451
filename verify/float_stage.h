#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "verify/pair.h"

namespace isoshard::verify {

/// How rung F reads the constants that a rung read as infinite.
enum class Masks : uint8_t { none, as_written, infinite };

/// An input on which the two programs differ by more than rounding can explain.
struct Counterexample {
  std::vector<int64_t> index;  ///< of the element in the whole output
  int64_t position = 0;        ///< of the device that stored it
  double sharded = 0, reference = 0;
  double bound = 0;  ///< of the rounding errors of both, added
  double scale = 1;  ///< of the random inputs
  uint32_t draw = 0;
  uint32_t step = 1;
  Masks masks = Masks::none;
  bool whole = false;  ///< inputs are whole numbers (draw_whole)
};

/// How far one output is apart in f64 at scale 1: information, never the proof.
struct FloatOutput {
  double max_abs = 0;
  double max_rel = 0;    ///< relative to the reference's element
  double max_bound = 0;  ///< the largest rounding bound of both programs together
  std::optional<Counterexample> counterexample;
  /// Masks as finite as they stand make a difference below the rounding of the output's other elements.
  std::optional<Counterexample> trace;
};

struct FloatOutcome {
  std::optional<Diagnostic> failure;
  std::vector<FloatOutput> outputs;  ///< per output of the sharded program
};

struct FloatOptions {
  uint64_t seed = 0;
  int workers = 0;
  uint32_t draws = 1;  ///< of all inputs, where outputs differ
  /// Per output of the sharded program that is an update: the step after which it is compared; empty: the last one.
  std::vector<uint32_t> update_steps{};
  /// Makes the domain of (value, error bound); empty: sim's. Tests plant faulty ones, which have no masks.
  std::function<std::unique_ptr<sim::Domain>()> domain;
  /// Per output of the sharded program: the rung that found it equal read constants as infinite (RungRecord::masks).
  /// Then they are infinite here, too; as they stand they count at scale 1 only, and traces of them do not.
  std::vector<bool> masked{};
};

/// Some element differs by more than 1000 times the bounds of both; of values that are no floats, at all.
bool beyond_rounding(const sim::Value& a, const sim::Value& b);

/// Rung F: one run at scale 1 beside an EQUAL; where `differs` (per output) says so, further scales from 2^-8 to 2^8
/// and all draws until those outputs have a counterexample: a difference above 1000 times the computed rounding bound,
/// which is finite. A draw with a tie that decides an integer is not used.
FloatOutcome compare_in_floats(const Pair& pair, const FloatOptions& options, const std::vector<bool>& differs);

}  // namespace isoshard::verify
