// What convolutions become in a Plan: as few steps as their attributes need, all of which say where they come from.
#include <gtest/gtest.h>

#include <sstream>

#include "core/ir/builder/builder.h"
#include "core/plan/flops.h"
#include "core/plan/passes/lower.h"
#include "core/text/plan/plan_text.h"

namespace isoshard::plan_convolution_test {
namespace {

class LoweredConvolution : public ::testing::Test {
 protected:
  GlobalId global(const std::string& name, Shape shape) {
    module_.globals.push_back(Global{name, TensorType{DType::f32, std::move(shape)}, Role::param, Init{}, Location()});
    return GlobalId(module_.globals.size() - 1);
  }
  Plan lowered(const Convolution& op, const Shape& input, const Shape& kernel) {
    Builder b(module_, "p", std::make_shared<Mesh>("m", std::vector<MeshAxis>{}), sink_);
    const Layout whole(input.size());
    const ValueId x = b.add_op(View{global("x", input), whole, {}}, {}, "x");
    const ValueId w = b.add_op(View{global("w", kernel), whole, {}}, {}, "w");
    b.output("y", b.add_op(op, {x, w}, "y"), whole);
    return lower(module_, *b.finish());
  }
  /// The instructions between the loads and the store.
  static std::string steps(const Plan& plan) {
    std::string result;
    std::istringstream lines(print(plan));
    for (std::string line; std::getline(lines, line);) {
      const size_t begin = line.find('%');
      if (begin == std::string::npos || line.find("= load ") != std::string::npos) continue;
      if (line.find(" store ") != std::string::npos) break;
      result += line.substr(begin, line.find("  from convolution") - begin) + "\n";
    }
    return result;
  }

  Module module_;
  DiagnosticSink sink_;
};

const ConvolutionDims kOne{{0, 1, {2}}, {0, 1, {2}}, {0, 1, {2}}};

TEST_F(LoweredConvolution, OfSizeOneIsAProduct) {
  const ConvolutionDims last{{0, 2, {1}}, {2, 1, {0}}, {0, 2, {1}}};
  EXPECT_EQ(steps(lowered(Convolution{last}, {2, 5, 3}, {1, 3, 4})),
            "%y.windows = reshape %x {shape=[2, 1, 5, 3]} : f32[2,1,5,3]\n"
            "%y = dot_general %y.windows, %w {contract=[1, 3]x[0, 1]} : f32[2,5,4]\n");
}

TEST_F(LoweredConvolution, WindowsArePutTogetherAlongEachDimension) {
  const Convolution op{.dims = kOne, .strides = {2}, .low = {1}, .high = {1}};
  const Plan plan = lowered(op, {2, 3, 7}, {4, 3, 3});
  EXPECT_EQ(steps(plan),
            "%y.zero = constant {value=0, dtype=f32} : f32[]\n"
            "%y.padded = pad %x, %y.zero {low=[0, 0, 1], high=[0, 0, 1]} : f32[2,3,9]\n"
            "%y.windows.0.0 = slice %y.padded {start=[0, 0, 0], limit=[2, 3, 7], strides=[1, 1, 2]} : f32[2,3,4]\n"
            "%y.windows.0.1 = slice %y.padded {start=[0, 0, 1], limit=[2, 3, 8], strides=[1, 1, 2]} : f32[2,3,4]\n"
            "%y.windows.0.2 = slice %y.padded {start=[0, 0, 2], limit=[2, 3, 9], strides=[1, 1, 2]} : f32[2,3,4]\n"
            "%y.windows.0 = concatenate %y.windows.0.0, %y.windows.0.1, %y.windows.0.2 {dim=2} : f32[2,3,12]\n"
            "%y.windows = reshape %y.windows.0 {shape=[2, 3, 3, 4]} : f32[2,3,3,4]\n"
            "%y.products = dot_general %y.windows, %w {contract=[2, 1]x[2, 1]} : f32[2,4,4]\n"
            "%y = transpose %y.products {permutation=[0, 2, 1]} : f32[2,4,4]\n");
  EXPECT_EQ(matmul_flops(plan), 2 * (2 * 4 * 4) * (3 * 3));
  for (size_t i = 2; i + 1 < plan.instructions.size(); ++i) EXPECT_EQ(plan.instructions[i].op(), "convolution") << i;
}

TEST_F(LoweredConvolution, GapsAndGroups) {
  const Convolution op{.dims = kOne, .low = {-1}, .lhs_dilation = {2}, .reversal = {1}, .feature_groups = 3};
  EXPECT_EQ(steps(lowered(op, {2, 6, 4}, {9, 2, 2})),
            "%y.elements = reshape %x {shape=[2, 6, 4, 1]} : f32[2,6,4,1]\n"
            "%y.zero = constant {value=0, dtype=f32} : f32[]\n"
            "%y.gaps = pad %y.elements, %y.zero {low=[0, 0, 0, 0], high=[0, 0, 0, 1]} : f32[2,6,4,2]\n"
            "%y.spread = reshape %y.gaps {shape=[2, 6, 8]} : f32[2,6,8]\n"
            "%y.cut = slice %y.spread {start=[0, 0, 1], limit=[2, 6, 7]} : f32[2,6,6]\n"
            "%y.windows.0.0 = slice %y.cut {start=[0, 0, 1], limit=[2, 6, 6]} : f32[2,6,5]\n"
            "%y.windows.0.1 = slice %y.cut {start=[0, 0, 0], limit=[2, 6, 5]} : f32[2,6,5]\n"
            "%y.windows.0 = concatenate %y.windows.0.0, %y.windows.0.1 {dim=2} : f32[2,6,10]\n"
            "%y.windows = reshape %y.windows.0 {shape=[2, 3, 2, 2, 5]} : f32[2,3,2,2,5]\n"
            "%y.kernel = reshape %w {shape=[3, 3, 2, 2]} : f32[3,3,2,2]\n"
            "%y.products = dot_general %y.windows, %y.kernel {contract=[3, 2]x[3, 2], batch=[1]x[0]} : f32[3,2,5,3]\n"
            "%y.grouped = transpose %y.products {permutation=[1, 0, 3, 2]} : f32[2,3,3,5]\n"
            "%y = reshape %y.grouped {shape=[2, 9, 5]} : f32[2,9,5]\n");
}

TEST_F(LoweredConvolution, FewerWindowsThanPlacesAreSlices) {
  const Convolution op{.dims = kOne, .strides = {3}, .rhs_dilation = {2}, .reversal = {1}};
  EXPECT_EQ(steps(lowered(op, {2, 3, 10}, {5, 3, 4})),
            "%y.windows.0.0 = slice %x {start=[0, 0, 3], limit=[2, 3, 10], strides=[1, 1, 2]} : f32[2,3,4]\n"
            "%y.windows.0.1 = slice %x {start=[0, 0, 0], limit=[2, 3, 7], strides=[1, 1, 2]} : f32[2,3,4]\n"
            "%y.windows.0 = concatenate %y.windows.0.0, %y.windows.0.1 {dim=2} : f32[2,3,8]\n"
            "%y.windows.0.turned = reverse %y.windows.0 {dims=[2]} : f32[2,3,8]\n"
            "%y.windows = reshape %y.windows.0.turned {shape=[2, 3, 2, 4]} : f32[2,3,2,4]\n"
            "%y.products = dot_general %y.windows, %w {contract=[3, 1]x[2, 1]} : f32[2,2,5]\n"
            "%y = transpose %y.products {permutation=[0, 2, 1]} : f32[2,5,2]\n");
}

TEST_F(LoweredConvolution, WithoutWindowsNothingIsPadded) {
  const Convolution op{.dims = kOne, .low = {-9}, .high = {2}};
  EXPECT_EQ(steps(lowered(op, {2, 3, 4}, {5, 3, 1})),
            "%y.windows.0 = slice %x {start=[0, 0, 0], limit=[2, 3, 0]} : f32[2,3,0]\n"
            "%y.windows = reshape %y.windows.0 {shape=[2, 3, 0, 1]} : f32[2,3,0,1]\n"
            "%y.products = dot_general %y.windows, %w {contract=[3, 1]x[2, 1]} : f32[2,0,5]\n"
            "%y = transpose %y.products {permutation=[0, 2, 1]} : f32[2,5,0]\n");
}

}  // namespace
}  // namespace isoshard::plan_convolution_test
