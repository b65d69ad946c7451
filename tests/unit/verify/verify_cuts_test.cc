// Opaque identities between exponentials: where they are put, and what they do not hide.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/abstraction/exponential_cuts.h"
#include "verify/abstraction/vertex_cut.h"
#include "verify/compare/make_pair.h"
#include "verify/facts/exp_depth.h"
#include "verify/ladder/ladder.h"

namespace isoshard::verify::verify_cuts_test {
namespace {

using Nodes = std::vector<size_t>;

TEST(VertexCut, NearestToTheSinks) {
  CutGraph chain{{{1}, {2}, {3}, {}}, {true, true, true, false}, {0}, {3}};
  EXPECT_EQ(least_vertex_cut(chain, 1), Nodes{2});
  chain.removable[2] = false;
  EXPECT_EQ(least_vertex_cut(chain, 1), Nodes{1});
  chain.removable = {true, false, false, false};
  EXPECT_EQ(least_vertex_cut(chain, 1), Nodes{0}) << "sources may be removed";
  chain.removable[0] = false;
  EXPECT_FALSE(least_vertex_cut(chain, 9)) << "nothing may be removed";
}

TEST(VertexCut, SideBySide) {
  // 0 -> 1 -> 3, 0 -> 2 -> 3
  CutGraph graph{{{1, 2}, {3}, {3}, {}}, {false, true, true, false}, {0}, {3}};
  EXPECT_EQ(least_vertex_cut(graph, 2), (Nodes{1, 2}));
  EXPECT_FALSE(least_vertex_cut(graph, 1)) << "more than asked for";
  graph.sinks = {1};
  EXPECT_EQ(least_vertex_cut(graph, 2), Nodes{1});
  graph.sources = {};
  EXPECT_EQ(least_vertex_cut(graph, 2), Nodes{});
}

bool separated(const CutGraph& graph, uint32_t removed) {
  std::vector<bool> seen(graph.next.size(), false);
  Nodes open;
  const auto enter = [&](size_t v) {
    if (seen[v] || (removed >> v & 1U) != 0) return;
    seen[v] = true;
    open.push_back(v);
  };
  for (const size_t v : graph.sources) enter(v);
  for (size_t k = 0; k < open.size(); ++k) {
    for (const size_t w : graph.next[open[k]]) enter(w);
  }
  return std::none_of(graph.sinks.begin(), graph.sinks.end(), [&](size_t v) { return seen[v]; });
}

TEST(VertexCut, AsSmallAsAnySetThatSeparates) {
  std::mt19937 random(7);
  constexpr size_t kNodes = 8;
  for (int trial = 0; trial < 300; ++trial) {
    CutGraph graph;
    graph.next.resize(kNodes);
    for (size_t v = 0; v < kNodes; ++v) {
      graph.removable.push_back(random() % 4 != 0);
      for (size_t w = 0; w < kNodes; ++w) {
        if (random() % 4 == 0) graph.next[v].push_back(w);
      }
    }
    graph.sources = {0, random() % 3};
    graph.sinks = {kNodes - 1, kNodes - 1 - random() % 3};
    size_t least = kNodes + 1;
    for (uint32_t set = 0; set < 1U << kNodes; ++set) {
      bool allowed = true;
      for (size_t v = 0; v < kNodes; ++v) allowed = allowed && ((set >> v & 1U) == 0 || graph.removable[v]);
      if (allowed && separated(graph, set)) least = std::min(least, static_cast<size_t>(std::popcount(set)));
    }
    const std::optional<Nodes> found = least_vertex_cut(graph, kNodes);
    ASSERT_EQ(found.has_value(), least <= kNodes);
    if (!found) continue;
    EXPECT_EQ(found->size(), least);
    uint32_t set = 0;
    for (const size_t v : *found) {
      EXPECT_TRUE(graph.removable[v]);
      set |= 1U << v;
    }
    EXPECT_TRUE(separated(graph, set));
  }
}

TEST(ExpNesting, WhereItBeginsAndIsTooDeep) {
  const Module module = parse(
      "global @x : f64[2] input\nprogram @p {\n  %x = view @x [-]\n  %a = exponential %x\n  %b = exponential %a\n"
      "  %t = sqrt %b\n  %c = exponential %b\n  %d = exponential %c\n  %o = add %d, %t\n  return @o = %o [-]\n}\n");
  const Plan plan = lower(module, *module.find_program("p"));
  const auto names = [&](const std::vector<InstructionId>& ids) {
    std::string text;
    for (const InstructionId id : ids) text += plan.value(plan.instruction(id).results[0]).name();
    return text;
  };
  const ExpNesting nesting = exp_nesting(plan, 1, {}, kCutDepth);
  EXPECT_EQ(names(nesting.first), "a");
  EXPECT_EQ(names(nesting.beyond), "c");
  EXPECT_EQ(names(nesting.deep), "cd");
  EXPECT_EQ(names(exp_nesting(plan, 1, {}, 1).beyond), "b");
  std::vector<bool> opaque(plan.values.size(), false);
  for (size_t v = 0; v < opaque.size(); ++v) opaque[v] = plan.values[v].name() == "b";
  const ExpNesting cut = exp_nesting(plan, 1, opaque, kCutDepth);
  EXPECT_EQ(names(cut.first), "ac");
  EXPECT_EQ(names(cut.deep), "");
  EXPECT_EQ(exp_depths(plan, 1, opaque).at(0).depth, 2);
}

/// 5 cross-attentions; `first` are the first lines of @left and @right, from %q to %h.0, `last` those from %h.{layers}
/// to %y.
std::string attentions(const std::array<std::string, 2>& first, const std::array<std::string, 2>& last) {
  const auto program = [&](const std::string& name, size_t side) {
    return "program @" + name + " {\n  %q = view @q [-, -]\n" + first[side] +
           "  for l in 0..layers {\n    %ks.{l} = view @k [l of layers, -, -]\n"
           "    %k.{l} = reshape %ks.{l} {shape=[3, 2]}\n    %s.{l} = dot_general %h.{l}, %k.{l} {contract=[1]x[1]}\n"
           "    %e.{l} = exponential %s.{l}\n    %z.{l} = reduce %e.{l} {op=add, dims=[1]}\n"
           "    %p.{l} = dot_general %e.{l}, %k.{l} {contract=[1]x[0]}\n"
           "    %w.{l} = broadcast_in_dim %z.{l} {dims=[0], shape=[2, 2]}\n    %h.{l+1} = divide %p.{l}, %w.{l}\n  "
           "}\n" +
           last[side] + "  return @y = %y [-, -]\n}\n";
  };
  return "let layers = 5\nglobal @q : f32[2, 2] input\nglobal @k : f32[layers, 3, 2] param\n" + program("left", 0) +
         program("right", 1) + "check @left == @right\n";
}

const std::string kSame = "  %h.0 = add %q, 0\n", kEnd = "  %y = add %h.{layers}, 0\n";

RingOutcome outcome_of(const std::string& text, RingOptions options = {}) {
  const Module module = parse(text);
  return run_ladder(make_pair_of(module, module.checks.at(0)), options);
}

TEST(Cuts, SwappedQueriesDiffer) {
  const RingOutcome outcome = outcome_of(attentions({kSame, kSame}, {kEnd, "  %y = reverse %h.{layers} {dims=[0]}\n"}));
  EXPECT_FALSE(outcome.equal());
}

// exp(a + b) = exp(a) exp(b): a law that rung A does not have, and at the first layer one beyond the height of towers.
TEST(Cuts, BothSidesAlikeAreEqual) {
  const std::string sum = "  %d = add %q, %q\n  %h.0 = exponential %d\n";
  const std::string product = "  %e = exponential %q\n  %h.0 = multiply %e, %e\n";
  const RingOutcome outcome = outcome_of(attentions({sum, product}, {kEnd, kEnd}));
  EXPECT_TRUE(outcome.equal()) << outcome.open.text;
  EXPECT_FALSE(outcome.assumes.opaque.empty());
  EXPECT_LE(outcome.terms.log2_error, LaneChoice{}.worst);
  const RingOutcome wrong = outcome_of(attentions({sum, "  %h.0 = exponential %q\n"}, {kEnd, kEnd}));
  EXPECT_FALSE(wrong.equal());
}

TEST(Cuts, LawsAtTheEndNeedNone) {
  const std::string sum = "  %d = add %h.{layers}, %h.{layers}\n  %y = exponential %d\n";
  const std::string product = "  %e = exponential %h.{layers}\n  %y = multiply %e, %e\n";
  const RingOutcome outcome = outcome_of(attentions({kSame, kSame}, {sum, product}));
  EXPECT_TRUE(outcome.equal()) << outcome.open.text;
  EXPECT_TRUE(outcome.assumes.opaque.empty());
}

TEST(Cuts, WithoutCommonValuesThereAreNone) {
  const Module module = parse(
      "global @x : f32[4] input\nglobal @y : f32[4] input\n"
      "program @left {\n  %x = view @x [-]\n  %a = exponential %x\n  %b = exponential %a\n  %c = exponential %b\n"
      "  return @o = %c [-]\n}\n"
      "program @right {\n  %y = view @y [-]\n  %a = exponential %y\n  %b = exponential %a\n  %c = exponential %b\n"
      "  return @o = %c [-]\n}\n"
      "check @left == @right\n");
  RingOptions options;
  options.rung = Rung::e;
  Draw draw;
  draw.redrawn = {0, 0};
  const Cuts cuts = place_cuts(make_pair_of(module, module.checks.at(0)), options, draw, {true}, kCutDepth);
  EXPECT_TRUE(cuts.places.empty());
  EXPECT_EQ(cuts.reason, "no values with counterparts separate nested exponentials before exponential (t.shard:8:8)");
}

// A state that each step updates by an attention.
TEST(Cuts, StepsAreSeparated) {
  const std::string body =
      "mesh @m [s=2]\nglobal @h : f32[2, 2] state\nglobal @k : f32[6, 2] param\n"
      "untyped program @sharded on @m {\n  %h = view @h [-, -]\n  %k = view @k [s, -]\n"
      "  %s = dot_general %h, %k {contract=[1]x[1]}\n  %e = exponential %s\n  %zo = reduce %e {op=add, dims=[1]}\n"
      "  %z = all_reduce %zo {axis=s}\n  %po = dot_general %e, %k {contract=[1]x[0]}\n  %p = all_reduce %po {axis=s}\n"
      "  %w = broadcast_in_dim %z {dims=[0], shape=[2, 2]}\n  %a = divide %p, %w\n  %n = add %h, %a\n"
      "  update @h = %n [-, -]\n}\n"
      "program @dense {\n  %h = view @h [-, -]\n  %k = view @k [-, -]\n"
      "  %s = dot_general %h, %k {contract=[1]x[1]}\n  %m = reduce %s {op=max, dims=[1]}\n"
      "  %mb = broadcast_in_dim %m {dims=[0], shape=[2, 6]}\n  %sx = subtract %s, %mb\n  %e = exponential %sx\n"
      "  %z = reduce %e {op=add, dims=[1]}\n  %p = dot_general %e, %k {contract=[1]x[0]}\n"
      "  %w = broadcast_in_dim %z {dims=[0], shape=[2, 2]}\n  %a = divide %p, %w\n  %n = add %h, %a\n"
      "  update @h = %n [-, -]\n}\n"
      "check @sharded == @dense {steps=5}\n";
  const RingOutcome outcome = outcome_of(body);
  EXPECT_TRUE(outcome.equal()) << outcome.open.text;
  EXPECT_EQ(outcome.assumes.opaque, std::vector<std::string>{"@h"});
}

}  // namespace
}  // namespace isoshard::verify::verify_cuts_test
