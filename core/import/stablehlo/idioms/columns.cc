// The starts of a dynamic slice under jax.vmap are joined to one array, and clamped there by an array of ends. One
// start is the part that it was before, clamped by a number: a slice is moved before what is done to each element, up
// to the array that joins. Cost: as many ops as are passed.
#include "core/import/stablehlo/idioms/columns.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace isoshard::stablehlo {
namespace {

class Column {
 public:
  Column(Lowering& lowering, size_t dim, int64_t at, const Operation& op)
      : lowering_(lowering), dim_(dim), at_(at), op_(op) {}

  /// Nothing where it is no simpler than a slice.
  std::optional<ValueId> of(ValueId x) {
    const Op* made = lowering_.made_by(x);
    if (dim_ < shape(x).size() && shape(x)[dim_] == 1) return x;
    if (made == nullptr || dim_ >= shape(x).size()) return std::nullopt;  // ends of a clamp may be one number
    if (const auto* joined = std::get_if<Concatenate>(&made->data)) return part(*joined, made->operands);
    if (const auto* constant = std::get_if<Constant>(&made->data)) return lowering_.append(narrow(*constant), {}, op_);
    if (const auto* wide = std::get_if<BroadcastInDim>(&made->data)) return spread(*wide, made->operands[0]);
    const bool each = std::holds_alternative<Clamp>(made->data) || std::holds_alternative<Minimum>(made->data);
    return each ? elementwise(made->data, made->operands) : std::nullopt;
  }

 private:
  const Shape& shape(ValueId x) const { return lowering_.builder().type(x).tensor.shape; }

  std::optional<ValueId> part(const Concatenate& joined, std::vector<ValueId> parts) {
    if (static_cast<size_t>(joined.dim) != dim_) return std::nullopt;
    int64_t begin = 0;
    for (const ValueId each : parts) {
      const int64_t end = begin + shape(each)[dim_];
      if (at_ < end) return Column(lowering_, dim_, at_ - begin, op_).of(each);
      begin = end;
    }
    return std::nullopt;
  }

  Constant narrow(Constant constant) const {
    constant.shape[dim_] = 1;
    return constant;
  }

  std::optional<ValueId> spread(BroadcastInDim wide, ValueId x) {
    const auto found = std::find(wide.dims.begin(), wide.dims.end(), static_cast<int64_t>(dim_));
    wide.shape[dim_] = 1;
    if (found == wide.dims.end()) return lowering_.append(std::move(wide), {x}, op_);
    const std::optional<ValueId> one =
        Column(lowering_, static_cast<size_t>(found - wide.dims.begin()), at_, op_).of(x);
    return one ? std::optional(lowering_.append(std::move(wide), {*one}, op_)) : std::nullopt;
  }

  std::optional<ValueId> elementwise(OpData data, std::vector<ValueId> operands) {
    std::vector<ValueId> parts;
    for (const ValueId x : operands) {
      const std::optional<ValueId> one = of(x);
      if (!one) return std::nullopt;
      parts.push_back(*one);
    }
    return lowering_.append(std::move(data), std::move(parts), op_);
  }

  Lowering& lowering_;
  size_t dim_;
  int64_t at_;
  const Operation& op_;
};

}  // namespace

ValueId column(Lowering& lowering, ValueId x, size_t dim, int64_t at, const Operation& op) {
  if (const std::optional<ValueId> one = Column(lowering, dim, at, op).of(x)) return *one;
  const Shape shape = lowering.builder().type(x).tensor.shape;
  Slice slice{std::vector<int64_t>(shape.size()), shape, {}};
  slice.start[dim] = at;
  slice.limit[dim] = at + 1;
  return lowering.append(slice, {x}, op);
}

}  // namespace isoshard::stablehlo
