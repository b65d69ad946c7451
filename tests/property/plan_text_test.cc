// Plans of random programs, of the catalogue and of all examples are printed and read: the same Plan, and the same
// text, after lowering and after every pass.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "core/plan/passes/keep_outputs.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/unroll.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "tests/plans_testing.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::plan_text_test {
namespace {

using isoshard::testing::random_program;
using isoshard::testing::RandomProgram;
using isoshard::testing::RandomProgramOptions;
using isoshard::testing::round_trip_error;

RC_GTEST_PROP(PlanText, IsReadBack, ()) {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  options.updates = *rc::gen::arbitrary<bool>();
  options.typed = *rc::gen::arbitrary<bool>();
  const RandomProgram random = random_program(options);
  const Plan plan = lower(random.module, random.program);
  RC_ASSERT(round_trip_error(plan) == "");
  std::vector<bool> wanted;
  for (size_t o = 0; o < plan.outputs.size(); ++o) wanted.push_back(*rc::gen::arbitrary<bool>());
  RC_ASSERT(round_trip_error(keep_outputs(plan, wanted)) == "");
  const std::optional<Plan> flat = unroll(plan, 2000);
  RC_ASSERT((flat ? round_trip_error(*flat) : "") == "");
}

/// The Plans of all programs of a module.
void expect_read_back(const Module& module, const std::string& name) {
  for (size_t p = 0; p < module.programs.size(); ++p) {
    if (module.programs[p].kind() != ProgramKind::program) continue;
    const Plan plan = lower(module, ProgramId(p));
    EXPECT_EQ(round_trip_error(plan), "") << name << ", @" << plan.program;
    const std::optional<Plan> flat = unroll(plan, 2000);
    EXPECT_EQ(flat ? round_trip_error(*flat) : "", "") << name << ", @" << plan.program << " unrolled";
  }
}

TEST(PlanText, ModelsOfTheCatalogueAreReadBack) {
  for (const ModelInfo& model : catalogue()) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(ModelRequest{std::string(model.name), {}, {}}, sink);
    ASSERT_TRUE(module.has_value()) << model.name;
    expect_read_back(*module, std::string(model.name));
  }
}

TEST(PlanText, ExamplesAreReadBack) {
  size_t seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("examples")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".shard")) continue;
    DiagnosticSink sink;
    const auto source = text::read_source(path);
    ASSERT_TRUE(source.has_value()) << path;
    const std::optional<Module> module = text::parse_module(*source, {}, sink);
    ASSERT_TRUE(module.has_value()) << path;
    expect_read_back(*module, path);
    ++seen;
  }
  EXPECT_GT(seen, 40U);
}

}  // namespace
}  // namespace isoshard::plan_text_test
