// Reductions that no domain has a loop for: products, and, or. They become elementwise ops on the halves of an array,
// so that every interpreter of a Plan knows them already, exact rings and tables of integers among them, and the order
// in which a product is rounded is that of the op (core/ir/ops/reduce.h). Along one dimension after the other the first
// half meets the second, and the last element of an odd number is joined behind. Of no elements there is the neutral
// one. Cost: up to four ops per halving, and about twice the elements of the operand in all.
#include "core/plan/passes/lower_pairwise.h"

#include <algorithm>
#include <utility>

#include "core/support/check.h"
#include "core/value/integers.h"

namespace isoshard {
namespace {

OpData pairing_of(Reducer op) {
  if (op == Reducer::mul) return Multiply{};
  if (op == Reducer::logical_and) return And{};
  ISOSHARD_CHECK(op == Reducer::logical_or, "a reduction in pairs");
  return Or{};
}

/// What changes nothing: 1 in a product and of predicates, all bits of integers in an and; 0 in an or.
Rational neutral_of(Reducer op, DType dtype) {
  if (op == Reducer::logical_or) return Rational(0);
  if (op == Reducer::mul || dtype == DType::pred) return Rational(1);
  return is_unsigned(dtype) ? greatest_integer(dtype) : Rational(-1);
}

class Pairwise {
 public:
  Pairwise(Reducer op, const std::string& name, const Location& location, PlanBuilder& out)
      : op_(pairing_of(op)), name_(name), location_(location), out_(out) {}

  /// One element is left along `dim`.
  PlanValueId along(PlanValueId x, int64_t dim) {
    while (size(x, dim) > 1) x = halved(x, dim);
    return x;
  }

  PlanValueId local(OpData op, std::vector<PlanValueId> operands, TensorType type) {
    const std::string name = name_ + ".pairs" + std::to_string(steps_++);
    return out_.local(std::move(op), std::move(operands), std::move(type), name, location_);
  }

 private:
  int64_t size(PlanValueId x, int64_t dim) const { return out_.type(x).shape[static_cast<size_t>(dim)]; }

  PlanValueId halved(PlanValueId x, int64_t dim) {
    const int64_t all = size(x, dim), half = all / 2;
    const PlanValueId first = part(x, dim, 0, half), second = part(x, dim, half, 2 * half);
    const PlanValueId pairs = local(op_, {first, second}, TensorType(out_.type(first)));
    if (all % 2 == 0) return pairs;
    TensorType type = out_.type(x);
    type.shape[static_cast<size_t>(dim)] = half + 1;
    return local(Concatenate{dim}, {pairs, part(x, dim, all - 1, all)}, std::move(type));
  }

  PlanValueId part(PlanValueId x, int64_t dim, int64_t start, int64_t limit) {
    TensorType type = out_.type(x);
    const auto d = static_cast<size_t>(dim);
    Slice slice{Shape(type.shape.size(), 0), type.shape, {}};
    slice.start[d] = start;
    slice.limit[d] = limit;
    type.shape[d] = limit - start;
    return local(std::move(slice), {x}, std::move(type));
  }

  OpData op_;
  const std::string& name_;
  const Location& location_;
  PlanBuilder& out_;
  int steps_ = 0;
};

}  // namespace

PlanValueId lower_pairwise(Reducer op, PlanValueId x, const std::vector<int64_t>& dims, const TensorType& result,
                           const std::string& name, const Location& location, PlanBuilder& out) {
  const auto is_empty = [&](int64_t d) { return out.type(x).shape[static_cast<size_t>(d)] == 0; };
  if (std::any_of(dims.begin(), dims.end(), is_empty)) {
    return out.local(Constant{neutral_of(op, result.dtype), result.dtype, result.shape}, {}, result, name, location);
  }
  Pairwise pairwise(op, name, location, out);
  for (const int64_t dim : dims) x = pairwise.along(x, dim);
  return out.local(Reshape{result.shape}, {x}, result, name, location);
}

PlanValueId gather_pairwise(Reducer op, PlanValueId x, CommunicatorId communicator, const std::string& name,
                            const Location& location, PlanBuilder& out) {
  const TensorType type = out.type(x);
  TensorType row = type;
  row.shape.insert(row.shape.begin(), 1);
  const PlanValueId own = out.local(Reshape{row.shape}, {x}, row, name + ".own", location);
  const PlanValueId all = out.collective(CollectiveKind::all_gather, communicator, own, 0, name + ".all", location);
  return lower_pairwise(op, all, {0}, type, name, location, out);
}

}  // namespace isoshard
