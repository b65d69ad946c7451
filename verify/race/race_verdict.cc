// Looks for a race, group by group. All uses of bytes are taken in issue order, with which every order that a Plan can
// ask for agrees, and for each range of bytes the last write is kept with the reads since then. A read has to find its
// own content there, ordered behind the write; a write has to be ordered behind the last write and all reads since. Two
// writes with others in between are ordered by these, so that neighbours decide all pairs (as in C. Flanagan, S.
// Freund, FastTrack 2009). Of the reads on one queue the last is behind the others. A run may write the bytes that it
// reads itself where its op is elementwise and the ranges are the same. Cost: runs times queues, and uses times the
// logarithm of ranges.
#include "verify/race/race_verdict.h"

#include <algorithm>
#include <span>

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
  RaceSearch(const Plan& plan, size_t group, const RankRuns& runs, RunOrder::Tables& tables)
      : plan_(plan), group_(group), runs_(runs), order_(plan, plan.groups[group], runs, tables) {}

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
      if (read.run < runs_.runs.size()) note(history.reads, read);
    });
  }

  /// In place of the read before on its queue.
  void note(ShortList<uint32_t>& reads, const ByteAccess& read) const {
    const auto number = static_cast<uint32_t>(&read - runs_.accesses.data());
    const auto queue = [&](uint32_t access) { return order_.queue(runs_.accesses[access].run); };
    size_t at = 0;
    while (at < reads.size() && queue(reads[at]) < queue(number)) ++at;
    if (at < reads.size() && queue(reads[at]) == queue(number)) {
      reads[at] = number;
      return;
    }
    reads.push_back(number);
    std::rotate(reads.begin() + at, reads.end() - 1, reads.end());
  }

  void check_write(const ByteAccess& write) {
    bytes_.for_each(write.begin, write.end, [&](int64_t begin, ByteHistory& history) {
      if (history.write != nullptr && !order_.is_before(history.write->run, write.run)) {
        report(Race::Kind::unordered, *history.write, write, begin, history.end);
      }
      for (const uint32_t number : history.reads) {
        const ByteAccess& read = runs_.accesses[number];
        if (order_.is_before(read.run, write.run) || is_in_place(read, write)) continue;
        report(Race::Kind::unordered, read, write, begin, history.end);
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
    const std::span<const int64_t> iterations = runs_.iterations_of(run);
    return RaceAccess{run.instruction, {iterations.begin(), iterations.end()}, access.writes, access.value};
  }

  Token token_between(const Run& first, const Run& second) const {
    const size_t loops = order_.loops_around_both(first.instruction, second.instruction);
    const auto common = [&](const Run& run) { return runs_.iterations_of(run).first(loops); };
    return Token{first.instruction, !std::ranges::equal(common(first), common(second))};
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
  RunsTables tables;
  RunOrder::Tables order;
  for (size_t group = 0; group < plan.groups.size() && !verdict.race; ++group) {
    std::string error;
    const std::optional<RankRuns> runs = rank_runs(plan, group, memory, loops, tables, error);
    if (!runs)
      return failure("L-buffer", Location(), "the buffers of @" + plan.program + " cannot be looked at: " + error);
    verdict.runs += runs->runs.size();
    verdict.race = RaceSearch(plan, group, *runs, order).find();
  }
  return verdict;
}

}  // namespace isoshard::verify
