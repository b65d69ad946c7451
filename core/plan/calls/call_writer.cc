// What one instruction is on one rank when nothing depends on the rank any more: blocks are boxes, peers are numbers,
// values are places in the memory of the rank. Most are one kernel; what only renames is nothing; a part of a stack
// that is not made in its row is copied there right after. Cost: places are looked up through the loops around.
#include "core/plan/calls/call_writer.h"

#include <algorithm>

#include "core/plan/block_box.h"

namespace isoshard::calls {

Result<void> CallWriter::write(const RankRun& run) {
  scratch_used_ = 0;
  if (only_renames(run.instruction)) return {};
  const InstructionData& data = run.instruction.data();
  Result<void> written;
  if (const auto* load_block = std::get_if<LoadBlock>(&data)) written = load(run, *load_block);
  if (const auto* store_block = std::get_if<StoreBlock>(&data)) written = store(run, *store_block);
  if (const auto* op = std::get_if<LocalOp>(&data)) written = local(run, op->op);
  if (const auto* index = std::get_if<ScalarIndex>(&data)) scalar_index(run, *index);
  if (const auto* take = std::get_if<TakeBlock>(&data)) written = take_block(run, *take);
  if (const auto* put = std::get_if<PutBlock>(&data)) written = put_block(run, *put);
  if (const auto* keep = std::get_if<KeepOn>(&data)) written = keep_on(run, *keep);
  if (const auto* c = std::get_if<isoshard::Collective>(&data)) written = collective(run, *c);
  if (is_message(data)) messages(run);
  if (written) copies_of_rows(run);
  return written;
}

Held CallWriter::held(PlanValueId id, const RankRun& run) const {
  return {memory_.offset(id, run.iterations).value_or(0), &plan_.value(id).type()};
}

Place CallWriter::scratch(const RankRun& run, int64_t bytes) {
  const Place place = places_.scratch[run.stream] + scratch_used_;
  scratch_used_ += aligned(bytes);
  scratch_bytes_[run.stream] = std::max(scratch_bytes_[run.stream], scratch_used_);
  return place;
}

Result<void> CallWriter::copy(const RankRun& run, const Shape& size, const Layout& from, const Layout& to) {
  if (element_count(size) == 0) return {};
  const std::optional<Map> map = strided_copy(size, from, to);
  if (!map) {
    return failure("X-unsupported", run.instruction.location,
                   run.instruction.op() + " moves a block in more than " + std::to_string(kMostDims) +
                       " dimensions, which no kernel of exec does; join some of them with reshape");
  }
  add(run, *map);
  return {};
}

Result<void> CallWriter::local(const RankRun& run, const OpData& op) {
  std::vector<Held> operands, results;
  for (const PlanValueId id : run.instruction.operands) operands.push_back(held(id, run));
  for (const PlanValueId id : run.instruction.results) results.push_back(held(id, run));
  return compute(run, op, operands, results);
}

Result<void> CallWriter::convert(const RankRun& run, const Held& from, const Held& to) {
  return compute(run, Convert{to.type->dtype}, std::span(&from, 1), std::span(&to, 1));
}

Result<void> CallWriter::compute(const RankRun& run, const OpData& op, std::span<const Held> operands,
                                 std::span<const Held> results) {
  Result<LocalCalls> calls =
      local_calls(op, operands, results, scratch(run, 0), run.instruction.location, options_.products);
  if (!calls) return tl::unexpected(std::move(calls).error());
  scratch(run, calls->scratch_bytes);
  for (LocalCall& call : calls->calls) {
    std::visit([&](auto& what) { add(run, std::move(what)); }, call);
  }
  return {};
}

Result<void> CallWriter::load(const RankRun& run, const LoadBlock& load) {
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
  return copy(run, size, part_of(dense(box.place, whole.dtype, held_shape), begin),
              dense(result.place, whole.dtype, size));
}

Result<void> CallWriter::store(const RankRun& run, const StoreBlock& store) {
  const Held value = held(run.instruction.operands[0], run);
  HeldBox box{store.output, stored_box(plan_, store, position_, run.iterations), value.place};
  if (!run.iterations.empty()) {  // the next iteration may have the bytes of the value
    box.place = places_.stored + stored_bytes_;
    stored_bytes_ += aligned(size_in_bytes(*value.type));
    const Result<void> copied = copy(run, value.type->shape, dense(value.place, value.type->dtype, value.type->shape),
                                     dense(box.place, value.type->dtype, value.type->shape));
    if (!copied) return copied;
  }
  list_.outputs.push_back(std::move(box));
  return {};
}

Result<void> CallWriter::take_block(const RankRun& run, const TakeBlock& take) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const Shape& size = to.type->shape;
  std::vector<int64_t> begin(size.size(), 0);
  const auto dim = static_cast<size_t>(take.dim);
  begin[dim] = take.block.evaluate(mesh_, position_, run.iterations) * size[dim];
  return copy(run, size, part_of(dense(from.place, from.type->dtype, from.type->shape), begin),
              dense(to.place, to.type->dtype, size));
}

Result<void> CallWriter::put_block(const RankRun& run, const PutBlock& put) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  const Shape& size = from.type->shape;
  std::vector<int64_t> begin(size.size(), 0);
  const auto dim = static_cast<size_t>(put.dim);
  begin[dim] = put.block.evaluate(mesh_, position_, run.iterations) * size[dim];
  add(run, Fill{to.place, size_in_bytes(*to.type), 0});
  return copy(run, size, dense(from.place, from.type->dtype, size),
              part_of(dense(to.place, to.type->dtype, to.type->shape), begin));
}

Result<void> CallWriter::keep_on(const RankRun& run, const KeepOn& keep) {
  const Held from = held(run.instruction.operands[0], run), to = held(run.instruction.results[0], run);
  if (keep.index.evaluate(mesh_, position_, run.iterations) != keep.owner) {
    add(run, Fill{to.place, size_in_bytes(*to.type), 0});
    return {};
  }
  if (from.place == to.place) return {};
  const Shape& size = to.type->shape;
  return copy(run, size, dense(from.place, from.type->dtype, size), dense(to.place, to.type->dtype, size));
}

void CallWriter::scalar_index(const RankRun& run, const ScalarIndex& index) {
  const Held to = held(run.instruction.results[0], run);
  Map map = *strided_copy({}, Layout{}, dense(to.place, to.type->dtype, {}));
  map.compute = Compute::i64;
  map.inputs_used = 0;
  map.steps[0].b.from = From::number;
  map.steps[0].b.bits = static_cast<uint64_t>(index.value.evaluate(mesh_, position_, run.iterations));
  add(run, map);
}

void CallWriter::copies_of_rows(const RankRun& run) {
  for (const PlanValueId id : run.instruction.results) {
    const std::optional<int64_t> place = memory_.offset(id, run.iterations);
    if (!place) continue;
    for (const MemoryPlaces::Copy& row : memory_.copies(id, run.iterations)) {
      add(run, *strided_copy({row.bytes}, dense(*place + row.from, DType::u8, {row.bytes}),
                             dense(row.to, DType::u8, {row.bytes})));
    }
  }
}

}  // namespace isoshard::calls
