// A maximum that n elements of a row share hands each of them 1/n of its derivative, and n is sum(x == max(x)) over
// the row: at least 1, since one of the elements is the maximum, also where that is infinite. NaN alone equals nothing,
// and whoever asks has to know that x has none. What has to be the case, and is looked at here: the elements compared
// are those that the maximum is of (one value, no copy of it, no maximum with a further bound, which may be above them
// all), each is compared with the maximum of its own row, and the sum is over all of the row, on all of its devices.
// How a maximum gets back to its rows, broadcasts and reshapes, is followed for each element. Cost: the elements that
// are compared, for each such sum.
#include "verify/facts/signs/maximum_counts.h"

#include <algorithm>

#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {

/// Elements of a value that one is made of: along `dims`, and on the devices of a communicator.
struct MaximumCounts::Row {
  PlanValueId of;
  Reducer by = Reducer::none;
  std::vector<int64_t> dims;
  std::vector<CommunicatorId> devices;
};

namespace {

Reducer reducer_over_devices(CollectiveKind kind) {
  if (kind == CollectiveKind::all_reduce) return Reducer::add;
  if (kind == CollectiveKind::all_reduce_max) return Reducer::max;
  return kind == CollectiveKind::all_reduce_min ? Reducer::min : Reducer::none;
}

template <class T>
bool has_all(const std::vector<T>& all, const std::vector<T>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](const T& t) { return std::find(all.begin(), all.end(), t) != all.end(); });
}

/// The element of what is broadcast that becomes the one at `index`.
std::vector<int64_t> before_broadcast(const BroadcastInDim& broadcast, const Shape& operand,
                                      const std::vector<int64_t>& index) {
  std::vector<int64_t> result;
  for (size_t d = 0; d < operand.size(); ++d) {
    result.push_back(operand[d] == 1 ? 0 : index[static_cast<size_t>(broadcast.dims[d])]);
  }
  return result;
}

}  // namespace

MaximumCounts::MaximumCounts(const Plan& plan)
    : plan_(plan), definitions_(definitions(plan)), counted_(plan.instructions.size()) {
  for (size_t i = 0; i < counted_.size(); ++i) counted_[i] = find(plan.instructions[i]);
}

std::optional<Instruction> MaximumCounts::maker(PlanValueId id) const {
  const InstructionId made = definitions_[id.index()];
  return made.valid() ? std::optional(plan_.instruction(made)) : std::nullopt;
}

/// What `i` is a sum, a maximum or a minimum of; none where it is neither.
std::optional<MaximumCounts::Row> MaximumCounts::reduced(const Instruction& i) const {
  if (const Reduce* reduce = op_of<Reduce>(i)) return Row{i.operands[0], reduce->op, reduce->dims, {}};
  const Collective* collective = std::get_if<Collective>(&i.data());
  const std::optional<Instruction> inner = collective == nullptr ? std::nullopt : maker(i.operands[0]);
  std::optional<Row> row = !inner ? std::nullopt : reduced(*inner);
  if (!row || row->by != reducer_over_devices(collective->kind)) return std::nullopt;
  row->devices.push_back(collective->communicator);
  return row;
}

std::optional<PlanValueId> MaximumCounts::find(const Instruction& i) const {
  const std::optional<Row> sum = reduced(i);
  if (!sum || sum->by != Reducer::add) return std::nullopt;
  std::optional<Instruction> made = maker(sum->of);
  while (made && is_one_of<Convert>(local_op(*made))) made = maker(made->operands[0]);
  const Compare* compare = !made ? nullptr : op_of<Compare>(*made);
  if (compare == nullptr || compare->direction != Direction::eq) return std::nullopt;
  for (const size_t n : {size_t{0}, size_t{1}}) {
    if (is_of_its_row(made->operands[n], made->operands[1 - n], *sum)) return made->operands[n];
  }
  return std::nullopt;
}

/// Whether each element of `spread` is the greatest, or the least, of some that `sum` adds up with that of `x`. Of
/// several communicators the devices that two orders of them reach may differ.
bool MaximumCounts::is_of_its_row(PlanValueId x, PlanValueId spread, const Row& sum) const {
  std::vector<Instruction> moves;
  std::optional<Instruction> made = maker(spread);
  for (; made && is_one_of<BroadcastInDim, Reshape>(local_op(*made)); made = maker(made->operands[0])) {
    moves.push_back(*made);
  }
  const std::optional<Row> row = !made ? std::nullopt : reduced(*made);
  if (!row || row->of != x || (row->by != Reducer::max && row->by != Reducer::min)) return false;
  return row->devices.size() <= 1 && has_all(sum.devices, row->devices) && has_all(sum.dims, row->dims) &&
         come_back(*row, moves);
}

/// Whether `moves`, last one first, bring what is made of a row to the elements of that row.
bool MaximumCounts::come_back(const Row& row, const std::vector<Instruction>& moves) const {
  const Shape& shape = plan_.value(row.of).type().shape;
  for (int64_t element = 0; element < element_count(shape); ++element) {
    const std::vector<int64_t> whole = unflatten(element, shape);
    std::vector<int64_t> index = whole, expected;
    for (const Instruction& move : moves) {
      const Shape &from = plan_.value(move.operands[0]).type().shape, &to = plan_.value(move.results[0]).type().shape;
      const BroadcastInDim* broadcast = op_of<BroadcastInDim>(move);
      index = broadcast != nullptr ? before_broadcast(*broadcast, from, index) : unflatten(flatten(index, to), from);
    }
    for (size_t d = 0; d < whole.size(); ++d) {
      if (!has_all(row.dims, {static_cast<int64_t>(d)})) expected.push_back(whole[d]);
    }
    if (index != expected) return false;
  }
  return true;
}

}  // namespace isoshard::verify
