#include <unordered_map>
#include <utility>

#include "core/plan/instruction_op.h"
#include "core/plan/order/issue_order.h"
#include "pictures/chart/listing.h"

namespace isoshard::pictures {
namespace {

class PlanLister {
 public:
  explicit PlanLister(const Plan& plan) : plan_(plan) {}

  Listing list() {
    for (const RankGroup& group : plan_.groups) add(group.blocks, 0);
    if (listing_.values.size() > kMostValues) {
      listing_.left_out = listing_.values.size() - kMostValues;
      listing_.values.resize(kMostValues);
    }
    return std::move(listing_);
  }

 private:
  void add(const std::vector<Block>& blocks, size_t depth) {
    for (const Block& block : blocks) {
      if (block.repeat) {
        add(block.repeat->body, depth + 1);
        continue;
      }
      for (const Issued& issued : in_issue_order(block)) add(plan_.instruction(issued.id), depth);
    }
  }

  void add(const Instruction& instruction, size_t depth) {
    for (const PlanValueId id : instruction.results) {
      const PlanValue& made = plan_.value(id);
      ListedValue value;
      value.name = "%" + made.name();
      value.op = word_of(instruction);
      value.type = to_string(made.type());
      value.location = instruction.location();
      value.depth = depth;
      const LoadBlock* const load = std::get_if<LoadBlock>(&instruction.data());
      if (load != nullptr) value.text = "@" + plan_.globals[load->global.index()].name;
      for (const PlanValueId operand : instruction.operands) add_operand(operand, value);
      places_[id] = listing_.values.size();
      listing_.values.push_back(std::move(value));
    }
  }

  void add_operand(PlanValueId operand, ListedValue& value) const {
    value.text += (value.text.empty() ? "%" : " %") + plan_.value(operand).name();
    const auto known = places_.find(operand);
    if (known != places_.end() && known->second < kMostValues) value.operands.push_back(known->second);
  }

  const Plan& plan_;
  Listing listing_;
  std::unordered_map<PlanValueId, size_t> places_;
};

}  // namespace

std::string word_of(const Instruction& instruction) {
  const LocalOp* const local = std::get_if<LocalOp>(&instruction.data());
  return std::string(local != nullptr ? op_name(local->op) : instruction_word(instruction.data()));
}

Listing listing_of(const Plan& plan) { return PlanLister(plan).list(); }

}  // namespace isoshard::pictures
