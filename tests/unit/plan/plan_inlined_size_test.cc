#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/plan/passes/inlined_size.h"
#include "core/plan/passes/lower.h"
#include "core/text/text.h"

namespace isoshard::plan_inlined_size_test {
namespace {

using ::testing::HasSubstr;

/// @f0 negates; each of `funcs` others calls the one before twice; @p calls the last one.
Module doubling(int funcs) {
  std::string text =
      "isoshard 1\nglobal @x : f32[4] input\nfunc @f0(%x: f32[4]) -> f32[4] {\n  %y = negate %x\n  return %y\n}\n";
  for (int i = 1; i <= funcs; ++i) {
    const std::string before = std::to_string(i - 1);
    text += "func @f" + std::to_string(i) + "(%x: f32[4]) -> f32[4] {\n  %a = call @f" + before +
            "(%x)\n  %b = call @f" + before + "(%a)\n  return %b\n}\n";
  }
  text +=
      "program @p {\n  %x = view @x [-]\n  %y = call @f" + std::to_string(funcs) + "(%x)\n  return @y = %y [-]\n}\n";
  DiagnosticSink sink;
  std::optional<Module> module =
      text::parse_module(std::make_shared<const SourceFile>(SourceFile{"p.shard", text}), {}, sink);
  EXPECT_TRUE(module) << (sink.diagnostics().empty() ? "" : sink.diagnostics()[0].message);
  return module ? *module : Module{};
}

TEST(InlinedSize, IsThatOfThePlan) {
  const Module module = doubling(6);
  const ProgramId p = *module.find_program("p");
  EXPECT_EQ(inlined_ops(module, p), 1 + std::pow(2, 6));
  // A Plan has a store in addition.
  EXPECT_EQ(lower(module, p).instructions.size(), 1 + 64 + 1);
}

TEST(InlinedSize, GrowsBeyondIntegersWithoutTime) {
  const Module module = doubling(200);
  EXPECT_EQ(inlined_ops(module, *module.find_program("p")), 1 + std::pow(2, 200));
}

TEST(InlinedSize, TheLimitIsToldAtTheCall) {
  const Module most = doubling(19);
  EXPECT_FALSE(exceeds_inlined_ops(most, *most.find_program("p")));
  const Module over = doubling(20);
  const std::optional<Diagnostic> error = exceeds_inlined_ops(over, *over.find_program("p"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->rule, "E-limit");
  EXPECT_THAT(error->message, HasSubstr("@p is 1048577 ops once its calls are inlined, of which this one is 1048576"));
  EXPECT_EQ(error->location.source_line(), "  %y = call @f20(%x)");
}

}  // namespace
}  // namespace isoshard::plan_inlined_size_test
