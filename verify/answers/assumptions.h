#pragma once

#include <string>
#include <vector>

namespace isoshard::verify {

/// What EQUAL takes for granted.
struct Assumptions {
  std::vector<std::string> masks{};       ///< numbers that rung E reads as infinities
  std::vector<std::string> opaque{};      ///< values of the sharded program with an opaque identity behind them
  std::vector<std::string> one_sided{};   ///< selects on predicates of floats that took one side only (SelectWatch)
  std::vector<std::string> conditions{};  ///< under which equal outputs have a value: `%d != 0 (divide at ...)`
  std::vector<std::string> readings{};    ///< constants that count as other numbers: `0.33333334 (f32) is 1/3`
  std::vector<std::string> ranges{};      ///< what it says of integers: `@ids in 0..32`
  std::vector<std::string> drawn{};       ///< the globals whose integers, keys or predicates were drawn
  bool padding = false;             ///< padding reaches no result: runs with NaN there show none, nothing proves it
  bool narrow_floats = false;       ///< some value has 16 bits or 8, whose rounding no rung sees
  bool floats_of_8_bits = false;    ///< f8e4m3 or f8e5m2 among them
  bool f64_to_f32 = false;          ///< some f32 is made of an f64, which it may not hold
  bool floats_to_integers = false;  ///< some integer is made of an f32 or f64, which rounding may move past it

  /// What a run of the ring takes for granted, beside these.
  void add(const Assumptions& of_run);
  /// The dtypes that `narrow_floats` speaks of: `bf16 and f16`.
  std::string narrow_dtypes() const;
};

}  // namespace isoshard::verify
