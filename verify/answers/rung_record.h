#pragma once

#include <cstdint>
#include <vector>

#include "verify/answers/reason.h"
#include "verify/answers/ring_terms.h"
#include "verify/compare/stand_ins.h"

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
  Reason why{};                        ///< it is improbable, or what besides formulas an equal one rests on
};

/// One rung of a ladder: what it was asked and what it said.
struct RungRecord {
  RingTerms terms;                  ///< `deciding` is this rung
  Generic generic{};                ///< of rungs A and B
  Reason silent;                    ///< why it could not speak about the programs; empty when it could
  std::vector<RungAnswer> answers;  ///< empty when it could not speak
  bool covered = false;             ///< integers and choices stood for all their values
  bool one_case = false;            ///< of few integers, which were asked about one by one
  bool by_exponentials = false;     ///< so were sinusoids and powers, on E
  bool masks = false;               ///< it read constants as infinities
  double seconds = 0;               ///< cuts included

  Rung rung() const { return terms.deciding.front(); }
};

}  // namespace isoshard::verify
