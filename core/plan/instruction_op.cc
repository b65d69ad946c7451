#include "core/plan/instruction_op.h"

#include "core/plan/collective_names.h"

namespace isoshard {
namespace {

// Per kind of instruction: its word in the text, and the op that it comes from.

struct Words {
  std::string_view word, op;
};

Words words_of(const LoadBlock&) { return {"load", "view"}; }
Words words_of(const StoreBlock&) { return {"store", "return"}; }
Words words_of(const LocalOp& op) { return {op_name(op.op), op_name(op.op)}; }
Words words_of(const ScalarIndex&) { return {"index", AxisIndex::kName}; }
Words words_of(const TakeBlock&) { return {"take_block", SliceBlock::kName}; }
Words words_of(const PutBlock&) { return {"put_block", PlaceBlock::kName}; }
Words words_of(const KeepOn&) { return {"keep_on", ConvertState::kName}; }
Words words_of(const Collective& op) { return {name(op.kind), collective_op(op.kind)}; }
Words words_of(const Permute&) { return {"permute", CollectivePermute::kName}; }
Words words_of(const Send&) { return {"send", "send"}; }
Words words_of(const Recv&) { return {"recv", "recv"}; }

Words words_of(const InstructionData& data) {
  return std::visit([](const auto& d) { return words_of(d); }, data);
}

}  // namespace

std::string_view collective_op(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_reduce_max:
    case CollectiveKind::all_reduce_min:
      return AllReduce::kName;
    case CollectiveKind::all_gather:
      return AllGather::kName;
    case CollectiveKind::reduce_scatter:
      return ReduceScatter::kName;
    case CollectiveKind::all_to_all:
      return AllToAll::kName;
    case CollectiveKind::assert_equal:
      return AssertEqual::kName;
  }
  return "";
}

std::string_view instruction_op(const InstructionData& data, const Plan& plan) {
  const StoreBlock* store = std::get_if<StoreBlock>(&data);
  if (store != nullptr && plan.outputs[store->output].updates.valid()) return "update";
  return words_of(data).op;
}

std::string_view instruction_word(const InstructionData& data) { return words_of(data).word; }

std::optional<InstructionData> instruction_of(std::string_view word) {
  for (InstructionData data :
       {InstructionData(LoadBlock{}), InstructionData(StoreBlock{}), InstructionData(ScalarIndex{}),
        InstructionData(TakeBlock{}), InstructionData(PutBlock{}), InstructionData(KeepOn{}),
        InstructionData(Permute{}), InstructionData(Send{}), InstructionData(Recv{})}) {
    if (words_of(data).word == word) return data;
  }
  const std::optional<CollectiveKind> kind = parse_collective(word);
  if (kind) return Collective{*kind, {}, 0, 0};
  return std::nullopt;
}

}  // namespace isoshard
