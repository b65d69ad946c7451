// The schedules that are known by name, as lists of actions per rank: GPipe (Y. Huang et al. 2019), 1F1B
// (PipeDream-flush; D. Narayanan et al. 2019 and 2021) and ZB-H1 (P. Qi et al., arXiv 2401.10241) with one stage per
// rank; looped breadth-first (J. Lamy-Poirier, arXiv 2211.05953) and interleaved 1F1B (D. Narayanan et al., arXiv
// 2104.04473) with several; ZB-V (arXiv 2401.10241) with two there and back. Where authors leave something open they
// are those of PyTorch's torch.distributed.pipelining. They hold numbers only and know nothing of programs; lowering
// binds actions to functions. Cost: the actions.
#include "core/schedule/schedules.h"

#include <algorithm>
#include <utility>

#include "core/support/quoted.h"
#include "core/support/result.h"

namespace isoshard::schedule {
namespace {

/// The actions of one rank, each of the next micro-batch of its kind and stage.
class RankSchedule {
 public:
  RankSchedule(const Placement& placement, int64_t rank, int64_t micro_batches)
      : placement_(placement),
        rank_(rank),
        micro_batches_(micro_batches),
        chunks_(static_cast<size_t>(placement.per_rank)) {}

  RankActions gpipe();
  RankActions one_f_one_b();
  RankActions zb_h1();
  RankActions looped_bfs();
  RankActions interleaved();
  RankActions zb_v();

 private:
  /// How many actions of each kind have been issued.
  struct Chunk {
    int64_t forwards = 0, inputs = 0, weights = 0;
  };
  int64_t last_rank() const { return placement_.ranks - 1; }
  Chunk& chunk(int64_t c) { return chunks_[static_cast<size_t>(c)]; }

  void add(int64_t c, ActionKind kind, int64_t micro_batch) {
    if (micro_batch < micro_batches_) actions_.push_back(Action{placement_.stage_of(rank_, c), kind, micro_batch});
  }
  void forward(int64_t c = 0) { add(c, ActionKind::forward, chunk(c).forwards++); }
  void backward(int64_t c = 0) { add(c, ActionKind::backward, chunk(c).inputs++); }
  void input(int64_t c = 0) { add(c, ActionKind::input_gradient, chunk(c).inputs++); }
  void weight(int64_t c = 0) { add(c, ActionKind::weight_gradient, chunk(c).weights++); }
  void input_and_weight(int64_t c) {
    input(c);
    weight(c);
  }

  const Placement& placement_;
  int64_t rank_, micro_batches_;
  std::vector<Chunk> chunks_;
  RankActions actions_;
};

RankActions RankSchedule::gpipe() {
  for (int64_t k = 0; k < micro_batches_; ++k) forward();
  for (int64_t k = 0; k < micro_batches_; ++k) backward();
  return std::move(actions_);
}

RankActions RankSchedule::one_f_one_b() {
  const int64_t warm_up = std::min(last_rank() - rank_, micro_batches_);
  for (int64_t k = 0; k < warm_up; ++k) forward();
  for (int64_t k = 0; k < micro_batches_; ++k) {
    if (k + warm_up < micro_batches_) forward();
    backward();
  }
  return std::move(actions_);
}

RankActions RankSchedule::zb_h1() {
  const Chunk& done = chunk(0);
  const int64_t warm_up = std::min(last_rank() - rank_, micro_batches_);
  while (done.forwards < warm_up) forward();
  while (done.inputs < micro_batches_) {
    if (done.forwards < micro_batches_) forward();
    input();
    if (done.inputs - done.weights > rank_) weight();
  }
  while (done.weights < micro_batches_) weight();
  return std::move(actions_);
}

RankActions RankSchedule::looped_bfs() {
  for (int64_t c = 0; c < placement_.per_rank; ++c) {
    for (int64_t k = 0; k < micro_batches_; ++k) forward(c);
  }
  for (int64_t c = placement_.per_rank - 1; c >= 0; --c) {
    for (int64_t k = micro_batches_ - 1; k >= 0; --k) add(c, ActionKind::backward, k);
  }
  return std::move(actions_);
}

/// How often all micro-batches are gone through in parts of at least `ranks`: so many pass a chunk before the next one
/// has its turn.
int64_t rounds(const Placement& placement, int64_t micro_batches) {
  return std::max<int64_t>(1, micro_batches / placement.ranks);
}

RankActions RankSchedule::interleaved() {
  const int64_t round = micro_batches_ / rounds(placement_, micro_batches_), all = micro_batches_ * placement_.per_rank;
  const auto turn = [&](int64_t step) { return step / round % placement_.per_rank; };
  const int64_t warm_up = std::min((placement_.per_rank - 1) * round + 2 * (last_rank() - rank_), all);
  for (int64_t step = 0; step < warm_up; ++step) forward(turn(step));
  for (int64_t step = warm_up; step < all + warm_up; ++step) {
    if (step < all) forward(turn(step));
    backward(placement_.per_rank - 1 - turn(step - warm_up));
  }
  return std::move(actions_);
}

/// Written for at least 2·ranks - 1 micro-batches; of those that are not there nothing is issued.
RankActions RankSchedule::zb_v() {
  const int64_t count = std::max(2 * placement_.ranks - 1, micro_batches_), behind = placement_.ranks - rank_;
  const Chunk &there = chunk(0), &back = chunk(1);
  for (int64_t n = 0; n < 2 * behind - 1; ++n) forward(0);
  for (int64_t n = 0; n < rank_; ++n) forward(1), forward(0);
  for (int64_t n = 0; n < behind; ++n) forward(1), input_and_weight(1);
  while (back.forwards < there.forwards || there.forwards < count) {
    if (there.forwards < count) forward(0);
    input_and_weight(0);
    forward(1);
    input_and_weight(1);
  }
  for (int64_t n = 0; n < rank_; ++n) input(0), input(1);
  for (int64_t n = 0; n < behind; ++n) input(0), weight(0);
  while (back.weights < back.inputs) weight(1);
  while (there.weights < there.inputs) weight(0);
  return std::move(actions_);
}

/// What a schedule wants of its stages; nothing when it has it.
using Wants = std::optional<std::string> (*)(const Placement& placement, int64_t micro_batches);

std::optional<std::string> one_stage(const Placement& placement, int64_t) {
  return placement.per_rank == 1 ? std::nullopt : std::optional<std::string>("one stage per rank");
}
std::optional<std::string> loop(const Placement& placement, int64_t) {
  return placement.style == Style::loop ? std::nullopt : std::optional<std::string>("placement=loop");
}
std::optional<std::string> whole_rounds(const Placement& placement, int64_t micro_batches) {
  const int64_t parts = rounds(placement, micro_batches);
  if (micro_batches % parts == 0) return loop(placement, micro_batches);
  return "micro-batches that " + std::to_string(parts) + " rounds of at least " + std::to_string(placement.ranks) +
         " have in equal parts, and there are " + std::to_string(micro_batches);
}
std::optional<std::string> two_there_and_back(const Placement& placement, int64_t) {
  if (placement.per_rank == 2 && placement.style == Style::v) return std::nullopt;
  return "stages_per_rank=2 and placement=v";
}

struct NamedSchedule {
  std::string_view name;
  RankActions (RankSchedule::*make)();
  Wants wants;
};
constexpr NamedSchedule kSchedules[] = {{"GPipe", &RankSchedule::gpipe, one_stage},
                                        {"1F1B", &RankSchedule::one_f_one_b, one_stage},
                                        {"ZB-H1", &RankSchedule::zb_h1, one_stage},
                                        {"LoopedBFS", &RankSchedule::looped_bfs, loop},
                                        {"Interleaved1F1B", &RankSchedule::interleaved, whole_rounds},
                                        {"ZBVZeroBubble", &RankSchedule::zb_v, two_there_and_back}};

}  // namespace

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const NamedSchedule& row : kSchedules) names.emplace_back(row.name);
  return names;
}

Result<ActionLists> by_name(std::string_view name, const Placement& placement, int64_t micro_batches) {
  const auto row =
      std::find_if(std::begin(kSchedules), std::end(kSchedules), [&](const auto& r) { return r.name == name; });
  if (row == std::end(kSchedules)) {
    std::string names;
    for (const NamedSchedule& known : kSchedules) names += (names.empty() ? "" : ", ") + quoted(known.name);
    return failure("V-schedule", Location(), "there is no schedule " + quoted(name) + "; expected one of " + names);
  }
  if (const std::optional<std::string> wanted = row->wants(placement, micro_batches)) {
    return failure("V-schedule", Location(), "the schedule " + quoted(name) + " wants " + *wanted);
  }
  ActionLists lists;
  for (int64_t rank = 0; rank < placement.ranks; ++rank) {
    lists.push_back((RankSchedule(placement, rank, micro_batches).*row->make)());
  }
  return lists;
}

}  // namespace isoshard::schedule
