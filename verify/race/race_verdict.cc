// Looks for a race, group by group. All uses of bytes are taken in issue order, with which every order that a Plan can
// ask for agrees, and for each range of bytes the last write is kept with the reads since then. A read has to find its
// own content there, ordered behind the write; a write has to be ordered behind the last write and all reads since. Two
// writes with others in between are ordered by these, so that neighbours decide all pairs (as in C. Flanagan, S.
// Freund, FastTrack 2009). Of the reads on one queue the last is behind the others. A run may write the bytes that it
// reads itself where its op is elementwise and the ranges are the same. Cost: runs times queues, and uses times the
// logarithm of ranges.
#include "verify/race/race_verdict.h"

#include <algorithm>

#include "core/support/check.h"
#include "verify/race/byte_map.h"
#include "verify/race/rank_runs.h"
#include "verify/race/run_order.h"

namespace isoshard::verify {
namespace {

/// Whether a run may write the bytes that it reads: element n of its result is made of elements n of its operand, or
/// the library allows it (NCCL, "In-place Operations").
bool works_on_its_operand(const InstructionData& data) {
  if (const auto* local = std::get_if<LocalOp>(&data)) return op_facts(local->op).elementwise;
  if (const auto* collective = std::get_if<Collective>(&data)) {
    return collective->kind == CollectiveKind::all_reduce || collective->kind == CollectiveKind::all_reduce_max ||
           collective->kind == CollectiveKind::all_reduce_min;
  }
  return std::holds_alternative<KeepOn>(data);
}

class RaceSearch {
 public:
  RaceSearch(const Plan& plan, size_t group, const RankRuns& runs)
      : plan_(plan), group_(group), runs_(runs), order_(plan, plan.groups[group], runs) {}

  std::optional<Race> find() {
    for (const ByteAccess& access : runs_.accesses) {
      if (access.writes) {
        check_write(access);
      } else {
        check_read(access);
      }
      if (race_) break;
    }
    return race_;
  }

 private:
  void check_read(const ByteAccess& read) {
    bytes_.for_each(read.begin, read.end, [&](int64_t begin, ByteHistory& history) {
      ISOSHARD_CHECK(history.write != nullptr, "what makes a value is issued before its readers");
      if (!order_.is_before(history.write->run, read.run)) {
        report(Race::Kind::unordered, *history.write, read, begin, history.end);
      } else if (history.write->content != read.content) {
        report(Race::Kind::overwritten, *history.write, read, begin, history.end);
      }
      if (read.run == runs_.runs.size()) return;
      history.reads.resize(order_.queues(), nullptr);
      history.reads[order_.queue(read.run)] = &read;
    });
  }

  void check_write(const ByteAccess& write) {
    bytes_.for_each(write.begin, write.end, [&](int64_t begin, ByteHistory& history) {
      if (history.write != nullptr && !order_.is_before(history.write->run, write.run)) {
        report(Race::Kind::unordered, *history.write, write, begin, history.end);
      }
      for (const ByteAccess* read : history.reads) {
        if (read == nullptr || order_.is_before(read->run, write.run) || is_in_place(*read, write)) continue;
        report(Race::Kind::unordered, *read, write, begin, history.end);
      }
    });
    bytes_.write(write.begin, write.end, write);
  }

  bool is_in_place(const ByteAccess& read, const ByteAccess& write) const {
    const bool same = read.run == write.run && read.begin == write.begin && read.end == write.end &&
                      plan_.value(read.value).type().shape == plan_.value(write.value).type().shape;
    return same && works_on_its_operand(plan_.instruction(runs_.runs[write.run].instruction).data());
  }

  void report(Race::Kind kind, const ByteAccess& first, const ByteAccess& second, int64_t begin, int64_t end) {
    if (race_) return;
    race_ = Race{kind, group_, use(first), use(second), begin, end, std::nullopt};
    const bool waits = kind == Race::Kind::unordered && first.run != second.run;
    if (waits) race_->missing = token_between(runs_.runs[first.run], runs_.runs[second.run]);
  }

  RaceAccess use(const ByteAccess& access) const {
    if (access.run == runs_.runs.size()) return RaceAccess{{}, {}, false, access.value};
    const Run& run = runs_.runs[access.run];
    return RaceAccess{run.instruction, run.iterations, access.writes, access.value};
  }

  Token token_between(const Run& first, const Run& second) const {
    const size_t loops = order_.loops_around_both(first.instruction, second.instruction);
    const bool same = std::equal(first.iterations.begin(), first.iterations.begin() + static_cast<int64_t>(loops),
                                 second.iterations.begin());
    return Token{first.instruction, !same};
  }

  const Plan& plan_;
  size_t group_;
  const RankRuns& runs_;
  RunOrder order_;
  ByteMap bytes_;
  std::optional<Race> race_;
};

}  // namespace

Result<RaceVerdict> race_verdict(const Plan& plan, const MemoryPlan& memory, RaceLoops loops) {
  RaceVerdict verdict;
  for (size_t group = 0; group < plan.groups.size() && !verdict.race; ++group) {
    std::string error;
    const std::optional<RankRuns> runs = rank_runs(plan, group, memory, loops, error);
    if (!runs)
      return failure("L-buffer", Location(), "the buffers of @" + plan.program + " cannot be looked at: " + error);
    verdict.runs += runs->runs.size();
    verdict.race = RaceSearch(plan, group, *runs).find();
  }
  return verdict;
}

}  // namespace isoshard::verify
