// Finds what could be one kernel per row. From a reduction over the last dimensions it takes in what reads what it has,
// forwards, then what only those read, backwards, as far as shapes are those of rows. Then it looks for the last member
// that leaves one result: whatever a member needs and others read, too, is left to them, with all that only it needed.
// Cost: per reduction kNear instructions, times the values that others read.
#include "core/plan/calls/fusion/row_regions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "core/ir/all_ops.h"
#include "core/plan/order/issue_order.h"
#include "core/plan/renames.h"

namespace isoshard::calls {
namespace {

constexpr size_t kNear = 128;

/// The shape of rows: the first dimensions number them.
struct RowShape {
  Shape whole, kept;
};

Shape without_ones(const Shape& shape) {
  Shape some;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(some), [](int64_t size) { return size != 1; });
  return some;
}

class BlockRegions {
 public:
  BlockRegions(const Plan& plan, const Block& block, const ValueUses& uses) : plan_(plan), uses_(uses) {
    for (const Issued& issued : in_issue_order(block)) {
      const Instruction& instruction = plan.instruction(issued.id);
      if (only_renames(instruction)) continue;
      for (const PlanValueId id : instruction.operands) readers_[uses.named(id)].push_back(order_.size());
      for (const PlanValueId id : instruction.results) maker_[id] = order_.size();
      order_.push_back(issued.id);
    }
  }

  std::vector<RowRegion> find() {
    std::vector<RowRegion> regions;
    for (size_t i = 0; i < order_.size(); ++i) {
      const std::optional<RowShape> rows = rows_of(i);
      while (rows && taken_.count(i) == 0) {
        const Members members = last_with_one_result(near(i, *rows));
        if (members.empty()) break;
        regions.emplace_back();
        for (const size_t member : members) regions.back().members.push_back(order_[member]);
        taken_.insert(members.begin(), members.end());
      }
    }
    return regions;
  }

 private:
  using Members = std::set<size_t>;

  Instruction at(size_t i) const { return plan_.instruction(order_[i]); }
  const Shape& shape_of(PlanValueId id) const { return plan_.value(id).type().shape; }
  const OpData* op_at(size_t i) const {
    const auto* const local = std::get_if<LocalOp>(&at(i).data());
    return local == nullptr || at(i).results.size() != 1 ? nullptr : &local->op;
  }

  /// The rows that a reduction goes along; nothing where it is another op or goes along others.
  std::optional<RowShape> rows_of(size_t i) const {
    const OpData* const op = op_at(i);
    const auto* const reduce = op == nullptr ? nullptr : std::get_if<Reduce>(op);
    if (reduce == nullptr || reduce->op == Reducer::argmax || reduce->dims.empty()) return std::nullopt;
    const Shape& whole = shape_of(at(i).operands[0]);
    const size_t kept = whole.size() - reduce->dims.size();
    if (element_count(whole) == 0) return std::nullopt;
    const bool last = std::all_of(reduce->dims.begin(), reduce->dims.end(),
                                  [&](int64_t dim) { return dim >= static_cast<int64_t>(kept); });
    if (!last) return std::nullopt;
    return RowShape{whole, Shape(whole.begin(), whole.begin() + static_cast<int64_t>(kept))};
  }

  bool is_elementwise(size_t i) const {
    const OpData* const op = op_at(i);
    if (op == nullptr) return false;
    return op_facts(*op).elementwise || std::holds_alternative<BroadcastInDim>(*op) ||
           std::holds_alternative<Constant>(*op);
  }

  bool fits(size_t i, const RowShape& rows) const {
    if (taken_.count(i) != 0) return false;
    if (const auto other = rows_of(i)) return other->whole == rows.whole && other->kept == rows.kept;
    if (!is_elementwise(i)) return false;
    const Shape& shape = shape_of(at(i).results[0]);
    if (shape == rows.whole || without_ones(shape) == without_ones(rows.kept)) return true;
    return shape.empty() && std::holds_alternative<Constant>(*op_at(i));
  }

  bool reads_from(size_t i, const Members& members) const {
    return std::any_of(at(i).operands.begin(), at(i).operands.end(), [&](PlanValueId id) {
      const auto maker = maker_.find(uses_.named(id));
      return maker != maker_.end() && members.count(maker->second) != 0;
    });
  }

  bool is_only_read_by(size_t i, const Members& members) const {
    const PlanValueId value = at(i).results[0];
    if (!uses_.of(value)) return false;
    const auto readers = readers_.find(value);
    return readers != readers_.end() && std::all_of(readers->second.begin(), readers->second.end(),
                                                    [&](size_t reader) { return members.count(reader) != 0; });
  }

  Members near(size_t reduction, const RowShape& rows) const {
    Members members{reduction};
    const size_t end = std::min(order_.size(), reduction + kNear);
    for (size_t i = reduction + 1; i < end; ++i) {
      if (fits(i, rows) && reads_from(i, members)) members.insert(i);
    }
    for (size_t i = *members.rbegin(), first = reduction - std::min(reduction, kNear); i-- > first;) {
      if (members.count(i) == 0 && !rows_of(i) && fits(i, rows) && is_only_read_by(i, members)) members.insert(i);
    }
    return members;
  }

  /// What `last` is made of.
  Members needed_for(size_t last, const Members& members) const {
    Members needed{last};
    for (auto i = members.rbegin(); i != members.rend(); ++i) {
      if (*i >= last) continue;
      const auto is_read = [&](size_t reader) { return needed.count(reader) != 0; };
      const auto readers = readers_.find(at(*i).results[0]);
      if (readers != readers_.end() && std::any_of(readers->second.begin(), readers->second.end(), is_read)) {
        needed.insert(*i);
      }
    }
    return needed;
  }

  bool has_inner_reduction(const Members& members) const {
    return std::any_of(members.begin(), members.end(), [&](size_t i) { return i != *members.rbegin() && rows_of(i); });
  }

  /// The members of the last value that can be all that leaves them; none where there is none behind a reduction.
  Members last_with_one_result(const Members& members) const {
    for (auto last = members.rbegin(); last != members.rend(); ++last) {
      Members needed = needed_for(*last, members);
      for (bool stable = false; !stable;) {
        Members own;
        for (const size_t i : needed) {
          if (i == *last || is_only_read_by(i, needed)) own.insert(i);
        }
        stable = own.size() == needed.size();
        needed = needed_for(*last, own);
      }
      if (has_inner_reduction(needed)) return needed;
    }
    return {};
  }

  const Plan& plan_;
  const ValueUses& uses_;
  std::vector<InstructionId> order_;
  std::unordered_map<PlanValueId, size_t> maker_;
  std::unordered_map<PlanValueId, std::vector<size_t>> readers_;
  Members taken_;
};

}  // namespace

RowRegions::RowRegions(const Plan& plan, const RankGroup& group, const ValueUses& uses) {
  find(plan, group.blocks, uses);
}

void RowRegions::find(const Plan& plan, const std::vector<Block>& blocks, const ValueUses& uses) {
  for (const Block& block : blocks) {
    for (RowRegion& region : BlockRegions(plan, block, uses).find()) {
      for (const InstructionId id : region.members) region_of_[id] = regions_.size();
      regions_.push_back(std::move(region));
    }
    if (block.repeat) find(plan, block.repeat->body, uses);
  }
}

const RowRegion* RowRegions::of(InstructionId id) const {
  const auto found = region_of_.find(id);
  return found == region_of_.end() ? nullptr : &regions_[found->second];
}

}  // namespace isoshard::calls
