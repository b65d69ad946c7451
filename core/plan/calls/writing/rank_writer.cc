// What one instruction is on one rank when nothing depends on the rank any more: blocks are boxes, peers are numbers,
// values are places in the memory of the rank. Most are one kernel; what only renames is nothing; a part of a stack
// that is not made in its row is copied there right after. Cost: places are looked up through the loops around.
#include "core/plan/calls/writing/rank_writer.h"

#include <algorithm>

#include "core/plan/block_box.h"

namespace isoshard::calls {
namespace {

/// The part of an array that begins at these indices.
View part_of(const View& whole, const std::vector<int64_t>& begin) {
  int64_t elements = 0;
  for (size_t d = 0; d < begin.size(); ++d) elements += begin[d] * whole.strides[d];
  return moved(whole, elements);
}

}  // namespace

Result<void> RankWriter::write(const RankRun& run) {
  scratch_used_ = 0;
  if (only_renames(run.instruction)) return {};
  if (options_.fuse && rows_.of(run.id) != nullptr) {
    Result<void> held_back = row_member(run);
    return held_back ? copies_of_rows(run) : held_back;
  }
  Result<void> written;
  if (waits_are_touched(run)) written = write_waiting_rows();
  if (!written) return written;
  const InstructionData& data = run.instruction.data();
  if (const auto* load_block = std::get_if<LoadBlock>(&data)) written = load(run, *load_block);
  if (const auto* store_block = std::get_if<StoreBlock>(&data)) written = store(run, *store_block);
  if (const auto* op = std::get_if<LocalOp>(&data)) written = local(run, op->op);
  if (const auto* index = std::get_if<ScalarIndex>(&data)) written = scalar_index(run, *index);
  if (const auto* take = std::get_if<TakeBlock>(&data)) written = take_block(run, *take);
  if (const auto* put = std::get_if<PutBlock>(&data)) written = put_block(run, *put);
  if (const auto* keep = std::get_if<KeepOn>(&data)) written = keep_on(run, *keep);
  if (const auto* c = std::get_if<isoshard::Collective>(&data)) written = collective(run, *c);
  if (is_message(data)) messages(run);
  return written ? copies_of_rows(run) : written;
}

Result<void> RankWriter::record(const RankRun& run, uint32_t event) {
  Result<void> written = write_waiting_rows();
  if (written) add(run, Record{event});
  return written;
}

Held RankWriter::held(PlanValueId id, const RankRun& run) const {
  return {memory_.offset(id, run.iterations).value_or(0), &plan_.value(id).type()};
}

Place RankWriter::scratch(const RankRun& run, int64_t bytes) {
  const Place place = places_.scratch[run.stream] + scratch_used_;
  scratch_used_ += aligned(bytes);
  scratch_bytes_[run.stream] = std::max(scratch_bytes_[run.stream], scratch_used_);
  return place;
}

Result<void> RankWriter::add_calls(const RankRun& run, CallWriter writer) {
  if (!writer.refusal().empty()) {
    return failure("X-unsupported", run.instruction.location(),
                   "exec has no kernel for this " + run.instruction.op() + ": " + writer.refusal());
  }
  add_all(run, writer.take());
  return {};
}

void RankWriter::add_all(const RankRun& run, LocalCalls calls) {
  for (LocalCall& call : calls.calls) {
    std::visit([&](auto& what) { add(run, std::move(what)); }, call);
  }
}

Result<void> RankWriter::copy(const RankRun& run, const Shape& size, const View& from, const View& to) {
  CallWriter writer({}, {}, 0, Products::exact);
  writer.copy(size, from, to);
  return add_calls(run, std::move(writer));
}

Result<void> RankWriter::local(const RankRun& run, const OpData& op) {
  std::vector<Held> operands, results;
  for (const PlanValueId id : run.instruction.operands) operands.push_back(held(id, run));
  for (const PlanValueId id : run.instruction.results) results.push_back(held(id, run));
  Result<LocalCalls> calls = made(run, op, operands, results);
  if (!calls) return tl::unexpected(std::move(calls).error());
  if (calls->chain) {
    const PlanValueId result = run.instruction.results[0];
    const bool may_wait = memory_.copies(result, run.iterations).empty();
    fuser_.issue({run.stream, run.id}, std::move(*calls->chain), run.instruction.operands, result, results[0],
                 may_wait);
  } else if (!computes_terms(run, op, operands, results, *calls)) {
    fuser_.settle(run.instruction.operands);
    const auto* const product = calls->calls.size() == 1 ? std::get_if<Product>(&calls->calls[0]) : nullptr;
    if (product == nullptr) {
      add_all(run, std::move(*calls));
    } else {
      const PlanValueId result = run.instruction.results[0];
      const bool may_wait = memory_.copies(result, run.iterations).empty();
      fuser_.issue({run.stream, run.id}, *product, result, results[0], may_wait);
    }
  }
  return {};
}

bool RankWriter::computes_terms(const RankRun& run, const OpData& op, std::span<const Held> operands,
                                std::span<const Held> results, const LocalCalls& calls) {
  const auto* const reduce = std::get_if<Reduce>(&op);
  const auto* const call = calls.calls.empty() ? nullptr : std::get_if<Reduction>(&calls.calls[0]);
  if (reduce == nullptr || call == nullptr) return false;
  ReductionOf reduction{call->op, reduce->dims, operands[0], results[0], {}};
  if (call->chunks_apart != 0) reduction.chunks = call->output;
  if (!fuser_.issue({run.stream, run.id}, reduction, run.instruction.operands[0])) return false;
  if (call->chunks_apart != 0) add(run, std::get<JoinChunks>(calls.calls[1]));
  return true;
}

Result<void> RankWriter::convert(const RankRun& run, const Held& from, const Held& to) {
  return compute(run, Convert{to.type->dtype}, std::span(&from, 1), std::span(&to, 1));
}

Result<LocalCalls> RankWriter::made(const RankRun& run, const OpData& op, std::span<const Held> operands,
                                    std::span<const Held> results) {
  Result<LocalCalls> calls =
      local_calls(op, operands, results, scratch(run, 0), run.instruction.location(), options_.products);
  if (calls) scratch(run, calls->scratch_bytes);
  return calls;
}

Result<void> RankWriter::compute(const RankRun& run, const OpData& op, std::span<const Held> operands,
                                 std::span<const Held> results) {
  Result<LocalCalls> calls = made(run, op, operands, results);
  if (!calls) return tl::unexpected(std::move(calls).error());
  add_all(run, std::move(*calls));
  return {};
}

Result<void> RankWriter::load(const RankRun& run, const LoadBlock& load) {
  const HeldBox& box = *places_.globals[load.global.index()];
  const TensorType& whole = plan_.globals[load.global.index()].type;
  const IndexRange part = loaded_box(plan_, load, position_, run.iterations);
  Shape held_shape, size, begin;
  for (size_t d = 0; d < whole.shape.size(); ++d) {
    held_shape.push_back(box.range.end[d] - box.range.begin[d]);
    size.push_back(part.end[d] - part.begin[d]);
    begin.push_back(part.begin[d] - box.range.begin[d]);
  }
  const Held result = held(run.instruction.results[0], run);
  return copy(run, size, part_of({box.place, whole.dtype, row_major(held_shape)}, begin),
              {result.place, whole.dtype, row_major(size)});
}

Result<void> RankWriter::store(const RankRun& run, const StoreBlock& store) {
  const Held value = held(run.instruction.operands[0], run);
  HeldBox box{store.output, stored_box(plan_, store, position_, run.iterations), value.place};
  if (!run.iterations.empty()) {  // the next iteration may have the bytes of the value
    box.place = places_.stored + stored_bytes_;
    stored_bytes_ += aligned(size_in_bytes(*value.type));
    const Result<void> copied = copy(run, value.type->shape, view_of(value), view_of({box.place, value.type}));
    if (!copied) return copied;
  }
  list_.outputs.push_back(std::move(box));
  return {};
}

Result<void> RankWriter::take_block(const RankRun& run, const TakeBlock& take) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const Shape& size = to.type->shape;
  std::vector<int64_t> begin(size.size(), 0);
  const auto dim = static_cast<size_t>(take.dim);
  begin[dim] = take.block.evaluate(mesh_, position_, run.iterations) * size[dim];
  return copy(run, size, part_of(view_of(from), begin), view_of(to));
}

Result<void> RankWriter::put_block(const RankRun& run, const PutBlock& put) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const Shape& size = from.type->shape;
  std::vector<int64_t> begin(size.size(), 0);
  const auto dim = static_cast<size_t>(put.dim);
  begin[dim] = put.block.evaluate(mesh_, position_, run.iterations) * size[dim];
  add(run, Fill{to.place, size_in_bytes(*to.type), 0});
  return copy(run, size, view_of(from), part_of(view_of(to), begin));
}

Result<void> RankWriter::keep_on(const RankRun& run, const KeepOn& keep) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  if (keep.index.evaluate(mesh_, position_, run.iterations) != keep.owner) {
    add(run, Fill{to.place, size_in_bytes(*to.type), 0});
    return {};
  }
  if (from.place == to.place) return {};
  const Shape& size = to.type->shape;
  return copy(run, size, view_of(from), view_of(to));
}

Result<void> RankWriter::scalar_index(const RankRun& run, const ScalarIndex& index) {
  CallWriter writer({}, {}, 0, Products::exact);
  writer.fill(held(run.instruction.results[0], run),
              static_cast<uint64_t>(index.value.evaluate(mesh_, position_, run.iterations)));
  return add_calls(run, std::move(writer));
}

Result<void> RankWriter::copies_of_rows(const RankRun& run) {
  for (const PlanValueId id : run.instruction.results) {
    const std::optional<int64_t> place = memory_.offset(id, run.iterations);
    if (!place) continue;
    for (const MemoryPlaces::Copy& row : memory_.copies(id, run.iterations)) {
      const View from{*place + row.from, DType::u8, {1}}, to{row.to, DType::u8, {1}};
      if (Result<void> copied = copy(run, {row.bytes}, from, to); !copied) return copied;
    }
  }
  return {};
}

}  // namespace isoshard::calls
