// Dropout: its rates, and which mask a device draws. By coordinates it is the same on every mesh; with a key of each
// device's own, as in the original, it is not (trap P5 of docs/originals.md).
#include "parallel/layers/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallel/layers/dense.h"
#include "tests/golden/program_run.h"
#include "verify/check.h"

namespace isoshard::dropout_test {
namespace {

using golden::ProgramRun;

constexpr float kX = 3;

/// Of 1000 elements, all kX.
std::vector<float> dropped(double rate, std::optional<uint32_t> seed = 7) {
  ProgramRun run;
  const ValueId x = run.input("x", Tensor::from<float>(DType::f32, {10, 100}, std::vector<float>(1000, kX)));
  Params params;
  Scope root(run.m(), params);
  if (seed) root.set_key("dropout", prng_key(run.m(), *seed));
  run.output("y", dropout(root, rate, x));
  const Tensor y = run.run().at("y").front();
  return {y.as<float>().begin(), y.as<float>().end()};
}

TEST(Dropout, KeepsAShareOfTheElementsAndScalesThem) {
  for (const double rate : {0.1, 0.5, 0.9}) {
    int kept = 0;
    for (const float y : dropped(rate)) {
      if (y == 0) continue;
      ++kept;
      EXPECT_FLOAT_EQ(y, kX / static_cast<float>(1 - rate));
    }
    // Five deviations of a binomial distribution.
    EXPECT_NEAR(kept, 1000 * (1 - rate), 5 * std::sqrt(1000 * rate * (1 - rate))) << rate;
  }
}

TEST(Dropout, WithRates0And1NeedsNoKey) {
  EXPECT_EQ(dropped(0, std::nullopt), std::vector<float>(1000, kX));
  EXPECT_EQ(dropped(1, std::nullopt), std::vector<float>(1000, 0.0F));
}

TEST(Dropout, DrawsAnotherMaskEachTime) {
  EXPECT_EQ(dropped(0.5), dropped(0.5));
  EXPECT_NE(dropped(0.5), dropped(0.5, 8));
}

struct Built {
  Module module;
  DiagnosticSink sink;
  std::optional<ProgramId> sharded, whole;
};

std::string messages(const Built& built) {
  std::string text;
  for (const Diagnostic& d : built.sink.diagnostics()) text += d.rule + ": " + d.message + "\n";
  return text;
}

TEST(Dropout, SaysWhichRatesAndKeysItWants) {
  for (const double rate : {-0.25, 1.5, std::nan("")}) {
    ProgramRun run;
    const ValueId x = run.input("x", Tensor::from<float>(DType::f32, {1}, std::vector<float>{1}));
    Params params;
    Scope root(run.m(), params);
    root.set_key("dropout", prng_key(run.m(), 7));
    EXPECT_FALSE(dropout(root, rate, x).valid());
    EXPECT_FALSE(dropout_by_coordinates(run.m(), prng_key(run.m(), 7), rate, x, Draw{{1}}).valid());
    EXPECT_NE(run.messages().find("expected a number from 0 to 1"), std::string::npos) << rate;
  }
  ProgramRun run;
  const ValueId x = run.input("x", Tensor::from<float>(DType::f32, {1}, std::vector<float>{1}));
  Params params;
  Scope root(run.m(), params);
  EXPECT_FALSE(dropout(root, 0.5, x).valid());
  EXPECT_NE(run.messages().find("C-key"), std::string::npos);
}

enum class Mask : uint8_t { by_coordinates, folded_key, same_key };

/// Dropout on the devices of a mesh [data, model], x split over both, against dropout_by_coordinates on one device.
Built split_features(Mask mask, int64_t data, int64_t model) {
  Built built;
  const auto mesh = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"data", data}, {"model", model}});
  const GlobalId x = declare(built.module, "x", {24, 24}, Role::input, InitKind::normal);
  built.module.globals.push_back(Global{"key", TensorType{DType::key, {}}, Role::key, {}, {}});
  const GlobalId key(1);
  ModelBuilder m(built.module, "sharded", mesh, built.sink);
  const Layout layout{m.split("data"), m.split("model")};
  const ValueId own = m.view(x, layout, "x"), base = m.view(key, {}, "key");
  const Shape shape = m.shape(own);
  const Draw draw = mask == Mask::by_coordinates ? draw_block(m, shape, layout) : Draw{shape, shape};
  const Group all{{*mesh->find("data"), *mesh->find("model")}};
  const ValueId used = mask == Mask::folded_key ? fold_rng_over_axis(m, base, all) : base;
  m.output("y", dropout_by_coordinates(m, used, 0.25, own, draw), layout);
  built.sharded = m.finish();
  ModelBuilder d(built.module, "whole", std::make_shared<const Mesh>(), built.sink);
  const ValueId whole = d.view(x, Layout(2), "x");
  d.output("y", dropout_by_coordinates(d, d.view(key, {}, "key"), 0.25, whole, Draw{{24, 24}, {24, 24}}), Layout(2));
  built.whole = d.finish();
  return built;
}

int exit_code(Mask mask, int64_t data, int64_t model) {
  const Built built = split_features(mask, data, model);
  EXPECT_EQ(messages(built), "");
  return verify::check(built.module, Check{built.sharded.value(), built.whole.value(), {}}).exit_code();
}

TEST(Dropout, ByCoordinatesIsTheSameOnEveryMesh) {
  const std::vector<std::pair<int64_t, int64_t>> meshes{{1, 1}, {1, 2}, {3, 1}, {2, 2}, {1, 8}, {2, 3}, {4, 2}};
  for (const auto& [data, model] : meshes) {
    EXPECT_EQ(exit_code(Mask::by_coordinates, data, model), 0) << data << " " << model;
  }
}

TEST(Dropout, WithAKeyOfEachDeviceDependsOnTheMesh) {
  for (const Mask mask : {Mask::folded_key, Mask::same_key}) {
    EXPECT_EQ(exit_code(mask, 1, 2), 1);
    EXPECT_EQ(exit_code(mask, 2, 2), 1);
  }
  // On one device the original's key is folded with 0: another mask even there.
  EXPECT_EQ(exit_code(Mask::folded_key, 1, 1), 1);
  EXPECT_EQ(exit_code(Mask::same_key, 1, 1), 0);
}

/// All devices hold x; with a folded key each drops other elements.
Built same_on_all(bool typed, bool folded) {
  Built built;
  const auto mesh = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", 4}});
  const GlobalId x = declare(built.module, "x", {24, 24}, Role::input, InitKind::normal);
  built.module.globals.push_back(Global{"key", TensorType{DType::key, {}}, Role::key, {}, {}});
  const auto build = [&](const char* name, const std::shared_ptr<const Mesh>& on, bool fold) {
    ModelBuilder m(built.module, name, on, built.sink, BuilderOptions{ProgramKind::program, typed, {}});
    const ValueId base = m.view(GlobalId(1), {}, "key"), whole = m.view(x, Layout(2), "x");
    const ValueId used = fold ? fold_rng_over_axis(m, base, m.group("tp")) : base;
    m.output("y", dropout_by_coordinates(m, used, 0.25, whole, Draw{{24, 24}, {24, 24}}), Layout(2));
    return m.finish();
  };
  built.sharded = build("sharded", mesh, folded);
  built.whole = build("whole", std::make_shared<const Mesh>(), false);
  return built;
}

TEST(Dropout, WithAFoldedKeyIsNoReplicatedResult) {
  const Built typed = same_on_all(true, true);
  const std::vector<Diagnostic> errors = typed.module.state_errors(typed.sharded.value());
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].rule, "S-return");
  EXPECT_EQ(verify::check(typed.module, Check{*typed.sharded, *typed.whole, {}}).exit_code(), 1);
  const Built untyped = same_on_all(false, true);
  EXPECT_EQ(verify::check(untyped.module, Check{*untyped.sharded, *untyped.whole, {}}).exit_code(), 1);
  const Built right = same_on_all(true, false);
  EXPECT_TRUE(right.module.state_errors(right.sharded.value()).empty());
  EXPECT_EQ(verify::check(right.module, Check{*right.sharded, *right.whole, {}}).exit_code(), 0);
}

}  // namespace
}  // namespace isoshard::dropout_test
