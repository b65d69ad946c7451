#pragma once  // internal

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text/elaborate/elaborate_operands.h"
#include "core/text/elaborate/elaboration.h"
#include "core/text/elaborate/fields.h"

namespace isoshard::text {

/// The numbers that a call gives in place of values, by parameter.
using CallNumbers = std::map<size_t, Rational>;

/// `call @f(...)`, `grad @f(...) {wrt=[...]}` and `pipeline @s(...) @l(...) {...}` in the body of one program or func.
class Calls {
 public:
  /// `scope` is the program's own and may change between calls.
  Calls(Elaboration& elaboration, Builder& builder, const std::string& caller, std::shared_ptr<const Mesh> mesh,
        const Scope& scope)
      : elaboration_(elaboration), builder_(builder), caller_(caller), mesh_(std::move(mesh)), scope_(scope) {}

  /// The call of the instance of the func for these operands, with the backward that `vjp` names where there is
  /// something to differentiate; nothing after an error.
  std::optional<OpData> call(const OpSyntax& syntax, const std::vector<ValueId>& operands, const CallNumbers& numbers,
                             const Span& span);
  /// `arguments` of a call without the numbers that stand for parameters without types, which go into `numbers`.
  /// Nothing after an error in one of these.
  std::optional<std::vector<Argument>> take_numbers(const OpSyntax& syntax, const std::vector<Argument>& arguments,
                                                    CallNumbers& numbers) const;
  /// The call of the func that gives the value and the gradients of that instance.
  std::optional<OpData> grad(const OpSyntax& syntax, const std::vector<ValueId>& operands, const Span& span);
  /// The pipeline of the instances of the stage and the loss for micro-batches of these operands.
  std::optional<OpData> pipeline(const OpSyntax& syntax, const std::vector<ValueId>& operands, const Span& span);

  /// Reports `torch.silu` where the file has a func `silu` (E-op); whether it is one.
  bool report_qualified(const Word& name) const;

 private:
  std::optional<ProgramId> instance(const OpSyntax& syntax, const std::vector<ValueId>& operands,
                                    const CallNumbers& numbers, const Span& span);
  std::optional<ProgramId> instance(const BodySyntax& callee, const std::vector<CallArgument>& arguments,
                                    const Span& span);
  /// Adds the numbers that the header of `callee` gives parameters which are left out; false after an error.
  bool add_defaults(const BodySyntax& callee, std::vector<CallArgument>& arguments) const;
  /// Reports the first of `operands`, those of the loss, that is a parameter of it for want of a type and may be meant
  /// to be cut into micro-batches (T-pipeline).
  void report_whole_operands(const PipelineRun& pipeline, const BodySyntax& loss, const std::vector<ValueId>& operands,
                             const Span& span) const;
  /// What parameter `parameter` of `callee` sees of an operand of a pipeline.
  ValueType argument_of(const PipelineRun& pipeline, ValueId operand, const BodySyntax& callee, size_t parameter,
                        bool activation) const;
  /// Gradients follow from states, or from no states at all.
  bool check_convention(const GradFields& fields, const Span& span) const;
  const BodySyntax* find_callee(const Word& target);
  bool typed() const { return builder_.program().typed(); }

  Elaboration& elaboration_;
  Builder& builder_;
  const std::string& caller_;
  std::shared_ptr<const Mesh> mesh_;
  const Scope& scope_;
};

}  // namespace isoshard::text
