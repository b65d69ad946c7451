// How one element of a value came about: from which elements of which values, on which device. Ops that only move
// elements are run on the elements' own numbers (an i64 tensor 0, 1, 2, ... in place of the data), so that what an op
// moves where is said in one place, the kernels of sim, and not a second time here; results are kept per instruction
// and device. Sums, dots and collectives list their terms. Selects on floats are copies only where the element is one
// of both sides: in a ring a predicate may say something else in each lane. Needs a trace with values and no loops.
// Costs one evaluation per movement and device that is asked about, and the number of terms per sum.
#include "verify/evidence/element_sources.h"

#include <algorithm>

#include "sim/evaluate/evaluate.h"
#include "sim/integers/integer_ops.h"
#include "sim/value/new_value.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/moved_dims.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

/// A place of operand k is k * kOperand + its index.
constexpr int64_t kOperand = int64_t{1} << 40;

sim::Value numbered(const Shape& shape, int64_t first) {
  sim::NewValue result(TensorType{DType::i64, shape}, sim::Storage{sizeof(int64_t), 1});
  for (int64_t i = 0; i < result.size(); ++i) result.elements<int64_t>()[i] = first + i;
  return std::move(result).finish();
}

int64_t index_of(const sim::Value& value, int64_t i) {
  int64_t index = 0;
  const size_t at = static_cast<size_t>(i) * info(value.type.dtype).bytes;
  sim::integer::widen_indices(value.type.dtype, 1, value.data.get() + at, &index);
  return index;
}

/// Which index a gather takes for the element at `at` of its result.
int64_t chooser(const Gather& gather, const std::vector<int64_t>& at, const Shape& ids) {
  std::vector<int64_t> index(ids.size());
  const size_t batch = static_cast<size_t>(gather.batch), dim = static_cast<size_t>(gather.dim);
  for (size_t d = 0; d < ids.size(); ++d) index[d] = at[d < batch ? d : d - batch + dim];
  return flatten(index, ids);
}

Made copy(const Element& from) { return Made{Made::How::copied, {from}}; }

}  // namespace

ElementSources::ElementSources(const Plan& plan, const Trace& trace, const Fingerprinter& fingerprinter,
                               const sim::Domain& domain)
    : plan_(plan),
      trace_(trace),
      fingerprinter_(fingerprinter),
      domain_(domain),
      makers_(definitions(plan)),
      constant_(made_without_inputs(plan)) {}

Made ElementSources::made(const Element& e) {
  const Instruction& i = plan_.instruction(maker(e.value));
  if (std::holds_alternative<LoadBlock>(i.data())) return Made{Made::How::loaded};
  if (const LocalOp* local = std::get_if<LocalOp>(&i.data())) return by_local(i, local->op, e);
  if (const Collective* c = std::get_if<Collective>(&i.data())) return held(by_collective(i, *c, e));
  if (const Permute* permute = std::get_if<Permute>(&i.data())) return held(by_permute(i, *permute, e));
  if (const TakeBlock* take = std::get_if<TakeBlock>(&i.data())) return by_take(i, *take, e);
  if (const PutBlock* put = std::get_if<PutBlock>(&i.data())) return by_put(i, *put, e);
  if (const KeepOn* keep = std::get_if<KeepOn>(&i.data())) {
    const bool owner = keep->index.evaluate(*plan_.mesh, e.position, {}) == keep->owner;
    return owner ? copy({i.operands[0], e.position, e.index}) : Made{Made::How::zero};
  }
  return {};
}

/// Nothing where another rank group, which has instructions of its own, brings some of the elements.
Made ElementSources::held(Made made) const {
  const auto is_held = [&](const Element& from) { return trace_.holds(from.value, from.position); };
  return std::all_of(made.from.begin(), made.from.end(), is_held) ? std::move(made) : Made{};
}

Made ElementSources::by_local(const Instruction& i, const OpData& op, const Element& e) {
  if (std::holds_alternative<StopGradient>(op)) return copy({i.operands[0], e.position, e.index});
  if (op_facts(op).kind == OpClass::movement) return by_movement(i, op, e, 0, i.operands.size());
  if (std::holds_alternative<DynamicSlice>(op)) return by_movement(i, op, e, 0, 1);
  if (std::holds_alternative<DynamicUpdateSlice>(op)) return by_movement(i, op, e, 0, 2);
  if (const Gather* gather = std::get_if<Gather>(&op)) {
    Made result = by_movement(i, op, e, 0, 1);
    const PlanValueId ids = i.operands[1];
    result.chosen_by = Element{ids, e.position, chooser(*gather, unflatten(e.index, shape(e.value)), shape(ids))};
    return result;
  }
  if (std::holds_alternative<Select>(op)) return by_select(i, op, e);
  if (const Reduce* reduce = std::get_if<Reduce>(&op)) return by_reduce(i, *reduce, e);
  if (const DotGeneral* dot = std::get_if<DotGeneral>(&op)) return by_dot(i, *dot, e);
  if (const ScatterAdd* scatter = std::get_if<ScatterAdd>(&op)) return by_scatter(i, *scatter, e);
  Made result;
  if (std::holds_alternative<RngBits>(op)) return result;
  for (const PlanValueId id : i.operands) {
    if (shape(id) != shape(e.value)) return Made{};
    result.from.push_back({id, e.position, e.index});
  }
  if (std::holds_alternative<Add>(op)) result.how = Made::How::summed;
  return result;
}

/// Per element of the result of a movement on a device, the place that it comes from.
std::vector<int64_t> ElementSources::places(const Instruction& i, const OpData& op, int64_t position, size_t first_data,
                                            size_t data) {
  std::vector<sim::Value> operands;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    const bool moved = k >= first_data && k < first_data + data;
    operands.push_back(moved ? numbered(shape(i.operands[k]), static_cast<int64_t>(k) * kOperand)
                             : trace_.value(i.operands[k], position));
  }
  const TensorType type{DType::i64, shape(i.results[0])};
  const sim::Value result = sim::evaluate(op, operands, type, domain_);
  const std::span<const int64_t> found = result.plane<int64_t>(0);
  return {found.begin(), found.end()};
}

Made ElementSources::by_movement(const Instruction& i, const OpData& op, const Element& e, size_t first_data,
                                 size_t data) {
  std::vector<int64_t>& known = places_[{i.id, e.position}];
  if (known.empty()) known = places(i, op, e.position, first_data, data);
  const int64_t place = known[static_cast<size_t>(e.index)];
  return copy({i.operands[static_cast<size_t>(place / kOperand)], e.position, place % kOperand});
}

/// In exact rings a predicate of floats says something else in each lane: then nothing is copied.
Made ElementSources::by_select(const Instruction& i, const OpData& op, const Element& e) {
  Made result = by_movement(i, op, e, 1, 2);
  if (of(result.from[0]) != of(e)) return {};
  result.chosen_by = Element{i.operands[0], e.position, shape(i.operands[0]).empty() ? 0 : e.index};
  return result;
}

Made ElementSources::by_collective(const Instruction& i, const Collective& c, const Element& e) const {
  const Communicator& over = plan_.communicators[c.communicator.index()];
  if (!over.includes(e.position)) return {};
  const int64_t own = over.index_in(*plan_.mesh, e.position), size = over.size(*plan_.mesh);
  const Shape& local = shape(i.operands[0]);
  std::vector<int64_t> at = unflatten(e.index, shape(e.value));
  const size_t dim = static_cast<size_t>(c.dim), grown = static_cast<size_t>(c.concat_dim);
  const auto from = [&](int64_t member) {
    return Element{i.operands[0], over.member(*plan_.mesh, e.position, member), flatten(at, local)};
  };
  if (c.kind == CollectiveKind::assert_equal) return copy(from(own));
  if (c.kind == CollectiveKind::all_gather) {
    const int64_t member = at[dim] / local[dim];
    at[dim] %= local[dim];
    return copy(from(member));
  }
  if (c.kind == CollectiveKind::all_to_all) {
    const int64_t part = local[dim] / size, extent = grown == dim ? part : local[grown];
    const int64_t member = at[grown] / extent;
    at[grown] %= extent;
    at[dim] += own * part;
    return copy(from(member));
  }
  if (c.kind == CollectiveKind::reduce_scatter) at[dim] += own * shape(e.value)[dim];
  if (c.kind != CollectiveKind::reduce_scatter && c.kind != CollectiveKind::all_reduce) return {};
  Made result{Made::How::summed};
  for (int64_t member = 0; member < size; ++member) result.from.push_back(from(member));
  return result;
}

Made ElementSources::by_permute(const Instruction& i, const Permute& permute, const Element& e) const {
  const int64_t member = permute.source.evaluate(*plan_.mesh, e.position, {});
  if (member < 0) return Made{Made::How::zero};
  const Communicator& over = plan_.communicators[permute.communicator.index()];
  if (!over.includes(e.position)) return {};
  return copy({i.operands[0], over.member(*plan_.mesh, e.position, member), e.index});
}

Made ElementSources::by_take(const Instruction& i, const TakeBlock& take, const Element& e) const {
  std::vector<int64_t> at = unflatten(e.index, shape(e.value));
  const size_t dim = static_cast<size_t>(take.dim);
  at[dim] += take.block.evaluate(*plan_.mesh, e.position, {}) * shape(e.value)[dim];
  return copy({i.operands[0], e.position, flatten(at, shape(i.operands[0]))});
}

Made ElementSources::by_put(const Instruction& i, const PutBlock& put, const Element& e) const {
  std::vector<int64_t> at = unflatten(e.index, shape(e.value));
  const Shape& local = shape(i.operands[0]);
  const size_t dim = static_cast<size_t>(put.dim);
  at[dim] -= put.block.evaluate(*plan_.mesh, e.position, {}) * local[dim];
  if (at[dim] < 0 || at[dim] >= local[dim]) return Made{Made::How::zero};
  return copy({i.operands[0], e.position, flatten(at, local)});
}

namespace {

Shape sizes_of(const Shape& whole, const std::vector<int64_t>& dims) {
  Shape result;
  for (const int64_t d : dims) result.push_back(whole[static_cast<size_t>(d)]);
  return result;
}

/// The n-th of the elements along `dims` of an operand of which dimension d stands at where[d] of a result, for the
/// result's element at `at`.
int64_t nth_along(int64_t n, const std::vector<int64_t>& dims, const Shape& whole, const std::vector<int64_t>& where,
                  const std::vector<int64_t>& at) {
  const std::vector<int64_t> summed = unflatten(n, sizes_of(whole, dims));
  std::vector<int64_t> index(whole.size());
  for (size_t d = 0; d < whole.size(); ++d) index[d] = where[d] < 0 ? 0 : at[static_cast<size_t>(where[d])];
  for (size_t k = 0; k < dims.size(); ++k) index[static_cast<size_t>(dims[k])] = summed[k];
  return flatten(index, whole);
}

}  // namespace

Made ElementSources::by_reduce(const Instruction& i, const Reduce& reduce, const Element& e) const {
  if (reduce.op != Reducer::add) return {};
  const Shape& whole = shape(i.operands[0]);
  const std::vector<int64_t> at = unflatten(e.index, shape(e.value)), where = without(whole.size(), reduce.dims, 0);
  Made result{Made::How::summed};
  for (int64_t n = 0; n < element_count(sizes_of(whole, reduce.dims)); ++n) {
    result.from.push_back({i.operands[0], e.position, nth_along(n, reduce.dims, whole, where, at)});
  }
  return result;
}

Made ElementSources::by_dot(const Instruction& i, const DotGeneral& dot, const Element& e) const {
  const std::vector<int64_t> at = unflatten(e.index, shape(e.value));
  const Shape &left = shape(i.operands[0]), &right = shape(i.operands[1]);
  const auto batch = static_cast<int64_t>(dot.batch.lhs.size());
  const std::vector<int64_t> where = dot_dims(left.size(), dot.contract.lhs, dot.batch.lhs, batch);
  const auto free = static_cast<int64_t>(left.size() - dot.contract.lhs.size());
  const std::vector<int64_t> other = dot_dims(right.size(), dot.contract.rhs, dot.batch.rhs, free);
  Made result{Made::How::dotted};
  for (int64_t n = 0; n < element_count(sizes_of(left, dot.contract.lhs)); ++n) {
    result.products.push_back({Element{i.operands[0], e.position, nth_along(n, dot.contract.lhs, left, where, at)},
                               Element{i.operands[1], e.position, nth_along(n, dot.contract.rhs, right, other, at)}});
  }
  return result;
}

/// The element itself and all updates that are added to it.
Made ElementSources::by_scatter(const Instruction& i, const ScatterAdd& scatter, const Element& e) {
  const PlanValueId x = i.operands[0], ids = i.operands[1], updates = i.operands[2];
  std::vector<int64_t>& target = places_[{i.id, e.position}];
  const Gather gather{scatter.dim, scatter.batch};
  if (target.empty()) {
    const std::vector<sim::Value> operands{numbered(shape(x), 0), trace_.value(ids, e.position)};
    const sim::Value result = sim::evaluate(gather, operands, TensorType{DType::i64, shape(updates)}, domain_);
    target.assign(result.plane<int64_t>(0).begin(), result.plane<int64_t>(0).end());
  }
  Made result{Made::How::summed, {{x, e.position, e.index}}};
  for (int64_t u = 0; u < static_cast<int64_t>(target.size()); ++u) {
    if (target[static_cast<size_t>(u)] != e.index) continue;
    const int64_t id = chooser(gather, unflatten(u, shape(updates)), shape(ids));
    const int64_t n = index_of(trace_.value(ids, e.position), id);
    if (n < 0 || n >= shape(x)[static_cast<size_t>(scatter.dim)]) continue;
    result.from.push_back({updates, e.position, u});
  }
  return result;
}

std::vector<int64_t> ElementSources::place_in_global(const Element& loaded) const {
  const LoadBlock& load = std::get<LoadBlock>(plan_.instruction(maker(loaded.value)).data());
  const Shape& whole = plan_.globals[load.global.index()].type.shape;
  Shape block;
  std::vector<int64_t> begin;
  for (size_t d = 0; d < whole.size(); ++d) {
    const int64_t size = (whole[d] + load.count[d] - 1) / load.count[d];
    begin.push_back(load.block[d].evaluate(*plan_.mesh, loaded.position, {}) * size +
                    (load.start.empty() ? 0 : load.start[d]));
    block.push_back(load.size.empty() ? size : load.size[d]);
  }
  std::vector<int64_t> result = unflatten(loaded.index, block);
  for (size_t d = 0; d < result.size(); ++d) result[d] += begin[d];
  return result;
}

std::optional<Element> ElementSources::stored(size_t output, const std::vector<int64_t>& whole,
                                              int64_t position) const {
  const Shape& sizes = plan_.outputs[output].type.shape;
  for (const Instruction& i : plan_.instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
    if (store == nullptr || store->output != output) continue;
    Shape block;
    std::vector<int64_t> at = whole;
    bool inside = true;
    for (size_t d = 0; d < sizes.size(); ++d) {
      block.push_back((sizes[d] + store->count[d] - 1) / store->count[d]);
      at[d] -= store->block[d].evaluate(*plan_.mesh, position, {}) * block[d];
      inside = inside && at[d] >= 0 && at[d] < block[d];
    }
    if (inside) return Element{i.operands[0], position, flatten(at, block)};
  }
  return std::nullopt;
}

}  // namespace isoshard::verify
