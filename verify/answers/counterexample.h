#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace isoshard {
struct NamedTensor;
}

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
  std::string inputs{};  ///< what its floats are like, such as `whole numbers`; empty: `scale` says all
  bool special = false;  ///< its floats are what random ones hardly ever are, or the sharded program is undefined there
  std::string integers{};  ///< those of the inputs that make it one: `@pos = 37`; empty: drawn ones
  /// The globals that the programs read, where they were asked for and it shows in the first step; otherwise null.
  std::shared_ptr<const std::vector<NamedTensor>> arrays{};

  /// The sharded program has no value where the reference has one.
  bool undefined() const { return std::isnan(sharded); }
};

/// How far one output is apart in f64 at scale 1: information, never the proof.
struct FloatOutput {
  double max_abs = 0;
  double max_rel = 0;    ///< relative to the reference's element
  double max_size = 0;   ///< the largest element of either
  double max_bound = 0;  ///< the largest rounding bound of both programs together
  /// The least difference of an element, relative to its size, that its bounds can tell; infinite: not measured.
  double resolution = std::numeric_limits<double>::infinity();
  std::optional<Counterexample> counterexample;
  /// Masks as finite as they stand make a difference below the rounding of the output's other elements.
  std::optional<Counterexample> trace;
};

}  // namespace isoshard::verify
