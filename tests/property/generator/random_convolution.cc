#include "tests/property/generator/random_convolution.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace isoshard::testing {
namespace {

int64_t size(const Shape& shape, int64_t dim) { return shape[static_cast<size_t>(dim)]; }

std::vector<int64_t> shuffled(Dice& dice, size_t rank) {
  std::vector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  dice.shuffle(dims);
  return dims;
}

std::vector<int64_t> behind_two(const std::vector<int64_t>& dims) { return {dims.begin() + 2, dims.end()}; }

/// Random roles for which the kernel has the input features of one of `groups` groups.
std::optional<ConvolutionDims> roles(Dice& dice, const Shape& input, const Shape& kernel, int64_t groups) {
  const size_t rank = input.size();
  const std::vector<int64_t> in = shuffled(dice, rank), out = shuffled(dice, rank);
  std::vector<int64_t> of = shuffled(dice, rank);
  const auto input_features =
      std::find_if(of.begin(), of.end(), [&](int64_t d) { return size(kernel, d) * groups == size(input, in[1]); });
  if (input_features == of.end()) return std::nullopt;
  std::swap(of[1], *input_features);
  return ConvolutionDims{
      {in[0], in[1], behind_two(in)}, {of[0], of[1], behind_two(of)}, {out[0], out[1], behind_two(out)}};
}

/// Windows along spatial dimension i, which fit at least once: padding makes room where there is none.
void add_windows(Dice& dice, Convolution& op, const Shape& input, const Shape& kernel) {
  op.strides.push_back(dice.in(1, 3));
  op.lhs_dilation.push_back(dice.chance(40) ? dice.in(1, 3) : 1);
  op.rhs_dilation.push_back(dice.chance(40) ? dice.in(1, 3) : 1);
  op.reversal.push_back(dice.in(0, 1));
  op.low.push_back(dice.in(-2, 2));
  op.high.push_back(dice.in(-2, 2));
  const std::vector<int64_t>& spatial = op.dims.input.spatial;
  const auto i = op.strides.size() - 1;
  const int64_t spread = ConvolutionWindows::spread(size(input, spatial[i]), op.lhs_dilation[i]);
  const int64_t span = ConvolutionWindows::spread(size(kernel, op.dims.kernel.spatial[i]), op.rhs_dilation[i]);
  if (!dice.chance(3)) op.high[i] += std::max<int64_t>(span - (op.low[i] + spread + op.high[i]), 0);
}

}  // namespace

std::optional<Convolution> random_convolution(Dice& dice, const Shape& input, const Shape& kernel) {
  if (input.size() < 2 || kernel.size() != input.size()) return std::nullopt;
  const int64_t groups = dice.chance(50) ? 1 : dice.in(2, 3);
  const bool of_features = dice.chance(60);
  const std::optional<ConvolutionDims> dims = roles(dice, input, kernel, of_features ? groups : 1);
  if (!dims) return std::nullopt;
  Convolution op{*dims};
  if (groups > 1) (of_features ? op.feature_groups : op.batch_groups) = groups;
  const bool plain = dice.chance(20);
  for (size_t i = 0; i < dims->input.spatial.size() && !plain; ++i) add_windows(dice, op, input, kernel);
  return op;
}

}  // namespace isoshard::testing
