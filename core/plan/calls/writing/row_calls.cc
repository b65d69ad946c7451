// Members of row regions wait until the last of them is to be written, and then become one kernel, if one can make its
// value; where not, without the first of them, which is written as it is, and so on. Until then they have written
// nothing. So all that wait are written as they are, in the order in which they
// came, before anything is written over what they read or over what they themselves write; and before any event, behind
// which other streams may do so. Then calls are those that there were without regions. Cost: for each run the values
// that those read and make that wait.
#include <algorithm>
#include <utility>

#include "core/plan/calls/fusion/row_program.h"
#include "core/plan/calls/writing/rank_writer.h"

namespace isoshard::calls {
namespace {

Extent bytes_of_value(const Held& value) { return extent_of(view_of(value), value.type->shape); }

std::optional<ReductionOf> reduction_of(const OpData& op, const LocalCalls& calls, const Held& operand,
                                        const Held& result) {
  const auto* const reduce = std::get_if<Reduce>(&op);
  const auto* const call = calls.calls.size() == 1 ? std::get_if<Reduction>(&calls.calls[0]) : nullptr;
  if (reduce == nullptr || call == nullptr) return std::nullopt;
  return ReductionOf{call->op, reduce->dims, operand, result, {}};
}

}  // namespace

bool RankWriter::waits_are_touched(const RankRun& run) const {
  if (waiting_rows_.empty()) return false;
  std::vector<Extent> written;
  for (const PlanValueId id : run.instruction.results) {
    const Held value = held(id, run);
    if (element_count(value.type->shape) != 0) written.push_back(bytes_of_value(value));
    if (!memory_.copies(id, run.iterations).empty()) return true;
  }
  const auto is_touched = [&](PlanValueId id, const RankRun& waiting) {
    const Extent bytes = bytes_of_value(held(id, waiting));
    return std::any_of(written.begin(), written.end(), [&](const Extent& other) { return bytes.overlaps(other); });
  };
  return std::any_of(waiting_rows_.begin(), waiting_rows_.end(), [&](const RankRun& waiting) {
    if (rows_.of(waiting.id) == rows_.of(run.id)) return false;
    const Instruction& instruction = waiting.instruction;
    const auto touched = [&](PlanValueId id) { return is_touched(id, waiting); };
    return std::any_of(instruction.operands.begin(), instruction.operands.end(), touched) ||
           std::any_of(instruction.results.begin(), instruction.results.end(), touched);
  });
}

Result<void> RankWriter::write_waiting_rows() {
  std::vector<RankRun> runs = std::exchange(waiting_rows_, {});
  for (const RankRun& run : runs) {
    if (Result<void> written = local(run, std::get<LocalOp>(run.instruction.data()).op); !written) return written;
  }
  return {};
}

Result<void> RankWriter::row_member(const RankRun& run) {
  constexpr int kMostTries = 8;
  waiting_rows_.push_back(run);
  const RowRegion& region = *rows_.of(run.id);  // some of it may have been written
  if (run.id != region.members.back()) return {};
  if (waits_are_touched(run)) return write_waiting_rows();
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::vector<RankRun> runs, others;
    for (const RankRun& one : waiting_rows_) (rows_.of(one.id) == &region ? runs : others).push_back(one);
    if (runs.size() < 2) break;
    Result<std::optional<RowMap>> call = row_map(runs);
    if (!call) return tl::unexpected(std::move(call).error());
    if (*call) {
      waiting_rows_.swap(others);
      issue_rows(runs, **call);
      return {};
    }
    if (waits_are_touched(runs[0])) break;
    if (Result<void> written = write_first_of(region); !written) return written;
  }
  return write_waiting_rows();
}

Result<void> RankWriter::write_first_of(const RowRegion& region) {
  std::vector<RankRun> rest;
  const RankRun* first = nullptr;
  for (const RankRun& one : waiting_rows_) {
    const bool is_first = first == nullptr && rows_.of(one.id) == &region;
    if (is_first) first = &one;
    if (!is_first) rest.push_back(one);
  }
  Result<void> written = local(*first, std::get<LocalOp>(first->instruction.data()).op);
  waiting_rows_.swap(rest);
  return written;
}

Result<std::optional<RowMap>> RankWriter::row_map(const std::vector<RankRun>& runs) {
  std::vector<RowMember> members;
  for (const RankRun& run : runs) {
    const OpData& op = std::get<LocalOp>(run.instruction.data()).op;
    RowMember member;
    member.value = run.instruction.results[0], member.result = held(member.value, run);
    std::vector<Held> operands;
    for (const PlanValueId id : run.instruction.operands) {
      operands.push_back(held(id, run));
      member.operands.push_back({uses_.named(id), operands.back(), fuser_.number(id)});
    }
    Result<LocalCalls> calls = made(run, op, operands, std::span(&member.result, 1));
    if (!calls) return tl::unexpected(std::move(calls).error());
    if (calls->chain) {
      member.chain = std::move(*calls->chain);
    } else {
      member.reduction = operands.empty() ? std::nullopt : reduction_of(op, *calls, operands[0], member.result);
      if (!member.reduction) return std::optional<RowMap>();
    }
    members.push_back(std::move(member));
  }
  return row_map_of(members);
}

void RankWriter::issue_rows(const std::vector<RankRun>& runs, const RowMap& call) {
  for (const RankRun& run : runs) {
    std::vector<PlanValueId> operands, others;
    for (const PlanValueId id : run.instruction.operands) {
      const PlanValueId value = uses_.named(id);
      if (std::find(operands.begin(), operands.end(), value) != operands.end()) continue;
      operands.push_back(value);
      if (fuser_.number(value) != nullptr) {
        fuser_.took_number(value);
      } else {
        others.push_back(value);
      }
    }
    fuser_.settle(others);
  }
  add(runs.back(), call);
}

}  // namespace isoshard::calls
