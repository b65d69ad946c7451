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

// Order and logic: evaluate_order.cc
Value apply(const Abs&, const EvalContext&) { internal_error("Abs", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Sign&, const EvalContext&) { internal_error("Sign", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Maximum&, const EvalContext&) { internal_error("Maximum", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Minimum&, const EvalContext&) { internal_error("Minimum", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const And&, const EvalContext&) { internal_error("And", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Or&, const EvalContext&) { internal_error("Or", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Not&, const EvalContext&) { internal_error("Not", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Compare&, const EvalContext&) { internal_error("Compare", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Select&, const EvalContext&) { internal_error("Select", "no evaluator yet", __FILE__, __LINE__); }

// Movement: evaluate_movement.cc
Value apply(const Iota&, const EvalContext&) { internal_error("Iota", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Pad&, const EvalContext&) { internal_error("Pad", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const Reverse&, const EvalContext&) { internal_error("Reverse", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const DynamicSlice&, const EvalContext&) {
  internal_error("DynamicSlice", "no evaluator yet", __FILE__, __LINE__);
}
Value apply(const DynamicUpdateSlice&, const EvalContext&) {
  internal_error("DynamicUpdateSlice", "no evaluator yet", __FILE__, __LINE__);
}
Value apply(const Gather&, const EvalContext&) { internal_error("Gather", "no evaluator yet", __FILE__, __LINE__); }
Value apply(const ScatterAdd&, const EvalContext&) {
  internal_error("ScatterAdd", "no evaluator yet", __FILE__, __LINE__);
}

TwoValues apply(const TopK&, const EvalContext&) { internal_error("TopK", "no evaluator yet", __FILE__, __LINE__); }

}  // namespace isoshard::sim
