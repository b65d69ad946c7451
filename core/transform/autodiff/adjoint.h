#pragma once  // internal

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ir/vjp_signature.h"
#include "core/transform/autodiff/emitter.h"
#include "core/transform/autodiff/grad_options.h"
#include "core/transform/autodiff/vjp_parts.h"
#include "core/transform/copy_region.h"

namespace isoshard::autodiff {

/// Where a backward program finds the values of the forward one, with their gradient states.
class Primals {
 public:
  virtual ~Primals() = default;
  virtual ValueId value(ValueId original) = 0;
  virtual ValueId extra(const ExtraResult& which) = 0;
};

/// The values of a forward program that is copied into the same body.
class CopiedPrimals final : public Primals {
 public:
  explicit CopiedPrimals(const RegionCopy& copy) : copy_(copy) {}
  ValueId value(ValueId original) override { return copy_.value(original); }
  ValueId extra(const ExtraResult& which) override { return copy_.extra(which); }

 private:
  const RegionCopy& copy_;
};

/// What is known of a program before it is differentiated.
struct Analysis {
  std::vector<bool> active;  ///< per value: has a gradient and depends on what is differentiated
  CopyOptions copy;          ///< what the forward program does beyond the original
  /// Of active scans, by op: the arguments of the body that an iteration of the backward scan sees, beside what is
  /// saved.
  std::map<size_t, std::set<size_t>> read_arguments;
  std::map<size_t, Vjp> callees;  ///< of active calls, by op
};

/// Finds what depends on the values `wrt` of the body of a program that is not in the module (building parts of callees
/// adds functions there); nothing after an error.
std::optional<Analysis> analyse(Module& module, const Program& program, const std::vector<ValueId>& wrt,
                                DiagnosticSink& sink, const GradOptions& options = {});
/// The arguments of a function with these numbers.
std::vector<ValueId> arguments_of(const Program& function, const std::vector<size_t>& numbers);

/// The type of an extra result of the forward program.
ValueType extra_type(const Module& module, const Program& program, const Analysis& analysis, const ExtraResult& which);

/// The type of the cotangent of a value.
ValueType cotangent_type(const Program& program, ValueId value);

/// Appends the adjoints of the ops of one region, last first, to a backward program.
///
/// The cotangent of a value has the state dual to its own: P for R, V for V, = for I and P (design 4.2). It has no
/// gradient itself.
class Adjoint {
 public:
  Adjoint(Builder& out, const Program& program, const Analysis& analysis, Primals& primals)
      : out_(out), program_(program), analysis_(analysis), primals_(primals) {}

  /// Adds to the cotangent of an original value; no effect where it is not active. What has to be added for it is
  /// called after the value.
  void give(ValueId original, ValueId cotangent, const Location& location);
  /// The cotangent so far; invalid while it is zero.
  ValueId cotangent(ValueId original) const;
  /// The cotangent, or zeros in its state.
  ValueId cotangent_or_zeros(ValueId original, const Location& location);
  bool active(ValueId original) const { return analysis_.active[original.index()]; }

  /// All ops of the region, last first. False after an error, which the op's location and A-... rule tell.
  bool run(const Region& region, DiagnosticSink& sink);

 private:
  friend class OpAdjoint;

  Builder& out_;
  const Program& program_;
  const Analysis& analysis_;
  Primals& primals_;
  std::map<size_t, ValueId> cotangents_;
  std::map<size_t, ValueId> fixed_;  ///< primals without a gradient
};

/// One op that is differentiated, as its rule sees it.
class OpAdjoint : public Emitter {
 public:
  OpAdjoint(Adjoint& pass, OpId id, const Op& op, DiagnosticSink& sink)
      : Emitter(pass.out_, op.location, pass.program_.value(op.results.front()).name),
        pass_(pass),
        id_(id),
        op_(op),
        sink_(sink) {}

  const Op& op_data() const { return op_; }
  OpId id() const { return id_; }
  const Mesh& mesh() const { return pass_.program_.mesh(); }
  const Module& module() const { return pass_.out_.module(); }
  const Program& program() const { return pass_.program_; }
  const Analysis& analysis() const { return pass_.analysis_; }
  DiagnosticSink& sink() { return sink_; }

  size_t operand_count() const { return op_.operands.size(); }
  const TensorType& operand_type(size_t i) const { return pass_.program_.value(op_.operands[i]).type.tensor; }
  const TensorType& result_type(size_t i) const { return pass_.program_.value(op_.results[i]).type.tensor; }
  /// The axes of the group on which operand i has that state.
  Group axes_in(size_t i, const Group& group, State state) const;
  /// The forward value of an operand or result, without a gradient.
  ValueId operand(size_t i) { return fixed(op_.operands[i]); }
  ValueId result(size_t i = 0) { return fixed(op_.results[i]); }
  /// The forward value with its gradient, for copies of the forward program.
  ValueId forward_operand(size_t i) { return pass_.primals_.value(op_.operands[i]); }
  ValueId extra(size_t index) { return pass_.primals_.extra(ExtraResult{id_, index}); }

  bool active(ValueId original) const { return pass_.active(original); }
  bool wants(size_t i) const { return pass_.active(op_.operands[i]); }
  bool wants_result(size_t i) const { return pass_.active(op_.results[i]); }
  /// The cotangent of a result; zeros where nothing depends on it.
  ValueId cotangent(size_t i = 0) { return pass_.cotangent_or_zeros(op_.results[i], location()); }
  /// Adds to the cotangent of operand i.
  void give(size_t i, ValueId cotangent) { pass_.give(op_.operands[i], cotangent, location()); }
  /// The op has no derivative: A-not-differentiable.
  void refuse(const std::string& reason);

 private:
  ValueId fixed(ValueId original);

  Adjoint& pass_;
  OpId id_;
  const Op& op_;
  DiagnosticSink& sink_;
};

/// The rule of each op: gives cotangents to its operands. One overload per op, so that none is forgotten.
void differentiate(const OpData& data, OpAdjoint& at);

}  // namespace isoshard::autodiff
