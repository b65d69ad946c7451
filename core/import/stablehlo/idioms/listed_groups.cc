// Groups of a collective may be any devices, and those of the language are axes. What is not axes is written out: an
// all_gather over all devices, from which each picks the rows of its group by a table of constants, and the reduction
// or the blocks of these. The values are the same, which is what is compared; more is sent, so times are not those of
// the program. Cost: a table of the devices times the largest group.
#include "core/import/stablehlo/idioms/listed_groups.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/import/stablehlo/idioms/reducers.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

constexpr size_t kNone = ~size_t{0};

}  // namespace

ListedGroups::ListedGroups(Lowering& lowering, const Operation& op, std::vector<std::vector<int64_t>> groups)
    : lowering_(lowering), op_(op), groups_(std::move(groups)) {
  const int64_t devices = lowering.mesh().device_count();
  group_of_.assign(static_cast<size_t>(devices), kNone);
  for (size_t g = 0; g < groups_.size(); ++g) {
    std::vector<int64_t>& members = groups_[g];
    while (!members.empty() && members.back() == -1) members.pop_back();  // rows of a matrix have one length
    for (const int64_t position : members) {
      const bool inside = position >= 0 && position < devices;
      if (!inside || group_of_[static_cast<size_t>(position)] != kNone) {
        lowering.fail("M-attribute", op,
                      "replica_groups with " + std::to_string(position) + (inside ? " in two places" : "") +
                          "; expected each of the devices 0 to " + std::to_string(devices - 1) + " once");
      }
      group_of_[static_cast<size_t>(position)] = g;
    }
    largest_ = std::max(largest_, members.size());
  }
  const auto missing = std::find(group_of_.begin(), group_of_.end(), kNone);
  if (missing != group_of_.end()) {
    lowering.fail("M-attribute", op,
                  "replica_groups without " + std::to_string(missing - group_of_.begin()) +
                      "; expected each of the devices 0 to " + std::to_string(devices - 1) + " once");
  }
}

int64_t ListedGroups::size() const {
  for (const std::vector<int64_t>& members : groups_) {
    if (members.size() != largest_) {
      lowering_.fail("M-attribute", op_,
                     quoted(op_.name) + " in groups of different sizes; only an all_reduce has them");
    }
  }
  return static_cast<int64_t>(largest_);
}

ValueId ListedGroups::own_row(const std::vector<std::vector<int64_t>>& rows, DType dtype) {
  const Mesh& mesh = lowering_.mesh();
  const auto count = static_cast<int64_t>(rows.size()), length = static_cast<int64_t>(rows[0].size());
  ConstantArray table{{dtype, {count, length}}, {}};
  for (const std::vector<int64_t>& row : rows) {
    for (const int64_t number : row) table.elements.emplace_back(number);
  }
  const ValueId all =
      lowering_.value(Wire{table.type, {}, std::make_shared<const ConstantArray>(std::move(table))}, op_);
  const ValueId zero = lowering_.splat(Rational(0), {DType::i32, {}}, op_);
  const ValueId own = lowering_.append(AxisIndex{mesh.all()}, {}, op_);
  const ValueId row = lowering_.append(DynamicSlice{{1, length}}, {all, own, zero}, op_);
  return lowering_.append(Reshape{{length}}, {row}, op_);
}

ValueId ListedGroups::members(ValueId x) {
  Shape one = shape(x);
  one.insert(one.begin(), 1);
  const ValueId wide = lowering_.append(Reshape{one}, {x}, op_);
  const ValueId all = lowering_.append(AllGather{lowering_.mesh().all(), 0, std::nullopt}, {wide}, op_);
  std::vector<std::vector<int64_t>> rows;
  for (const size_t g : group_of_) {
    rows.push_back(groups_[g]);
    rows.back().resize(largest_, groups_[g].back());
  }
  return lowering_.append(Gather{0, 0}, {all, own_row(rows, DType::i32)}, op_);
}

ValueId ListedGroups::without_repeated(ValueId members, Reducer reducer) {
  const bool repeats = std::any_of(groups_.begin(), groups_.end(),
                                   [&](const std::vector<int64_t>& group) { return group.size() != largest_; });
  if (!repeats || (reducer != Reducer::add && reducer != Reducer::mul)) return members;
  std::vector<std::vector<int64_t>> rows;
  for (const size_t g : group_of_) {
    rows.emplace_back(largest_, 0);
    std::fill_n(rows.back().begin(), groups_[g].size(), 1);
  }
  const TensorType type = lowering_.builder().type(members).tensor;
  const ValueId counts = lowering_.append(BroadcastInDim{{0}, type.shape}, {own_row(rows, DType::pred)}, op_);
  const ValueId neutral = lowering_.splat(neutral_of(reducer, type.dtype), type, op_);
  return lowering_.append(Select{}, {counts, members, neutral}, op_);
}

ValueId ListedGroups::own_place() {
  std::vector<std::vector<int64_t>> rows;
  for (size_t position = 0; position < group_of_.size(); ++position) {
    const std::vector<int64_t>& group = groups_[group_of_[position]];
    rows.push_back({std::find(group.begin(), group.end(), static_cast<int64_t>(position)) - group.begin()});
  }
  return lowering_.append(Reshape{{}}, {own_row(rows, DType::i32)}, op_);
}

ValueId ListedGroups::own_block(ValueId x, int64_t dim) {
  const auto at = static_cast<size_t>(dim);
  if (at >= shape(x).size() || shape(x)[at] % size() != 0) {
    lowering_.fail("M-attribute", op_,
                   "dimension " + std::to_string(dim) + " of " + to_string(lowering_.builder().type(x).tensor) +
                       " in groups of " + std::to_string(size()) + "; expected one that they divide");
  }
  Shape block = shape(x);
  block[at] /= size();
  const TensorType scalar{DType::i32, {}};
  const ValueId zero = lowering_.splat(Rational(0), scalar, op_);
  std::vector<ValueId> operands(1 + block.size(), zero);
  operands[0] = x;
  operands[1 + at] =
      lowering_.append(Multiply{}, {own_place(), lowering_.splat(Rational(block[at]), scalar, op_)}, op_);
  return lowering_.append(DynamicSlice{block}, std::move(operands), op_);
}

ValueId ListedGroups::joined(ValueId members, int64_t dim) {
  const auto at = static_cast<size_t>(dim);
  Shape merged(shape(members).begin() + 1, shape(members).end());
  if (at >= merged.size())
    lowering_.fail("M-attribute", op_, "a dimension " + std::to_string(dim) + " that is not there");
  std::vector<int64_t> order(shape(members).size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + 1 + dim);
  merged[at] *= size();
  return lowering_.append(Reshape{merged}, {lowering_.append(Transpose{order}, {members}, op_)}, op_);
}

ValueId ListedGroups::all_reduce(ValueId x, Reducer reducer) {
  return lowering_.append(Reduce{reducer, {0}, {}}, {without_repeated(members(x), reducer)}, op_);
}

ValueId ListedGroups::all_gather(ValueId x, int64_t dim) { return joined(members(x), dim); }

ValueId ListedGroups::reduce_scatter(ValueId x, int64_t dim) { return own_block(all_reduce(x, Reducer::add), dim); }

ValueId ListedGroups::all_to_all(ValueId x, int64_t split, int64_t concat) {
  return joined(own_block(members(x), split + 1), concat);
}

}  // namespace isoshard::stablehlo
