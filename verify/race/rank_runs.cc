// What runs on a rank, and which bytes it touches, from the meaning of the Plan and the addresses of the memory plan
// alone. Names are followed as the engine does: an argument is the last yield, a slice some bytes of the whole, a
// renamed value its operand. A content is what one run (or one loop that stacks) makes; every byte that is written
// carries the number of its content, so that a reader can be told whether it finds what it names. A part of a stack
// that lies elsewhere is written into its row by the runs that wrote it.
//
// Long loops are cut short. Addresses in an iteration follow from those of the arguments, as far as they were made in
// the loop by value and age, and from the iteration modulo all numbers of copies. When this state comes back, after
// `period` iterations, everything repeats but for rows. What orders two runs of a loop lies between them and depends on
// how far apart they are alone, and runs further apart than `ahead` are ordered. So each pair of accesses in conflict,
// and each reader with the writer in between, has an equal one in the iterations before the state came back, two
// periods and `ahead` + 2 iterations; the rest by the period is kept, so that behind the loop stands what does in
// truth. The one iteration that stands for those left out has all their rows; it is further than `ahead` from both
// ends. Where rows and other values have the same bytes nothing is left out. Cost: runs that are walked.
#include "verify/race/rank_runs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/value/dtype.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostRunsWalked = size_t{1} << 23;
constexpr int64_t kMostStates = int64_t{1} << 12;

/// Ends a walk with a reason.
struct NotAMemoryPlan {
  std::string reason;
};

/// What a name stands for: some bytes of a content.
struct Bytes {
  static constexpr uint32_t kUnset = 0xffffffffU;
  uint32_t content = kUnset;
  uint32_t loop = kUnset;  ///< the run of a loop that it is a row in
  int64_t begin = 0;
  int64_t end = 0;
  int64_t row = 0;
};

struct Content {
  static constexpr uint32_t kNone = 0xffffffffU;
  PlanValueId value;
  uint32_t iterations = 0;  ///< where those in which it is made begin
  // Among all accesses, each of which names the next write of its content.
  uint32_t first_write = kNone;
  uint32_t last_write = kNone;
};

/// A loop that is being run.
struct LoopRun {
  const Repeat* repeat = nullptr;
  uint32_t number = 0;  ///< of all runs of loops
  size_t contents = 0;  ///< those before its first iteration
  size_t accesses = 0;  ///< those before it
  int64_t iteration = 0;
  int64_t cut_at = -1;          ///< the iteration that stands for others, too
  int64_t cut = 0;              ///< how many are left out
  std::vector<Bytes> stacks{};  ///< of this run
  std::map<std::vector<int64_t>, int64_t> states{};

  int64_t trips() const { return repeat->count - cut; }
  bool is_cut() const { return cut_at >= 0; }
  int64_t first_row() const { return iteration + (is_cut() && iteration > cut_at ? cut : 0); }
  int64_t row_end() const { return iteration + (is_cut() && iteration >= cut_at ? cut : 0) + 1; }
};

class RunsWalk {
 public:
  RunsWalk(const Plan& plan, size_t group, const MemoryPlan& memory, RaceLoops which, RunsTables& tables)
      : plan_(plan), memory_(memory), which_(which), arena_(memory.groups[group].bytes), now_(tables.now) {
    now_.clear();
    note_copies(plan.groups[group].blocks);
  }

  RankRuns walk(const std::vector<Block>& blocks) {
    run(blocks);
    for (const auto& [bytes, value] : stored_) access(static_cast<uint32_t>(out_.runs.size()), false, bytes, value);
    const auto is_before = [](const ByteAccess& a, const ByteAccess& b) {
      return std::pair(a.run, a.writes) < std::pair(b.run, b.writes);
    };
    const bool sorted = std::is_sorted(out_.accesses.begin(), out_.accesses.end(), is_before);  // without copied parts
    if (!sorted) std::stable_sort(out_.accesses.begin(), out_.accesses.end(), is_before);
    return std::move(out_);
  }

 private:
  /// Checks what the memory plan says of each value that instructions and loops make, and notes the numbers of copies.
  void note_copies(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      for (const auto& [id, queue] : in_issue_order(block)) {
        for (const PlanValueId result : plan_.instruction(id).results) note_copies(result);
      }
      if (!block.repeat) continue;
      for (const PlanValueId stack : block.repeat->stacks) note_copies(stack);
      around_.push_back(&*block.repeat);
      if (block.repeat->count > 0) note_copies(block.repeat->body);
      around_.pop_back();
    }
  }

  void note_copies(PlanValueId id) {
    const ValueMemory& value = memory_.values[id.index()];
    if (value.home != Home::own) return;
    int64_t places = 1;
    for (const int64_t copies : value.copies) places *= std::max<int64_t>(copies, 0);
    const bool listed = value.copies.size() == around_.size() && places == std::ssize(value.offsets) && places > 0;
    if (!listed) refuse(id, "has not one place per copy");
    for (const int64_t offset : value.offsets) {
      if (offset < 0 || offset > arena_ - size_of(id)) refuse(id, "lies outside of the arena");
    }
    for (size_t l = 0; l < around_.size(); ++l) {
      int64_t& period = copies_.try_emplace(around_[l], 1).first->second;
      period = std::lcm(period, value.copies[l]);
      if (period > kMostStates) refuse(id, "is in a loop with too many numbers of copies");
    }
  }

  [[noreturn]] void refuse(PlanValueId id, const std::string& what) const {
    std::string text("%");
    text += plan_.value(id).name();
    throw NotAMemoryPlan{text + " " + what};
  }

  int64_t size_of(PlanValueId id) const {
    int64_t bytes = static_cast<int64_t>(info(plan_.value(id).type().dtype).bytes);
    for (const int64_t size : plan_.value(id).type().shape) bytes *= size;
    return bytes;
  }

  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat) run_loop(*block.repeat);
      for (const auto& [id, queue] : in_issue_order(block)) run(id, queue);
    }
  }

  void run(InstructionId id, QueueId queue) {
    const Instruction& instruction = plan_.instruction(id);
    const auto run = static_cast<uint32_t>(out_.runs.size());
    if (run >= kMostRunsWalked) throw NotAMemoryPlan{"the Plan has too many runs to look at"};
    out_.runs.push_back(Run{id, queue, place_, static_cast<uint32_t>(iterations_.size())});
    if (is_a_view(instruction)) {
      now_[instruction.results[0]] = now_.at(instruction.operands[0]);
      return;
    }
    for (const PlanValueId operand : instruction.operands) access(run, false, now(operand), operand);
    if (std::holds_alternative<StoreBlock>(instruction.data())) {
      stored_.emplace_back(now(instruction.operands[0]), instruction.operands[0]);
    }
    for (const PlanValueId result : instruction.results) {
      const Bytes bytes = place(result);
      set(result, bytes);
      access(run, true, bytes, result);
    }
  }

  /// The memory plan says that the result is the operand; it has to be.
  bool is_a_view(const Instruction& instruction) const {
    if (instruction.results.size() != 1) return false;
    const PlanValueId id = instruction.results[0];
    const ValueMemory& value = memory_.values[id.index()];
    if (value.home != Home::operand) return false;
    const auto* local = std::get_if<LocalOp>(&instruction.data());
    const bool same = local != nullptr &&
                      (std::holds_alternative<Reshape>(local->op) || std::holds_alternative<StopGradient>(local->op));
    if (!same || value.of != instruction.operands[0]) refuse(id, "is no other name of its operand");
    return true;
  }

  /// Where a value, that is made now, is, as a content of its own or a row.
  Bytes place(PlanValueId id) {
    const ValueMemory& value = memory_.values[id.index()];
    if (value.home == Home::row) return row(id, value.of);
    if (value.home == Home::own) {
      int64_t place = 0;
      for (size_t l = 0; l < value.copies.size(); ++l) {
        place = place * value.copies[l] + iterations_[l] % value.copies[l];
      }
      const int64_t begin = value.offsets[static_cast<size_t>(place)];
      return add_content(id, begin, begin + size_of(id));
    }
    if (size_of(id) > 0 || value.home != Home::none) refuse(id, "has no bytes");
    return add_content(id, 0, 0);
  }

  Bytes add_content(PlanValueId id, int64_t begin, int64_t end) {
    contents_.push_back(Content{id, place_});
    return bytes_of(static_cast<uint32_t>(contents_.size() - 1), begin, end);
  }

  static Bytes bytes_of(uint32_t content, int64_t begin, int64_t end) {
    return Bytes{content, Bytes::kUnset, begin, end, 0};
  }
  const Bytes& now(PlanValueId id) const {
    static constexpr Bytes kNothing;
    const uint32_t number = now_.at(id);
    return number == RunsTables::kNothing ? kNothing : bytes_[number];
  }
  void set(PlanValueId id, const Bytes& bytes) {
    now_[id] = static_cast<uint32_t>(bytes_.size());
    bytes_.push_back(bytes);
  }

  Bytes row(PlanValueId id, PlanValueId stack) const {
    const LoopRun* loop = loops_.empty() ? nullptr : loops_.back();
    for (size_t p = 0; loop != nullptr && p < loop->repeat->parts.size(); ++p) {
      if (loop->repeat->parts[p] == id && loop->repeat->stacks[p] == stack) return row_of(loop->stacks[p], *loop);
    }
    refuse(id, "is no part of a stack where it is made");
  }

  /// The rows of a whole of an iteration.
  static Bytes row_of(const Bytes& whole, const LoopRun& loop) {
    const int64_t bytes = (whole.end - whole.begin) / loop.repeat->count;
    return Bytes{whole.content, loop.number, whole.begin + loop.first_row() * bytes,
                 whole.begin + loop.row_end() * bytes, loop.iteration};
  }

  void access(uint32_t run, bool writes, const Bytes& bytes, PlanValueId value) {
    if (bytes.content == Bytes::kUnset) refuse(value, "is read and nothing makes it");
    if (bytes.begin >= bytes.end) return;
    if (writes) note_write(contents_[bytes.content]);
    out_.accesses.push_back(ByteAccess{bytes.begin, bytes.end, run, bytes.content, value, writes});
    next_write_.push_back(Content::kNone);
  }

  /// The access that comes is the last one that writes it.
  void note_write(Content& content) {
    const auto number = static_cast<uint32_t>(out_.accesses.size());
    (content.first_write == Content::kNone ? content.first_write : next_write_[content.last_write]) = number;
    content.last_write = number;
  }

  void run_loop(const Repeat& repeat) {
    if (repeat.count == 0) {
      for (const PlanValueId stack : repeat.stacks) set(stack, add_content(stack, 0, 0));
      return hand_on(repeat.initial, repeat.results);
    }
    LoopRun loop{&repeat, loop_runs_++};
    for (const PlanValueId stack : repeat.stacks) loop.stacks.push_back(place(stack));
    loop.contents = contents_.size();
    loop.accesses = out_.accesses.size();
    hand_on(repeat.initial, repeat.arguments);
    const uint32_t outside = place_;
    loops_.push_back(&loop);
    for (; loop.iteration < loop.trips(); ++loop.iteration) {
      if (!loop.is_cut() && which_ == RaceLoops::few) cut_short(loop);
      iterations_.push_back(loop.iteration);
      place_ = static_cast<uint32_t>(out_.iterations.size());
      out_.iterations.insert(out_.iterations.end(), iterations_.begin(), iterations_.end());
      out_.marks.push_back({out_.runs.size(), &repeat, loop.iteration, false});
      for (size_t s = 0; s < repeat.slices.size(); ++s) {
        set(repeat.slices[s], row_of(now(repeat.stacked[s]), loop));
      }
      run(repeat.body);
      for (size_t p = 0; p < repeat.parts.size(); ++p) copy_part(repeat.parts[p], row_of(loop.stacks[p], loop));
      const bool last = loop.iteration + 1 == loop.trips();
      hand_on(repeat.yields, last ? repeat.results : repeat.arguments);
      iterations_.pop_back();
    }
    out_.marks.push_back({out_.runs.size(), &repeat, loop.trips(), true});
    loops_.pop_back();
    place_ = outside;
    for (size_t p = 0; p < loop.stacks.size(); ++p) set(repeat.stacks[p], loop.stacks[p]);
  }

  void hand_on(const std::vector<PlanValueId>& from, const std::vector<PlanValueId>& to) {
    std::vector<uint32_t> bytes;
    for (const PlanValueId id : from) bytes.push_back(now_.at(id));
    for (size_t i = 0; i < to.size(); ++i) now_[to[i]] = bytes[i];
  }

  /// Where the state has been there before, the iterations that show nothing new are left out.
  void cut_short(LoopRun& loop) {
    const int64_t ahead = std::min(loop.repeat->ahead, loop.repeat->count);
    const auto [known, is_new] = loop.states.try_emplace(state(loop), loop.iteration);
    if (is_new || loop.iteration < ahead + 2) {
      if (loop.iteration < kMostStates || loop.repeat->count <= 2 * kMostStates) return;
      throw NotAMemoryPlan{"a loop has too many states to look at"};
    }
    const int64_t before = known->second, period = loop.iteration - before;
    const int64_t least = loop.iteration + before + 2 * period + ahead + 2;
    if (loop.repeat->count < least + period) return;
    if (!rows_are_apart(loop)) {
      if (loop.repeat->count <= 2 * kMostStates) return;
      throw NotAMemoryPlan{"a loop has rows of a stack where other values are, and too many iterations"};
    }
    loop.cut_at = loop.iteration;
    loop.cut = (loop.repeat->count - least) / period * period;
  }

  /// Whether the bytes of wholes that the loop takes apart or puts together are used for nothing else in it.
  bool rows_are_apart(const LoopRun& loop) const {
    std::vector<Bytes> wholes = loop.stacks;
    for (const PlanValueId id : loop.repeat->stacked) wholes.push_back(now(id));
    const auto is_apart = [](const Bytes& whole, const ByteAccess& access) {
      return access.content == whole.content || access.end <= whole.begin || access.begin >= whole.end;
    };
    return std::all_of(wholes.begin(), wholes.end(), [&](const Bytes& whole) {
      return std::all_of(out_.accesses.begin() + static_cast<int64_t>(loop.accesses), out_.accesses.end(),
                         [&](const ByteAccess& access) { return is_apart(whole, access); });
    });
  }

  std::vector<int64_t> state(const LoopRun& loop) const {
    const auto copies = copies_.find(loop.repeat);
    std::vector<int64_t> state{copies == copies_.end() ? 0 : loop.iteration % copies->second};
    for (const PlanValueId id : loop.repeat->arguments) {
      const Bytes& bytes = now(id);
      if (bytes.content == Bytes::kUnset) refuse(id, "is carried and nothing makes it");
      const Content& content = contents_[bytes.content];
      if (bytes.loop == loop.number) {
        state.insert(state.end(), {1, content.value.value, loop.iteration - bytes.row});
      } else if (bytes.content >= loop.contents) {
        state.insert(state.end(), {2, content.value.value,
                                   loop.iteration - out_.iterations[content.iterations + iterations_.size()]});
      } else {
        state.insert(state.end(), {3, static_cast<int64_t>(bytes.content), bytes.begin});
      }
    }
    return state;
  }

  void copy_part(PlanValueId part, const Bytes& row) {
    const Bytes from = now(part);
    if (from.content == Bytes::kUnset) refuse(part, "is stacked and nothing makes it");
    if (from.content == row.content && from.begin == row.begin) return;
    const bool whole = row.end - row.begin != from.end - from.begin;  // the rows of iterations that are left out
    const uint32_t last = contents_[from.content].last_write;         // what comes here may be of the same content
    if (last == Content::kNone) return;
    for (uint32_t w = contents_[from.content].first_write;; w = next_write_[w]) {
      const ByteAccess write = out_.accesses[w];
      const int64_t begin = std::max(write.begin, from.begin), end = std::min(write.end, from.end);
      Bytes copy = row;
      if (!whole) copy = bytes_of(row.content, row.begin + begin - from.begin, row.begin + end - from.begin);
      if (begin < end) access(write.run, true, copy, part);
      if (w == last) return;
    }
  }

  const Plan& plan_;
  const MemoryPlan& memory_;
  RaceLoops which_;
  int64_t arena_;
  std::map<const Repeat*, int64_t> copies_;  ///< the least common multiple of all numbers of copies
  std::vector<const Repeat*> around_;
  IdTable<PlanValueId, uint32_t>& now_;
  std::vector<Bytes> bytes_;  ///< what names stand for or have stood for
  std::vector<Content> contents_;
  std::vector<LoopRun*> loops_;
  std::vector<int64_t> iterations_;
  uint32_t place_ = 0;                ///< where they are in the result
  std::vector<uint32_t> next_write_;  ///< by access: the next one that writes its content
  std::vector<std::pair<Bytes, PlanValueId>> stored_;
  uint32_t loop_runs_ = 0;
  RankRuns out_;
};

}  // namespace

std::optional<RankRuns> rank_runs(const Plan& plan, size_t group, const MemoryPlan& memory, RaceLoops loops,
                                  RunsTables& tables, std::string& error) {
  if (memory.values.size() != plan.values.size() || memory.groups.size() != plan.groups.size()) {
    error = "it is of another Plan";
    return std::nullopt;
  }
  try {
    return RunsWalk(plan, group, memory, loops, tables).walk(plan.groups[group].blocks);
  } catch (const NotAMemoryPlan& wrong) {
    error = wrong.reason;
    return std::nullopt;
  }
}

}  // namespace isoshard::verify
