// Collectives and messages as NCCL has them. NCCL cuts and joins buffers along their outermost dimension only, and adds
// in the dtype of the buffer: blocks along an inner dimension are packed before and unpacked behind, and a sum of
// narrow floats that is to be added in f32 is one of f32 between two conversions, in scratch memory of the stream. A
// permute is a send and a receive in one group; from nobody come zeros. Cost: a pass over the data for each copy.
#include <string>

#include "core/plan/calls/writing/rank_writer.h"
#include "core/support/check.h"

namespace isoshard::calls {
namespace {

using Kind = isoshard::CollectiveKind;

Collective::Kind kind_of(Kind kind) {
  if (kind == Kind::all_reduce_max) return Collective::Kind::all_reduce_max;
  if (kind == Kind::all_reduce_min) return Collective::Kind::all_reduce_min;
  return Collective::Kind::all_reduce_sum;
}

/// Whether the sum of a collective is one of f32 although its operands are narrower.
bool adds_in_f32(const isoshard::Collective& collective, DType dtype) {
  const bool sums = collective.kind == Kind::all_reduce || collective.kind == Kind::reduce_scatter;
  return sums && is_narrow(dtype) && !collective.adds_natively();
}

/// An array cut into `count` blocks along `dim`, with the number of the block as outermost dimension.
struct CutArray {
  Shape size;      ///< count, then the sizes of a block
  View whole;      ///< in the array
  View in_order;   ///< block after block
  bool outermost;  ///< both are the same
};

CutArray cut(Place whole, Place in_order, const TensorType& type, size_t dim, int64_t count) {
  Shape block = type.shape;
  block[dim] /= count;
  CutArray blocks{block, {whole, type.dtype, row_major(type.shape)}, {}, true};
  blocks.size.insert(blocks.size.begin(), count);
  blocks.whole.strides.insert(blocks.whole.strides.begin(), blocks.whole.strides[dim] * block[dim]);
  blocks.in_order = {in_order, type.dtype, row_major(blocks.size)};
  for (size_t d = 0; d < dim; ++d) blocks.outermost = blocks.outermost && type.shape[d] == 1;
  return blocks;
}

}  // namespace

Result<void> RankWriter::collective(const RankRun& run, const isoshard::Collective& collective) {
  if (element_count(plan_.value(run.instruction.operands[0]).type().shape) == 0) return {};
  switch (collective.kind) {
    case Kind::all_reduce:
    case Kind::all_reduce_max:
    case Kind::all_reduce_min:
      return reduce(run, collective);
    case Kind::reduce_scatter:
      return reduce_scatter(run, collective);
    case Kind::all_gather:
      return gather(run, collective);
    case Kind::all_to_all:
      return exchange(run, collective);
    case Kind::assert_equal:
      return failure("X-unsupported", run.instruction.location(),
                     "exec does not compare values between ranks yet; leave assert_equal out of what runs on devices");
  }
  internal_error("RankWriter", "a collective without calls", __FILE__, __LINE__);
}

Result<void> RankWriter::reduce(const RankRun& run, const isoshard::Collective& collective) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const int64_t count = element_count(from.type->shape);
  if (collective.kind != Kind::all_reduce && is_float(from.type->dtype)) return extreme(run, collective);
  Collective call{kind_of(collective.kind),
                  static_cast<uint32_t>(collective.communicator.index()),
                  from.type->dtype,
                  count,
                  from.place,
                  to.place};
  if (!adds_in_f32(collective, from.type->dtype)) {
    add(run, call);
    return {};
  }
  const TensorType wide{DType::f32, from.type->shape};
  call.dtype = DType::f32;
  call.send = call.receive = scratch(run, size_in_bytes(wide));
  if (const Result<void> widened = convert(run, from, {call.send, &wide}); !widened) return widened;
  add(run, call);
  return convert(run, {call.receive, &wide}, to);
}

/// NCCL's max and min pass over a nan, as fmaxf does; that of the language keeps it, so that ranks gather and look.
Result<void> RankWriter::extreme(const RankRun& run, const isoshard::Collective& collective) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  TensorType all = *from.type;
  all.shape.insert(all.shape.begin(), plan_.communicators[collective.communicator.index()].size(mesh_));
  const Held gathered{scratch(run, size_in_bytes(all)), &all};
  add(run, Collective{Collective::Kind::all_gather, static_cast<uint32_t>(collective.communicator.index()),
                      from.type->dtype, element_count(from.type->shape), from.place, gathered.place});
  const Reduce op{collective.kind == Kind::all_reduce_max ? Reducer::max : Reducer::min, {0}, {}};
  return compute(run, op, std::span(&gathered, 1), std::span(&to, 1));
}

Result<void> RankWriter::reduce_scatter(const RankRun& run, const isoshard::Collective& collective) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const int64_t members = plan_.communicators[collective.communicator.index()].size(mesh_);
  Collective call{Collective::Kind::reduce_scatter,
                  static_cast<uint32_t>(collective.communicator.index()),
                  from.type->dtype,
                  element_count(to.type->shape),
                  from.place,
                  to.place};
  const CutArray blocks = cut(from.place, 0, *from.type, static_cast<size_t>(collective.dim), members);
  if (!blocks.outermost) {
    View packed = blocks.in_order;
    packed.place = call.send = scratch(run, size_in_bytes(*from.type));
    if (const Result<void> moved = copy(run, blocks.size, blocks.whole, packed); !moved) return moved;
  }
  if (!adds_in_f32(collective, from.type->dtype)) {
    add(run, call);
    return {};
  }
  const TensorType wide{DType::f32, from.type->shape}, wide_block{DType::f32, to.type->shape};
  const Place narrow = call.send;
  call.dtype = DType::f32;
  call.send = scratch(run, size_in_bytes(wide));
  call.receive = scratch(run, size_in_bytes(wide_block));
  if (const Result<void> widened = convert(run, {narrow, from.type}, {call.send, &wide}); !widened) return widened;
  add(run, call);
  return convert(run, {call.receive, &wide_block}, to);
}

Result<void> RankWriter::gather(const RankRun& run, const isoshard::Collective& collective) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const int64_t members = plan_.communicators[collective.communicator.index()].size(mesh_);
  Collective call{Collective::Kind::all_gather,
                  static_cast<uint32_t>(collective.communicator.index()),
                  from.type->dtype,
                  element_count(from.type->shape),
                  from.place,
                  to.place};
  CutArray blocks = cut(to.place, 0, *to.type, static_cast<size_t>(collective.dim), members);
  if (blocks.outermost) {
    add(run, call);
    return {};
  }
  blocks.in_order.place = call.receive = scratch(run, size_in_bytes(*to.type));
  add(run, call);
  return copy(run, blocks.size, blocks.in_order, blocks.whole);
}

Result<void> RankWriter::exchange(const RankRun& run, const isoshard::Collective& collective) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const int64_t members = plan_.communicators[collective.communicator.index()].size(mesh_);
  Collective call{Collective::Kind::all_to_all,
                  static_cast<uint32_t>(collective.communicator.index()),
                  from.type->dtype,
                  element_count(from.type->shape) / members,
                  from.place,
                  to.place};
  CutArray sent = cut(from.place, 0, *from.type, static_cast<size_t>(collective.dim), members);
  if (!sent.outermost) {
    sent.in_order.place = call.send = scratch(run, size_in_bytes(*from.type));
    if (const Result<void> moved = copy(run, sent.size, sent.whole, sent.in_order); !moved) return moved;
  }
  CutArray received = cut(to.place, 0, *to.type, static_cast<size_t>(collective.concat_dim), members);
  if (!received.outermost) received.in_order.place = call.receive = scratch(run, size_in_bytes(*to.type));
  add(run, call);
  return received.outermost ? Result<void>() : copy(run, received.size, received.in_order, received.whole);
}

void RankWriter::messages(const RankRun& run) {
  const InstructionData& data = run.instruction.data();
  const Peers peers = peers_of(data);
  const auto member = [&](const Expr* peer) {
    return peer == nullptr ? -1 : peer->evaluate(mesh_, position_, run.iterations);
  };
  const int64_t target = member(peers.target), source = member(peers.source);
  const TensorType& type = plan_
                               .value(target >= 0 || run.instruction.results.empty() ? run.instruction.operands[0]
                                                                                     : run.instruction.results[0])
                               .type();
  Messages messages{static_cast<uint32_t>(communicator_of(data)->index()), type.dtype, {}};
  const int64_t count = element_count(type.shape);
  if (count == 0) return;
  if (target >= 0) messages.messages.push_back({true, target, count, held(run.instruction.operands[0], run).place});
  if (source >= 0) {
    messages.messages.push_back({false, source, count, held(run.instruction.results[0], run).place});
  } else if (peers.source != nullptr) {
    add(run, Fill{held(run.instruction.results[0], run).place, size_in_bytes(type), 0});
  }
  if (!messages.messages.empty()) add(run, std::move(messages));
}

}  // namespace isoshard::calls
