#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/stablehlo/analysis/guards.h"
#include "core/import/stablehlo/analysis/integer_bounds.h"
#include "core/import/stablehlo/analysis/known_ranges.h"
#include "core/import/stablehlo/analysis/places.h"
#include "core/import/stablehlo/analysis/real_values.h"
#include "core/import/stablehlo/analysis/wire.h"
#include "core/ir/builder/builder.h"

namespace isoshard::stablehlo {

/// Where making a program ends that cannot be made: the sink has the reason.
struct NotLowered {};

/// One program in the making: what the rules of single ops (rules.h) share.
class Lowering {
 public:
  /// `globals[i]` is what argument i of main reads.
  Lowering(const ModuleText& text, Builder& builder, std::vector<GlobalId> globals, DiagnosticSink& sink);

  const ModuleText& text() const { return text_; }
  const Mesh& mesh() const { return builder_.mesh(); }
  Builder& builder() { return builder_; }

  /// Appends all ops of a region but the last, and gives what that, a return, returns.
  std::vector<Wire> body(const Region& region, Scope& scope);
  /// The innermost region whose ops are being appended.
  const Region& region() const { return *region_; }
  /// The results of a function for these arguments, as if its body stood here.
  std::vector<Wire> call(const Function& function, std::vector<Wire> arguments, const Operation& op);

  /// What operand i of `op` is.
  const Wire& wire(const Operation& op, size_t i, const Scope& scope) const;
  /// The same as a value of the innermost region; outside of manual computations, the whole array.
  ValueId value(const Operation& op, size_t i, const Scope& scope);
  std::vector<ValueId> values(const Operation& op, const Scope& scope);
  ValueId value(const Wire& wire, const Operation& op);
  /// The elements of a constant operand, or null.
  const ConstantArray* constant(const Operation& op, size_t i, const Scope& scope) const;
  /// The block of a whole value that `layout` gives to each device.
  Wire block(const Wire& wire, const Layout& layout, const TensorType& type, const Operation& op);

  /// Appends an op with one result, which is a result of `like`; its type is compared with the text's where `like`
  /// ends.
  Wire emit(OpData data, std::vector<ValueId> operands, const Operation& like);
  /// The same for a value that the text does not have.
  ValueId append(OpData data, std::vector<ValueId> operands, const Operation& where);
  ValueId append_at(OpData data, std::vector<ValueId> operands, const Location& where);
  /// The same for an op of two results.
  std::vector<Wire> append_two(OpData data, ValueId operand, const Operation& where);
  /// A constant of the innermost region.
  ValueId splat(const Rational& value, const TensorType& type, const Operation& where);

  /// Runs `make` with a region of its own, in which nothing of the regions around it is a value yet.
  template <class Make>
  auto in_new_region(const Make& make) {
    made_.emplace_back();
    const auto result = make();
    made_.pop_back();
    return result;
  }
  /// What is known of the integers or predicates of a value.
  MaybeBounds bounds(ValueId value) const;
  void set_bounds(ValueId value, const MaybeBounds& bounds);
  /// Nothing: of a value that no rule appends. (An id may have been that of a body that is made again.)
  void forget(const std::vector<ValueId>& values);
  /// What elements of a value may be beside numbers, for some arguments.
  Beyond beyond(ValueId value) const { return value.index() < beyond_.size() ? beyond_[value.index()] : Beyond(); }
  /// The op that makes a value, or null.
  const Op* made_by(ValueId value) const;

  /// Whether values are blocks of a device. In texts with custom calls nothing says where that ends.
  bool in_manual() const { return manual_depth_ > 0 || text_.meshes.empty(); }
  /// Runs `make` inside of a manual computation, where values are blocks.
  template <class Make>
  auto in_manual_computation(const Make& make) {
    ++manual_depth_;
    auto result = make();
    --manual_depth_;
    return result;
  }

  /// The axis of the mesh that a text calls so; M-mesh where there is none.
  AxisId axis(const Operation& op, std::string_view written) const;

  Location location(const Operation& op) const;
  [[noreturn]] void fail(std::string_view rule, const Operation& op, std::string message) const;
  [[noreturn]] void unsupported(const Operation& op, const std::string& what) const;
  /// Says once of each line what was left out there (W-left-out).
  void left_out(const Operation& op, const std::string& what);

 private:
  void operation(const Operation& op, Scope& scope);
  void set_beyond(ValueId value, const Beyond& beyond);
  ValueId view(size_t argument, const Layout& layout, const Operation& op);
  ValueId materialise(const ConstantArray& array, const Operation& op);
  ValueId materialise(const PositionDigit& digit, DType dtype, const Operation& op);
  ValueId gather_blocks(const Wire& wire, const Operation& op);

  const ModuleText& text_;
  const Region* region_ = nullptr;
  mutable Places places_;  ///< remembers the lines that it has told
  Builder& builder_;
  std::vector<GlobalId> globals_;
  DiagnosticSink& sink_;
  std::vector<const Operation*> calls_;  ///< that are being written out, the outermost first
  int manual_depth_ = 0;
  /// Per open region: constants and views that it has already.
  struct Made {
    std::map<const ConstantArray*, ValueId> constants;
    std::vector<std::pair<std::pair<size_t, Layout>, ValueId>> views;
    std::vector<std::shared_ptr<const ConstantArray>> kept;
  };
  std::vector<Made> made_{1};
  std::vector<MaybeBounds> bounds_;  ///< by value
  std::vector<Beyond> beyond_;       ///< by value
  KnownRanges ranges_;
  Guards guards_;
};

}  // namespace isoshard::stablehlo
