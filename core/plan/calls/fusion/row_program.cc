// A row region as one kernel. Its members are gone through in issue order: an op for rows adds to the steps for the row
// of the pass that is open, one for elements to those of its elements, and a reduction ends the pass. Between members
// values are rounded to their dtype, as memory would have done, so the bits stay the same. A value of elements flows on
// where the next member begins by taking it and nobody else reads it; otherwise it waits in a slot until its last
// reader. What a broadcast only moves is read where it is. What comes from memory and is read again waits there, too,
// if there is place: the row is read once.
//
// There is no such kernel where members compute in different numbers; where more inputs, steps, passes, slots or
// numbers are needed than it has; where what waits does not fit shared memory, or nothing waits, so that rows would
// only be read again; where rows are not what lies together in memory; and where the result is written over an input
// that others still read. Cost: steps times readers.
#include "core/plan/calls/fusion/row_program.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/plan/calls/fusion/row_geometry.h"

namespace isoshard::calls {
namespace {

class RowProgram {
 public:
  RowProgram(const std::vector<RowMember>& members, bool keeps_inputs)
      : members_(members), keeps_inputs_(keeps_inputs) {}

  std::optional<RowMap> run() {
    const auto reduction = std::find_if(members_.begin(), members_.end(),
                                        [](const RowMember& member) { return member.reduction.has_value(); });
    rows_ = RowGeometry(*reduction->reduction);
    compute_ = compute_of(reduction->reduction->operand.type->dtype);
    for (const RowMember& member : members_) {
      for (const RowMember::Operand& operand : member.operands) ++uses_[operand.value];
    }
    passes_.emplace_back();
    for (at_ = 0; at_ < members_.size(); ++at_) {
      if (!(members_[at_].reduction ? reduce(members_[at_]) : compute(members_[at_]))) return std::nullopt;
    }
    return finished();
  }

 private:
  /// Where to find elements that are only moved.
  struct Moved {
    std::optional<View> view;
    Source number;
  };

  const RowMember* member_of(PlanValueId value) const {
    const auto found = std::find_if(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(at_),
                                    [value](const RowMember& member) { return member.value == value; });
    return found == members_.begin() + static_cast<std::ptrdiff_t>(at_) ? nullptr : &*found;
  }

  // Where values are.

  std::optional<uint8_t> free_slot() {
    for (uint8_t s = 0; s < kRowSlots; ++s) {
      if (slot_used_[s]) continue;
      slot_used_[s] = true, slots_ = std::max<int32_t>(slots_, s + 1);
      return s;
    }
    return std::nullopt;
  }
  std::optional<uint8_t> free_number() {
    if (numbers_ == kRowNumbers) return std::nullopt;
    return static_cast<uint8_t>(numbers_++);
  }
  std::optional<Source> input(const View& view) {
    auto found = std::find(inputs_.begin(), inputs_.end(), view);
    if (found == inputs_.end()) {
      if (inputs_.size() == kMostInputs) return std::nullopt;
      found = inputs_.insert(inputs_.end(), view);
    }
    return Source{From::input, static_cast<uint8_t>(found - inputs_.begin()), 0};
  }
  /// Where a step of a member finds an input of its chain.
  std::optional<Source> source_of(const RowMember& member, const View& seen, bool for_rows) {
    const auto operand = std::find_if(member.operands.begin(), member.operands.end(),
                                      [&](const RowMember::Operand& one) { return one.held.place == seen.place; });
    if (operand == member.operands.end()) return std::nullopt;
    const std::optional<View> view = rows_.along_rows(seen, member.chain.shape);
    if (!view) return std::nullopt;
    if (operand->number != nullptr) {
      const bool same = operand->number->compute == compute_ && is_number_of(seen.dtype, *operand->number);
      return same ? std::optional<Source>(operand->number->steps[0].b) : std::nullopt;
    }
    if (member_of(operand->value) == nullptr) {
      if (const auto waits = slot_of_.find(operand->value);
          waits != slot_of_.end() && rows_.is_whole(*view) && !for_rows) {
        return Source{From::slot, waits->second, 0};
      }
      return input(*view);
    }
    if (const auto other = moved_.find(operand->value); other != moved_.end()) {
      if (!rows_.is_whole(*view) || for_rows) return std::nullopt;
      return other->second.view ? input(*other->second.view) : std::optional<Source>(other->second.number);
    }
    if (const auto number = number_of_.find(operand->value); number != number_of_.end()) {
      const bool per_row = number->second.from == From::number || rows_.agrees(view->strides, rows_.strides_per_row());
      return per_row ? std::optional<Source>(number->second) : std::nullopt;
    }
    const auto slot = slot_of_.find(operand->value);
    if (slot == slot_of_.end() || !rows_.is_whole(*view) || for_rows) return std::nullopt;
    return Source{From::slot, slot->second, 0};
  }

  /// An operand has been read by the member; what nobody reads any more frees its slot.
  void read(const RowMember& member) {
    for (const RowMember::Operand& operand : member.operands) {
      if (--uses_[operand.value] != 0) continue;
      const auto slot = slot_of_.find(operand.value);
      if (slot == slot_of_.end()) continue;
      slot_used_[slot->second] = false;
      slot_of_.erase(slot);
    }
  }

  // Members.

  bool is_for_rows(const RowMember& member) const {
    return member.chain.shape != rows_.whole() && element_count(member.chain.shape) == rows_.count();
  }

  bool compute(const RowMember& member) {
    if (const std::optional<Moved> moved = moved_from(member); moved && &member != &members_.back()) {
      moved_[member.value] = *moved;
      read(member);
      return true;
    }
    if (member.chain.compute != compute_) return false;
    if (is_number(member.chain) && member.chain.shape != rows_.whole()) {
      number_of_[member.value] = member.chain.steps[0].b;
      return is_number_of(member.result.type->dtype, member.chain);
    }
    return is_for_rows(member) ? compute_for_rows(member) : compute_elements(member);
  }

  /// Steps of a chain with what they read and keep where it is now.
  bool append(const RowMember& member, size_t first, bool for_rows, std::vector<Step>& steps) {
    std::optional<uint8_t> kept[kSlots + 1];
    const auto moved = [&](Source& source) {
      if (source.from == From::index) return false;
      if (source.from == From::slot) {
        const std::optional<uint8_t> place = kept[source.which + 1];
        if (!place) return false;
        source = {for_rows ? From::row : From::slot, *place, 0};
      } else if (source.from == From::input) {
        const std::optional<Source> found = source_of(member, member.chain.inputs[source.which], for_rows);
        if (!found) return false;
        source = *found;
      }
      return true;
    };
    for (size_t s = first; s < member.chain.steps.size(); ++s) {
      Step step = member.chain.steps[s];
      if (!moved(step.b) || !moved(step.c)) return false;
      if (step.keep != 0) {
        std::optional<uint8_t>& place = kept[step.keep];
        if (!place) place = for_rows ? free_number() : free_slot();
        if (!place) return false;
        step.keep = static_cast<uint8_t>(*place + 1);
      }
      steps.push_back(step);
    }
    const auto rounded = rounding(member.chain, member.result.type->dtype);
    if (!rounded) return false;
    steps.insert(steps.end(), rounded->begin(), rounded->end());
    for (const std::optional<uint8_t>& place : kept) {
      if (place && !for_rows) slot_used_[*place] = false;
    }
    return true;
  }

  bool compute_for_rows(const RowMember& member) {
    std::vector<Step>& steps = passes_.back().row;
    if (!append(member, 0, true, steps) || steps.back().keep != 0) return false;
    read(member);
    if (&member == &members_.back()) return true;
    const std::optional<uint8_t> number = free_number();
    if (!number) return false;
    steps.back().keep = static_cast<uint8_t>(*number + 1);
    number_of_[member.value] = {From::row, *number, 0};
    return true;
  }

  /// The operand that the chain begins by taking, as it is.
  const RowMember::Operand* begins_with_operand(const RowMember& member) const {
    if (member.chain.shape != rows_.whole()) return nullptr;
    const Step& first = member.chain.steps[0];
    if (first.op != StepOp::take || first.keep != 0 || first.b.from != From::input) return nullptr;
    const View& view = member.chain.inputs[first.b.which];
    const auto operand = std::find_if(member.operands.begin(), member.operands.end(),
                                      [&](const RowMember::Operand& one) { return one.held.place == view.place; });
    return operand != member.operands.end() && rows_.is_whole(view) ? &*operand : nullptr;
  }
  static int64_t reads_of(const RowMember& member, const RowMember::Operand& operand) {
    int64_t reads = 0;
    for (const Step& step : member.chain.steps) {
      for (const Source& source : {step.b, step.c}) {
        reads += source.from == From::input && member.chain.inputs[source.which].place == operand.held.place;
      }
    }
    return reads;
  }

  /// What a value of elements is that are only moved there: by a broadcast of a number of the row, or of an input.
  std::optional<Moved> moved_from(const RowMember& member) const {
    const Step& only = member.chain.steps[0];
    if (member.chain.shape != rows_.whole() || member.chain.steps.size() != 1 || only.op != StepOp::take ||
        only.b.from != From::input)
      return std::nullopt;
    const View& view = member.chain.inputs[only.b.which];
    if (view.dtype != member.result.type->dtype || rows_.is_whole(view) || member.operands[0].number != nullptr) {
      return std::nullopt;
    }
    const PlanValueId value = member.operands[0].value;
    if (member_of(value) == nullptr) return Moved{view, {}};
    const auto number = number_of_.find(value);
    if (number == number_of_.end()) return std::nullopt;
    const bool same = number->second.from == From::number || rows_.agrees(view.strides, rows_.strides_per_row());
    return same ? std::optional(Moved{{}, number->second}) : std::nullopt;
  }

  bool compute_elements(const RowMember& member) {
    if (member.chain.shape != rows_.whole()) return false;
    std::vector<Step>& steps = passes_.back().elements;
    const RowMember::Operand* const begin = begins_with_operand(member);
    const bool flows = begin != nullptr && flowing_ == begin->value;
    if (begin != nullptr && !flows) take_in(*begin, steps);
    if (!append(member, flows || (begin != nullptr && flowing_ == begin->value) ? 1 : 0, false, steps)) return false;
    read(member);
    flowing_ = member.value;
    return wait_for_readers(member, steps);
  }

  /// Takes what comes from memory and is read again, so that it waits in a slot.
  void take_in(const RowMember::Operand& operand, std::vector<Step>& steps) {
    if (!keeps_inputs_ || operand.number != nullptr || uses_[operand.value] < 2) return;
    if (slot_of_.count(operand.value) != 0 || member_of(operand.value) != nullptr) return;
    const std::optional<Source> from = input({operand.held.place, operand.held.type->dtype, row_major(rows_.whole())});
    const std::optional<uint8_t> slot = from ? free_slot() : std::nullopt;
    if (!slot) return;
    steps.push_back({StepOp::take, static_cast<uint8_t>(*slot + 1), *from, {}});
    slot_of_[operand.value] = *slot;
    flowing_ = operand.value;
  }

  /// Keeps the value in a slot, unless the next member is all that reads it and begins with it.
  bool wait_for_readers(const RowMember& member, std::vector<Step>& steps) {
    if (&member == &members_.back()) return true;
    const RowMember& next = members_[at_ + 1];
    if (uses_[member.value] == 1) {
      if (next.reduction && next.operands[0].value == member.value) return true;
      const RowMember::Operand* const begin = next.reduction ? nullptr : begins_with_operand(next);
      if (begin != nullptr && begin->value == member.value && reads_of(next, *begin) == 1) return true;
    }
    const std::optional<uint8_t> slot = free_slot();
    if (!slot) return false;
    if (steps.empty() || steps.back().keep != 0) return false;
    steps.back().keep = static_cast<uint8_t>(*slot + 1);
    slot_of_[member.value] = *slot;
    return true;
  }

  bool reduce(const RowMember& member) {
    const RowMember::Operand& operand = member.operands[0];
    const DType dtype = operand.held.type->dtype;
    RowSteps& pass = passes_.back();
    if (compute_of(dtype) != compute_ || operand.held.type->shape != rows_.whole()) return false;
    if (flowing_ != operand.value) {
      take_in(operand, pass.elements);
      if (flowing_ != operand.value) {
        const auto slot = slot_of_.find(operand.value);
        std::optional<Source> from;
        if (slot != slot_of_.end()) {
          from = Source{From::slot, slot->second, 0};
        } else if (const auto moved = moved_.find(operand.value); moved != moved_.end()) {
          from = moved->second.view ? input(*moved->second.view) : moved->second.number;
        } else if (member_of(operand.value) == nullptr && operand.number == nullptr) {
          from = input(view_of(operand.held));
        }
        if (!from) return false;
        pass.elements.push_back({StepOp::take, 0, *from, {}});
      }
    }
    read(member);
    flowing_.reset();
    pass.op = member.reduction->op, pass.number = free_number();
    if (!pass.number || passes_.size() == kMostPasses) return false;
    passes_.emplace_back();
    return round_result(member, *pass_before().number);
  }
  const RowSteps& pass_before() const { return passes_[passes_.size() - 2]; }

  /// The result of a reduction, rounded to its dtype; extremes are of it already.
  bool round_result(const RowMember& member, uint8_t number) {
    const Source raw{From::row, number, 0};
    std::vector<Step> steps{{StepOp::take, 0, raw, {}}};
    const DType dtype = member.result.type->dtype;
    const auto rounded = rounding(Chain{{}, compute_, {}, steps}, dtype);
    if (!rounded) return false;
    number_of_[member.value] = raw;
    const bool is_last = &member == &members_.back();
    if (!is_last && (rounded->empty() || member.reduction->op != Reducing::add)) return true;
    steps.insert(steps.end(), rounded->begin(), rounded->end());
    if (!is_last) {
      const std::optional<uint8_t> kept = free_number();
      if (!kept) return false;
      steps.back().keep = static_cast<uint8_t>(*kept + 1);
      number_of_[member.value] = {From::row, *kept, 0};
    }
    std::vector<Step>& row = passes_.back().row;
    row.insert(row.end(), steps.begin(), steps.end());
    return true;
  }

  // The kernel.

  bool is_per_row() const {
    const RowMember& last = members_.back();
    return last.reduction.has_value() || is_for_rows(last);
  }

  bool writes_over_others(const View& output) const {
    const Extent written = extent_of(output, rows_.whole());
    return std::any_of(inputs_.begin(), inputs_.end(), [&](const View& from) {
      if (!extent_of(from, rows_.whole()).overlaps(written)) return false;
      const bool same = from.place == output.place && info(from.dtype).bytes == info(output.dtype).bytes;
      return !same || is_per_row() || !rows_.is_whole(from);
    });
  }

  std::optional<RowMap> finished() const {
    const RowMember& last = members_.back();
    const View output{last.result.place, last.result.type->dtype,
                      is_per_row() ? rows_.strides_per_row() : row_major(rows_.whole())};
    if (is_per_row() && !passes_.back().elements.empty()) return std::nullopt;
    if (inputs_.empty() || writes_over_others(output) || !rows_.lie_along(inputs_)) return std::nullopt;
    if (slots_ == 0 && !is_per_row()) return std::nullopt;  // nothing stays on the chip: rows are only read again
    return rows_.kernel(compute_, passes_, slots_, inputs_, output, is_per_row());
  }

  const std::vector<RowMember>& members_;
  bool keeps_inputs_;
  RowGeometry rows_;
  Compute compute_ = Compute::f32;
  size_t at_ = 0;
  std::vector<RowSteps> passes_;
  std::vector<View> inputs_;
  std::map<PlanValueId, int64_t> uses_;  ///< by operands of members to come
  std::map<PlanValueId, uint8_t> slot_of_;
  std::map<PlanValueId, Moved> moved_;
  std::map<PlanValueId, Source> number_of_;  ///< values with one number a row, or one for all
  std::optional<PlanValueId> flowing_;       ///< what the last step for elements gave
  bool slot_used_[kRowSlots] = {};
  int32_t slots_ = 0;
  int numbers_ = 0;
};

}  // namespace

std::optional<RowMap> row_map_of(const std::vector<RowMember>& members) {
  const auto reduces = [](const RowMember& member) { return member.reduction.has_value(); };
  if (std::none_of(members.begin(), members.end() - 1, reduces)) return std::nullopt;
  if (std::optional<RowMap> call = RowProgram(members, true).run()) return call;
  return RowProgram(members, false).run();
}

}  // namespace isoshard::calls
