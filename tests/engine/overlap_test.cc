// Queues go through blocks and loops by themselves: only tokens, and `ahead` of a loop, order them.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "sim/run/draw.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::overlap_test {
namespace {

/// Sees which device makes which value when.
class Events final : public ValueObserver {
 public:
  using Event = std::pair<int64_t, PlanValueId>;

  void on_value(int64_t position, PlanValueId id, const Value&) override { all.emplace_back(position, id); }
  /// How many events come before the `nth` time, from 0, that a device makes a value.
  size_t of(int64_t position, PlanValueId id, size_t nth = 0) const {
    size_t at = 0;
    for (; at < all.size(); ++at) {
      if (all[at] == Event(position, id) && nth-- == 0) break;
    }
    return at;
  }
  std::vector<Event> all;
};

class OverlapTest : public PlanTest {
 protected:
  PlanValueId negated(PlanValueId x) { return builder_->local(Negate{}, {x}, builder_->type(x)); }
  /// Runs on one thread, devices in turns when they have to wait.
  Events events() {
    Events events;
    RunOptions options;
    options.workers = 1;
    options.observer = &events;
    EXPECT_TRUE(run_plan(options).has_value());
    return events;
  }
};

TEST_F(OverlapTest, ASendIsUnderWayWhileTheNextLoopRuns) {
  start({2});
  const CommunicatorId down = builder_->add_communicator(everyone_, "down");
  builder_->begin_group("first", {0});
  PlanValueId inside[2];
  for (PlanValueId& value : inside) {
    const PlanValueId one = builder_->local(Constant{Rational(1), DType::f64, {1}}, {}, f64({1}));
    const auto in = builder_->begin_repeat(3, {one});
    value = negated(in[0]);
    builder_->send(down, builder_->end_repeat({value})[0], Expr(1));
  }
  builder_->begin_group("second", {1});
  const PlanValueId first = builder_->receive(down, Expr(0), f64({1})),
                    second = builder_->receive(down, Expr(0), f64({1}));
  const Events seen = events();
  EXPECT_LT(seen.of(0, inside[1], 2), seen.of(1, first)) << "the second loop needs nothing from the first send";
  EXPECT_LT(seen.of(1, first), seen.of(1, second));
}

/// Multiplies a block while the next one is on its way, as ring attention does.
TEST_F(OverlapTest, ADoubleBufferedRingPermutesDuringTheProductOfTheSameIteration) {
  start({2});
  const CommunicatorId ring = builder_->add_communicator(everyone_, "ring");
  const PlanValueId own = own_block({2, 3}),
                    zero = builder_->local(Constant{Rational(0), DType::f64, {1}}, {}, f64({1}));
  const auto in = builder_->begin_repeat(4, {own, zero});
  const Expr peer = mod(position() + 1, 2);
  const PlanValueId next = builder_->permute(ring, in[0], peer, peer);
  const PlanValueId product = builder_->local(Multiply{}, {in[0], in[0]}, f64({1}));
  const PlanValueId sum = builder_->local(Add{}, {in[1], product}, f64({1}));
  store_own(builder_->end_repeat({next, sum})[1]);
  const Events seen = events();
  EXPECT_LT(seen.of(0, product), seen.of(0, next));
  for (size_t i = 1; i < 4; ++i) EXPECT_LT(seen.of(0, next, i - 1), seen.of(0, product, i)) << i;
  const Result<RunResult> result = run_plan();
  EXPECT_EQ(stored(*result, 0, 0), std::vector<double>{26});
  EXPECT_EQ(stored(*result, 0, 1), std::vector<double>{26});
  const Tokens& waits = plan_->instructions[3].waits;
  ASSERT_EQ(plan_->instructions[3].op(), "multiply");
  EXPECT_TRUE(std::count(waits.begin(), waits.end(), Token{InstructionId(2), true}) == 1 && waits.size() == 1)
      << "the product waits for the permute of the iteration before";
}

/// A queue that waits for nobody gathers slices, another one takes its time.
class AheadTest : public OverlapTest, public ::testing::WithParamInterface<int64_t> {};

TEST_P(AheadTest, AQueueIsSoManyIterationsAheadAtMost) {
  constexpr size_t kTrips = 6;
  start({2});
  const CommunicatorId all = builder_->add_communicator(everyone_, "all");
  const PlanValueId rows = builder_->local(Constant{Rational(1), DType::f64, {kTrips, 1}}, {}, f64({kTrips, 1}));
  const PlanValueId one = builder_->local(Constant{Rational(1), DType::f64, {1}}, {}, f64({1}));
  const auto in = builder_->begin_repeat(kTrips, {one}, {rows});
  const PlanValueId gathered = builder_->collective(CollectiveKind::all_reduce, all, in[1]);
  const PlanValueId next = builder_->local(Add{}, {in[0], gathered}, f64({1}));
  store_own(builder_->end_repeat({next})[0]);
  plan_ = builder_->finish();
  plan_->groups[0].blocks[1].repeat->ahead = GetParam();
  int64_t most = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Events seen;
    RunOptions options = with_workers(1, seed);
    options.observer = &seen;
    const Result<RunResult> result = run_plan(options);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(stored(*result, 0, 0), std::vector<double>{13});
    int64_t communicated = 0, computed = 0;
    for (const auto& [position, id] : seen.all) {
      if (position != 0) continue;
      communicated += id == gathered ? 1 : 0;
      computed += id == next ? 1 : 0;
      most = std::max(most, communicated - computed);
    }
  }
  EXPECT_EQ(most, GetParam() + 1) << "iterations that are communicated and not computed";
}

INSTANTIATE_TEST_SUITE_P(Iterations, AheadTest, ::testing::Values(0, 1, 3));

/// The micro-batch of each value's action, where its kind is `forward`; by value.
std::map<PlanValueId, int64_t> forwards(const Plan& plan) {
  std::map<PlanValueId, int64_t> result;
  for (const Instruction& instruction : plan.instructions) {
    if (!instruction.action.valid()) continue;
    const schedule::Action& action = plan.action(instruction.action).action;
    for (const PlanValueId id : instruction.results) {
      if (action.kind == schedule::ActionKind::forward) result[id] = action.micro_batch;
    }
  }
  return result;
}

constexpr const char* kScannedStages = R"(isoshard 1
mesh @m [pp=2]
let bm = 2
let d = 3
global @x : f32[4 * bm, d] input
global @t : f32[4 * bm, d] input
global @W : f32[size(pp), 3, d, d] param init=lecun_normal
func @stage(%x: f32[bm, d], %W: f32[3, d, d]) on @m -> f32[bm, d] {
  %y = scan (%h = %x) over (%Wl = %W) {
    %z = dot_general %h, %Wl {contract=[1]x[0]}
    %a = tanh %z
    yield (%a)
  }
  return %y
}
func @loss(%y: f32[bm, d], %t: f32[bm, d]) on @m -> f32[] {
  %q = multiply %y, %t
  %l = reduce %q {op=add, dims=[0, 1]}
  return %l
}
program @pipelined on @m {
  %x = view @x [-, -]
  %t = view @t [-, -]
  %W = view @W [stack pp, -, -, -]
  %l, %dW = pipeline @stage(%x, %W) @loss(%t) {axis=pp, microbatches=4, wrt=[1], schedule="1F1B"}
  return @dW = %dW [stack pp, -, -, -]
}
)";

Plan plan_of_scanned_stages(const std::string& schedule) {
  std::string text = kScannedStages;
  text.replace(text.find("1F1B"), 4, schedule);
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"pipeline.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return lower(*module, *module->find_program("pipelined"));
}

std::vector<Value> globals_of(const Plan& plan) {
  std::vector<Value> globals;
  for (const Global& global : plan.globals) globals.push_back(from_tensor(draw_global(global, 0), float_domain()));
  return globals;
}

class ScheduleOverlapTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ScheduleOverlapTest, AllInterleavingsGiveTheSameBits) {
  const Plan plan = plan_of_scanned_stages(GetParam());
  const std::vector<Value> globals = globals_of(plan);
  const Result<RunResult> expected = run_on_engine(plan, float_domain(), globals);
  ASSERT_TRUE(expected.has_value());
  std::set<uint64_t> orders;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Result<RunResult> result =
        run_on_engine(plan, float_domain(), globals, with_workers(seed % 3 == 0 ? 2 : 1, seed));
    ASSERT_TRUE(result.has_value());
    orders.insert(result->order_digest);
    for (size_t i = 0; i < expected->outputs[0].size(); ++i) {
      ASSERT_TRUE(same_bits(result->outputs[0][i].value, expected->outputs[0][i].value)) << seed;
    }
  }
  EXPECT_GT(orders.size(), 50U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, ScheduleOverlapTest, ::testing::Values("GPipe", "1F1B", "ZB-H1"));

TEST(PipelineOverlap, ScannedStagesOf1F1BSendWhileTheNextForwardRuns) {
  const Plan plan = plan_of_scanned_stages("1F1B");
  ASSERT_EQ(plan.groups.size(), 2U);
  const std::vector<Value> globals = globals_of(plan);
  Events seen;
  RunOptions options;
  options.workers = 1;
  options.observer = &seen;
  ASSERT_TRUE(run_on_engine(plan, float_domain(), globals, options).has_value());
  const std::map<PlanValueId, int64_t> forward = forwards(plan);
  const auto is_of = [&](const Events::Event& event, int64_t position, int64_t micro_batch) {
    const auto known = forward.find(event.second);
    return event.first == position && known != forward.end() && known->second == micro_batch;
  };
  const auto received =
      std::find_if(seen.all.begin(), seen.all.end(), [&](const Events::Event& e) { return is_of(e, 1, 0); });
  ASSERT_NE(received, seen.all.end());
  EXPECT_EQ(std::count_if(seen.all.begin(), received, [&](const Events::Event& e) { return is_of(e, 0, 1); }),
            1 + 3 * 2)
      << "rank 0 is through the layers of micro-batch 1 before rank 1 has micro-batch 0";
}

}  // namespace
}  // namespace isoshard::sim::overlap_test
