#include "tests/autodiff/rule_mutants.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "tests/mutation/rewrite.h"

namespace isoshard::autodiff {
namespace {

using mutation::Place;
using mutation::Replacement;

/// One mistake: nothing where it does not apply to an op.
struct Mistake {
  std::function<Replacement(Place&)> apply;
  std::optional<size_t> result{};  ///< which is changed, where it is one

  template <class F>
  requires std::is_invocable_v<F, Place&> Mistake(F f, std::optional<size_t> r = std::nullopt)  // NOLINT
      : apply(std::move(f)), result(r) {}
};

std::vector<ValueId> with(std::vector<ValueId> values, size_t i, ValueId value) {
  values[i] = value;
  return values;
}

bool is_scan(const Place& p) { return p.as<Scan>() != nullptr; }

bool is_zero(const Place& p) {
  const Constant* constant = p.as<Constant>();
  return constant != nullptr && constant->value.is_zero();
}

/// a + b = b + a, also for the larger of two and for equality.
bool commutes(const Place& p) {
  if (const Compare* compare = p.as<Compare>()) {
    return compare->direction == Direction::eq || compare->direction == Direction::ne;
  }
  return p.as<Add>() != nullptr || p.as<Multiply>() != nullptr || p.as<And>() != nullptr ||
         p.as<Maximum>() != nullptr || p.as<Minimum>() != nullptr;
}

/// The results of the op, of which result i becomes something else.
template <class Change>
Mistake result(std::string did, size_t i, const Change& change) {
  const auto apply = [=](Place& p) -> Replacement {
    if (is_scan(p) || i >= p.op().results.size()) return std::nullopt;
    const std::vector<ValueId> results = p.again(p.operands());
    const ValueId changed = change(p, results[i]);
    if (!changed.valid()) return std::nullopt;
    p.did = did + " (result " + std::to_string(i) + ")";
    return with(results, i, changed);
  };
  return Mistake(apply, i);
}

void add_results(std::vector<Mistake>& all) {
  for (const size_t i : {0U, 1U}) {
    all.push_back(result("lost", i, [](Place& p, ValueId v) {
      return p.as<Constant>() == nullptr && p.float_result() ? p.constant(Rational(0), v) : ValueId();
    }));
    all.push_back(result("negated", i, [](Place& p, ValueId v) {
      return p.floats(v) && !is_zero(p) ? p.add(Negate{}, {v}) : ValueId();
    }));
    all.push_back(result("doubled", i, [](Place& p, ValueId v) {
      return p.floats(v) && !is_zero(p) ? p.add(Add{}, {v, v}) : ValueId();
    }));
    all.push_back(result("with one more", i, [](Place& p, ValueId v) {
      return p.type(v).dtype != DType::pred ? p.add(Add{}, {v, p.constant(Rational(1), v)}) : ValueId();
    }));
    all.push_back(result("with one less", i, [](Place& p, ValueId v) {
      return p.type(v).dtype != DType::pred ? p.add(Subtract{}, {v, p.constant(Rational(1), v)}) : ValueId();
    }));
    all.push_back(result("denied", i, [](Place& p, ValueId v) {
      return p.type(v).dtype == DType::pred ? p.add(Not{}, {v}) : ValueId();
    }));
  }
}

void add_operands(std::vector<Mistake>& all) {
  for (size_t i = 0; i < 4; ++i) {
    all.push_back([i](Place& p) -> Replacement {  // the op is missing
      if (is_scan(p) || p.op().results.size() != 1 || i >= p.operands().size()) return std::nullopt;
      const ValueId made = p.again(p.operands())[0];
      const ValueId operand = p.operand(i);
      if (p.type(made).dtype != p.type(operand).dtype) return std::nullopt;
      if (element_count(p.shape(made)) != element_count(p.shape(operand))) return std::nullopt;
      if (p.as<Reshape>() != nullptr) return std::nullopt;
      p.did = "missing: operand " + std::to_string(i);
      const bool same = p.shape(made) == p.shape(operand);
      return std::vector{same ? operand : p.add(Reshape{p.shape(made)}, {operand})};
    });
    for (size_t j = i + 1; j < 4; ++j) {
      all.push_back([i, j](Place& p) -> Replacement {
        if (is_scan(p) || j >= p.operands().size() || commutes(p)) return std::nullopt;
        std::vector<ValueId> in = p.operands();
        if (in[i] == in[j] || p.type(in[i]) != p.type(in[j])) return std::nullopt;
        std::swap(in[i], in[j]);
        p.did = "operands " + std::to_string(i) + " and " + std::to_string(j) + " exchanged";
        return p.again(std::move(in));
      });
    }
    for (const bool latest : {true, false}) {
      all.push_back([i, latest](Place& p) -> Replacement {  // another value of that type
        if (is_scan(p) || i >= p.operands().size()) return std::nullopt;
        std::vector<ValueId> others;
        for (const ValueId v : p.visible()) {
          if (v != p.operand(i) && p.type(v) == p.type(p.operand(i))) others.push_back(v);
        }
        if (others.empty()) return std::nullopt;
        p.did = std::string(latest ? "the latest" : "the first") + " other value as operand " + std::to_string(i);
        return p.again(with(p.operands(), i, latest ? others.back() : others.front()));
      });
    }
    all.push_back([i](Place& p) -> Replacement {  // a start or an index one further
      if (is_scan(p) || i >= p.operands().size() || p.type(p.operand(i)).dtype != DType::i32) return std::nullopt;
      p.did = "operand " + std::to_string(i) + " one further";
      return p.again(with(p.operands(), i, p.add(Add{}, {p.operand(i), p.constant(Rational(1), p.operand(i))})));
    });
  }
}

/// Another op on the same operands.
template <class From, class To>
Mistake instead(std::string name) {
  return [name](Place& p) -> Replacement {
    if (p.as<From>() == nullptr || !p.float_result()) return std::nullopt;
    p.did = name + " in its place";
    return p.append(To{}, p.operands());
  };
}

void add_ops(std::vector<Mistake>& all) {
  all.push_back(instead<Add, Subtract>("subtract"));
  all.push_back(instead<Add, Multiply>("multiply"));
  all.push_back(instead<Subtract, Add>("add"));
  all.push_back(instead<Multiply, Divide>("divide"));
  all.push_back(instead<Multiply, Add>("add"));
  all.push_back(instead<Divide, Multiply>("multiply"));
  all.push_back(instead<Maximum, Minimum>("minimum"));
  all.push_back(instead<Minimum, Maximum>("maximum"));
  all.push_back(instead<Sine, Cosine>("cosine"));
  all.push_back(instead<Cosine, Sine>("sine"));
  all.push_back(instead<Exponential, Log>("log"));
  all.push_back(instead<Log, Exponential>("exponential"));
  all.push_back(instead<Sign, Abs>("abs"));
  all.push_back(instead<Abs, Sign>("sign"));
}

/// The op with a field changed; its result is reshaped where only the shape differs.
template <class Op, class Change>
Mistake field(std::string did, const Change& change) {
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

void add_shapes(std::vector<Mistake>& all) {
  for (int k = 1; k <= 5; ++k) {
    const std::string number = " (" + std::to_string(k) + ")";
    all.push_back(
        field<Transpose>("another permutation" + number, [k](Transpose op, Place&) -> std::optional<Transpose> {
          const auto other = permuted(op.permutation, k);
          return other ? std::optional(Transpose{*other}) : std::nullopt;
        }));
    all.push_back(
        field<BroadcastInDim>("other dims" + number, [k](BroadcastInDim op, Place&) -> std::optional<BroadcastInDim> {
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
    all.push_back(field<Reverse>(where, [dim](Reverse op, Place& p) -> std::optional<Reverse> {
      if (dim >= std::ssize(p.shape(p.operand(0)))) return std::nullopt;
      op.dims = {dim};
      return op;
    }));
    all.push_back(field<Cumsum>(where, [dim](Cumsum op, Place& p) -> std::optional<Cumsum> {
      if (dim >= std::ssize(p.shape(p.operand(0)))) return std::nullopt;
      op.dim = dim;
      return op;
    }));
    all.push_back(field<Iota>(where, [dim](Iota op, Place&) -> std::optional<Iota> {
      if (dim >= std::ssize(op.shape)) return std::nullopt;
      op.dim = dim;
      return op;
    }));
    all.push_back(field<Reduce>(where, [dim](Reduce op, Place& p) -> std::optional<Reduce> {
      if (dim >= std::ssize(p.shape(p.operand(0))) || op.dims.size() != 1) return std::nullopt;
      op.dims = {dim};
      return op;
    }));
    for (const int64_t by : {-1, 1}) {
      const std::string moved = "moved by " + std::to_string(by) + " " + where;
      const auto d = static_cast<size_t>(dim);
      all.push_back(field<Slice>(moved, [d, by](Slice op, Place& p) -> std::optional<Slice> {
        if (d >= op.start.size() || op.start[d] + by < 0) return std::nullopt;
        if (op.limit[d] + by > p.shape(p.operand(0))[d]) return std::nullopt;
        op.start[d] += by;
        op.limit[d] += by;
        return op;
      }));
      all.push_back(field<Pad>(moved, [d, by](Pad op, Place&) -> std::optional<Pad> {
        if (d >= op.low.size() || op.low[d] + by < 0 || op.high[d] - by < 0) return std::nullopt;
        op.low[d] += by;
        op.high[d] -= by;
        return op;
      }));
    }
    all.push_back(field<Gather>(where, [dim](Gather op, Place&) {
      op.dim = dim;
      return std::optional(op);
    }));
    all.push_back(field<Gather>("batch " + std::to_string(dim), [dim](Gather op, Place&) {
      op.batch = dim;
      return std::optional(op);
    }));
    all.push_back(field<ScatterAdd>(where, [dim](ScatterAdd op, Place&) {
      op.dim = dim;
      return std::optional(op);
    }));
    all.push_back(field<ScatterAdd>("batch " + std::to_string(dim), [dim](ScatterAdd op, Place&) {
      op.batch = dim;
      return std::optional(op);
    }));
  }
  all.push_back(field<Reduce>("max in place of add", [](Reduce op, Place&) {
    if (op.op == Reducer::add) op.op = Reducer::max;
    return std::optional(op);
  }));
  const auto dot = [&](const std::string& did, std::vector<int64_t> DimPairs::*side, bool batch) {
    all.push_back(field<DotGeneral>(did, [side, batch](DotGeneral op, Place&) -> std::optional<DotGeneral> {
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
    all.push_back(field<DotGeneral>("another dimension of operand " + std::to_string(which) + " is summed",
                                    [=](DotGeneral op, Place& p) { return another_dim(op, p, which); }));
  }
  for (const Direction direction :
       {Direction::eq, Direction::ne, Direction::lt, Direction::le, Direction::gt, Direction::ge}) {
    all.push_back(
        field<Compare>("direction " + std::to_string(static_cast<int>(direction)), [direction](Compare op, Place&) {
          op.direction = direction;
          return std::optional(op);
        }));
  }
}

/// A collective over one axis of its tuple, over the tuple turned round, or over the other axes of the mesh.
template <class Op>
void add_groups(std::vector<Mistake>& all) {
  all.push_back(field<Op>("over the first axis only", [](Op op, Place&) -> std::optional<Op> {
    if (op.axis.axes.size() < 2) return std::nullopt;
    op.axis.axes.resize(1);
    return op;
  }));
  all.push_back(field<Op>("over the axes in another order", [](Op op, Place&) -> std::optional<Op> {
    if (std::is_same_v<Op, AllReduce>) return std::nullopt;  // sums are the same
    std::reverse(op.axis.axes.begin(), op.axis.axes.end());
    return op;
  }));
  all.push_back(field<Op>("over another axis", [](Op op, Place& p) -> std::optional<Op> {
    if (op.axis.axes.size() != 1 || p.mesh().axis_count() != 2) return std::nullopt;
    op.axis.axes[0] = AxisId(1 - op.axis.axes[0].index());
    return op;
  }));
}

template <class Op>
void add_dims(std::vector<Mistake>& all) {
  for (const int64_t dim : {0, 1}) {
    all.push_back(field<Op>("along " + std::to_string(dim), [dim](Op op, Place&) {
      op.dim = dim;
      return std::optional(op);
    }));
  }
}

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
  all.push_back(field<AllReduce>("max", [](AllReduce op, Place&) {
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
  all.push_back(field<AllToAll>("dims exchanged", [](AllToAll op, Place&) {
    std::swap(op.split_dim, op.concat_dim);
    return std::optional(op);
  }));
  all.push_back(field<CollectivePermute>("the other way", [](CollectivePermute op, Place&) {
    if (op.shift) op.shift = -*op.shift;
    for (IndexPair& pair : op.pairs) std::swap(pair.first, pair.second);
    return std::optional(op);
  }));
  all.push_back(
      field<CollectivePermute>("one further", [](CollectivePermute op, Place&) -> std::optional<CollectivePermute> {
        if (!op.shift) return std::nullopt;
        op.shift = *op.shift + 1;
        return op;
      }));
  all.push_back(field<CollectivePermute>("the last pair missing",
                                         [](CollectivePermute op, Place&) -> std::optional<CollectivePermute> {
                                           if (op.pairs.empty()) return std::nullopt;
                                           op.pairs.pop_back();
                                           return op;
                                         }));
  all.push_back(field<CollectivePermute>("in another order", [](CollectivePermute op, Place&) {
    if (op.order == PermuteOrder::tuple) op.order = PermuteOrder::mesh;
    return std::optional(op);
  }));
  all.push_back(field<ConvertState>("another owner", [](ConvertState op, Place&) -> std::optional<ConvertState> {
    if (!op.owner) return std::nullopt;
    op.owner = *op.owner == 0 ? 1 : 0;
    return op;
  }));
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = [] {
    std::vector<Mistake> list;
    add_results(list);
    add_operands(list);
    add_ops(list);
    add_shapes(list);
    add_collectives(list);
    return list;
  }();
  return all;
}

}  // namespace

namespace {

/// The function with `change` made to one of its results.
template <class Change>
void plant_in_result(Module& module, ProgramId function, size_t i, const std::string& what, const Change& change,
                     std::vector<Mutant>& mutants) {
  const Program original = module.program(function);  // a copy: the module grows
  DiagnosticSink sink;
  Builder out(module, "mutant", original.shared_mesh(), sink,
              BuilderOptions{ProgramKind::function, original.typed(), original.location()});
  std::vector<ValueId> arguments;
  for (const ValueId id : original.body().arguments) arguments.push_back(out.argument("", original.value(id).type));
  std::vector<ValueId> results = out.append(Call{function}, std::move(arguments), {});
  results[i] = change(out, results[i]);
  out.results(std::move(results));
  const std::optional<ProgramId> made = out.finish();
  if (made) mutants.push_back({*made, "result " + std::to_string(i) + ": " + what});
}

/// Wrong whatever the rule is.
void plant_in_results(Module& module, ProgramId function, std::vector<Mutant>& mutants) {
  const size_t results = module.program(function).body().results.size(),
               axes = module.program(function).mesh().axis_count();
  for (size_t i = 0; i < results; ++i) {
    plant_in_result(
        module, function, i, "negated", [](Builder& b, ValueId v) { return b.add_op(Negate{}, {v}); }, mutants);
    plant_in_result(
        module, function, i, "doubled",
        [](Builder& b, ValueId v) {
          return b.add_op(Add{}, {v, v});
        },
        mutants);
    plant_in_result(
        module, function, i, "lost",
        [](Builder& b, ValueId v) {
          const TensorType type = b.type(v).tensor;
          return b.add_op(Constant{Rational(0), type.dtype, type.shape}, {});
        },
        mutants);
    for (size_t axis = 0; axis < axes; ++axis) {
      plant_in_result(
          module, function, i, "all_reduce over axis " + std::to_string(axis),
          [axis](Builder& b, ValueId v) {
            return b.add_op(AllReduce{Group{{AxisId(axis)}}, std::nullopt}, {v});
          },
          mutants);
    }
  }
}

/// Values that an op, a region or the function reads.
std::vector<bool> read_values(const Program& program) {
  std::vector<bool> read(program.value_count(), false);
  const auto note = [&](const std::vector<ValueId>& values) {
    for (const ValueId v : values) read[v.index()] = true;
  };
  note(program.body().results);
  for (size_t i = 0; i < program.op_count(); ++i) {
    note(program.op(OpId(i)).operands);
    for (const Region& region : program.op(OpId(i)).regions) note(region.results);
  }
  return read;
}

}  // namespace

std::vector<Mutant> mutants_of(Module& module, ProgramId function) {
  std::vector<Mutant> result;
  plant_in_results(module, function, result);
  const Program original = module.program(function);  // a copy: the module grows
  const std::vector<bool> read = read_values(original);
  for (const OpId at : mutation::live_ops(original)) {
    const std::vector<ValueId>& results = original.op(at).results;
    for (const Mistake& mistake : mistakes()) {
      if (mistake.result && (*mistake.result >= results.size() || !read[results[*mistake.result].index()])) continue;
      const auto made = mutation::rewrite(module, function, "mutant", at, 1, mistake.apply);
      if (made) result.push_back({made->program, made->where + ": " + made->did});
    }
  }
  return result;
}

}  // namespace isoshard::autodiff
