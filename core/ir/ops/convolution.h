#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"
#include "core/support/rare_list.h"

namespace isoshard {

/// Says which dimension of the input or of the result of a convolution is what; written `[b, f, 0, 1]`.
struct ImageDims {
  int64_t batch = 0;
  int64_t feature = 1;
  RareList<int64_t> spatial{};  ///< the place of spatial dimension i of all three tensors
  bool operator==(const ImageDims&) const = default;
};

/// Says the same of its kernel, whose features are those of the result and those of the input; written `[o, i, 0, 1]`.
struct KernelDims {
  int64_t output = 0;
  int64_t input = 1;
  RareList<int64_t> spatial{};
  bool operator==(const KernelDims&) const = default;
};

/// StableHLO's dimension numbers; written `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`.
struct ConvolutionDims {
  ImageDims input;
  KernelDims kernel;
  ImageDims output;
  bool operator==(const ConvolutionDims&) const = default;
};

/// As it is written.
std::string to_string(const ConvolutionDims& dims);

/// The windows along one spatial dimension: the input is spread, padded and cut, then the kernel, spread too, stands at
/// every `stride`-th place where it fits.
struct ConvolutionWindows {
  int64_t size = 0;             ///< of the input
  int64_t dilation = 1;         ///< the distance of its elements after spreading
  int64_t low = 0, high = 0;    ///< zeros around it, negative where elements are cut
  int64_t kernel = 0;           ///< the size of the kernel
  int64_t kernel_dilation = 1;  ///< the distance in the input of what the kernel's neighbours meet
  int64_t stride = 1;
  bool reversed = false;  ///< the kernel's first element meets a window's last

  int64_t dilated() const { return spread(size, dilation); }
  int64_t padded() const { return low + dilated() + high; }
  int64_t span() const { return spread(kernel, kernel_dilation); }
  /// The number of windows: 0 where none fits.
  int64_t count() const;
  /// The size of what `count` elements at that distance take up.
  static int64_t spread(int64_t count, int64_t distance) { return count == 0 ? 0 : (count - 1) * distance + 1; }
};

/// Sums products of the elements of each window of the input, over all input features, with the elements of the kernel.
///
/// Constraints are C1 to C28 of StableHLO's convolution but C25: precision_config is not modelled, f64, f32 and
/// integers multiply as they are; bf16 and f16 accumulate in f32 and round once. Lists have one entry per spatial
/// dimension or none: then strides and dilations are 1, padding is 0 and nothing is reversed. With feature groups,
/// group g of the output features sees group g of the input features; with batch groups, group g of the batch.
/// `partial={axes}` states that the input features are sharded on these axes, so that each device holds one term of a
/// sum: V becomes P there.
struct Convolution {
  ConvolutionDims dims;
  RareList<int64_t> strides{};
  RareList<int64_t> low{};
  RareList<int64_t> high{};
  RareList<int64_t> lhs_dilation{};
  RareList<int64_t> rhs_dilation{};
  RareList<int64_t> reversal{};
  std::optional<int64_t> feature_groups{};
  std::optional<int64_t> batch_groups{};
  AxisSet partial{};

  static constexpr std::string_view kName = "convolution";
  static constexpr std::string_view kDoc =
      "Sums of products of a kernel with windows of the input (StableHLO convolution without precision_config).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{OpClass::bilinear};
  static constexpr auto fields() {
    return std::tuple{
        field("dims", &Convolution::dims, "batch, features and spatial dimensions of input, kernel and result"),
        optional_field("strides", &Convolution::strides, "the distance of windows, per spatial dimension"),
        optional_field("low", &Convolution::low, "zeros added before, per spatial dimension; negative: elements cut"),
        optional_field("high", &Convolution::high, "zeros added behind, per spatial dimension; negative: elements cut"),
        optional_field("lhs_dilation", &Convolution::lhs_dilation, "the distance of the input's elements in windows"),
        optional_field("rhs_dilation", &Convolution::rhs_dilation, "the distance of the kernel's elements in windows"),
        optional_field("reversal", &Convolution::reversal, "1 where windows are reversed, else 0"),
        optional_field("feature_groups", &Convolution::feature_groups, "groups of features that do not meet"),
        optional_field("batch_groups", &Convolution::batch_groups, "groups of the batch, one per group of features"),
        optional_field("partial", &Convolution::partial, "axes over which the input features are sharded")};
  }
  /// The windows along each spatial dimension of an input and a kernel of these shapes.
  std::vector<ConvolutionWindows> windows(const Shape& input, const Shape& kernel) const;
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Convolution&) const = default;
};

}  // namespace isoshard
