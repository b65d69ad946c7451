#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/plan/passes/lower.h"
#include "core/text/text.h"
#include "sim/run/work_estimate.h"

namespace isoshard::work_estimate_test {
namespace {

using ::testing::HasSubstr;

/// A product of 2x3 and 3x4 on each of 2 devices, and a loop.
Plan product_and_loop(const std::string& trips) {
  const std::string text =
      "isoshard 1\nmesh @m [a=2]\nglobal @x : f32[2, 3] input\nglobal @y : f32[3, 4] input\nuntyped program @p on @m "
      "{\n"
      "  %x = view @x [-, -]\n  %y = view @y [-, -]\n  %z = dot_general %x, %y {contract=[1]x[0]}\n"
      "  %l = scan (%c = %z) trips " +
      trips + " {\n    %n = negate %c\n    yield (%n)\n  }\n  return @z = %l [-, -]\n}\n";
  DiagnosticSink sink;
  const std::optional<Module> module =
      text::parse_module(std::make_shared<const SourceFile>(SourceFile{"p.shard", text}), {}, sink);
  EXPECT_TRUE(module) << (sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message);
  return lower(*module, ProgramId(0));
}

TEST(WorkEstimate, CountsWhatEachDeviceDoes) {
  const sim::WorkEstimate work = sim::estimate_work(product_and_loop("10"));
  // Two loads, the product, a store; per iteration the negation and the iteration itself.
  EXPECT_EQ(work.instructions, 2 * (4 + 10 * 2));
  EXPECT_EQ(work.elements, 2 * (6 + 12 + 8 + 10 * 8));
  EXPECT_EQ(work.products, 2 * 2 * 3 * 4);
  EXPECT_GT(work.times(2).seconds(), work.seconds());
}

TEST(WorkEstimate, TheLimitCountsDevicesAndSteps) {
  EXPECT_FALSE(sim::exceeds_instructions(product_and_loop("100000000"), 1));
  const std::optional<Diagnostic> loop = sim::exceeds_instructions(product_and_loop("1000000000"), 1);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->rule, "E-limit");
  EXPECT_THAT(loop->message, HasSubstr("@p on 2 virtual devices runs 4e+09 instructions, most of them in a loop of "
                                       "1e+09 iterations"));
  EXPECT_THAT(std::string(loop->location.source_line()), HasSubstr("scan"));
  const std::optional<Diagnostic> steps = sim::exceeds_instructions(product_and_loop("100000000"), 2);
  ASSERT_TRUE(steps);
  EXPECT_THAT(steps->message, HasSubstr("8e+08 instructions in 2 steps"));
}

}  // namespace
}  // namespace isoshard::work_estimate_test
