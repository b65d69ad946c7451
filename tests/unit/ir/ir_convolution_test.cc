// Shapes, states and text of convolution: right uses, and each constraint of StableHLO with its exact message.

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_convolution_test {
namespace {

/// `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]` for so many spatial dimensions.
ConvolutionDims plain(int64_t spatial) {
  std::vector<int64_t> behind;
  for (int64_t i = 0; i < spatial; ++i) behind.push_back(i + 2);
  return {{0, 1, behind}, {0, 1, behind}, {0, 1, behind}};
}

const ConvolutionDims kChannelsLast{{0, 3, {1, 2}}, {3, 2, {0, 1}}, {0, 3, {1, 2}}};

class ConvolutionShapes : public IrTest {
 protected:
  ValueId f32(Shape shape) { return argument("", "RR", std::move(shape)); }
  std::string shape_of(Convolution op, Shape input, Shape kernel) {
    return shape(apply(std::move(op), {f32(std::move(input)), f32(std::move(kernel))}));
  }
  /// The error of a wrong op; the op must not have been made.
  std::string error(Convolution op, Shape input, Shape kernel) {
    EXPECT_FALSE(apply(std::move(op), {f32(std::move(input)), f32(std::move(kernel))}).valid());
    return last_error();
  }
};

TEST_F(ConvolutionShapes, OfWindows) {
  EXPECT_EQ(shape_of({plain(2)}, {2, 3, 8, 9}, {5, 3, 3, 2}), "f32[2,5,6,8]");
  EXPECT_EQ(shape_of({plain(0)}, {2, 3}, {5, 3}), "f32[2,5]");
  EXPECT_EQ(shape_of({kChannelsLast}, {2, 8, 9, 3}, {3, 2, 3, 5}), "f32[2,6,8,5]");
  EXPECT_EQ(shape_of({.dims = plain(1), .strides = {3}}, {2, 3, 9}, {5, 3, 2}), "f32[2,5,3]");
  EXPECT_EQ(shape_of({.dims = plain(1), .low = {1}, .high = {2}}, {2, 3, 9}, {5, 3, 2}), "f32[2,5,11]");
  EXPECT_EQ(shape_of({.dims = plain(1), .low = {-1}, .high = {-2}}, {2, 3, 9}, {5, 3, 2}), "f32[2,5,5]");
  EXPECT_EQ(shape_of({.dims = plain(1), .lhs_dilation = {3}}, {2, 3, 4}, {5, 3, 2}), "f32[2,5,9]");
  EXPECT_EQ(shape_of({.dims = plain(1), .rhs_dilation = {3}}, {2, 3, 9}, {5, 3, 3}), "f32[2,5,3]");
  EXPECT_EQ(shape_of({.dims = plain(1), .reversal = {1}}, {2, 3, 9}, {5, 3, 2}), "f32[2,5,8]");
}

TEST_F(ConvolutionShapes, WithoutWindows) {
  EXPECT_EQ(shape_of({plain(1)}, {2, 3, 2}, {5, 3, 3}), "f32[2,5,0]");
  EXPECT_EQ(shape_of({.dims = plain(1), .low = {-3}, .high = {-3}}, {2, 3, 2}, {5, 3, 1}), "f32[2,5,0]");
  EXPECT_EQ(shape_of({plain(1)}, {2, 3, 0}, {5, 3, 0}), "f32[2,5,0]");  // where nothing is padded, nothing stands
  EXPECT_EQ(shape_of({plain(1)}, {2, 3, 4}, {5, 3, 0}), "f32[2,5,5]");
  EXPECT_EQ(shape_of({.dims = plain(1), .low = {2}, .lhs_dilation = {3}}, {2, 3, 0}, {5, 3, 1}), "f32[2,5,2]");
}

TEST_F(ConvolutionShapes, OfGroups) {
  EXPECT_EQ(shape_of({.dims = plain(1), .feature_groups = 3}, {2, 6, 9}, {9, 2, 2}), "f32[2,9,8]");
  EXPECT_EQ(shape_of({.dims = plain(1), .batch_groups = 3}, {6, 2, 9}, {9, 2, 2}), "f32[2,9,8]");
}

TEST_F(ConvolutionShapes, OneDtypeOfNumbers) {
  const ValueId x = f32({1, 1, 2}), k = argument("", "==", {1, 1, 2}, DType::i32);
  const ValueId p = argument("", "==", {1, 1, 2}, DType::pred);
  EXPECT_EQ(shape(apply(Convolution{plain(1)}, {k, k})), "i32[1,1,1]");
  EXPECT_FALSE(apply(Convolution{plain(1)}, {x, k}).valid());
  EXPECT_EQ(last_error(),
            "T-dtype convolution: the operands are f32[1,1,2] and i32[1,1,2]; expected one numeric dtype");
  EXPECT_FALSE(apply(Convolution{plain(1)}, {p, p}).valid());
  EXPECT_EQ(last_error(),
            "T-dtype convolution: the operands are pred[1,1,2] and pred[1,1,2]; expected one numeric dtype");
}

TEST_F(ConvolutionShapes, RolesOfAllDimensions) {
  EXPECT_EQ(error({plain(2)}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `dims` names 4, 4 and 4 dimensions and the operands are f32[2,3,9] and "
            "f32[5,3,2]; expected one rank everywhere");
  EXPECT_EQ(error({plain(1)}, {2, 3, 9}, {5, 3}),
            "T-convolution convolution: `dims` names 3, 3 and 3 dimensions and the operands are f32[2,3,9] and "
            "f32[5,3]; expected one rank everywhere");
  EXPECT_EQ(error({ConvolutionDims{{0, 1, {2}}, {0, 1, {2}}, {0, 1, {}}}}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `dims` names 3, 3 and 2 dimensions and the operands are f32[2,3,9] and "
            "f32[5,3,2]; expected one rank everywhere");
  EXPECT_EQ(error({ConvolutionDims{{0, 1, {1}}, {0, 1, {2}}, {0, 1, {2}}}}, {2, 3, 9}, {5, 3, 2}),
            "T-dim convolution: dim 1 is named twice; expected each dimension once");
  EXPECT_EQ(error({ConvolutionDims{{0, 1, {2}}, {0, 3, {2}}, {0, 1, {2}}}}, {2, 3, 9}, {5, 3, 2}),
            "T-dim convolution: dim 3 is out of range for a tensor of rank 3; expected 0 to 2");
  EXPECT_EQ(error({ConvolutionDims{{0, 1, {2}}, {0, 1, {2}}, {-1, 1, {2}}}}, {2, 3, 9}, {5, 3, 2}),
            "T-dim convolution: dim -1 is out of range for a tensor of rank 3; expected 0 to 2");
}

TEST_F(ConvolutionShapes, EntriesOfLists) {
  EXPECT_EQ(error({.dims = plain(2), .strides = {1}}, {2, 3, 9, 9}, {5, 3, 2, 2}),
            "T-convolution convolution: `strides` has 1 entries for 2 spatial dimensions; expected one each, or none");
  EXPECT_EQ(error({.dims = plain(1), .low = {1, 1}}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `low` has 2 entries for 1 spatial dimensions; expected one each, or none");
  EXPECT_EQ(error({.dims = plain(2), .strides = {1, 0}}, {2, 3, 9, 9}, {5, 3, 2, 2}),
            "T-convolution convolution: `strides` is 0 for spatial dimension 1; expected 1 to 1048576");
  EXPECT_EQ(error({.dims = plain(1), .lhs_dilation = {-1}}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `lhs_dilation` is -1 for spatial dimension 0; expected 1 to 1048576");
  EXPECT_EQ(error({.dims = plain(1), .rhs_dilation = {1 << 21}}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `rhs_dilation` is 2097152 for spatial dimension 0; expected 1 to 1048576");
  EXPECT_EQ(error({.dims = plain(1), .reversal = {2}}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `reversal` is 2 for spatial dimension 0; expected 0 to 1");
  EXPECT_EQ(error({.dims = plain(1), .high = {int64_t{1} << 43}}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `high` is 8796093022208 for spatial dimension 0; expected -4398046511104 to "
            "4398046511104");
}

TEST_F(ConvolutionShapes, Groups) {
  EXPECT_EQ(error({.dims = plain(1), .feature_groups = 0}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `feature_groups` is 0 and `batch_groups` is 1; expected at least 1, and one of "
            "them 1");
  EXPECT_EQ(error({.dims = plain(1), .feature_groups = 2, .batch_groups = 3}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `feature_groups` is 2 and `batch_groups` is 3; expected at least 1, and one of "
            "them 1");
  EXPECT_EQ(error({.dims = plain(1), .batch_groups = 2}, {3, 3, 9}, {4, 3, 2}),
            "T-convolution convolution: `batch_groups` is 2 and dim 0 of f32[3,3,9] has size 3; expected a multiple of "
            "it");
  EXPECT_EQ(error({.dims = plain(1), .feature_groups = 2}, {2, 3, 9}, {4, 3, 2}),
            "T-convolution convolution: `feature_groups` is 2 and dim 1 of f32[2,3,9] has size 3; expected a multiple "
            "of it");
  EXPECT_EQ(error({.dims = plain(1), .batch_groups = 2}, {2, 3, 9}, {5, 3, 2}),
            "T-convolution convolution: `batch_groups` is 2 and dim 0 of f32[5,3,2] has size 5; expected a multiple of "
            "it");
  EXPECT_EQ(error({.dims = plain(1), .feature_groups = 3}, {2, 3, 9}, {5, 1, 2}),
            "T-convolution convolution: `feature_groups` is 3 and dim 0 of f32[5,1,2] has size 5; expected a multiple "
            "of it");
  EXPECT_EQ(error({plain(1)}, {2, 3, 9}, {5, 4, 2}),
            "T-convolution convolution: the kernel f32[5,4,2] has 4 input features (dim 1) and the input f32[2,3,9] "
            "has 3 (dim 1); expected equal numbers");
  EXPECT_EQ(error({.dims = plain(1), .feature_groups = 3}, {2, 3, 9}, {6, 3, 2}),
            "T-convolution convolution: the kernel f32[6,3,2] has 3 input features (dim 1) and the input f32[2,3,9] "
            "has 1 in each group (dim 1); expected equal numbers");
}

TEST_F(ConvolutionShapes, NoSizeThatAPlanCannotHold) {
  const std::string reason = "] is not possible; expected sizes of at least 0 and at most 2^40 elements";
  EXPECT_EQ(error({.dims = plain(1), .low = {int64_t{1} << 41}}, {1, 1, 9}, {1, 1, 2}),
            "T-size convolution: the shape [1,1,2199023255561" + reason);
  EXPECT_EQ(error({.dims = plain(1), .strides = {1 << 20}, .lhs_dilation = {1 << 20}}, {1, 1, 1 << 21}, {1, 1, 1}),
            "T-size convolution: the shape [1,1,2199023255552" + reason);
  EXPECT_EQ(error({plain(1)}, {1, 1, 1 << 22}, {1, 1, 1 << 20}),
            "T-size convolution: the shape [1,1,3145729,1048576" + reason);
}

TEST_F(ConvolutionShapes, States) {
  const auto state = [&](const char* x, const char* w, AxisSet partial = {}) {
    return states(apply(Convolution{.dims = plain(1), .partial = partial},
                        {argument("", x, {2, 3, 9}), argument("", w, {4, 3, 2})}));
  };
  EXPECT_EQ(state("RV", "RR"), "RV");
  EXPECT_EQ(state("PV", "RV"), "PV");
  EXPECT_EQ(state("VV", "VR", set({"data"})), "PV");
  EXPECT_TRUE(state_errors().empty());
  EXPECT_EQ(state("RV", "RR", set({"data"})), "?V");
  EXPECT_EQ(state_errors().back().substr(0, 30), "S-partial convolution: `partia");
}

}  // namespace
}  // namespace isoshard::ir_convolution_test
