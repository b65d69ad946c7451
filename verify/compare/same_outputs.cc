#include "verify/compare/same_outputs.h"

#include "sim/evaluate/difference.h"

namespace isoshard::verify {

bool same_outputs(const sim::RunResult& a, const sim::RunResult& b, const sim::Domain& domain) {
  for (size_t o = 0; o < a.outputs.size(); ++o) {
    for (size_t k = 0; k < a.outputs[o].size(); ++k) {
      if (sim::first_difference(a.outputs[o][k].value, b.outputs[o][k].value, domain) >= 0) return false;
    }
  }
  return true;
}

}  // namespace isoshard::verify
