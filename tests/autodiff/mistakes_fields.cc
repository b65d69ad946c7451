// Mistakes in fields: dimensions, places, permutations, groups, owners, directions.
#include <algorithm>
#include <numeric>

#include "tests/autodiff/mistakes.h"

namespace isoshard::autodiff {
namespace {

/// The op with a field changed; its result is reshaped where only the shape differs.
template <class Op, class Change>
Mistake changed_field(std::string did, const Change& change) {
  return [=](Place& p) -> Replacement {
    const Op* op = p.as<Op>();
    if (op == nullptr) return std::nullopt;
    std::optional<Op> other = change(*op, p);
    if (!other || *other == *op) return std::nullopt;
    const std::vector<ValueId> wanted = p.again(p.operands());
    std::vector<ValueId> made = p.append(*other, p.operands());
    p.did = did;
    for (size_t i = 0; i < made.size(); ++i) {
      if (p.type(made[i]) == p.type(wanted[i])) continue;
      if (element_count(p.shape(made[i])) != element_count(p.shape(wanted[i]))) return std::nullopt;
      made[i] = p.add(Reshape{p.shape(wanted[i])}, {made[i]});
    }
    return made;
  };
}

/// The list after `steps` permutations; nothing when there are fewer.
std::optional<std::vector<int64_t>> permuted(std::vector<int64_t> list, int steps) {
  if (list.size() < 2) return std::nullopt;
  for (int i = 0; i < steps; ++i) std::next_permutation(list.begin(), list.end());
  return list;
}

}  // namespace

void add_shapes(std::vector<Mistake>& all) {
  for (int k = 1; k <= 5; ++k) {
    const std::string number = " (" + std::to_string(k) + ")";
    all.push_back(
        changed_field<Transpose>("another permutation" + number, [k](Transpose op, Place&) -> std::optional<Transpose> {
          const auto other = permuted(op.permutation, k);
          return other ? std::optional(Transpose{*other}) : std::nullopt;
        }));
    all.push_back(changed_field<BroadcastInDim>("other dims" + number,
                                                [k](BroadcastInDim op, Place&) -> std::optional<BroadcastInDim> {
                                                  std::vector<int64_t> all_dims(op.shape.size());
                                                  std::iota(all_dims.begin(), all_dims.end(), 0);
                                                  for (int i = 0; i < k; ++i) {
                                                    std::next_permutation(all_dims.begin(), all_dims.end());
                                                  }
                                                  all_dims.resize(op.dims.size());
                                                  op.dims = all_dims;
                                                  return op;
                                                }));
  }
  for (int64_t dim = 0; dim < 4; ++dim) {
    const std::string where = "along " + std::to_string(dim);
    all.push_back(changed_field<Reverse>(where, [dim](Reverse op, Place& p) -> std::optional<Reverse> {
      if (dim >= std::ssize(p.shape(p.operand(0)))) return std::nullopt;
      op.dims = {dim};
      return op;
    }));
    all.push_back(changed_field<Cumsum>(where, [dim](Cumsum op, Place& p) -> std::optional<Cumsum> {
      if (dim >= std::ssize(p.shape(p.operand(0)))) return std::nullopt;
      op.dim = dim;
      return op;
    }));
    all.push_back(changed_field<Iota>(where, [dim](Iota op, Place&) -> std::optional<Iota> {
      if (dim >= std::ssize(op.shape)) return std::nullopt;
      op.dim = dim;
      return op;
    }));
    all.push_back(changed_field<Reduce>(where, [dim](Reduce op, Place& p) -> std::optional<Reduce> {
      if (dim >= std::ssize(p.shape(p.operand(0))) || op.dims.size() != 1) return std::nullopt;
      op.dims = {dim};
      return op;
    }));
    for (const int64_t by : {-1, 1}) {
      const std::string moved = "moved by " + std::to_string(by) + " " + where;
      const auto d = static_cast<size_t>(dim);
      all.push_back(changed_field<Slice>(moved, [d, by](Slice op, Place& p) -> std::optional<Slice> {
        if (d >= op.start.size() || op.start[d] + by < 0) return std::nullopt;
        if (op.limit[d] + by > p.shape(p.operand(0))[d]) return std::nullopt;
        op.start[d] += by;
        op.limit[d] += by;
        return op;
      }));
      all.push_back(changed_field<Pad>(moved, [d, by](Pad op, Place&) -> std::optional<Pad> {
        if (d >= op.low.size() || op.low[d] + by < 0 || op.high[d] - by < 0) return std::nullopt;
        op.low[d] += by;
        op.high[d] -= by;
        return op;
      }));
    }
    all.push_back(changed_field<Gather>(where, [dim](Gather op, Place&) {
      op.dim = dim;
      return std::optional(op);
    }));
    all.push_back(changed_field<Gather>("batch " + std::to_string(dim), [dim](Gather op, Place&) {
      op.batch = dim;
      return std::optional(op);
    }));
    all.push_back(changed_field<ScatterAdd>(where, [dim](ScatterAdd op, Place&) {
      op.dim = dim;
      return std::optional(op);
    }));
    all.push_back(changed_field<ScatterAdd>("batch " + std::to_string(dim), [dim](ScatterAdd op, Place&) {
      op.batch = dim;
      return std::optional(op);
    }));
  }
  all.push_back(changed_field<Reduce>("max in place of add", [](Reduce op, Place&) {
    if (op.op == Reducer::add) op.op = Reducer::max;
    return std::optional(op);
  }));
  const auto dot = [&](const std::string& did, std::vector<int64_t> DimPairs::*side, bool batch) {
    all.push_back(changed_field<DotGeneral>(did, [side, batch](DotGeneral op, Place&) -> std::optional<DotGeneral> {
      std::vector<int64_t>& dims = (batch ? op.batch : op.contract).*side;
      const auto other = permuted(dims, 1);
      if (!other) return std::nullopt;
      dims = *other;
      return op;
    }));
  };
  dot("other pairs are summed", &DimPairs::rhs, false);
  dot("other batch pairs", &DimPairs::rhs, true);
  const auto another_dim = [](DotGeneral op, Place& p, size_t which) -> std::optional<DotGeneral> {
    std::vector<int64_t>& dims = which == 0 ? op.contract.lhs : op.contract.rhs;
    const std::vector<int64_t>& batch = which == 0 ? op.batch.lhs : op.batch.rhs;
    if (dims.size() != 1) return std::nullopt;
    for (int64_t d = 0; d < std::ssize(p.shape(p.operand(which))); ++d) {
      if (d == dims[0] || std::find(batch.begin(), batch.end(), d) != batch.end()) continue;
      dims[0] = d;
      return op;
    }
    return std::nullopt;
  };
  for (const size_t which : {0U, 1U}) {
    all.push_back(changed_field<DotGeneral>("another dimension of operand " + std::to_string(which) + " is summed",
                                            [=](DotGeneral op, Place& p) { return another_dim(op, p, which); }));
  }
  for (const Direction direction :
       {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge}) {
    all.push_back(changed_field<Compare>("direction " + std::to_string(static_cast<int>(direction)),
                                         [direction](Compare op, Place&) {
                                           op.direction = direction;
                                           return std::optional(op);
                                         }));
  }
}

namespace {

/// One entry of a list of a convolution changed by `by`; lists that are left out stay so.
Mistake another_entry(const std::string& name, RareList<int64_t> Convolution::*list, size_t i, int64_t by) {
  return changed_field<Convolution>(name + " of spatial dimension " + std::to_string(i) + " by " + std::to_string(by),
                                    [=](Convolution op, Place&) -> std::optional<Convolution> {
                                      if (i >= (op.*list).size()) return std::nullopt;
                                      (op.*list)[i] += by;
                                      return op;
                                    });
}

}  // namespace

void add_convolutions(std::vector<Mistake>& all) {
  for (const size_t i : {0U, 1U}) {
    for (const int64_t by : {-1, 1}) {
      all.push_back(another_entry("strides", &Convolution::strides, i, by));
      all.push_back(another_entry("lhs_dilation", &Convolution::lhs_dilation, i, by));
      all.push_back(another_entry("rhs_dilation", &Convolution::rhs_dilation, i, by));
      all.push_back(another_entry("reversal", &Convolution::reversal, i, by));
      all.push_back(changed_field<Convolution>("moved by " + std::to_string(by) + " along " + std::to_string(i),
                                               [=](Convolution op, Place&) -> std::optional<Convolution> {
                                                 if (i >= op.low.size()) return std::nullopt;
                                                 op.low[i] += by;
                                                 op.high[i] -= by;
                                                 return op;
                                               }));
    }
  }
  all.push_back(changed_field<Convolution>("batch and features of the input exchanged", [](Convolution op, Place&) {
    std::swap(op.dims.input.batch, op.dims.input.feature);
    return std::optional(op);
  }));
  all.push_back(changed_field<Convolution>("features of the kernel exchanged", [](Convolution op, Place&) {
    std::swap(op.dims.kernel.input, op.dims.kernel.output);
    return std::optional(op);
  }));
  all.push_back(changed_field<Convolution>("batch and features of the result exchanged", [](Convolution op, Place&) {
    std::swap(op.dims.output.batch, op.dims.output.feature);
    return std::optional(op);
  }));
  all.push_back(changed_field<Convolution>("spatial dimensions of the kernel exchanged", [](Convolution op, Place&) {
    std::reverse(op.dims.kernel.spatial.begin(), op.dims.kernel.spatial.end());
    return std::optional(op);
  }));
}

namespace {

/// A collective over one axis of its tuple, over the tuple turned round, or over the other axes of the mesh.
template <class Op>
void add_groups(std::vector<Mistake>& all) {
  all.push_back(changed_field<Op>("over the first axis only", [](Op op, Place&) -> std::optional<Op> {
    if (op.axis.axes.size() < 2) return std::nullopt;
    op.axis.axes.resize(1);
    return op;
  }));
  all.push_back(changed_field<Op>("over the axes in another order", [](Op op, Place&) -> std::optional<Op> {
    if (std::is_same_v<Op, AllReduce>) return std::nullopt;  // sums are the same
    std::reverse(op.axis.axes.begin(), op.axis.axes.end());
    return op;
  }));
  all.push_back(changed_field<Op>("over another axis", [](Op op, Place& p) -> std::optional<Op> {
    if (op.axis.axes.size() != 1 || p.mesh().axis_count() != 2) return std::nullopt;
    op.axis.axes[0] = AxisId(1 - op.axis.axes[0].index());
    return op;
  }));
}

template <class Op>
void add_dims(std::vector<Mistake>& all) {
  for (const int64_t dim : {0, 1}) {
    all.push_back(changed_field<Op>("along " + std::to_string(dim), [dim](Op op, Place&) {
      op.dim = dim;
      return std::optional(op);
    }));
  }
}

}  // namespace

void add_collectives(std::vector<Mistake>& all) {
  add_groups<AllReduce>(all);
  add_groups<AllGather>(all);
  add_groups<ReduceScatter>(all);
  add_groups<SliceBlock>(all);
  add_groups<PlaceBlock>(all);
  add_groups<ConvertState>(all);
  add_dims<AllGather>(all);
  add_dims<ReduceScatter>(all);
  add_dims<SliceBlock>(all);
  add_dims<PlaceBlock>(all);
  all.push_back([](Place& p) -> Replacement {  // doubled
    if (p.as<AllReduce>() == nullptr) return std::nullopt;
    p.did = "twice";
    return p.again(p.again(p.operands()));
  });
  all.push_back(changed_field<AllReduce>("max", [](AllReduce op, Place&) {
    op.op = Reducer::max;
    return std::optional(op);
  }));
  all.push_back([](Place& p) -> Replacement {
    const ReduceScatter* op = p.as<ReduceScatter>();
    if (op == nullptr) return std::nullopt;
    p.did = "slice_block in its place";
    return p.append(SliceBlock{op->axis, op->dim}, p.operands());
  });
  all.push_back([](Place& p) -> Replacement {
    const SliceBlock* op = p.as<SliceBlock>();
    if (op == nullptr) return std::nullopt;
    p.did = "reduce_scatter in its place";
    return p.append(ReduceScatter{op->axis, op->dim}, p.operands());
  });
  all.push_back([](Place& p) -> Replacement {
    const PlaceBlock* op = p.as<PlaceBlock>();
    if (op == nullptr) return std::nullopt;
    p.did = "all_gather in its place";
    return p.append(AllGather{op->axis, op->dim, std::nullopt}, p.operands());
  });
  all.push_back([](Place& p) -> Replacement {
    const AllGather* op = p.as<AllGather>();
    if (op == nullptr) return std::nullopt;
    p.did = "place_block in its place";
    return p.append(PlaceBlock{op->axis, op->dim}, p.operands());
  });
  all.push_back([](Place& p) -> Replacement {
    const Reinterpret* op = p.as<Reinterpret>();
    if (op == nullptr) return std::nullopt;
    p.did = "all_reduce in its place";
    return p.append(AllReduce{op->axis, std::nullopt}, p.operands());
  });
  all.push_back(changed_field<AllToAll>("dims exchanged", [](AllToAll op, Place&) {
    std::swap(op.split_dim, op.concat_dim);
    return std::optional(op);
  }));
  all.push_back(changed_field<CollectivePermute>("the other way", [](CollectivePermute op, Place&) {
    if (op.shift) op.shift = -*op.shift;
    for (IndexPair& pair : op.pairs) std::swap(pair.first, pair.second);
    return std::optional(op);
  }));
  all.push_back(changed_field<CollectivePermute>("one further",
                                                 [](CollectivePermute op, Place&) -> std::optional<CollectivePermute> {
                                                   if (!op.shift) return std::nullopt;
                                                   op.shift = *op.shift + 1;
                                                   return op;
                                                 }));
  all.push_back(changed_field<CollectivePermute>("the last pair missing",
                                                 [](CollectivePermute op, Place&) -> std::optional<CollectivePermute> {
                                                   if (op.pairs.empty()) return std::nullopt;
                                                   op.pairs.pop_back();
                                                   return op;
                                                 }));
  all.push_back(changed_field<CollectivePermute>("in another order", [](CollectivePermute op, Place&) {
    if (op.order == PermuteOrder::tuple) op.order = PermuteOrder::mesh;
    return std::optional(op);
  }));
  all.push_back(
      changed_field<ConvertState>("another owner", [](ConvertState op, Place&) -> std::optional<ConvertState> {
        if (!op.owner) return std::nullopt;
        op.owner = *op.owner == 0 ? 1 : 0;
        return op;
      }));
}

}  // namespace isoshard::autodiff
