// The next token of a vocabulary that is split over devices is found by two collectives: `m = pmax(v)` of the largest v
// of each block, and `pmin(where(v == m, i + first, n))` of the place i of it, where `first` is where a block begins.
// That is argmax of all blocks one after another: v == m holds on the devices that have a largest element of all, on
// each of these i is the first one of its block, blocks begin in the order of devices, and n is no smaller than any
// place. So it is of all numbers and of -inf; of nan nobody claims anything. Written as argmax of an all_gather it is
// what a reference does, and a wrong place, order, tie rule or bound is left as it stands.
//
// Alternatives: orders of single elements on rung B, where what is the first of n shows in one order of n, each to be
// drawn. Costs a walk over the Plan, and an all_gather for each such place.
#include "verify/abstraction/first_of_largest.h"

#include <algorithm>
#include <vector>

#include "verify/abstraction/plan_insertions.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

constexpr int64_t kLastPlace = int64_t{1} << 30;  // far from where i32 wraps around

class FirstOfLargest {
 public:
  explicit FirstOfLargest(const Plan& plan) : plan_(plan), made_(definitions(plan)), insertions_(plan) {}

  std::optional<Plan> run() {
    for (size_t n = 0; n < plan_.instructions.size() && plan_.groups.size() == 1; ++n) {
      const Instruction i = plan_.instructions[n];
      const Collective* least = std::get_if<Collective>(&i.data());
      if (least == nullptr || least->kind != CollectiveKind::all_reduce_min) continue;
      if (const std::optional<Instruction> argmax = argmax_of(i.operands[0], least->communicator)) {
        write(i, *argmax, least->communicator);
      }
    }
    return written_ ? std::optional(std::move(insertions_).finish()) : std::nullopt;
  }

 private:
  std::optional<Instruction> maker(PlanValueId id) const {
    const InstructionId made = made_[id.index()];
    return made.valid() ? std::optional(plan_.instruction(made)) : std::nullopt;
  }
  const TensorType& type(PlanValueId id) const { return plan_.value(id).type(); }

  /// The argmax of each block of `where(v == m, i + first, n)`, if `id` is that over a group.
  std::optional<Instruction> argmax_of(PlanValueId id, CommunicatorId group) const {
    const std::optional<Instruction> choice = maker(id);
    if (!choice || op_of<Select>(*choice) == nullptr || !is_integer(type(id).dtype)) return std::nullopt;
    const std::optional<Instruction> argmax = places_of(choice->operands[1], group);
    if (!argmax || !is_beyond(choice->operands[2], *argmax, group)) return std::nullopt;
    return has_largest(choice->operands[0], *argmax, group) ? argmax : std::nullopt;
  }

  /// What makes i of `i + first`, where `first` is the place of the group's member times the length of its block.
  std::optional<Instruction> places_of(PlanValueId id, CommunicatorId group) const {
    const std::optional<Instruction> sum = maker(id);
    if (!sum || op_of<Add>(*sum) == nullptr) return std::nullopt;
    for (const size_t n : {0U, 1U}) {
      const std::optional<Instruction> argmax = index_of(sum->operands[n]);
      if (argmax && begins_in_order(sum->operands[1 - n], *argmax, group)) return argmax;
    }
    return std::nullopt;
  }

  /// The argmax that makes an index, in whatever integers that hold it.
  std::optional<Instruction> index_of(PlanValueId id) const {
    const std::optional<Instruction> made = maker(id);
    if (!made) return std::nullopt;
    const bool wide = is_integer(type(id).dtype) && info(type(id).dtype).bytes >= 4;
    if (op_of<Convert>(*made) != nullptr && wide) return index_of(made->operands[0]);
    const Reduce* reduce = op_of<Reduce>(*made);
    const bool found = reduce != nullptr && reduce->op == Reducer::argmax && made->results[1] == id;
    return found && is_float(type(made->operands[0]).dtype) ? made : std::nullopt;
  }
  static int64_t dim_of(const Instruction& argmax) { return op_of<Reduce>(argmax)->dims[0]; }
  int64_t length_of(const Instruction& argmax) const {
    return type(argmax.operands[0]).shape[static_cast<size_t>(dim_of(argmax))];
  }

  bool begins_in_order(PlanValueId first, const Instruction& argmax, CommunicatorId group) const {
    const Communicator& all = plan_.communicators[group.index()];
    for (int64_t position = 0; position < plan_.mesh->device_count(); ++position) {
      if (!all.includes(position)) return false;
      const std::optional<int64_t> begin = number_at(first, position);
      if (begin != std::optional(all.index_in(*plan_.mesh, position) * length_of(argmax))) return false;
    }
    return true;
  }

  /// The integer that all elements of a value are on a device; nothing where it is not made of places and numbers.
  std::optional<int64_t> number_at(PlanValueId id, int64_t position) const {
    const std::optional<Instruction> made = maker(id);
    if (!made) return std::nullopt;
    std::optional<int64_t> number;
    if (const ScalarIndex* index = std::get_if<ScalarIndex>(&made->data())) {
      if (!index->value.depends_on_loops()) number = index->value.evaluate(*plan_.mesh, position, {});
    } else if (const Constant* constant = op_of<Constant>(*made)) {
      if (is_integer(constant->dtype))
        number = static_cast<int64_t>(std::clamp(constant->value.to_double(), -0x1p40, 0x1p40));
    } else if (is_one_of<BroadcastInDim, Reshape, Convert>(local_op(*made))) {
      if (is_integer(type(made->operands[0]).dtype)) number = number_at(made->operands[0], position);
    } else if (is_one_of<Add, Multiply>(local_op(*made))) {
      const std::optional<int64_t> a = number_at(made->operands[0], position),
                                   b = number_at(made->operands[1], position);
      if (a && b) number = op_of<Add>(*made) != nullptr ? *a + *b : *a * *b;
    }
    const bool holds = is_integer(type(id).dtype) && info(type(id).dtype).bytes >= 4;
    return number && holds && *number >= 0 && *number < kLastPlace ? number : std::nullopt;
  }

  /// Whether a number is no place before the last one.
  bool is_beyond(PlanValueId id, const Instruction& argmax, CommunicatorId group) const {
    const std::optional<Rational> number = number_of(plan_, made_, id);
    const int64_t places = plan_.communicators[group.index()].size(*plan_.mesh) * length_of(argmax);
    return number && places < kLastPlace && number->to_double() >= static_cast<double>(places - 1);
  }

  /// Whether a predicate says that a device has a largest element of its group.
  bool has_largest(PlanValueId id, const Instruction& argmax, CommunicatorId group) const {
    const std::optional<Instruction> asked = maker(id);
    const Compare* compare = asked ? op_of<Compare>(*asked) : nullptr;
    if (compare == nullptr) return false;
    const PlanValueId a = asked->operands[0], b = asked->operands[1];
    const bool equal = compare->direction == Direction::eq;
    if ((equal || compare->direction == Direction::ge) && is_largest(a, argmax) &&
        is_largest_of_all(b, argmax, group)) {
      return true;
    }
    return (equal || compare->direction == Direction::le) && is_largest(b, argmax) &&
           is_largest_of_all(a, argmax, group);
  }
  bool is_largest(PlanValueId id, const Instruction& argmax) const {
    const std::optional<Instruction> made = maker(id);
    const Reduce* reduce = made ? op_of<Reduce>(*made) : nullptr;
    return reduce != nullptr && made->operands[0] == argmax.operands[0] && made->results[0] == id &&
           (reduce->op == Reducer::max || reduce->op == Reducer::argmax) &&
           reduce->dims == std::vector<int64_t>{dim_of(argmax)};
  }
  bool is_largest_of_all(PlanValueId id, const Instruction& argmax, CommunicatorId group) const {
    const std::optional<Instruction> made = maker(id);
    const Collective* largest = made ? std::get_if<Collective>(&made->data()) : nullptr;
    return largest != nullptr && largest->kind == CollectiveKind::all_reduce_max && largest->communicator == group &&
           is_largest(made->operands[0], argmax);
  }

  void write(const Instruction& least, const Instruction& argmax, CommunicatorId group) {
    written_ = true;
    const PlanValueId result = least.results[0], x = argmax.operands[0];
    const std::string name = plan_.value(result).name();
    TensorType all = type(x);
    all.shape[static_cast<size_t>(dim_of(argmax))] *= plan_.communicators[group.index()].size(*plan_.mesh);
    insertions_.begin(least.id);
    const PlanValueId gathered = insertions_.add(
        InstructionData(Collective{CollectiveKind::all_gather, group, dim_of(argmax)}), {x}, all, name + ".all");
    const PlanValueId largest = insertions_.new_value(type(argmax.results[0]), name + ".largest");
    const PlanValueId place = insertions_.new_value(type(argmax.results[1]), name + ".place");
    insertions_.add_for(InstructionData(argmax.data()), {gathered}, {largest, place});
    insertions_.rename_result(least.id, 0);
    insertions_.add_for(LocalOp{Convert{type(result).dtype}}, {place}, {result});
  }

  const Plan& plan_;
  const std::vector<InstructionId> made_;
  PlanInsertions insertions_;
  bool written_ = false;
};

}  // namespace

std::optional<Pair> find_first_of_largest(const Pair& pair) {
  return with_plans(pair, FirstOfLargest(pair.sharded.plan).run(), FirstOfLargest(pair.reference.plan).run());
}

}  // namespace isoshard::verify
