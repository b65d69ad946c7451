// The ring functions as models of the catalogue: equal to what their closed forms say arrives at each device.
#include <gtest/gtest.h>

#include "catalogue/catalogue.h"
#include "tests/sanitized.h"
#include "verify/check.h"

namespace isoshard::ring_function_models_test {
namespace {

const char* const kFunctions[] = {"async_gather", "async_gather_bidirectional", "async_gather_split", "async_scatter",
                                  "async_scatter_split"};

void expect_equal(const ModelRequest& request) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(module.has_value());
  const verify::CheckReport report = verify::check(*module, module->checks.front());
  EXPECT_EQ(report.exit_code(), 0) << to_text(report);
}

TEST(RingFunctionModels, AreTheirClosedForms) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const char* function : kFunctions) {
    const ModelInfo* info = find_model(function);
    ASSERT_NE(info, nullptr);
    const bool directed = info->settings.back().name == "direction";
    for (const int64_t size : {1, 2, 3, 4, 8}) {
      for (const char* direction : {"up", "down"}) {
        SCOPED_TRACE(std::string(function) + " " + direction + " " + std::to_string(size));
        std::vector<SettingValue> settings;
        if (directed) settings.push_back({"direction", direction});
        expect_equal({function, {{"tp", size}}, settings});
        expect_equal({function, {{"dp", 2}, {"tp", size}}, settings});
        settings.push_back({"over", "dp_tp"});
        expect_equal({function, {{"dp", 2}, {"tp", size > 4 ? 4 : size}}, settings});
      }
    }
  }
}

TEST(RingFunctionModels, WidthsOfOneHalf) {
  expect_equal({"async_scatter_split", {{"tp", 3}}, {{"features", "1"}}});
  DiagnosticSink sink;
  EXPECT_FALSE(make_model({"async_gather_split", {}, {{"features", "5"}}}, sink).has_value());
  ASSERT_EQ(sink.diagnostics().size(), 1U);
  EXPECT_EQ(sink.diagnostics().front().rule, "C-ring-width");
}

}  // namespace
}  // namespace isoshard::ring_function_models_test
