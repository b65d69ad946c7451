// The models of the catalogue that offer wrong twins (`wrong=...`): right, they are EQUAL on meshes of 1 to 8
// devices, uneven blocks included; wrong, they are NOT EQUAL wherever the mistake makes a difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "catalogue/catalogue.h"
#include "tests/nightly.h"
#include "tests/sanitized.h"
#include "verify/check.h"

namespace isoshard::catalogue_twins_test {
namespace {

struct Twin {
  std::string model, axis;
  int64_t devices = 1, data = 1;
  std::string wrong = "no";
  bool equal = true;
  std::vector<SettingValue> settings;
};

/// For the names of tests, which would hold the bytes of the struct.
void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.model; }

using Settings = std::vector<SettingValue>;

const std::vector<Settings> kAttentions{{{"heads", "1"}},
                                        {{"heads", "1"}, {"causal", "0"}},
                                        {{"heads", "1"}, {"t", "7"}},
                                        {{"heads", "1"}, {"t", "5"}, {"causal", "0"}}};

void add_right(std::vector<Twin>& cases, const std::string& model, const std::string& axis, const Settings& settings) {
  for (int64_t devices = 1; devices <= 8; ++devices) {
    cases.push_back(Twin{model, axis, devices, 1, "no", true, settings});
  }
}

/// `same_up_to`: the largest number of devices on which the mistake makes no difference.
void add_wrong(std::vector<Twin>& cases, const std::string& model, const std::string& axis, const std::string& wrong,
               int64_t same_up_to, const Settings& settings = {}) {
  for (const int64_t devices : {1, 2, 3, 5, 6, 8}) {
    cases.push_back(Twin{model, axis, devices, 1, wrong, devices <= same_up_to, settings});
  }
}

std::vector<Twin> ring_attention() {
  std::vector<Twin> cases;
  for (const Settings& settings : kAttentions) add_right(cases, "ring_attention", "seq", settings);
  for (const Settings& settings : {kAttentions[0], kAttentions[2]}) {
    add_wrong(cases, "ring_attention", "seq", "no_rescale", 1, settings);
    add_wrong(cases, "ring_attention", "seq", "opposite", 2, settings);
    add_wrong(cases, "ring_attention", "seq", "stale", 1, settings);
    add_wrong(cases, "ring_attention", "seq", "later_key", 0, settings);
    add_wrong(cases, "ring_attention", "seq", "local_mask", 1, settings);
  }
  for (const char* wrong : {"no_rescale", "stale"}) {
    add_wrong(cases, "ring_attention", "seq", wrong, 1, kAttentions[1]);
  }
  add_wrong(cases, "ring_attention", "seq", "opposite", 2, kAttentions[3]);
  cases.push_back(Twin{"ring_attention", "seq", 3, 2, "no", true, {{"heads", "2"}}});
  cases.push_back(Twin{"ring_attention", "seq", 2, 3, "no", true, {{"t", "5"}, {"heads", "3"}}});
  cases.push_back(Twin{"ring_attention", "seq", 4, 2, "opposite", false, {}});
  return cases;
}

std::vector<Twin> flash_merge() {
  std::vector<Twin> cases;
  for (const char* merge : {"all_reduce", "all_gather"}) {
    for (Settings settings : kAttentions) {
      settings.push_back({"merge", merge});
      add_right(cases, "flash_merge", "keys", settings);
    }
    const Settings settings{{"merge", merge}};
    add_wrong(cases, "flash_merge", "keys", "no_maximum", 1, settings);
    add_wrong(cases, "flash_merge", "keys", "unnormalised", 1, settings);
    add_wrong(cases, "flash_merge", "keys", "local_sum", 0, settings);  // the states never accept it
    add_wrong(cases, "flash_merge", "keys", "local_mask", 1, settings);
  }
  add_wrong(cases, "flash_merge", "keys", "no_maximum", 1, {{"causal", "0"}});
  add_wrong(cases, "flash_merge", "keys", "unnormalised", 1, {{"t", "7"}});
  cases.push_back(Twin{"flash_merge", "keys", 3, 2, "no", true, {}});
  cases.push_back(Twin{"flash_merge", "keys", 2, 3, "no", true, {{"t", "5"}, {"merge", "all_gather"}}});
  cases.push_back(Twin{"flash_merge", "keys", 4, 2, "no_maximum", false, {}});
  return cases;
}

std::vector<Twin> others() {
  std::vector<Twin> cases;
  add_right(cases, "top1_moe", "expert", {});
  cases.push_back(Twin{"top1_moe", "expert", 4, 1, "no", true, {{"c", "1"}}});
  cases.push_back(Twin{"top1_moe", "expert", 3, 1, "no", true, {{"c", "6"}}});  // nobody comes too late
  for (const int64_t devices : {1, 2, 3}) {                                     // docs/models.md has more of them
    cases.push_back(Twin{"top1_moe", "expert", devices, 1, "shifted_experts", devices == 1, {}});
    cases.push_back(Twin{"top1_moe", "expert", devices, 1, "no_gate", false, {}});
    cases.push_back(Twin{"top1_moe", "expert", devices, 1, "local_argmax", devices == 1, {}});
    cases.push_back(Twin{"top1_moe", "expert", devices, 1, "slots_from_one", false, {}});
  }
  add_right(cases, "silu_two_ways", "model", {});
  add_right(cases, "silu_two_ways", "model", {{"d", "3"}, {"b", "1"}});
  add_wrong(cases, "silu_two_ways", "model", "wrong_sign", 0);
  add_wrong(cases, "silu_two_ways", "model", "doubled", 0);
  add_wrong(cases, "silu_two_ways", "model", "wrong_branch", 0);
  cases.push_back(Twin{"silu_two_ways", "model", 3, 2, "no", true, {}});
  cases.push_back(Twin{"silu_two_ways", "model", 2, 4, "doubled", false, {}});
  return cases;
}

std::string name_of(const ::testing::TestParamInfo<Twin>& info) {
  const Twin& twin = info.param;
  std::string name = twin.model + "_" + std::to_string(twin.data) + "x" + std::to_string(twin.devices);
  for (const SettingValue& setting : twin.settings) name += "_" + setting.name + setting.value;
  return name + (twin.wrong == "no" ? "" : "_" + twin.wrong);
}

/// The cases that this build runs: all in a night, by day those of up to 4 devices and right ones of 8.
std::vector<Twin> to_run(std::vector<Twin> cases) {
  const auto large = [](const Twin& twin) {
    const int64_t devices = twin.data * twin.devices;
    return kSanitized ? devices > 3 : !testing::is_nightly() && devices > 4 && !(devices == 8 && twin.equal);
  };
  cases.erase(std::remove_if(cases.begin(), cases.end(), large), cases.end());
  return cases;
}

class CatalogueTwins : public ::testing::TestWithParam<Twin> {};

TEST_P(CatalogueTwins, AreJudgedRightly) {
  const Twin& twin = GetParam();
  ModelRequest request{twin.model, {{twin.axis, twin.devices}}, twin.settings};
  if (twin.data != 1) request.mesh.push_back({"data", twin.data});
  request.settings.push_back({"wrong", twin.wrong});
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(request, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(module.has_value());
  const verify::CheckReport report = verify::check(*module, module->checks.front());
  EXPECT_EQ(report.exit_code(), twin.equal ? 0 : 1) << to_text(report);
}

INSTANTIATE_TEST_SUITE_P(Ring, CatalogueTwins, ::testing::ValuesIn(to_run(ring_attention())), name_of);
INSTANTIATE_TEST_SUITE_P(Flash, CatalogueTwins, ::testing::ValuesIn(to_run(flash_merge())), name_of);
INSTANTIATE_TEST_SUITE_P(Others, CatalogueTwins, ::testing::ValuesIn(to_run(others())), name_of);

std::string error_of(const ModelRequest& request) {
  DiagnosticSink sink;
  EXPECT_FALSE(make_model(request, sink).has_value());
  return sink.diagnostics().empty() ? "" : sink.diagnostics().front().rule + ": " + sink.diagnostics().front().message;
}

TEST(CatalogueTwinRequest, MistakesInTheMaskNeedAMask) {
  const std::string end = ", a mistake in the causal mask, and there is none; expected causal = 1";
  EXPECT_EQ(error_of({"ring_attention", {}, {{"wrong", "later_key"}, {"causal", "0"}}}),
            "C-value: ring_attention: `wrong` is \"later_key\"" + end);
  EXPECT_EQ(error_of({"flash_merge", {}, {{"wrong", "local_mask"}, {"causal", "0"}}}),
            "C-value: flash_merge: `wrong` is \"local_mask\"" + end);
  DiagnosticSink sink;
  EXPECT_TRUE(make_model({"ring_attention", {}, {{"wrong", "stale"}, {"causal", "0"}}}, sink).has_value());
}

/// Every mistake of every model is judged above, where it makes a difference.
TEST(CatalogueTwinRequest, EveryMistakeIsTested) {
  std::vector<Twin> all;
  for (const std::vector<Twin>& some : {ring_attention(), flash_merge(), others()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  size_t mistakes = 0;
  for (const ModelInfo& info : catalogue()) {
    for (const SettingInfo& setting : info.settings) {
      if (setting.name != "wrong") continue;
      EXPECT_GE(setting.choices.size(), 4U) << info.name << " has too few wrong twins";
      for (size_t i = 1; i < setting.choices.size(); ++i, ++mistakes) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                [&](const Twin& twin) {
                                  return twin.model == info.name && twin.wrong == setting.choices[i] && !twin.equal;
                                }))
            << info.name << " " << setting.choices[i];
      }
    }
  }
  EXPECT_EQ(mistakes, 16U);
}

}  // namespace
}  // namespace isoshard::catalogue_twins_test
