#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/ir/builder/builder.h"

namespace isoshard::autodiff {

/// Appends the ops of a backward program; the location is that of the op that is differentiated. Results are called
/// `NAME.back.N`, N a number of the program, or by made-up names where there is no `name`.
class Emitter {
 public:
  Emitter(Builder& builder, Location location, const std::string& name = "")
      : builder_(builder), location_(std::move(location)), prefix_(name.empty() ? "" : name + ".back.") {}

  Builder& builder() { return builder_; }
  const Location& location() const { return location_; }
  /// Copies: the next op moves the values.
  TensorType type(ValueId value) const { return builder_.type(value).tensor; }
  Shape shape(ValueId value) const { return type(value).shape; }
  bool typed() const { return builder_.program().typed(); }

  ValueId op(OpData data, std::vector<ValueId> operands) {
    const std::string number = prefix_.empty() ? "" : std::to_string(builder_.program().value_count());
    return builder_.add_op(std::move(data), std::move(operands), prefix_ + number, location_);
  }
  std::vector<ValueId> ops(OpData data, std::vector<ValueId> operands) {
    return builder_.append(std::move(data), std::move(operands), {}, location_);
  }
  ValueId constant(const Rational& value, const TensorType& type) {
    return op(Constant{value, type.dtype, type.shape}, {});
  }
  ValueId constant_like(ValueId like, const Rational& value) { return constant(value, type(like)); }
  ValueId negate(ValueId x) { return op(Negate{}, {x}); }
  ValueId add(ValueId a, ValueId b) { return op(Add{}, {a, b}); }
  ValueId subtract(ValueId a, ValueId b) { return op(Subtract{}, {a, b}); }
  ValueId multiply(ValueId a, ValueId b) { return op(Multiply{}, {a, b}); }
  ValueId divide(ValueId a, ValueId b) { return op(Divide{}, {a, b}); }
  /// x times an exact number.
  ValueId scale(ValueId x, const Rational& by) { return multiply(x, constant_like(x, by)); }
  ValueId compare(Direction direction, ValueId a, ValueId b) { return op(Compare{direction}, {a, b}); }
  ValueId select(ValueId pred, ValueId on_true, ValueId on_false) { return op(Select{}, {pred, on_true, on_false}); }
  /// x where `pred` holds, else 0.
  ValueId where(ValueId pred, ValueId x) { return select(pred, x, constant_like(x, Rational(0))); }
  /// `x` repeated along the dimensions of `like` that `dims` leaves out.
  ValueId broadcast(ValueId x, std::vector<int64_t> dims, const Shape& shape) {
    return op(BroadcastInDim{std::move(dims), shape}, {x});
  }
  ValueId sum(ValueId x, std::vector<int64_t> dims) {
    return dims.empty() ? x : op(Reduce{Reducer::add, std::move(dims), {}}, {x});
  }
  ValueId reverse(ValueId x, int64_t dim) { return op(Reverse{{dim}}, {x}); }

 private:
  Builder& builder_;
  Location location_;
  std::string prefix_;
};

}  // namespace isoshard::autodiff
