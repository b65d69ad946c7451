// Reports do not depend on what is done beside what.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "sim/domains/floats/bounded.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/bounds/lane_choice.h"
#include "verify/check.h"

namespace isoshard::verify::verify_beside_test {
namespace {

/// Large enough to be worth threads: exponentials of which one side subtracts the maximum, or `scale` times that.
std::string softmax(const std::string& scale) {
  return "mesh @m [tp=4]\n"
         "global @x : f32[64, 256] input\n"
         "program @blocks on @m {\n"
         "  %x = view @x [-, tp]\n"
         "  %e = exponential(%x)\n"
         "  %s = all_reduce(reduce(%e) {dims=[1], op=add, partial={tp}}) {axis=tp, to=R}\n"
         "  return @y = %e * " +
         scale +
         " / broadcast_in_dim(%s) {dims=[0], shape=shape(%e)} [-, tp]\n"
         "}\n"
         "program @whole {\n"
         "  %x = view @x [-, -]\n"
         "  %m = reduce(%x) {dims=[1], op=max}\n"
         "  %e = exponential(%x - broadcast_in_dim(%m) {dims=[0], shape=shape(%x)})\n"
         "  return @y = %e / broadcast_in_dim(reduce(%e) {dims=[1], op=add}) {dims=[0], shape=shape(%e)} [-, -]\n"
         "}\n"
         "check @blocks == @whole\n";
}

/// Without what the clock says.
nlohmann::json report_of(const std::string& body, int workers, std::vector<Diagnostic>& warnings) {
  CheckOptions options;
  options.workers = workers;
  options.warnings = true;
  const CheckReport report = check_text(body, options);
  warnings = report.warnings;
  nlohmann::json json = nlohmann::json::parse(to_json(report));
  json.erase("seconds");
  for (nlohmann::json& rung : json["rungs"]) rung.erase("seconds");
  return json;
}

TEST(VerifyBeside, ReportsAreThoseOfOneWorker) {
  for (const std::string scale : {"1", "2"}) {
    std::vector<Diagnostic> alone, beside;
    EXPECT_EQ(report_of(softmax(scale), 1, alone), report_of(softmax(scale), 2, beside)) << scale;
    ASSERT_EQ(alone.size(), scale == "1" ? 1U : 0U);  // of what holds
    ASSERT_EQ(beside.size(), alone.size());
    if (alone.empty()) continue;
    EXPECT_EQ(alone[0].rule, "W-overflow");
    EXPECT_EQ(beside[0].message, alone[0].message);
  }
}

TEST(VerifyBeside, NoElementIsLargerThanThatOfTheMostLanes) {
  const sim::RingDomain most(kMaxLanes, 0);
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i32, DType::i64, DType::pred}) {
    const sim::Storage ring = sim::storage_of(dtype, most), floats = sim::storage_of(dtype, sim::bounded_domain());
    EXPECT_GE(ring.element_bytes * ring.planes, floats.element_bytes * floats.planes) << name(dtype);
  }
}

}  // namespace
}  // namespace isoshard::verify::verify_beside_test
