// Gradients of functions of one op against central differences, on one device and on a mesh.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/autodiff/finite_difference.h"

namespace isoshard::autodiff::rules_test {
namespace {

struct Case {
  std::string name;
  std::string body;     ///< of @f, from %a f64[2, 3] and %b f64[3, 2] (and %i i32[2]) to %y
  std::string shape{};  ///< of %y; empty: [2, 3]
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string text_of(const Case& c) {
  const std::string shape = c.shape.empty() ? "[2, 3]" : c.shape;
  const size_t rank = shape == "[]" ? 0 : 1 + static_cast<size_t>(std::count(shape.begin(), shape.end(), ','));
  std::string dims;
  for (size_t d = 0; d < rank; ++d) dims += (d == 0 ? "" : ", ") + std::to_string(d);
  return "isoshard 1\n"
         "global @a : f64[2, 3] param\nglobal @b : f64[3, 2] param\nglobal @i : i32[2] const\n"
         "func @f(%a: f64[2, 3], %b: f64[3, 2], %i: i32[2]) -> f64[] {\n" +
         c.body +
         // A loss in which every element weighs differently, so that a wrong order shows.
         "\n  %w = sine %y\n  %v = multiply %w, %y\n  %loss = reduce %v {op=add, dims=[" + dims +
         "]}\n  return %loss\n}\n"
         "program @loss {\n  %a = view @a [-, -]\n  %b = view @b [-, -]\n  %i = view @i [-]\n"
         "  %loss = call @f(%a, %b, %i)\n  return @loss = %loss []\n}\n";
}

class OneOp : public ::testing::TestWithParam<Case> {};

TEST_P(OneOp, IsTheSlope) { GradientTest(text_of(GetParam())).compare(); }

const std::string kPositive = "  %c = multiply %a, %a\n  %p = add %c, 0.1\n";
const std::string kTurned = "  %t = transpose %b {permutation=[1, 0]}\n";

INSTANTIATE_TEST_SUITE_P(
    Elementwise, OneOp,
    ::testing::Values(
        Case{"negate", "  %y = negate %a"}, Case{"exponential", "  %y = exponential %a"},
        Case{"log", kPositive + "  %y = log %p"}, Case{"tanh", "  %y = tanh %a"},
        Case{"logistic", "  %y = logistic %a"}, Case{"sqrt", kPositive + "  %y = sqrt %p"},
        Case{"rsqrt", kPositive + "  %y = rsqrt %p"}, Case{"sine", "  %y = sine %a"},
        Case{"cosine", "  %y = cosine %a"}, Case{"erf_inv", "  %h = multiply %a, 0.5\n  %y = erf_inv %h"},
        Case{"exponential_minus_one", "  %y = exponential_minus_one %a"},
        Case{"log_plus_one", kPositive + "  %y = log_plus_one %p"}, Case{"cbrt", kPositive + "  %y = cbrt %p"},
        Case{"erf", "  %y = erf %a"}, Case{"erfc", "  %y = erfc %a"},
        Case{"atan2", kPositive + kTurned + "  %y = atan2 %t, %p"}, Case{"ceil", "  %f = ceil %a\n  %y = add %f, %a"},
        Case{"round_nearest_even", "  %f = round_nearest_even %a\n  %y = add %f, %a"},
        Case{"round_nearest_afz", "  %f = round_nearest_afz %a\n  %y = add %f, %a"},
        Case{"floor", "  %f = floor %a\n  %y = add %f, %a"}, Case{"abs", "  %y = abs %a"},
        Case{"sign", "  %s = sign %a\n  %y = multiply %s, %a"}, Case{"add", kTurned + "  %y = add %a, %t"},
        Case{"subtract", kTurned + "  %y = subtract %a, %t"}, Case{"multiply", kTurned + "  %y = multiply %a, %t"},
        Case{"divide", kPositive + kTurned + "  %y = divide %t, %p"},
        Case{"power", kPositive + kTurned + "  %y = power %p, %t"},
        Case{"remainder", kPositive + kTurned + "  %y = remainder %t, %p"},
        Case{"maximum", kTurned + "  %y = maximum %a, %t"}, Case{"minimum", kTurned + "  %y = minimum %a, %t"},
        Case{"clamp", "  %n = constant {value=-1/2, dtype=f64, shape=[]}\n" + kTurned + "  %y = clamp %n, %a, %t"},
        Case{"select", kTurned + "  %q = compare %a, %t {direction=lt}\n  %s = multiply %t, %t\n  %y = "
                                 "select %q, %a, %s"},
        Case{"convert",
             "  %n = convert %a {dtype=f32}\n  %m = multiply %a, %a\n  %k = stop_gradient %n\n  "
             "%z = convert %k {dtype=f64}\n  %d = subtract %z, %z\n  %y = add %m, %d"},
        Case{"stop_gradient",
             "  %s = stop_gradient %b\n  %r = reduce %s {op=add, dims=[0, 1]}\n  %z = "
             "subtract %r, %r\n  %t = broadcast_in_dim %z {dims=[], shape=[2, 3]}\n  %y = "
             "add %a, %t"}),
    [](const auto& c) { return c.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Shape, OneOp,
    ::testing::Values(
        Case{"broadcast", "  %y = broadcast_in_dim %a {dims=[2, 0], shape=[3, 4, 2]}", "[3, 4, 2]"},
        Case{"broadcast_of_one",
             "  %r = reshape %a {shape=[2, 1, 3]}\n  %y = broadcast_in_dim %r {dims=[0, 1, 2], "
             "shape=[2, 4, 3]}",
             "[2, 4, 3]"},
        Case{"reshape", "  %y = reshape %a {shape=[3, 2]}", "[3, 2]"},
        Case{"transpose", "  %r = reshape %a {shape=[1, 2, 3]}\n  %y = transpose %r {permutation=[2, 0, 1]}",
             "[3, 1, 2]"},
        Case{"slice", "  %y = slice %a {start=[0, 1], limit=[1, 3]}", "[1, 2]"},
        Case{"slice_strided", "  %y = slice %a {start=[1, 0], limit=[2, 3], strides=[1, 2]}", "[1, 2]"},
        Case{"concatenate", kTurned + "  %y = concatenate %a, %t, %a {dim=1}", "[2, 9]"},
        Case{"pad", "  %r = reduce %b {op=add, dims=[0, 1]}\n  %y = pad %a, %r {low=[1, 0], high=[0, 2]}", "[3, 5]"},
        Case{"reverse", "  %y = reverse %a {dims=[1]}"}, Case{"cumsum", "  %y = cumsum %a {dim=1}"},
        Case{"reduce_add", "  %y = reduce %a {op=add, dims=[0]}", "[3]"},
        Case{"reduce_max", "  %y = reduce %a {op=max, dims=[1]}", "[2]"},
        Case{"reduce_min", "  %y = reduce %a {op=min, dims=[0]}", "[3]"},
        Case{"reduce_mul", "  %y = reduce %a {op=mul, dims=[1]}", "[2]"},
        Case{"reduce_mul_all", "  %y = reduce %a {op=mul, dims=[0, 1]}", "[]"},
        Case{"argmax", "  %y, %k = reduce %a {op=argmax, dims=[1]}", "[2]"},
        Case{"top_k", "  %y, %k = top_k %a {k=2}", "[2, 2]"},
        Case{"matmul", "  %y = dot_general %a, %b {contract=[1]x[0]}", "[2, 2]"},
        Case{"dot_two_dims", "  %y = dot_general %a, %b {contract=[0, 1]x[1, 0]}", "[]"},
        Case{"dot_batch",
             "  %c = broadcast_in_dim %a {dims=[1, 2], shape=[4, 2, 3]}\n  %s = sine %c\n  %d = broadcast_in_dim %b "
             "{dims=[2, 0], shape=[2, 4, 3]}\n  %y = dot_general %s, %d {contract=[2]x[2], batch=[1]x[0]}",
             "[2, 4, 4]"},
        Case{"dot_outer", "  %y = dot_general %a, %b {contract=[]x[]}", "[2, 3, 3, 2]"},
        Case{"convolution",
             "  %x = reshape %a {shape=[1, 1, 6]}\n  %k = reshape %b {shape=[2, 1, 3]}\n  %y = convolution %x, %k "
             "{dims=[b, f, 0]x[o, i, 0]->[b, f, 0], strides=[2], low=[2], high=[-1], lhs_dilation=[2]}",
             "[1, 2, 5]"},
        Case{"convolution_groups",
             "  %x = reshape %a {shape=[1, 2, 3]}\n  %k = reshape %b {shape=[2, 1, 3]}\n  %y = convolution %x, %k "
             "{dims=[b, f, 0]x[o, i, 0]->[f, 0, b], low=[1], high=[2], rhs_dilation=[2], reversal=[1], "
             "feature_groups=2}",
             "[2, 2, 1]"},
        Case{"convolution_batch_groups",
             "  %x = reshape %a {shape=[3, 1, 2]}\n  %k = reshape %b {shape=[3, 1, 2]}\n  %y = convolution %x, %k "
             "{dims=[b, f, 0]x[o, i, 0]->[b, 0, f], high=[1], batch_groups=3}",
             "[1, 2, 3]"}),
    [](const auto& c) { return c.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Indexing, OneOp,
    ::testing::Values(
        Case{"dynamic_slice",
             "  %k = slice %i {start=[0], limit=[1]}\n  %s = reshape %k {shape=[]}\n  %y = "
             "dynamic_slice %a, 0, %s {sizes=[2, 2]}",
             "[2, 2]"},
        Case{"dynamic_update_slice",
             "  %k = slice %i {start=[0], limit=[1]}\n  %s = reshape %k {shape=[]}\n  %u = slice %b {start=[0, 0], "
             "limit=[1, 2]}\n  %y = dynamic_update_slice %a, %u, %s, 1"},
        Case{"gather", "  %y = gather %a, %i {dim=1}", "[2, 2]"},
        Case{"gather_batch", "  %y = gather %a, %i {dim=1, batch=1}", "[2]"},
        Case{"scatter_add", "  %u = slice %b {start=[0, 0], limit=[2, 2]}\n  %y = scatter_add %a, %i, %u {dim=1}"},
        Case{"scatter_add_outside",
             "  %j = add %i, 1\n  %u = slice %b {start=[1, 0], limit=[3, 2]}\n  %y = scatter_add "
             "%a, %j, %u {dim=1}"}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace isoshard::autodiff::rules_test
