#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/op_facts.h"
#include "core/ir/operand_state.h"
#include "core/ir/types/symbol_table.h"
#include "core/support/diagnostic.h"

namespace isoshard {

/// The rows of the state table (docs/spec/states.md, "Rows of the state table") that ops without a rule of their own
/// name.
enum class StateRule : uint8_t {
  constant,        ///< no operands: `=` on every axis
  jointly_linear,  ///< add, subtract, concatenate: all R, all I, all P, or R with V
  unary_linear,    ///< negate, reshape, slice ...: keeps the state
  bilinear,        ///< multiply, dot_general, divide: P times R only
  nonlinear,       ///< exponential, tanh ...: P is an error
  custom,          ///< the op has `infer_states(StateContext&)`
};

/// The types of an op's results without states; nothing when an error was reported.
using Inferred = std::optional<std::vector<TensorType>>;

/// One pointer to each of `types`, which must stay.
std::vector<const TensorType*> pointers_to(const std::vector<TensorType>& types);

/// What an op sees while the dtypes and shapes of its results are inferred; it points to what others keep.
class InferContext {
 public:
  InferContext(const Mesh& mesh, const SymbolTable& symbols, std::vector<const TensorType*> operands,
               std::string_view op, const Location& location, DiagnosticSink& sink)
      : mesh_(mesh), symbols_(symbols), operands_(std::move(operands)), op_(op), location_(location), sink_(sink) {}

  const Mesh& mesh() const { return mesh_; }
  /// The globals and callees that ops name by id.
  const SymbolTable& symbols() const { return symbols_; }
  size_t operand_count() const { return operands_.size(); }
  const TensorType& operand(size_t i) const { return *operands_[i]; }

  /// Reports `OP: message` under `rule` and returns nothing, so that `return ctx.error(...)` ends an inference.
  std::nullopt_t error(std::string rule, const std::string& message) const;

 private:
  const Mesh& mesh_;
  const SymbolTable& symbols_;
  std::vector<const TensorType*> operands_;
  std::string_view op_;
  const Location& location_;
  DiagnosticSink& sink_;
};

/// What an op sees while states are inferred; results start as `?` on every axis.
struct StateContext {
  const Mesh& mesh;
  const SymbolTable& symbols;
  bool typed;           ///< false in `untyped` programs: only `=` and V exist
  std::string_view op;  ///< the op's name, for messages
  std::vector<OperandState> operands;
  const Location& location;
  std::vector<Diagnostic>& diagnostics;  ///< state errors stay with the op, they do not stop construction
  States result;
  bool has_gradient = false;
  size_t index = 0;  ///< of the result whose states are inferred

  /// Reports a state error on `axis` (`OP: message`) and leaves `?` there.
  void error(std::string rule, AxisId axis, const std::string& message);
  /// The state of operand `i` on `axis`.
  State operand(size_t i, AxisId axis) const { return operands[i].states[axis.index()]; }
  void set(AxisId axis, State state) { result[axis.index()] = state; }
};

/// Applies the shared row `rule` on every axis.
void infer_states_by_rule(StateRule rule, StateContext& context);
/// The same on one axis, for ops that mix rows.
State apply_rule(StateRule rule, StateContext& context, AxisId axis);

/// The row `rule` over all operands but those from `first` to `last`, which select: predicates, indices, starts
/// (docs/spec/states.md, "Selectors"). An equal selector has no effect; where one varies, the result is V and the data
/// must be R, V or =.
void infer_states_with_selectors(StateRule rule, size_t first, size_t last, StateContext& context);

/// Axes on which the named dot or reduce promises a contraction over a sharded dimension: V becomes P.
void apply_partial(const AxisSet& partial, StateContext& context);

}  // namespace isoshard
