// The k largest of all are among the k largest of each block: top_k of what a concatenation or an all_gather makes of
// top_k of blocks is top_k of the blocks' elements. Both take larger elements first, and of equal ones the one that
// stands first; so do the blocks, which stay in their order, and so of two candidates that are equal the first one is
// the one that stands first among all elements. That holds of any order of floats, nan and zeros among it, so that the
// values are the same bit by bit; it needs no fewer candidates of a block than are asked for, or the whole block.
//
// The index among candidates, p, is a function of all choices, of which rings know little. Used to look up what each
// block says of its candidates, f(index in the block), it finds what f says of the element chosen: gather(f(i), p) is
// gather(f(iota), j) with f(iota) of all elements of all blocks and j the place among them. f may be any elementwise
// function, such as the addition of where a block begins. Other uses of p stay what they are.
//
// Alternatives: an order of candidates in the domain of integers, where an index would have to read choices of blocks
// at the entries of others. Costs a walk over the Plan, and instructions for each such top_k.
#include "verify/abstraction/merged_top_k.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "verify/abstraction/plan_insertions.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

using Ids = std::vector<PlanValueId>;

/// How candidates are put together: a top_k, or what joins others along their last dimension.
struct Candidates {
  Instruction made;
  std::vector<Candidates> blocks{};  ///< none of a top_k
};

/// Indices are i32.
bool holds_places(DType dtype) {
  return dtype == DType::i32 || dtype == DType::u32 || dtype == DType::i64 || dtype == DType::u64;
}

class Merger {
 public:
  explicit Merger(const Plan& plan) : plan_(plan), definitions_(definitions(plan)), insertions_(plan) {}

  std::optional<Plan> run() {
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      const TopK* top_k = op_of<TopK>(plan_.instructions[i]);
      if (top_k != nullptr) merge(InstructionId(i), top_k->k);
    }
    return merged_ ? std::optional(std::move(insertions_).finish()) : std::nullopt;
  }

 private:
  std::optional<Instruction> maker(PlanValueId id) const {
    const InstructionId made = definitions_[id.index()];
    return made.valid() ? std::optional(plan_.instruction(made)) : std::nullopt;
  }
  const TensorType& type(PlanValueId id) const { return insertions_.plan().value(id).type(); }
  std::string name(PlanValueId id) const { return plan_.value(id).name() + ".of_all"; }

  void merge(InstructionId at, int64_t k) {
    const Instruction& i = plan_.instruction(at);
    const std::optional<Candidates> candidates = candidates_of(i.operands[0], k);
    if (!candidates || candidates->blocks.empty()) return;
    merged_ = true;
    insertions_.begin(at);
    const Ids all = {all_of(*candidates)};
    const PlanValueId place = insertions_.new_value(type(i.results[1]), name(i.results[1]));
    insertions_.add_for(LocalOp{TopK{k}}, all, {i.results[0], place});
    insertions_.rename_result(at, 0);
    for (size_t n = 0; n < plan_.instructions.size(); ++n) {
      const Gather* gather = op_of<Gather>(plan_.instructions[n]);
      if (gather != nullptr) look_up(InstructionId(n), *gather, i, *candidates, place);
    }
  }

  /// Those of which `k` are taken, each block's largest ones.
  std::optional<Candidates> candidates_of(PlanValueId id, int64_t k) const {
    const std::optional<Instruction> made = maker(id);
    if (!made) return std::nullopt;
    if (const TopK* top_k = op_of<TopK>(*made)) {
      const bool enough = top_k->k >= std::min(k, type(made->operands[0]).shape.back());
      return enough && made->results[0] == id ? std::optional(Candidates{*made}) : std::nullopt;
    }
    if (!joins_last(*made)) return std::nullopt;
    Candidates result{*made};
    for (const PlanValueId block : made->operands) {
      std::optional<Candidates> of_block = candidates_of(block, k);
      if (!of_block) return std::nullopt;
      result.blocks.push_back(std::move(*of_block));
    }
    return result;
  }

  bool joins_last(const Instruction& i) const {
    const int64_t last = std::ssize(type(i.results[0]).shape) - 1;
    if (const Concatenate* concatenate = op_of<Concatenate>(i)) return concatenate->dim == last;
    const Collective* collective = std::get_if<Collective>(&i.data());
    return collective != nullptr && collective->kind == CollectiveKind::all_gather && collective->dim == last;
  }

  /// All elements of the blocks of which there are `candidates`.
  PlanValueId all_of(const Candidates& candidates) {
    if (candidates.blocks.empty()) return candidates.made.operands[0];
    Ids blocks;
    for (const Candidates& block : candidates.blocks) blocks.push_back(all_of(block));
    return joined(candidates.made, blocks);
  }

  /// `blocks` joined as `joins` does its operands, of which each has fewer elements.
  PlanValueId joined(const Instruction& joins, const Ids& blocks) {
    TensorType all = type(blocks[0]);
    all.shape.back() = 0;
    for (const PlanValueId block : blocks) all.shape.back() += type(block).shape.back();
    if (std::holds_alternative<Collective>(joins.data())) {
      all.shape.back() *= type(joins.results[0]).shape.back() / type(joins.operands[0]).shape.back();
    }
    return insertions_.add(joins.data(), blocks, all, name(joins.results[0]));
  }

  /// A lookup, at the place among candidates, of what blocks say of theirs.
  void look_up(InstructionId at, const Gather& gather, const Instruction& chosen, const Candidates& candidates,
               PlanValueId place) {
    const Instruction& i = plan_.instruction(at);
    const PlanValueId result = i.results[0];
    const TensorType &table = type(i.operands[0]), &ids = type(i.operands[1]);
    const int64_t last = std::ssize(table.shape) - 1;
    const bool by_row = gather.dim == last && gather.batch == last &&
                        std::equal(table.shape.begin(), table.shape.end() - 1, ids.shape.begin());
    if (!by_row || done_.count(at) != 0 || table.shape != type(chosen.operands[0]).shape ||
        !is_place(i.operands[1], chosen) || !says_alike(i.operands[0], candidates)) {
      return;
    }
    done_.insert(at);
    insertions_.begin(at);
    insertions_.rename_result(at, 0);
    if (are_candidates(i.operands[0], candidates)) {  // what is chosen of them is known already
      return insertions_.add_for(LocalOp{Reshape{ids.shape}}, {chosen.results[0]}, {result});
    }
    const PlanValueId all = said(i.operands[0], candidates);
    if (type(place).shape != ids.shape) {
      place = insertions_.add(Reshape{ids.shape}, {place}, {type(place).dtype, ids.shape}, name(i.operands[1]));
    }
    insertions_.add_for(LocalOp{gather}, {all, place}, {result});
  }

  /// Whether `id` is the index that `chosen` makes, in another shape or behind bounds that it keeps.
  bool is_place(PlanValueId id, const Instruction& chosen) const {
    if (id == chosen.results[1]) return true;
    const std::optional<Instruction> made = maker(id);
    if (!made) return false;
    if (is_one_of<Reshape>(local_op(*made))) return is_place(made->operands[0], chosen);
    if (const Convert* convert = op_of<Convert>(*made)) {
      return holds_places(convert->dtype) && is_place(made->operands[0], chosen);
    }
    const int64_t most = type(chosen.operands[0]).shape.back() - 1;
    for (size_t n = 0; n < 2 && is_one_of<Maximum, Minimum>(local_op(*made)); ++n) {
      const std::optional<int64_t> bound = number(made->operands[1 - n]);
      const bool keeps = bound && (is_one_of<Maximum>(local_op(*made)) ? *bound <= 0 : *bound >= most);
      if (keeps && is_place(made->operands[n], chosen)) return true;
    }
    return is_one_of<Select>(local_op(*made)) && is_negative(made->operands[0], chosen) &&
           is_place(made->operands[2], chosen);
  }

  /// Whether it asks if the index that `chosen` makes is below 0.
  bool is_negative(PlanValueId id, const Instruction& chosen) const {
    const std::optional<Instruction> made = maker(id);
    const Compare* compare = !made ? nullptr : op_of<Compare>(*made);
    return compare != nullptr && compare->direction == Direction::lt && is_place(made->operands[0], chosen) &&
           number(made->operands[1]) == std::optional<int64_t>(0);
  }

  /// The integer that all elements of `id` are.
  std::optional<int64_t> number(PlanValueId id) const {
    const std::optional<Instruction> made = maker(id);
    if (made && is_one_of<BroadcastInDim, Reshape>(local_op(*made))) return number(made->operands[0]);
    const Constant* constant = !made ? nullptr : op_of<Constant>(*made);
    if (constant == nullptr || !is_integer(constant->dtype) || !constant->value.is_integer()) return std::nullopt;
    return static_cast<int64_t>(std::clamp(constant->value.to_double(), -0x1p40, 0x1p40));
  }

  /// Whether `id` joins, as `candidates` does, functions of each block's indices or values.
  bool says_alike(PlanValueId id, const Candidates& candidates) const {
    if (candidates.blocks.empty()) return is_said_of(id, candidates.made);
    const std::optional<Instruction> made = maker(id);
    if (!made || !joins_last(*made) || made->data().index() != candidates.made.data().index()) return false;
    const Collective* own = std::get_if<Collective>(&made->data());
    if (own != nullptr && own->communicator != std::get<Collective>(candidates.made.data()).communicator) return false;
    if (made->operands.size() != candidates.blocks.size()) return false;
    for (size_t b = 0; b < candidates.blocks.size(); ++b) {
      if (!says_alike(made->operands[b], candidates.blocks[b])) return false;
    }
    return true;
  }

  /// Whether `id`, which joins as they do, is made of the candidates themselves.
  bool are_candidates(PlanValueId id, const Candidates& candidates) const {
    if (candidates.blocks.empty()) return id == candidates.made.results[0];
    for (size_t b = 0; b < candidates.blocks.size(); ++b) {
      if (!are_candidates(maker(id)->operands[b], candidates.blocks[b])) return false;
    }
    return true;
  }

  bool is_said_of(PlanValueId id, const Instruction& top_k) const {
    if (id == top_k.results[0] || id == top_k.results[1]) return true;
    const std::optional<Instruction> made = maker(id);
    const LocalOp* local = !made ? nullptr : local_op(*made);
    if (local == nullptr || type(id).shape != type(top_k.results[0]).shape) return false;
    if (is_one_of<Constant>(local)) return true;
    if (const BroadcastInDim* broadcast = std::get_if<BroadcastInDim>(&local->op)) {
      const int64_t last = std::ssize(broadcast->shape) - 1;
      return std::find(broadcast->dims.begin(), broadcast->dims.end(), last) == broadcast->dims.end();
    }
    if (!op_facts(local->op).elementwise) return false;
    return std::all_of(made->operands.begin(), made->operands.end(),
                       [&](PlanValueId operand) { return is_said_of(operand, top_k); });
  }

  PlanValueId said(PlanValueId id, const Candidates& candidates) {
    if (candidates.blocks.empty()) return said_of(id, candidates.made);
    const Instruction joins = *maker(id);
    Ids blocks;
    for (size_t b = 0; b < candidates.blocks.size(); ++b) {
      blocks.push_back(said(joins.operands[b], candidates.blocks[b]));
    }
    return joined(joins, blocks);
  }

  /// What an elementwise function says of all elements of a block.
  PlanValueId said_of(PlanValueId id, const Instruction& top_k) {
    if (id == top_k.results[0]) return top_k.operands[0];
    TensorType all = type(id);
    all.shape = type(top_k.operands[0]).shape;
    if (id == top_k.results[1]) {
      return insertions_.add(Iota{all.dtype, all.shape, std::ssize(all.shape) - 1}, {}, all, name(id));
    }
    const Instruction made = *maker(id);
    OpData op = local_op(made)->op;
    if (Constant* constant = std::get_if<Constant>(&op)) constant->shape = all.shape;
    Ids operands;
    if (BroadcastInDim* broadcast = std::get_if<BroadcastInDim>(&op)) {
      broadcast->shape = all.shape;
      operands.push_back(made.operands[0]);
    } else {
      for (const PlanValueId operand : made.operands) operands.push_back(said_of(operand, top_k));
    }
    return insertions_.add(std::move(op), operands, all, name(id));
  }

  const Plan& plan_;
  std::vector<InstructionId> definitions_;
  PlanInsertions insertions_;
  std::set<InstructionId> done_;  ///< lookups
  bool merged_ = false;
};

}  // namespace

std::optional<Pair> merge_top_k(const Pair& pair) {
  return with_plans(pair, Merger(pair.sharded.plan).run(), Merger(pair.reference.plan).run());
}

}  // namespace isoshard::verify
