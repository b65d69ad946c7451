// The verdict about deadlocks beside two others that do not share its code: sim's engine on the same Plan, and, for one
// queue per rank and for buffers, a loop that goes on with whoever can.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/lockstep/run.h"
#include "tests/pipelines_testing.h"
#include "verify/deadlock/deadlock.h"

namespace isoshard::deadlock_test {
namespace {

using verify::DeadlockReport;
using verify::DeadlockVerdict;
using verify::decide_deadlock;

enum class PartKind : uint8_t { collective, send, receive, permute, ring };

/// What one rank does over a group of axes: its side of a collective, of a message, of a permute among some members, or
/// of a shift by one round all of them.
struct Part {
  size_t communicator = 0;
  PartKind kind = PartKind::collective;
  int64_t target = -1, source = -1;  ///< ranks; -1: nobody
  bool follows = false;              ///< it needs what the rank's last part made
};

/// A Plan, as it is written.
struct Written {
  std::vector<MeshAxis> axes;
  std::vector<Group> groups;             ///< per communicator
  std::vector<std::vector<Part>> ranks;  ///< in issue order
  int64_t repeats = 1;                   ///< all parts so often, in a loop
  bool lines = false;                    ///< ranks along y are one rank group; else each rank is one
  Mesh mesh() const { return Mesh("m", axes); }
};

using Parts = std::vector<std::vector<Part>>;

/// A permute among some members of a group: each sends to one at most, and receives from one at most.
void add_permute(const Mesh& mesh, const Group& group, size_t communicator, Parts& ranks) {
  const auto any = *rc::gen::inRange<int64_t>(0, mesh.device_count());
  const int64_t size = mesh.size(group);
  std::vector<int64_t> targets(static_cast<size_t>(size), -1), sources(static_cast<size_t>(size), -1);
  for (int64_t m = 0; m < size; ++m) {
    const auto to = *rc::gen::inRange<int64_t>(-1, size);
    if (to < 0 || sources[static_cast<size_t>(to)] >= 0) continue;
    targets[static_cast<size_t>(m)] = mesh.member(group, any, to);
    sources[static_cast<size_t>(to)] = mesh.member(group, any, m);
  }
  for (int64_t m = 0; m < size; ++m) {
    const int64_t target = targets[static_cast<size_t>(m)], source = sources[static_cast<size_t>(m)];
    if (target < 0 && source < 0) continue;
    ranks[static_cast<size_t>(mesh.member(group, any, m))].push_back(
        {communicator, PartKind::permute, target, source, *rc::gen::inRange(0, 3) == 0});
  }
}

/// Ranks do their parts of random meetings in one order; then some neighbours change places, and a part is lost.
Parts random_parts(const Mesh& mesh, const std::vector<Group>& groups, bool messages_along_x) {
  const auto count = static_cast<size_t>(mesh.device_count());
  Parts ranks(count);
  const auto follows = [] { return *rc::gen::inRange(0, 3) == 0; };
  const auto meetings = *rc::gen::inRange<size_t>(1, 14);
  for (size_t m = 0; m < meetings; ++m) {
    const auto c = *rc::gen::inRange<size_t>(0, groups.size());
    const bool only_x = groups[c] == Group{{AxisId(0)}};
    const int kind = *rc::gen::inRange(0, 8);
    if (kind < 4 || (messages_along_x && !only_x)) {
      const PartKind all = kind % 4 == 3 ? PartKind::ring : PartKind::collective;
      for (size_t r = 0; r < count; ++r) ranks[r].push_back({c, all, -1, -1, follows()});
      continue;
    }
    if (kind < 6) {
      add_permute(mesh, groups[c], c, ranks);
      continue;
    }
    const auto from = *rc::gen::inRange<int64_t>(0, mesh.device_count());
    const int64_t to = mesh.member(groups[c], from, *rc::gen::inRange<int64_t>(0, mesh.size(groups[c])));
    if (to == from) continue;
    ranks[static_cast<size_t>(from)].push_back({c, PartKind::send, to, -1, follows()});
    ranks[static_cast<size_t>(to)].push_back({c, PartKind::receive, -1, from, follows()});
  }
  const auto swaps = *rc::gen::inRange<size_t>(0, 9);
  for (size_t s = 0; s < swaps; ++s) {
    std::vector<Part>& parts = ranks[*rc::gen::inRange<size_t>(0, count)];
    if (parts.size() < 2) continue;
    const auto at = *rc::gen::inRange<size_t>(1, parts.size());
    std::swap(parts[at - 1], parts[at]);
  }
  std::vector<Part>& shorter = ranks[*rc::gen::inRange<size_t>(0, count)];
  if (!shorter.empty() && *rc::gen::inRange(0, 8) == 0) shorter.pop_back();
  return ranks;
}

/// The parts of ranks along x, for all ranks of a line along y.
Parts repeated(const Mesh& mesh, const Parts& line) {
  const int64_t size = mesh.axis(AxisId(1)).size;
  Parts ranks;
  for (int64_t r = 0; r < mesh.device_count(); ++r) {
    ranks.push_back(line[static_cast<size_t>(r / size)]);
    for (Part& part : ranks.back()) {
      for (int64_t* peer : {&part.target, &part.source}) *peer = *peer < 0 ? -1 : *peer * size + r % size;
    }
  }
  return ranks;
}

Written random_written() {
  Written w;
  w.axes = {{"x", *rc::gen::inRange<int64_t>(1, 4)}, {"y", *rc::gen::inRange<int64_t>(1, 4)}};
  const std::vector<Group> tuples{{{AxisId(0)}}, {{AxisId(1)}}, {{AxisId(0), AxisId(1)}}, {{AxisId(1), AxisId(0)}}};
  w.groups.resize(*rc::gen::inRange<size_t>(1, 5));
  for (Group& group : w.groups) group = *rc::gen::elementOf(tuples);
  if (*rc::gen::inRange(0, 3) == 0) w.repeats = *rc::gen::inRange<int64_t>(1, 4);
  w.lines = *rc::gen::arbitrary<bool>();
  if (!w.lines) {
    w.ranks = random_parts(w.mesh(), w.groups, false);
    return w;
  }
  const Mesh line("m", {w.axes[0], {"y", 1}});
  w.ranks = repeated(w.mesh(), random_parts(line, w.groups, true));
  return w;
}

const TensorType kType{DType::f64, {1}};

void write_part(PlanBuilder& out, const Written& w, const Mesh& mesh, const std::vector<CommunicatorId>& communicators,
                const Part& part, PlanValueId& last) {
  const PlanValueId fresh = out.local(Constant{Rational(1), DType::f64, {1}}, {}, kType);
  const PlanValueId x = part.follows ? last : fresh;
  const CommunicatorId communicator = communicators[part.communicator];
  const Group& group = w.groups[part.communicator];
  const Expr own = Expr::index_in(group, mesh);
  const int64_t size = mesh.size(group);
  const auto member = [&](int64_t peer) { return Expr(peer < 0 ? -1 : mesh.index_in(group, peer)); };
  switch (part.kind) {
    case PartKind::collective:
      last = out.collective(CollectiveKind::all_reduce, communicator, x);
      break;
    case PartKind::send:
      out.send(communicator, x, member(part.target));
      break;
    case PartKind::receive:
      last = out.receive(communicator, member(part.source), kType);
      break;
    case PartKind::permute:
      last = out.permute(communicator, x, member(part.target), member(part.source));
      break;
    case PartKind::ring:
      last = out.permute(communicator, x, mod(own + 1, size), mod(own - 1, size));
      break;
  }
}

Plan plan_of(const Written& w) {
  const Mesh mesh = w.mesh();
  PlanBuilder out(std::make_shared<Mesh>(mesh));
  std::vector<CommunicatorId> communicators;
  for (size_t c = 0; c < w.groups.size(); ++c) {
    communicators.push_back(out.add_communicator(w.groups[c], "queue " + std::to_string(c)));
  }
  const int64_t width = w.lines ? w.axes[1].size : 1;
  for (size_t r = 0; r < w.ranks.size(); r += static_cast<size_t>(width)) {
    std::vector<int64_t> positions(static_cast<size_t>(width));
    std::iota(positions.begin(), positions.end(), static_cast<int64_t>(r));
    out.begin_group("rank " + std::to_string(r), positions);
    PlanValueId last = out.local(Constant{Rational(1), DType::f64, {1}}, {}, kType);
    const bool loops = w.repeats > 1;
    if (loops) last = out.begin_repeat(w.repeats, {last})[0];
    for (const Part& part : w.ranks[r]) write_part(out, w, mesh, communicators, part, last);
    if (loops) out.end_repeat({last});
  }
  return out.finish();
}

/// Goes round all ranks, with one queue each and room for some messages, and lets whoever can go on.
class GoingRound {
 public:
  GoingRound(const Written& w, int64_t depth) : w_(w), mesh_(w.mesh()), depth_(depth), ranks_(w.ranks.size()) {}

  /// Whether all come to their ends.
  bool completes() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t r = 0; r < ranks_.size(); ++r) moved = (!at_end(r) && try_part(r)) || moved;
    }
    for (size_t r = 0; r < ranks_.size(); ++r) {
      if (!at_end(r)) return false;
    }
    return true;
  }

 private:
  struct Rank {
    size_t next = 0;
    bool sent = false, received = false;  ///< of the part that comes next
  };
  using Channel = std::vector<int64_t>;  ///< communicator, from, to

  bool at_end(size_t r) const { return ranks_[r].next == w_.ranks[r].size() * static_cast<size_t>(w_.repeats); }

  /// The part that comes next, peers of a ring filled in.
  Part part(size_t r) const {
    Part result = w_.ranks[r][ranks_[r].next % w_.ranks[r].size()];
    if (result.kind != PartKind::ring) return result;
    const Group& group = w_.groups[result.communicator];
    const auto rank = static_cast<int64_t>(r);
    const int64_t own = mesh_.index_in(group, rank), size = mesh_.size(group);
    result.target = mesh_.member(group, rank, (own + 1) % size);
    result.source = mesh_.member(group, rank, (own + size - 1) % size);
    return result;
  }

  /// Whether anything has happened.
  bool try_part(size_t r) {
    const Part p = part(r);
    if (p.kind == PartKind::collective) return try_collective(r, p);
    bool moved = p.target >= 0 && !ranks_[r].sent && try_send(r, p);
    moved = (p.source >= 0 && !ranks_[r].received && try_receive(r, p)) || moved;
    const bool over = (p.target < 0 || ranks_[r].sent) && (p.source < 0 || ranks_[r].received);
    if (over) ranks_[r] = {ranks_[r].next + 1};
    return moved || over;
  }

  bool try_collective(size_t r, const Part& p) {
    const Group& group = w_.groups[p.communicator];
    std::vector<size_t> members;
    for (int64_t m = 0; m < mesh_.size(group); ++m) {
      members.push_back(static_cast<size_t>(mesh_.member(group, static_cast<int64_t>(r), m)));
    }
    const auto is_there = [&](size_t m) {
      return !at_end(m) && part(m).kind == PartKind::collective && part(m).communicator == p.communicator;
    };
    if (!std::all_of(members.begin(), members.end(), is_there)) return false;
    for (const size_t m : members) ++ranks_[m].next;
    return true;
  }

  bool try_send(size_t r, const Part& p) {
    const auto rank = static_cast<int64_t>(r);
    const Channel channel{static_cast<int64_t>(p.communicator), rank, p.target};
    const auto other = static_cast<size_t>(p.target);
    const auto takes = [&] {
      return !at_end(other) && part(other).source == rank && !ranks_[other].received &&
             part(other).communicator == p.communicator;
    };
    if (sent_[channel] - taken_[channel] < depth_) {
      ++sent_[channel];
    } else if (sent_[channel] == taken_[channel] && takes()) {
      ++sent_[channel], ++taken_[channel];
      ranks_[other].received = true;
    } else {
      return false;
    }
    return ranks_[r].sent = true;
  }

  bool try_receive(size_t r, const Part& p) {
    const Channel channel{static_cast<int64_t>(p.communicator), p.source, static_cast<int64_t>(r)};
    if (sent_[channel] == taken_[channel]) return false;
    ++taken_[channel];
    return ranks_[r].received = true;
  }

  const Written& w_;
  Mesh mesh_;
  int64_t depth_;
  std::vector<Rank> ranks_;
  std::map<Channel, int64_t> sent_, taken_;
};

bool completes_in_order(const Written& w, int64_t depth) { return GoingRound(w, depth).completes(); }

bool engine_completes(const Plan& plan, uint64_t seed) {
  sim::RunOptions options;
  options.workers = 1;
  options.interleave_seed = seed;
  const Result<sim::RunResult> result = sim::run(plan, sim::float_domain(), {}, options);
  RC_ASSERT(result.has_value() || result.error().rule == "D-deadlock" || result.error().rule == "D-mismatch");
  return result.has_value();
}

RC_GTEST_PROP(Deadlock, AgreesWithTheEngineAndWithGoingRound, ()) {
  const Written w = random_written();
  const Plan plan = plan_of(w);
  const DeadlockReport report = decide_deadlock(plan);
  const bool in_order = completes_in_order(w, 0), runs = engine_completes(plan, *rc::gen::arbitrary<uint64_t>());
  RC_CLASSIFY(w.lines && w.axes[1].size > 1, "folds");
  RC_CLASSIFY(in_order, "none");
  RC_CLASSIFY(!in_order && runs, "launch order");
  RC_CLASSIFY(!runs, "deadlock");
  RC_ASSERT((report.verdict == DeadlockVerdict::none) == in_order);
  RC_ASSERT((report.verdict == DeadlockVerdict::deadlock) == !runs);
  RC_ASSERT(runs || !in_order);
  if (report.verdict == DeadlockVerdict::none || report.verdict == DeadlockVerdict::deadlock) return;
  const int64_t messages = 30;
  int64_t depth = 0;
  while (depth <= messages && !completes_in_order(w, depth)) ++depth;
  RC_ASSERT(report.depth == (depth > messages ? std::nullopt : std::optional(depth)));
}

// Loops in loops, values that change places from one iteration to the next, and queues that may be apart differently.

constexpr size_t kRegisters = 3;

/// A collective of the group of all that reads one register and writes another, a local op, or a loop.
struct Node {
  std::optional<size_t> communicator{};  ///< nothing: local, or a loop
  size_t read = 0, written = 0;
  int64_t count = 0;  ///< of a loop
  int64_t ahead = 1;
  std::vector<size_t> handed_on{};  ///< per register: which one the next iteration finds there
  std::vector<Node> body{};
};

std::vector<Node> random_nodes(size_t communicators, int depth) {
  std::vector<Node> nodes(*rc::gen::inRange<size_t>(1, 7));
  for (Node& node : nodes) {
    node.read = *rc::gen::inRange<size_t>(0, kRegisters);
    node.written = *rc::gen::inRange<size_t>(0, kRegisters);
    const int kind = *rc::gen::inRange(0, 6);
    if (kind > 1) node.communicator = *rc::gen::inRange<size_t>(0, communicators);
    if (kind > 0 || depth == 0) continue;
    node.count = *rc::gen::inRange<int64_t>(1, 4);
    for (size_t r = 0; r < kRegisters; ++r) node.handed_on.push_back(*rc::gen::inRange<size_t>(0, kRegisters));
    node.body = random_nodes(communicators, depth - 1);
  }
  return nodes;
}

/// The same with other distances between queues, and here and there neighbours that have changed places.
std::vector<Node> disturbed(std::vector<Node> nodes) {
  if (nodes.size() > 1 && *rc::gen::inRange(0, 3) > 0) {
    const auto at = *rc::gen::inRange<size_t>(1, nodes.size());
    std::swap(nodes[at - 1], nodes[at]);
  }
  for (Node& node : nodes) {
    if (node.count == 0) continue;
    node.ahead = *rc::gen::inRange<int64_t>(0, 4);
    node.body = disturbed(node.body);
  }
  return nodes;
}

void set_ahead(std::vector<Block>& blocks, const std::vector<Node>& nodes) {
  size_t at = 0;
  for (Block& block : blocks) {
    if (!block.repeat) continue;
    while (nodes[at].count == 0) ++at;
    block.repeat->ahead = nodes[at].ahead;
    set_ahead(block.repeat->body, nodes[at].body);
    ++at;
  }
}

using Registers = std::vector<PlanValueId>;

void write_nodes(PlanBuilder& out, const std::vector<CommunicatorId>& communicators, const std::vector<Node>& nodes,
                 Registers& registers) {
  for (const Node& node : nodes) {
    if (node.count > 0) {
      Registers inside = out.begin_repeat(node.count, registers);
      write_nodes(out, communicators, node.body, inside);
      Registers yields;
      for (const size_t from : node.handed_on) yields.push_back(inside[from]);
      registers = out.end_repeat(yields);
      continue;
    }
    const PlanValueId x = registers[node.read];
    registers[node.written] = node.communicator
                                  ? out.collective(CollectiveKind::all_reduce, communicators[*node.communicator], x)
                                  : out.local(Negate{}, {x}, kType);
  }
}

RC_GTEST_PROP(Deadlock, AgreesWithTheEngineInLoops, ()) {
  const auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", *rc::gen::inRange<int64_t>(2, 4)}});
  PlanBuilder out(mesh);
  std::vector<CommunicatorId> communicators(*rc::gen::inRange<size_t>(1, 4));
  for (CommunicatorId& id : communicators) id = out.add_communicator(Group{{AxisId(0)}}, "queue");
  const std::vector<Node> nodes = random_nodes(communicators.size(), 2);
  std::vector<std::vector<Node>> of_rank;
  for (int64_t rank = 0; rank < mesh->device_count(); ++rank) {
    of_rank.push_back(disturbed(nodes));
    out.begin_group("rank " + std::to_string(rank), {rank});
    Registers registers;
    for (size_t r = 0; r < kRegisters; ++r) {
      registers.push_back(out.local(Constant{Rational(1), DType::f64, {1}}, {}, kType));
    }
    write_nodes(out, communicators, of_rank.back(), registers);
  }
  Plan plan = out.finish();
  for (size_t r = 0; r < of_rank.size(); ++r) set_ahead(plan.groups[r].blocks, of_rank[r]);
  const DeadlockReport report = decide_deadlock(plan);
  const bool runs = engine_completes(plan, *rc::gen::arbitrary<uint64_t>());
  RC_CLASSIFY(report.none(), "none");
  RC_CLASSIFY(!report.none() && runs, "launch order");
  RC_CLASSIFY(!runs, "deadlock");
  RC_ASSERT((report.verdict == DeadlockVerdict::deadlock) == !runs);
}

/// Programs of one rank group have none by construction; pipelines have an order of messages.
RC_GTEST_PROP(Deadlock, PipelinesHaveNone, ()) {
  isoshard::testing::PipelineFile file;
  file.data = *rc::gen::inRange<int64_t>(1, 3);
  file.stages = *rc::gen::inRange<int64_t>(1, 6);
  file.model = *rc::gen::inRange<int64_t>(1, 3);
  file.micro_batches = *rc::gen::inRange<int64_t>(1, 8);
  file.schedule = "schedule=\"" + *rc::gen::element<std::string>("GPipe", "1F1B", "ZB-H1") + "\"";
  const std::optional<Module> module = isoshard::testing::module_of(isoshard::testing::pipeline_text(file));
  RC_ASSERT(module.has_value());
  RC_ASSERT(decide_deadlock(lower(*module, module->checks.front().left)).words() == "none");
}

}  // namespace
}  // namespace isoshard::deadlock_test
