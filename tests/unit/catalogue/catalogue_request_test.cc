// What users may ask of the catalogue, and what they read when they ask for something else.
#include <gtest/gtest.h>

#include "catalogue/catalogue.h"

namespace isoshard::catalogue_request_test {
namespace {

/// "rule: message" of every diagnostic of a request that must fail.
std::vector<std::string> errors_of(const ModelRequest& request) {
  DiagnosticSink sink;
  EXPECT_FALSE(make_model(request, sink).has_value());
  std::vector<std::string> result;
  for (const Diagnostic& d : sink.diagnostics()) result.push_back(d.rule + ": " + d.message);
  return result;
}

using Messages = std::vector<std::string>;

TEST(CatalogueRequest, DefaultsAreListedAsTheyAreWritten) {
  const ModelInfo* info = find_model("tp_mlp");
  ASSERT_NE(info, nullptr);
  std::vector<std::string> defaults;
  for (const SettingInfo& setting : info->settings) defaults.push_back(setting.name + "=" + setting.default_text());
  EXPECT_EQ(defaults,
            (Messages{"b=4*size(data)", "d=840", "f=840", "activation=gelu", "residual=whole", "axis=model"}));
}

TEST(CatalogueRequest, ShapesFollowTheSettings) {
  DiagnosticSink sink;
  const std::optional<Module> module =
      make_model({"tp_mlp", {{"data", 3}}, {{"d", "10"}, {"f", "12"}, {"activation", "silu"}}}, sink);
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(module->global(*module->find_global("x")).type.shape, (Shape{12, 10}));
  EXPECT_EQ(module->global(*module->find_global("W1")).type.shape, (Shape{10, 12}));
  EXPECT_EQ(module->meshes.front()->axes(), (std::vector<MeshAxis>{{"data", 3}, {"model", 4}}));
}

TEST(CatalogueRequest, UnknownModel) {
  EXPECT_EQ(errors_of({"tp_mpl", {}, {}}),
            Messages{"C-model: the catalogue has no model \"tp_mpl\"; did you mean tp_mlp?"});
  EXPECT_EQ(errors_of({"mixer", {}, {}}),
            Messages{"C-model: the catalogue has no model \"mixer\"; `isoshard models` lists them"});
}

TEST(CatalogueRequest, UnknownAxis) {
  EXPECT_EQ(errors_of({"tp_mlp", {{"modle", 4}}, {}}),
            Messages{"C-axis: tp_mlp: the model has no axis \"modle\"; did you mean model?"});
  EXPECT_EQ(errors_of({"tp_mlp", {{"pipeline", 4}}, {}}),
            Messages{"C-axis: tp_mlp: the model has no axis \"pipeline\"; there are data and model"});
}

TEST(CatalogueRequest, AxisSizes) {
  const std::string expected = "; expected at least 1 and less than 2^31 devices in all";
  EXPECT_EQ(errors_of({"tp_mlp", {{"model", 0}}, {}}), Messages{"C-size: tp_mlp: axis `model` has size 0" + expected});
  EXPECT_EQ(errors_of({"tp_mlp", {{"data", -2}}, {}}), Messages{"C-size: tp_mlp: axis `data` has size -2" + expected});
  EXPECT_EQ(errors_of({"tp_mlp", {{"data", 65536}, {"model", 65536}}, {}}),
            Messages{"C-size: tp_mlp: axis `model` has size 65536" + expected});
  EXPECT_EQ(errors_of({"tp_mlp", {{"model", 2}, {"model", 4}}, {}}),
            Messages{"C-twice: tp_mlp: axis `model` is given twice; expected once"});
}

TEST(CatalogueRequest, UnknownSetting) {
  EXPECT_EQ(errors_of({"tp_mlp", {}, {{"activatoin", "gelu"}}}),
            Messages{"C-setting: tp_mlp: the model has no setting \"activatoin\"; did you mean activation?"});
  EXPECT_EQ(errors_of({"ring_matmul", {}, {{"activation", "gelu"}}}),
            Messages{"C-setting: ring_matmul: the model has no setting \"activation\"; there are b, d and f"});
}

TEST(CatalogueRequest, SettingValues) {
  EXPECT_EQ(errors_of({"tp_mlp", {}, {{"activation", "glu"}}}),
            Messages{"C-value: tp_mlp: `activation` is \"glu\"; did you mean gelu?"});
  for (const std::string text : {"", "many", "12x", "0", "-840", "1000001", "99999999999999999999"}) {
    EXPECT_EQ(errors_of({"tp_mlp", {}, {{"d", text}}}),
              Messages{"C-value: tp_mlp: `d` is \"" + text + "\"; expected an integer from 1 to 1000000"});
  }
  EXPECT_EQ(errors_of({"tp_mlp", {{"data", 1000000}}, {}}),
            Messages{"C-value: tp_mlp: `b` is 4*size(data); expected an integer from 1 to 1000000"});
  EXPECT_EQ(errors_of({"tp_mlp", {}, {{"d", "8"}, {"d", "8"}}}),
            Messages{"C-twice: tp_mlp: setting `d` is given twice; expected once"});
}

TEST(CatalogueRequest, SizesThatDoNotDivideNameBothNumbers) {
  EXPECT_EQ(errors_of({"tp_mlp", {}, {{"f", "10"}}}),
            Messages{"C-divide: tp_mlp: f = 10 is not divisible by 4, the size of `model`; try f = 8 or 12"});
  EXPECT_EQ(errors_of({"tp_mlp", {}, {{"f", "3"}}}),
            Messages{"C-divide: tp_mlp: f = 3 is not divisible by 4, the size of `model`; try f = 4"});
  EXPECT_EQ(errors_of({"ring_matmul", {{"model", 11}}, {}}),
            (Messages{"C-divide: ring_matmul: d = 840 is not divisible by 11, the size of `model`; try d = 836 or 847",
                      "C-divide: ring_matmul: f = 840 is not divisible by 11, the size of `model`; try f = 836 or "
                      "847"}));
}

TEST(CatalogueRequest, AllErrorsOfARequestAreReportedAtOnce) {
  EXPECT_EQ(errors_of({"tp_mlp", {{"rows", 2}}, {{"e", "8"}, {"b", "x"}}}).size(), 3U);
}

}  // namespace
}  // namespace isoshard::catalogue_request_test
