#pragma once

#include "sim/engine/engine.h"

/// What runs of Plans give, in tests.
namespace isoshard::testing {

/// The same blocks of all outputs, bit for bit.
inline bool same_outputs(const sim::RunResult& a, const sim::RunResult& b) {
  for (size_t o = 0; o < a.outputs.size(); ++o) {
    if (a.outputs[o].size() != b.outputs[o].size()) return false;
    for (size_t i = 0; i < a.outputs[o].size(); ++i) {
      const sim::StoredBlock &x = a.outputs[o][i], &y = b.outputs[o][i];
      if (x.position != y.position || x.begin != y.begin || !same_bits(x.value, y.value)) return false;
    }
  }
  return a.outputs.size() == b.outputs.size();
}

}  // namespace isoshard::testing
