#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/builder/builder.h"
#include "tests/property/generator/dice.h"
#include "tests/property/generator/random_program_options.h"

namespace isoshard::testing {

/// A value whose last blocks hold padding, which no output may depend on: it is laid out as it was read.
struct PaddedValue {
  ValueId value;
  Layout layout;
  Shape whole;  ///< of the global
};

/// Grows one body, op by op; an op that an inference rejects is dropped before the Builder sees it.
///
/// Each family of ops has its file: random_views, random_local, random_numbers, random_communication, random_scan,
/// random_returns.
class BodyGrower {
 public:
  BodyGrower(Module& module, Dice& dice, const RandomProgramOptions& options, std::shared_ptr<const Mesh> mesh,
             const std::string& name, ProgramKind kind);

  void argument(const ValueType& type) { values_.push_back(builder_.argument(fresh_name(), type)); }
  void grow(size_t ops);
  ProgramId finish();

 private:
  // Choices (random_body.cc).
  const ValueType& type(ValueId value) const { return builder_.type(value); }
  const Shape& shape(ValueId value) const { return type(value).tensor.shape; }
  int64_t rank(ValueId value) const { return std::ssize(shape(value)); }
  ValueId any() { return dice_.pick(values_); }
  std::vector<ValueId> recent() const;
  std::string fresh_name();
  std::vector<AxisId> axes() const;
  Group group_where(ValueId value, std::initializer_list<State> states);
  ValueId partner(ValueId value);
  std::optional<State> reduced_state(ValueId value);
  Rational number(DType dtype);

  // One op (random_body.cc).
  bool step();
  bool accepts(const OpData& data, const std::vector<ValueId>& operands);
  bool try_op(OpData data, std::vector<ValueId> operands);
  ValueId must(OpData data, std::vector<ValueId> operands);

  // Views of globals and what they pad (random_views.cc).
  void views();
  bool view(GlobalId id);
  bool block_size(GlobalId id);
  ViewEntry entry(int64_t size, std::vector<AxisId>& free_axes);
  void cut(View& view, const Shape& whole, const std::vector<AxisId>& free_axes);
  void take_padded(const View& view);
  ValueId masked(ValueId block, const View& view);
  void change_padded();

  // Ops of each device on its own (random_local.cc).
  bool leaf();
  bool unary();
  bool binary();
  bool reshaping();
  bool broadcast(ValueId x);
  bool transpose(ValueId x);
  bool slice(ValueId x);
  bool concatenate(ValueId x);
  ValueId indices(const Shape& shape);
  bool indexed();
  bool movement();
  bool contraction();
  bool convolution(ValueId x);
  Shape split_or_flatten(const Shape& from);
  AxisSet partial_axes(ValueId a, ValueId b);

  // Keys and what they give (random_numbers.cc).
  ValueId random_key();
  bool random_numbers();

  // Collectives and changes of state (random_communication.cc).
  bool communication();
  bool communicate(ValueId x);
  bool change_state(ValueId x);
  bool split_among(const Group& group, ValueId x, const std::function<OpData(const Group&, int64_t)>& make);
  bool permute(ValueId x);
  bool convert_state(ValueId x);
  bool reinterpret(ValueId x);
  bool assert_equal(ValueId x);
  template <class Op>
  bool with_group(Op op, ValueId x) {
    return !op.axis.empty() && try_op(std::move(op), {x});
  }

  // Regions (random_scan.cc).
  bool call();
  bool scan();
  ScanYield scan_body(const ScanArguments& arguments, const std::vector<bool>& zero, int64_t trips);
  ValueId next_carry(ValueId carry);
  ValueId next_zero(ValueId zero);

  // Results (random_returns.cc).
  void returns();
  ValueId returnable(ValueId value);
  void output(const std::string& name, ValueId value);
  std::optional<TensorType> pad_layout(ValueId value, Layout& layout);
  bool output_padded(const std::string& name, const PaddedValue& padded);
  void updates();
  bool updates(GlobalId global) const;
  ValueId next_value(ValueId old);
  bool fits(ValueId value, const View& view);
  bool can_be_stored(ValueId value, const Layout& layout) const;

  Module& module_;
  Dice& dice_;
  const RandomProgramOptions& options_;
  std::shared_ptr<const Mesh> mesh_;
  ProgramKind kind_;
  DiagnosticSink sink_;
  Builder builder_;
  std::vector<ValueId> values_;
  std::vector<PaddedValue> padded_;
  size_t names_ = 0;
  size_t functions_ = 0;
  int open_scans_ = 0;
};

}  // namespace isoshard::testing
