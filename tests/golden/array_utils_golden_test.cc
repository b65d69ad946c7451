// split_array_over_mesh against array_utils.json, bit by bit. Its cases of stack_params and unstack_params are compared
// by the tests of the module layer.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/parallel/array_utils.h"
#include "tests/golden/golden.h"
#include "tests/golden/program_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden {
namespace {

/// `varying`: every device reads the array through a view of its own, as one that differs from device to device.
std::vector<Tensor> split(const Json& c, bool varying) {
  ProgramRun run(mesh(c.at("mesh")));
  const Tensor x = array(c.at("x"));
  const auto devices = static_cast<size_t>(run.mesh().device_count());
  ValueId value = varying ? run.input_per_device("x", std::vector<Tensor>(devices, x)) : run.input("x", x);
  for (const Json& step : c.at("steps")) {
    value = split_array_over_mesh(run.m(), value, axis(step.at(0), run.mesh()), step.at(1));
  }
  run.output("y", value);
  return run.run().at("y");
}

TEST(Golden, SplitArrayOverMesh) {
  size_t ran = 0;
  for (const Json& c : load_family("array_utils").cases) {
    if (c.at("op") != "split_array_over_mesh") continue;
    SCOPED_TRACE(c.at("name").get<std::string>());
    const std::vector<Tensor> expected = per_device(c.at("y"));
    for (const bool varying : {false, true}) {
      try {
        const std::vector<Tensor> made = split(c, varying);
        ASSERT_EQ(made.size(), expected.size());
        for (size_t d = 0; d < made.size(); ++d) EXPECT_TRUE(same_bits(made[d], expected[d])) << "device " << d;
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    }
    ++ran;
  }
  std::printf("array_utils, split_array_over_mesh: %zu/14 (values; not yet: x_cotangent)\n", ran);
  EXPECT_EQ(ran, 14U);
}

TEST(SplitArrayOverMesh, DimensionsThatAreNotThere) {
  for (const int64_t dim : {2, -3}) {
    ProgramRun run(std::make_shared<const Mesh>("m", std::vector<MeshAxis>{MeshAxis{"tp", 2}}));
    const ValueId x = run.input("x", Tensor::from<float>(DType::f32, {2, 2}, std::vector<float>(4)));
    run.output("x", x);
    EXPECT_FALSE(split_array_over_mesh(run.m(), x, run.m().group("tp"), dim).valid());
    EXPECT_EQ(run.messages(), "C-split-dim split_array_over_mesh: the dimension is " + std::to_string(dim) +
                                  " and the value has 2; expected -2 to 1\n");
  }
}

}  // namespace
}  // namespace isoshard::golden
