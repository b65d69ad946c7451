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
#include "core/plan/plan_builder.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/engine/engine.h"
#include "tests/pipelines_testing.h"
#include "verify/deadlock/deadlock.h"

namespace isoshard::deadlock_test {
namespace {

using verify::DeadlockReport;
using verify::DeadlockVerdict;
using verify::decide_deadlock;

/// What one rank does: a collective over a group of axes, or one side of a message between two ranks.
struct Part {
  size_t communicator = 0;
  int64_t peer = -1;  ///< -1: a collective
  bool sends = false;
  bool follows = false;  ///< it needs what the rank's last part made
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

/// Ranks do their parts of random meetings in one order; then some neighbours change places, and a part is lost.
Parts random_parts(const Mesh& mesh, const std::vector<Group>& groups, bool messages_along_x) {
  const auto count = static_cast<size_t>(mesh.device_count());
  Parts ranks(count);
  const auto follows = [] { return *rc::gen::inRange(0, 3) == 0; };
  const auto meetings = *rc::gen::inRange<size_t>(1, 14);
  for (size_t m = 0; m < meetings; ++m) {
    const auto c = *rc::gen::inRange<size_t>(0, groups.size());
    const bool only_x = groups[c] == Group{{AxisId(0)}};
    if (*rc::gen::arbitrary<bool>() || (messages_along_x && !only_x)) {
      for (size_t r = 0; r < count; ++r) ranks[r].push_back({c, -1, false, follows()});
      continue;
    }
    const auto from = *rc::gen::inRange<int64_t>(0, mesh.device_count());
    const int64_t to = mesh.member(groups[c], from, *rc::gen::inRange<int64_t>(0, mesh.size(groups[c])));
    if (to == from) continue;
    ranks[static_cast<size_t>(from)].push_back({c, to, true, follows()});
    ranks[static_cast<size_t>(to)].push_back({c, from, false, follows()});
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
    for (Part& part : ranks.back()) part.peer = part.peer < 0 ? -1 : part.peer * size + r % size;
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
  if (part.peer < 0) {
    last = out.collective(CollectiveKind::all_reduce, communicator, x);
    return;
  }
  const Expr peer(mesh.index_in(w.groups[part.communicator], part.peer));
  if (part.sends) {
    out.send(communicator, x, peer);
  } else {
    last = out.receive(communicator, peer, kType);
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

/// Whether all ranks come to their ends with one queue each and room for `depth` messages, by going round.
bool completes_in_order(const Written& w, int64_t depth) {
  const Mesh mesh = w.mesh();
  struct Done {
    std::vector<size_t> next;
    std::map<std::vector<int64_t>, int64_t> sent, taken;  ///< by communicator, from, to
  } done;
  done.next.resize(w.ranks.size());
  const auto length = [&](size_t r) { return w.ranks[r].size() * static_cast<size_t>(w.repeats); };
  const auto part = [&](size_t r) { return w.ranks[r][done.next[r] % w.ranks[r].size()]; };
  const auto at_end = [&](size_t r) { return done.next[r] == length(r); };
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t r = 0; r < w.ranks.size(); ++r) {
      if (at_end(r)) continue;
      const Part p = part(r);
      const auto c = static_cast<int64_t>(p.communicator), rank = static_cast<int64_t>(r);
      if (p.peer < 0) {
        const Group& group = w.groups[p.communicator];
        std::vector<size_t> members;
        for (int64_t m = 0; m < mesh.size(group); ++m) {
          members.push_back(static_cast<size_t>(mesh.member(group, rank, m)));
        }
        const auto is_there = [&](size_t m) {
          return !at_end(m) && part(m).peer < 0 && part(m).communicator == p.communicator;
        };
        if (!std::all_of(members.begin(), members.end(), is_there)) continue;
        for (const size_t m : members) ++done.next[m];
      } else if (p.sends) {
        const std::vector<int64_t> key{c, rank, p.peer};
        const auto other = static_cast<size_t>(p.peer);
        const auto takes = [&] {
          return !at_end(other) && part(other).peer == rank && !part(other).sends &&
                 part(other).communicator == p.communicator;
        };
        if (done.sent[key] - done.taken[key] < depth) {
          ++done.sent[key];
        } else if (done.sent[key] == done.taken[key] && takes()) {
          ++done.sent[key], ++done.taken[key], ++done.next[other];
        } else {
          continue;
        }
        ++done.next[r];
      } else {
        const std::vector<int64_t> key{c, p.peer, rank};
        if (done.sent[key] == done.taken[key]) continue;
        ++done.taken[key];
        ++done.next[r];
      }
      moved = true;
    }
  }
  for (size_t r = 0; r < w.ranks.size(); ++r) {
    if (!at_end(r)) return false;
  }
  return true;
}

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
