// The catalogue's entries about random numbers are EQUAL to their references on every mesh.
#include <gtest/gtest.h>

#include "catalogue/catalogue.h"
#include "verify/check.h"

namespace isoshard::random_models_test {
namespace {

void expect_equal(const ModelRequest& request) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(module.has_value());
  const verify::CheckReport report = verify::check(*module, module->checks.front());
  EXPECT_EQ(report.exit_code(), 0) << to_text(report);
}

TEST(RandomModels, FoldedKeysAreThoseOfALoopOverDevices) {
  for (const char* axis : {"tp", "dp", "dp_tp", "tp_dp"}) {
    for (const auto& [dp, tp] : {std::pair(1, 1), std::pair(1, 3), std::pair(2, 4), std::pair(4, 2)}) {
      SCOPED_TRACE(std::string(axis) + " on " + std::to_string(dp) + "x" + std::to_string(tp));
      expect_equal({"fold_rng_over_axis", {{"dp", dp}, {"tp", tp}}, {{"axis", axis}}});
    }
  }
}

TEST(RandomModels, ScaledInitialisersAreTheWholeTimesANumber) {
  for (const char* init : {"lecun_normal", "normal", "uniform", "small", "wang", "wang2", "zeros", "ones"}) {
    for (const int tp : {1, 2, 3, 4, 8}) {
      SCOPED_TRACE(std::string(init) + " on " + std::to_string(tp));
      expect_equal({"scale_init", {{"tp", tp}}, {{"init", init}, {"columns", "48"}, {"percent", "70"}}});
    }
  }
}

}  // namespace
}  // namespace isoshard::random_models_test
