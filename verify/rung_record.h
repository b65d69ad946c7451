#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/location.h"
#include "verify/generic.h"
#include "verify/rung.h"

namespace isoshard::verify {

/// What a rung said of an output.
enum class RungSays : uint8_t {
  equal,       ///< as formulas
  differs,     ///< in some draw
  improbable,  ///< equal values, but the error bound is too high for equal formulas
};

/// One output that a rung was asked about.
struct RungAnswer {
  size_t output = 0;  ///< of the sharded program
  RungSays says = RungSays::differs;
  std::vector<int64_t> first_index{};  ///< of the first element that differs
  std::string why{};                   ///< it is improbable, or what besides formulas an equal one rests on
  Location location{};
};

/// One rung of a climb: what it was asked and what it said.
struct RungRecord {
  Rung rung = Rung::a;
  bool generalised = false;         ///< predicates that are inputs stood for both truth values
  Generic generic{};                ///< of rungs A and B
  std::string silent;               ///< why it could not speak about the programs; empty when it could
  Location location;                ///< of what it could not speak about
  std::vector<RungAnswer> answers;  ///< empty when it could not speak
  size_t lanes = 0;
  double log2_error = 0;  ///< of a wrong `equal`, at most
  uint32_t draws = 1;
  double decisions = 0;          ///< of order, over all draws, on B and Eh
  double log2_prime = 0;         ///< of the smallest prime of rung E
  double factors = 0;            ///< of logarithms, on E
  bool covered = false;          ///< integers and choices stood for all their values
  bool by_exponentials = false;  ///< so were sinusoids and powers, on E
  bool masks = false;            ///< it read constants as infinities
  double seconds = 0;            ///< cuts included
};

}  // namespace isoshard::verify
