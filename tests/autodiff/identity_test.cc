// Every backward rule by the adjoint identity in exact arithmetic (docs/spec/autodiff.md, "How rules are tested"),
// whole and in parts.
#include <gtest/gtest.h>

#include "core/transform/autodiff/split_backward.h"
#include "tests/autodiff/parts.h"
#include "tests/autodiff/rule_cases.h"

namespace isoshard::autodiff::identity_test {
namespace {

class Rule : public ::testing::TestWithParam<RuleCase> {};

TEST_P(Rule, FulfilsTheAdjointIdentity) {
  RuleFunction f = rule_function(GetParam());
  std::vector<Values> of_none;
  for (const Remat remat : {Remat::none, Remat::full}) {
    const Vjp vjp = vjp_of(f.module, f.function, f.wrt, {remat});
    for (const ProgramId part : {vjp.forward, vjp.backward}) {
      for (const Diagnostic& error : f.module.state_errors(part)) ADD_FAILURE() << error.message;
    }
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const AdjointIdentity at(f.module, f.function, vjp, seed, GetParam().draw);
      ASSERT_TRUE(at.smooth()) << "seed " << seed;
      const Values gradients = at.gradients(f.module, vjp.backward);
      EXPECT_EQ(at.problem(gradients), "") << "seed " << seed;
      EXPECT_EQ(parts_problem(f.module, vjp, at, gradients, seed), "") << "seed " << seed;
      if (remat == Remat::none) of_none.push_back(gradients);
      EXPECT_TRUE(same(gradients, of_none[seed])) << "seed " << seed << ": another gradient with remat=full";
    }
  }
}

TEST(Parts, NeedAnInputAndAWeight) {
  RuleFunction f = rule_function(rule_cases().front());
  const Vjp vjp = vjp_of(f.module, f.function, f.wrt);
  for (const std::vector<size_t>& inputs : {std::vector<size_t>{}, std::vector<size_t>{0}}) {
    DiagnosticSink sink;
    EXPECT_FALSE(split_backward(f.module, vjp, inputs, sink));
    ASSERT_EQ(sink.error_count(), 1U);
    EXPECT_EQ(sink.diagnostics()[0].rule, "A-wrt");
    EXPECT_EQ(sink.diagnostics()[0].message,
              "@f.backward in parts: " + std::to_string(inputs.size()) +
                  " of 1 gradients are those of inputs; expected at least one input and one weight, otherwise the "
                  "backward part as it is");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Rule, ::testing::ValuesIn(rule_cases()), [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace isoshard::autodiff::identity_test
