#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/location.h"

namespace isoshard::verify {

/// Where two programs first differ and why (docs/spec/diagnosis.md).
struct Diagnosis {
  std::string value;               ///< `%r`, the first value without a counterpart; `@y` for a return or update
  std::string in_words;            ///< the expression of the source where it has no name; may be empty
  std::string op;                  ///< the op that makes it
  Location location;               ///< of that op
  std::string cause;               ///< one clause for the last line of a report; empty when none was found
  std::vector<std::string> facts;  ///< sentences, each one line of a report
  std::string role{};              ///< what `value` is; empty: the first value without a counterpart
  bool explained = false;          ///< the cause follows from layouts or values, not from likeness

  uint32_t step = 1;  ///< of the programs, in which they first differ

  bool empty() const { return value.empty(); }
};

}  // namespace isoshard::verify
