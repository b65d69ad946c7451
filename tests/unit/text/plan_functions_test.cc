// Functions of Plan files: what calls write, what does not fit, and which calls printing makes functions of.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "tests/plans_testing.h"

namespace isoshard::plan_functions_test {
namespace {

using isoshard::testing::plan_errors;
using isoshard::testing::read_plan_text;
using isoshard::testing::right_plan;
using isoshard::testing::round_trip_error;
using isoshard::testing::SamePlan;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kHead = R"(isoshard-plan 1
plan @p on @m [x=2]
global @a : f32[4, 2] input
global @w : f32[2, 2] param
output @y: f32[4, 2]
communicator x on ring
)";

/// Two calls on two queues, and an instruction between them; lines are counted from 1.
const std::string kCalls = kHead + R"(
function @layer(%h, %k) {
  queue compute
    #0 %p = dot_general %h, %k {contract=[1]x[0]} : f32[2,2]  after given 0
    #2 %z = add %q, %h : f32[2,2]  after #1
  queue ring
    #1 %q = permute %p {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #0
}

ranks all [0..2] {
  queue compute
    #0 %h = load @a [x of 2, -] : f32[2,2]
    #1 %w = load @w [-, -] : f32[2,2]
    #10 %one = invoke @layer(%g, %w)  given #2
    #20 %two = invoke @layer(%r, %w)  given #15
    #30 store %two.z {output=@y, block=[x of 2, -]}
  queue ring
    #2 %g = permute %h {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #0
    #15 %r = permute %one.z {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #12
}
)";

/// The same without calls.
const std::string kWritten = kHead + R"(
ranks all [0..2] {
  queue compute
    #0 %h = load @a [x of 2, -] : f32[2,2]
    #1 %w = load @w [-, -] : f32[2,2]
    #10 %one.p = dot_general %g, %w {contract=[1]x[0]} : f32[2,2]  after #2
    #12 %one.z = add %one.q, %g : f32[2,2]  after #11
    #20 %two.p = dot_general %r, %w {contract=[1]x[0]} : f32[2,2]  after #15
    #22 %two.z = add %two.q, %r : f32[2,2]  after #21
    #30 store %two.z {output=@y, block=[x of 2, -]}
  queue ring
    #2 %g = permute %h {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #0
    #11 %one.q = permute %one.p {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #10
    #15 %r = permute %one.z {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #12
    #21 %two.q = permute %two.p {group=x, dst=(x+1)%2, src=(x+1)%2} : f32[2,2]  after #20
}
)";

/// The first error of `kCalls` with `from`, which it holds, replaced.
std::string error_of(const std::string& from, const std::string& to) {
  const size_t at = kCalls.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const std::vector<std::string> errors = plan_errors(kCalls.substr(0, at) + to + kCalls.substr(at + from.size()));
  return errors.empty() ? "none" : errors.front();
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PlanFunctions, ACallIsTheLinesOfItsFunction) {
  const std::optional<Plan> calls = right_plan(kCalls), written = right_plan(kWritten);
  ASSERT_TRUE(calls && written);
  EXPECT_EQ(SamePlan(*calls, *written).difference(), "");
  EXPECT_EQ(print(*calls, {.functions = false}), print(*written));
  EXPECT_EQ(round_trip_error(*calls), "");
}

TEST(PlanFunctions, APlanKnowsItsCalls) {
  const std::optional<Plan> plan = right_plan(kCalls);
  ASSERT_TRUE(plan.has_value());
  std::vector<std::string> calls;
  for (const Instruction& instruction : plan->instructions) {
    calls.push_back(instruction.call().valid() ? plan->calls[instruction.call().index()].name : "");
  }
  EXPECT_THAT(calls, ElementsAre("", "", "", "one", "one", "one", "", "two", "two", "two", ""));
  EXPECT_EQ(plan->calls[0].function, "layer");
}

TEST(PlanFunctions, AWrittenLineIsPlacedInFunctionAndCall) {
  const std::optional<Plan> plan = right_plan(kCalls);
  ASSERT_TRUE(plan.has_value());
  const Location& where = plan->instruction(InstructionId(7)).location();
  EXPECT_EQ(where.line(), 10U);
  ASSERT_NE(where.outer(), nullptr);
  EXPECT_EQ(where.outer()->line(), 21U);
}

TEST(PlanFunctions, WhatDoesNotFitIsAnError) {
  EXPECT_THAT(error_of("invoke @layer(%g, %w)", "invoke @later(%g, %w)"),
              StartsWith("20:23 E-func there is no function @later above; did you mean `@layer`?"));
  EXPECT_THAT(error_of("@layer(%g, %w)", "@layer(%g)"),
              StartsWith("20:23 L-function the call has 1 argument and @layer 2 parameters; expected one for each"));
  EXPECT_THAT(error_of("  given #2\n", "\n"),
              StartsWith("20:23 L-function the call gives 0 tokens and @layer waits for 1 given one"));
  EXPECT_THAT(error_of("given #2", "given #2, #2"), HasSubstr("L-function the call gives 2 tokens"));
  EXPECT_THAT(
      error_of("add %q, %h", "add %q, %w"),
      StartsWith("11:21 E-undefined the function has no value %w; the values are %h, %k, %p, %q, %z; what comes from "
                 "outside is a parameter"));
  EXPECT_THAT(error_of("after #1\n", "after #4\n"),
              StartsWith("11:42 L-token there is no instruction #4 in the function to wait for"));
  EXPECT_THAT(error_of("#2 %z", "#2 %p"), StartsWith("11:8 E-duplicate %p is defined twice in the function"));
  EXPECT_THAT(error_of("#2 %z", "#2 %h"), StartsWith("11:8 E-duplicate %h is defined twice in the function"));
  EXPECT_THAT(error_of("(%h, %k)", "(%h, %h)"), StartsWith("8:21 E-duplicate %h is a parameter twice"));
  EXPECT_THAT(error_of("ranks all", "function @layer() {\n}\n\nranks all"),
              StartsWith("16:10 E-duplicate there is a function @layer above"));
  EXPECT_THAT(error_of("    #2 %z", "    #5 %u = invoke @layer(%h, %k)\n    #2 %z"),
              StartsWith("11:20 L-function a function calls no other one"));
  EXPECT_THAT(error_of("  after given 0", "  action \"0F0\"  after given 0"),
              StartsWith("10:63 L-function the action"));
  EXPECT_THAT(error_of("given #2", "given given 0"), StartsWith("20:45 P-expected"));
  EXPECT_THAT(error_of("  given #2\n", "  frees %g\n"), StartsWith("20:39 P-expected"));
  EXPECT_THAT(error_of("#20 %two", "#20 %one"), HasSubstr("E-duplicate %one.p is defined twice in this group"));
  EXPECT_THAT(error_of("#20 %two", "#12 %two"), HasSubstr("E-duplicate there are two instructions #12"));
  EXPECT_THAT(error_of("store %two.z", "store %two"), HasSubstr("E-undefined there is no value %two here"));
}

TEST(PlanFunctions, WhatIsWrittenIsVerified) {
  EXPECT_THAT(error_of("given #15", "given #11"),
              StartsWith("10:5 L-order #20 dot_general reads %r and does not wait for #15"));
  EXPECT_THAT(error_of("#10 %one", "#16 %one"), HasSubstr("L-"));
  EXPECT_THAT(error_of("f32[2,2]  after #1", "f32[2,3]  after #1"), StartsWith("11:5 L-type"));
}

TEST(PlanFunctions, CallsThatWriteTooMuchAreRefused) {
  std::string text = "isoshard-plan 1\nplan @p\nfunction @many() {\n  queue compute\n";
  for (int i = 0; i < 2000; ++i)
    text += "    #" + std::to_string(i) + " %v" + std::to_string(i) + " = index {value=0} : i32[]\n";
  text += "}\nranks all [0..1] {\n  queue compute\n";
  for (int i = 0; i < 600; ++i)
    text += "    #" + std::to_string(2000 * i) + " %c" + std::to_string(i) + " = invoke @many()\n";
  DiagnosticSink sink;
  EXPECT_FALSE(read_plan_text(text + "}\n", sink).has_value());
  ASSERT_FALSE(sink.diagnostics().empty());
  EXPECT_EQ(sink.diagnostics().front().rule, "L-limit");
}

/// Calls with loops, between instructions that are not their own; lines are counted from 1.
const std::string kLoops = kHead + R"(
function @turns(%h) {
  queue compute
    #0 %s = add %h, %h : f32[2,2]
  %r = repeat 3 (%c = %s) {
    queue compute
      #2 %d = add %c, %q : f32[2,2]  after #1
    queue ring
      #1 %q = permute %c {group=x, dst=(x+1+loop(0))%2, src=(x+1+loop(0))%2} : f32[2,2]  after #0, previous #2
    yield %d
  }
  queue compute
    #3 %z = tanh %r : f32[2,2]
}

ranks all [0..2] {
  queue compute
    #0 %h = load @a [x of 2, -] : f32[2,2]
  #10 %one = invoke @turns(%h)
  #20 %two = invoke @turns(%one.z)
  queue compute
    #30 %t = tanh %two.z : f32[2,2]
    #40 %three = invoke @turns(%t)
  queue compute
    #50 store %three.z {output=@y, block=[x of 2, -]}
}
)";

TEST(PlanFunctions, LoopsStandInFunctions) {
  const std::optional<Plan> plan = right_plan(kLoops);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(round_trip_error(*plan), "");
  EXPECT_EQ(plan->groups[0].blocks.size(), 7U);
  const std::string text = print(*plan), written = print(*plan, {.functions = false});
  EXPECT_EQ(count_of(text, "function @turns("), 1U) << text;
  EXPECT_EQ(count_of(text, "invoke @turns("), 3U) << text;
  EXPECT_EQ(count_of(text, "repeat 3"), 1U) << text;
  EXPECT_EQ(count_of(written, "repeat 3"), 3U) << written;
}

TEST(PlanFunctions, BehindALoopAQueueIsNamed) {
  std::string text = kLoops;
  const size_t at = text.find("  queue compute\n    #30");
  EXPECT_THAT(plan_errors(text.erase(at, 16)),
              ElementsAre(HasSubstr("expected the queue of the instruction before it")));
}

/// The Plan of the program of `text` with the last name.
Plan lowered(const std::string& text) {
  DiagnosticSink sink;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"t.shard", text});
  const std::optional<Module> module = text::parse_module(source, {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
  return lower(*module, ProgramId(module->programs.size() - 1));
}

std::string stack(int layers, const std::string& more = "") {
  std::string text = R"(isoshard 1
mesh @m [x=2]
global @h : f32[4, 4] input
global @w : f32[4, 4] param
func @norm(%h : f32[4, 4]) {
  %s = multiply %h, %h
  %n = add %s, %h
  return %n
}
func @layer(%h : f32[4, 4], %w : f32[4, 4]) {
  %n = call @norm(%h)
  %p = dot_general %n, %w {contract=[1]x[0]}
  %t = tanh %p
  %y = add %t, %h
  return %y
}
program @p on @m {
  %h0 = view @h [-, -]
  %w = view @w [-, -]
)" + more;
  for (int i = 0; i < layers; ++i) {
    text += "  %h" + std::to_string(i + 1) + " = call @layer(%h" + std::to_string(i) + ", %w)\n";
  }
  return text + "  return @y = %h" + std::to_string(layers) + " [-, -]\n}\n";
}

TEST(PlanFunctions, LayersAreOneFunction) {
  const Plan plan = lowered(stack(8));
  const std::string text = print(plan), written = print(plan, {.functions = false});
  EXPECT_EQ(round_trip_error(plan), "");
  EXPECT_EQ(count_of(text, "function @layer("), 1U) << text;
  EXPECT_EQ(count_of(text, "invoke @layer("), 7U) << text;  // the last one frees the weights
  EXPECT_EQ(count_of(text, "function @norm("), 0U) << text;
  EXPECT_EQ(count_of(written, "invoke"), 0U);
  EXPECT_EQ(count_of(written, " = tanh "), 8U);
  EXPECT_LT(count_of(text, "\n") + 12, count_of(written, "\n"));
}

TEST(PlanFunctions, TextGrowsByALineForEachCall) {
  const size_t few = count_of(print(lowered(stack(20))), "\n"), more = count_of(print(lowered(stack(30))), "\n");
  EXPECT_EQ(more - few, 10U);
}

TEST(PlanFunctions, InnerCallsAreFunctionsWhereOuterOnesAreNone) {
  std::string more;
  for (int i = 0; i < 9; ++i) {
    more += "  %u" + std::to_string(i) + " = call @norm(%" + (i == 0 ? "h0" : "u" + std::to_string(i - 1)) + ")\n";
  }
  const Plan plan = lowered(stack(1, more));
  const std::string text = print(plan);
  EXPECT_EQ(round_trip_error(plan), "");
  EXPECT_EQ(count_of(text, "function @layer("), 0U) << text;
  EXPECT_EQ(count_of(text, "function @norm("), 1U) << text;
}

TEST(PlanFunctions, TwoCallsOfTwoLinesAreNoFunction) { EXPECT_EQ(count_of(print(lowered(stack(1))), "function"), 0U); }

TEST(PlanFunctions, ActionsOfAPipelineAreCalls) {
  DiagnosticSink sink;
  const auto source = text::read_source("examples/pipeline_1f1b.shard");
  ASSERT_TRUE(source.has_value());
  const std::optional<Module> module = text::parse_module(*source, {}, sink);
  ASSERT_TRUE(module.has_value());
  for (size_t p = 0; p < module->programs.size(); ++p) {
    if (module->programs[p].name() != "pipelined") continue;
    const Plan plan = lower(*module, ProgramId(p));
    const std::string text = print(plan);
    EXPECT_EQ(round_trip_error(plan), "");
    EXPECT_GT(count_of(text, "invoke @"), 20U) << text;
    EXPECT_GT(count_of(text, "  action \"2F3\""), 0U) << text;
    return;
  }
  FAIL() << "no program @pipelined";
}

}  // namespace
}  // namespace isoshard::plan_functions_test
