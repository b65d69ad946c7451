// split_array_over_mesh against array_utils.json, bit by bit. Its cases of stack_params and unstack_params are compared
// by the tests of the module layer.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/sharding/array_utils.h"
#include "parallel/sharding/stack_params.h"
#include "tests/golden/golden.h"
#include "tests/golden/param_trees.h"
#include "tests/golden/program_run.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::array_utils_golden_test {
namespace {

/// `varying`: every device reads the array through a view of its own, as one that differs from device to device.
struct Halves {
  std::vector<Tensor> y, x_cotangent;
};
Halves split(const Json& c, bool varying) {
  ProgramRun run(mesh(c.at("mesh")));
  const Tensor x = array(c.at("x"));
  const auto devices = static_cast<size_t>(run.mesh().device_count());
  ValueId value = varying ? run.input_per_device("x", std::vector<Tensor>(devices, x)) : run.input("x", x);
  for (const Json& step : c.at("steps")) {
    value = split_array_over_mesh(run.m(), value, axis(step.at(0), run.mesh()), step.at(1));
  }
  run.output("y", value);
  Halves result{run.run().at("y"), {}};
  result.x_cotangent = run.gradients({{"y", per_device(c.at("y_cotangent"))}}).at("x");
  return result;
}

void split_case(const Json& c) {
  const std::vector<Tensor> expected = per_device(c.at("y"));
  for (const bool varying : {false, true}) {
    const Halves made = split(c, varying);
    ASSERT_EQ(made.y.size(), expected.size());
    for (size_t d = 0; d < expected.size(); ++d) {
      EXPECT_TRUE(same_bits(made.y[d], expected[d])) << "device " << d;
      EXPECT_TRUE(same_bits(made.x_cotangent[d], per_device(c.at("x_cotangent"))[d])) << "device " << d;
    }
  }
}

void stack_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")));
  const Group over = axis(c.at("axis"), run.mesh());
  ValueId mask;
  if (!c.at("mask_except").is_null()) {
    mask = run.m().op(Constant{Rational(c.at("mask_except").get<int64_t>()), DType::i32, {}}, {});
  }
  const ParamTree stacked = stack_params(run.m(), params(run, c.at("params")), over, c.at("axis_pos"), mask);
  const ParamTree unstacked = unstack_params(run.m(), stacked, over);
  put_out(run, "stacked", stacked);
  put_out(run, "unstacked", unstacked);
  const std::map<std::string, std::vector<Tensor>> outputs = run.run();
  expect_tree(run, outputs, "stacked", stacked, c.at("stacked"));
  expect_tree(run, outputs, "unstacked", unstacked, c.at("unstacked"));
}

void unstack_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")));
  const ParamTree made = unstack_params(run.m(), params(run, c.at("params")), axis(c.at("axis"), run.mesh()));
  put_out(run, "unstacked", made);
  expect_tree(run, run.run(), "unstacked", made, c.at("unstacked"));
}

/// A dimension that two devices were to share and that has 2 elements on each.
void wide_stack_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")));
  const Shape shape{2, 3};
  const Tensor array = Tensor::from<float>(DType::f32, shape, std::vector<float>(6, 1.0F));
  const ValueId x = run.input_per_device("x", {array, array});
  run.output("x", x);
  const Group tp = run.m().group("tp");
  unstack_params(run.m(), {ParamLeaf{"kernel", std::vector<Group>{tp, Group{}}, x}}, tp);
  const std::string message = run.messages();
  EXPECT_EQ(message,
            "C-stack unstack_params: dimension 0 of kernel has 2 elements on a device; expected 1, as stack_params "
            "makes it\n");
  EXPECT_EQ(error(c.at("error")).value().type, "ValueError");
}

/// The original puts the new dimension at the end and its name one before; here that is refused.
void negative_position_case(const Json& c) {
  ASSERT_NE(c.at("stacked_names"), Json({nullptr, nullptr, "tp"}));
  ProgramRun run(mesh(c.at("mesh")));
  const Shape shape = c.at("local_shape");
  const Tensor array = Tensor::from<float>(DType::f32, shape, std::vector<float>(6, 1.0F));
  const ValueId x = run.input_per_device("x", {array, array});
  run.output("x", x);
  stack_params(run.m(), {ParamLeaf{"kernel", {}, x}}, axis(c.at("axis"), run.mesh()), c.at("axis_pos"));
  EXPECT_EQ(run.messages(), "C-stack stack_params: axis_pos is -1 and kernel has 2 dimensions; expected 0 to 2\n");
}

void run_case(const Json& c) {
  static const std::map<std::string, void (*)(const Json&)> kOps = {{"split_array_over_mesh", split_case},
                                                                    {"stack_params", stack_case},
                                                                    {"unstack_params", unstack_case},
                                                                    {"stack_names_only", negative_position_case},
                                                                    {"error", wide_stack_case}};
  kOps.at(c.at("op"))(c);
}

TEST(Golden, ArrayUtils) { run_family("array_utils", 28, "", run_case); }

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
}  // namespace isoshard::golden::array_utils_golden_test
