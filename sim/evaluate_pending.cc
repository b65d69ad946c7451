#include "core/support/check.h"
#include "sim/evaluators.h"

// Temporary: evaluators that are still being written. Delete a line when its family file defines it.
namespace isoshard::sim {

// Arithmetic: evaluate_arithmetic.cc
Value apply(const Cumsum&, const EvalContext&) { internal_error("Cumsum", "no evaluator yet", __FILE__, __LINE__); }

// Functions: evaluate_functions.cc
Value apply(const Sqrt&, const EvalContext&) { internal_error("Sqrt", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Rsqrt&, const EvalContext&) { internal_error("Rsqrt", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Sine&, const EvalContext&) { internal_error("Sine", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Cosine&, const EvalContext&) { internal_error("Cosine", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Floor&, const EvalContext&) { internal_error("Floor", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Power&, const EvalContext&) { internal_error("Power", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Remainder&, const EvalContext&) {
  internal_error("Remainder", "no evaluator yet", __FILE__, __LINE__);
}

}  // namespace isoshard::sim
