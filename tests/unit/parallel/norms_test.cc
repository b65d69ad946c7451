// RMSNorm and LayerNorm: their values, and that with an axis they are the norm of all devices' features and not those
// of each device's own.
#include "parallel/layers/norms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallel/tensor_parallel/tensor_parallel.h"
#include "tests/golden/program_run.h"
#include "verify/check.h"

namespace isoshard::norms_test {
namespace {

using golden::ProgramRun;

enum class Norm : uint8_t { rms, layer };

ValueId apply(Scope& self, Norm norm, const Group& axis, ValueId x) {
  return norm == Norm::rms ? rms_norm(self, RmsNorm{axis}, x) : layer_norm(self, LayerNorm{axis}, x);
}

/// x, its squares' or its own mean away and divided by the deviation, in double.
std::vector<double> expected_row(Norm norm, const std::vector<double>& x, double scale, double bias) {
  double mean = 0, square = 0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  for (const double v : x) square += v * v / static_cast<double>(x.size());
  const bool centers = norm == Norm::layer;
  const double root = 1 / std::sqrt((centers ? square - mean * mean : square) + 1e-6);
  std::vector<double> y;
  for (const double v : x) y.push_back((centers ? v - mean : v) * root * scale + (centers ? bias : 0));
  return y;
}

TEST(Norms, AreTheFormulasOfThePapers) {
  for (const Norm norm : {Norm::rms, Norm::layer}) {
    ProgramRun run;
    ModelBuilder& m = run.m();
    const ValueId x =
        run.input("x", Tensor::from<float>(DType::f32, {2, 4}, std::vector<float>{1, 2, 4, -3, 0, 5, 5, 6}));
    Scope root(m, [](ModelBuilder& builder, const ParamSpec& spec) {
      const Rational value = spec.path.back() == "scale" ? Rational(3) : Rational(1, 2);
      return builder.op(Constant{value, DType::f32, spec.shape}, {});
    });
    run.output("y", apply(root, norm, {}, x));
    const Tensor y = run.run().at("y").front();
    for (int row = 0; row < 2; ++row) {
      const std::vector<double> in = row == 0 ? std::vector<double>{1, 2, 4, -3} : std::vector<double>{0, 5, 5, 6};
      const std::vector<double> expected = expected_row(norm, in, 3, 0.5);
      for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y.as<float>()[static_cast<size_t>(row) * 4 + i], expected[i], 2e-6);
    }
  }
}

/// Statistics in f32, also of bf16 values: their mean would not be a bf16 number.
TEST(Norms, GiveF32) {
  ProgramRun run;
  const ValueId x = run.input("x", Tensor::from<float>(DType::f32, {1, 3}, std::vector<float>{1, 1, 2}));
  Params params;
  Scope root(run.m(), params);
  const ValueId y = rms_norm(root, RmsNorm{}, run.m().op(Convert{DType::bf16}, {x}));
  EXPECT_EQ(to_string(run.m().builder().type(y).tensor), "f32[1,3]");
}

/// The norm over the devices of an axis, or of each device's own features where `over_axis` is false, against that of
/// all features on one device; both read the same scale and bias.
int exit_code(Norm norm, int64_t devices, bool over_axis) {
  Module module;
  DiagnosticSink sink;
  const auto mesh = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", devices}});
  const int64_t features = 3 * devices;
  const GlobalId x = declare(module, "x", {2, 5, features}, Role::input, InitKind::normal);
  const GlobalId scale = declare(module, "scale", {features}, Role::param, InitKind::normal);
  const GlobalId bias = declare(module, "bias", {features}, Role::param, InitKind::normal);
  const auto build = [&](const char* name, const std::shared_ptr<const Mesh>& on) {
    ModelBuilder m(module, name, on, sink);
    const bool sharded = on->axis_count() > 0;
    const ViewEntry entry = sharded ? m.split("tp") : ViewEntry{};
    Scope root(m, [&](ModelBuilder& builder, const ParamSpec& spec) {
      return builder.view(spec.path.back() == "scale" ? scale : bias, {entry}, spec.path.back());
    });
    const ValueId y =
        apply(root, norm, sharded && over_axis ? m.group("tp") : Group{}, m.view(x, {{}, {}, entry}, "x"));
    m.output("y", y, {{}, {}, entry});
    return m.finish();
  };
  const std::optional<ProgramId> sharded = build("sharded", mesh),
                                 whole = build("whole", std::make_shared<const Mesh>());
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  if (!sharded || !whole) return -1;
  return verify::check(module, Check{*sharded, *whole, {}}).exit_code();
}

TEST(Norms, OverAnAxisAreThoseOfAllFeatures) {
  for (const Norm norm : {Norm::rms, Norm::layer}) {
    for (const int64_t devices : {1, 2, 3, 4, 8}) EXPECT_EQ(exit_code(norm, devices, true), 0) << devices;
  }
}

TEST(Norms, OfEachDevicesOwnFeaturesAreOthers) {
  for (const Norm norm : {Norm::rms, Norm::layer}) {
    EXPECT_EQ(exit_code(norm, 1, false), 0);
    for (const int64_t devices : {2, 3, 4, 8}) EXPECT_EQ(exit_code(norm, devices, false), 1) << devices;
  }
}

}  // namespace
}  // namespace isoshard::norms_test
