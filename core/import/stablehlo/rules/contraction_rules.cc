// Products. Operands of another dtype than the result, bf16 by bf16 to f32, are converted first: the products are those
// of the wider dtype. Of predicates it is whether both hold anywhere. Dimension numbers of convolutions are those of
// the language. Cost: constant for each op.
#include <utility>

#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// Operands in a dtype, that of the result.
std::vector<ValueId> in_dtype(Lowering& lowering, const Operation& op, const Scope& scope, DType dtype) {
  std::vector<ValueId> values = lowering.values(op, scope);
  for (ValueId& value : values) {
    if (lowering.builder().type(value).tensor.dtype != dtype) value = lowering.append(Convert{dtype}, {value}, op);
  }
  return values;
}

/// `key = [1] x [0]` of the pretty form, or two lists in the dimension numbers of the generic one.
DimPairs pairs(const Lowering& lowering, const Operation& op, std::string_view key, const std::string& generic) {
  const Attribute* pretty = op.find(key);
  const Attribute* numbers = op.find("dot_dimension_numbers");
  const auto list = [&](const Attribute* attribute) {
    return attribute == nullptr ? std::vector<int64_t>() : integers_of(lowering, op, *attribute);
  };
  if (pretty != nullptr) {
    if (pretty->items.size() != 2) lowering.fail("M-attribute", op, quoted(key) + "; expected [..] x [..]");
    return DimPairs{list(pretty->items.data()), list(&pretty->items[1])};
  }
  if (numbers == nullptr) return {};
  return DimPairs{list(numbers->find("lhs_" + generic)), list(numbers->find("rhs_" + generic))};
}

std::vector<Wire> dot_general(Lowering& lowering, const Operation& op, Scope& scope) {
  DotGeneral dot{pairs(lowering, op, "contracting_dims", "contracting_dimensions"),
                 {},
                 pairs(lowering, op, "batching_dims", "batching_dimensions")};
  const TensorType type = op.result_types.at(0);
  if (type.dtype != DType::pred) return {lowering.emit(std::move(dot), in_dtype(lowering, op, scope, type.dtype), op)};
  // Whether both hold anywhere is whether as many as that are more than 0.
  const ValueId count = lowering.append(std::move(dot), in_dtype(lowering, op, scope, DType::i32), op);
  const ValueId none = lowering.splat(Rational(0), lowering.builder().type(count).tensor, op);
  return {lowering.emit(Compare{Direction::gt}, {count, none}, op)};
}

/// `[b, 0, f]` with the letters of batch (or output) and feature (or input).
struct DimLetters {
  int64_t first = 0, second = 0;
  std::vector<int64_t> spatial;
};

DimLetters letters(const Lowering& lowering, const Operation& op, const Attribute& list, std::string_view first,
                   std::string_view second) {
  DimLetters result;
  result.spatial.resize(list.items.size() < 2 ? 0 : list.items.size() - 2);
  for (size_t d = 0; d < list.items.size(); ++d) {
    const std::string_view text = list.items[d].text;
    const auto dim = static_cast<int64_t>(d);
    if (text == first) {
      result.first = dim;
    } else if (text == second) {
      result.second = dim;
    } else {
      const std::vector<int64_t> which = integers_of(lowering, op, list.items[d]);
      if (which.size() != 1 || which[0] < 0 || which[0] >= static_cast<int64_t>(result.spatial.size())) {
        lowering.fail("M-attribute", op, "a spatial dimension that is not there");
      }
      result.spatial[static_cast<size_t>(which[0])] = dim;
    }
  }
  return result;
}

std::vector<Wire> convolution(Lowering& lowering, const Operation& op, Scope& scope) {
  const Attribute* dims = op.find("dim_numbers");
  const Attribute* window = op.find("window");
  if (dims == nullptr || dims->items.size() != 3) {
    lowering.unsupported(op, "a convolution that is not printed with dim_numbers = [...]x[...]->[...]");
  }
  const DimLetters in = letters(lowering, op, dims->items[0], "b", "f"),
                   kernel = letters(lowering, op, dims->items[1], "o", "i"),
                   out = letters(lowering, op, dims->items[2], "b", "f");
  Convolution convolution{ConvolutionDims{{in.first, in.second, in.spatial},
                                          {kernel.first, kernel.second, kernel.spatial},
                                          {out.first, out.second, out.spatial}}};
  const auto list = [&](std::string_view key) {
    const Attribute* attribute = window == nullptr ? nullptr : window->find(key);
    return attribute == nullptr ? std::vector<int64_t>() : integers_of(lowering, op, *attribute);
  };
  convolution.strides = list("stride");
  convolution.lhs_dilation = list("lhs_dilate");
  convolution.rhs_dilation = list("rhs_dilate");
  convolution.reversal = list("reverse");
  if (const Attribute* padding = window == nullptr ? nullptr : window->find("pad")) {
    for (const Attribute& sides : padding->items) {
      const std::vector<int64_t> both = integers_of(lowering, op, sides);
      if (both.size() != 2) lowering.fail("M-attribute", op, "a padding; expected [low, high] of each dimension");
      convolution.low.push_back(both[0]);
      convolution.high.push_back(both[1]);
    }
  }
  if (op.find("feature_group_count") != nullptr) {
    convolution.feature_groups = integer(lowering, op, "feature_group_count");
  }
  if (op.find("batch_group_count") != nullptr) convolution.batch_groups = integer(lowering, op, "batch_group_count");
  return {lowering.emit(std::move(convolution), in_dtype(lowering, op, scope, op.result_types.at(0).dtype), op)};
}

}  // namespace

std::span<const NamedRule> contraction_rules() {
  static constexpr NamedRule kRules[] = {
      {"stablehlo.dot_general", dot_general},
      {"stablehlo.convolution", convolution},
  };
  return kRules;
}

}  // namespace isoshard::stablehlo
