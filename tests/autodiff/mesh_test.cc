// Gradients of functions on a mesh: every row of the adjoint table, scans and calls, against central differences.
#include <gtest/gtest.h>

#include "core/text/text.h"
#include "tests/autodiff/finite_difference.h"
#include "tests/golden/module_run.h"

namespace isoshard::autodiff::mesh_test {
namespace {

TEST(Gradient, TensorParallelLoss) {
  GradientTest(R"(isoshard 1
mesh @m [data=2, model=2]
global @x : f64[4, 3] input
global @W1 : f64[3, 4] param
global @b1 : f64[4] param
global @W2 : f64[4, 3] param
global @b2 : f64[3] param
func @f(%x: f64[2, 3], %W1: f64[3, 2], %b1: f64[2], %W2: f64[2, 3], %b2: f64[3]) on @m -> f64[] {
  %xr = reinterpret %x {axis=model, to=R}
  %z = dot_general %xr, %W1 {contract=[1]x[0]}
  %c1 = broadcast_in_dim %b1 {dims=[1], shape=[2, 2]}
  %h = add %z, %c1
  %s = logistic %h
  %a = multiply %h, %s
  %p = dot_general %a, %W2 {contract=[1]x[0], partial={model}}
  %r = all_reduce %p {axis=model, to=I}
  %c2 = broadcast_in_dim %b2 {dims=[1], shape=[2, 3]}
  %u = add %r, %c2
  %y = add %u, %x
  %q = multiply %y, %y
  %l = reduce %q {op=add, dims=[0, 1], partial={data}}
  return %l
}
program @loss on @m {
  %x = view @x [data, -] as I{model}
  %W1 = view @W1 [-, model]
  %b1 = view @b1 [model]
  %W2 = view @W2 [model, -]
  %b2 = view @b2 [-] as I{model}
  %l = call @f(%x, %W1, %b1, %W2, %b2)
  %loss = all_reduce %l {axis=data, to=R}
  return @loss = %loss []
}
)")
      .compare();
}

/// x V over `t` in blocks of 2, w R: %y of the body is V, P, R or I, and is reduced to a loss.
std::string collective(const std::string& body, const std::string& loss = "", const std::string& reduce = "") {
  return "isoshard 1\nmesh @m [t=3]\nglobal @x : f64[6] param\nglobal @w : f64[6] param\n"
         "func @f(%x: f64[2], %w: f64[6]) on @m -> f64[] {\n  %own = slice_block %w {axis=t, dim=0}\n  %s = sine %x\n"
         "  %v = multiply %s, %own\n" +
         body + "  %c = sine %y\n  %q = multiply %c, %y\n" +
         (loss.empty() ? "  %loss = reduce %q {op=add, dims=[0], partial={t}}\n" : loss) +
         "  return %loss\n}\nprogram @loss on @m {\n  %x = view @x [t]\n  %w = view @w [-]\n  %l = call @f(%x, %w)\n" +
         (reduce.empty() ? "  %loss = all_reduce %l {axis=t, to=R}\n" : reduce) + "  return @loss = %loss []\n}\n";
}

const std::string kEqualLoss = "  %loss = reduce %q {op=add, dims=[0]}\n";
const std::string kNoReduce = "  %loss = add %l, 0\n";

TEST(Gradient, AllReduceToR) {
  const std::string body = "  %p = reinterpret %v {axis=t, to=P}\n  %y = all_reduce %p {axis=t, to=R}\n";
  GradientTest(collective(body, kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, AllReduceToI) {
  const std::string body = "  %p = reinterpret %v {axis=t, to=P}\n  %y = all_reduce %p {axis=t, to=I}\n";
  GradientTest(collective(body, kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, AllGatherToR) {
  GradientTest(collective("  %y = all_gather %v {axis=t, dim=0, to=R}\n", kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, AllGatherToI) {
  GradientTest(collective("  %y = all_gather %v {axis=t, dim=0, to=I}\n", kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, ReduceScatter) {
  const std::string body =
      "  %g = all_gather %v {axis=t, dim=0, to=R}\n  %i = axis_index {axis=t}\n  %k = convert %i {dtype=f64}\n"
      "  %n = add %k, 1\n  %b = broadcast_in_dim %n {dims=[], shape=[6]}\n  %m = multiply %g, %b\n"
      "  %p = reinterpret %m {axis=t, to=P}\n  %y = reduce_scatter %p {axis=t, dim=0}\n";
  GradientTest(collective(body)).compare();
}

TEST(Gradient, AllToAllAndPermutes) {
  const std::string body =
      "  %r = broadcast_in_dim %v {dims=[1], shape=[3, 2]}\n  %i = iota {dtype=f64, shape=[3, 2], dim=0}\n"
      "  %d = add %i, 1\n  %e = multiply %r, %d\n  %a = all_to_all %e {axis=t, split_dim=0, concat_dim=1}\n"
      "  %f = reshape %a {shape=[6]}\n  %g = collective_permute %f {axis=t, shift=1}\n"
      "  %h = collective_permute %g {axis=t, pairs=[(0, 2), (2, 1)]}\n  %k = add %h, %f\n  %y = multiply %k, %k\n";
  GradientTest(collective(body)).compare();
}

TEST(Gradient, ReinterpretAndConvertState) {
  const std::string body =
      "  %r = reinterpret %w {axis=t, to=V}\n  %a = slice %r {start=[1], limit=[3]}\n  %b = multiply %a, %v\n"
      "  %i = convert_state %w {axis=t, to=I}\n  %d = slice_block %i {axis=t, dim=0}\n  %e = multiply %d, %b\n"
      "  %n = convert_state %w {axis=t, to=P, owner=1}\n  %o = all_reduce %n {axis=t, to=R}\n"
      "  %p = place_block %e {axis=t, dim=0}\n  %q0 = all_reduce %p {axis=t, to=R}\n"
      "  %j = all_reduce %p {axis=t, to=I}\n  %j1 = reinterpret %j {axis=t, to=R}\n"
      "  %k = multiply %q0, %o\n  %u = add %k, %j1\n  %n2 = reinterpret %w {axis=t, to=P}\n"
      "  %o2 = all_reduce %n2 {axis=t, to=R}\n  %y = multiply %u, %o2\n";
  GradientTest(collective(body, kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, InvariantToPartial) {
  const std::string body =
      "  %i = convert_state %w {axis=t, to=I}\n  %n = convert_state %i {axis=t, to=P, owner=2}\n"
      "  %o = all_reduce %n {axis=t, to=R}\n  %g = all_gather %v {axis=t, dim=0, to=R}\n  %y = multiply %o, %g\n";
  GradientTest(collective(body, kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, AssertEqual) {
  const std::string body =
      "  %g = all_gather %v {axis=t, dim=0, to=R}\n  %h = reinterpret %g {axis=t, to=V}\n"
      "  %k = assert_equal %h {axis=t}\n  %y = multiply %k, %w\n";
  GradientTest(collective(body, kEqualLoss, kNoReduce)).compare();
}

TEST(Gradient, ScanOverLayersWithACounter) {
  GradientTest(R"(isoshard 1
mesh @m [t=2]
global @x : f64[2, 4] param
global @W : f64[3, 4, 4] param
func @f(%x: f64[2, 4], %W: f64[3, 4, 2]) on @m -> f64[] {
  %n = constant {value=0, dtype=i32}
  %y, %count, %all = scan (%h = %x, %c = %n) over (%w = %W) {
    %z = dot_general %h, %w {contract=[1]x[0]}
    %a = tanh %z
    %g = all_gather %a {axis=t, dim=1, to=R}
    %k = convert %c {dtype=f64}
    %b = broadcast_in_dim %k {dims=[], shape=[2, 4]}
    %s = multiply %g, %b
    %next = add %h, %s
    %c1 = add %c, 1
    %part = sine %next
    yield (%next, %c1) stack (%part)
  }
  %q = multiply %y, %y
  %l0 = reduce %q {op=add, dims=[0, 1]}
  %l1 = reduce %all {op=add, dims=[0, 1, 2]}
  %loss = multiply %l0, %l1
  return %loss
}
program @loss on @m {
  %x = view @x [-, -]
  %W = view @W [-, -, t]
  %l = call @f(%x, %W)
  return @loss = %l []
}
)")
      .compare();
}

TEST(Gradient, CallsInsideScansInsideCalls) {
  GradientTest(R"(isoshard 1
global @x : f64[2] param
global @w : f64[3, 2] param
func @square(%x: f64[2], %w: f64[2]) -> f64[2], f64[2] {
  %y = multiply %x, %w
  %z = sine %y
  return %y, %z
}
func @stack(%x: f64[2], %w: f64[3, 2]) -> f64[2] {
  %y = scan (%h = %x) over (%v = %w) {
    %inner, %parts = scan (%k = %h) index %i trips 2 {
      %c = convert %i {dtype=f64}
      %d = broadcast_in_dim %c {dims=[], shape=[2]}
      %e, %s = call @square(%k, %d)
      %m = add %e, 0.5
      %t = add %m, %s
      yield (%t) stack (%s)
    }
    %a, %b = call @square(%inner, %v)
    %last = slice %parts {start=[1, 0], limit=[2, 2]}
    %row = reshape %last {shape=[2]}
    %o = add %a, %row
    %n = add %o, %b
    yield (%n)
  }
  return %y
}
func @f(%x: f64[2], %w: f64[3, 2]) -> f64[] {
  %a = call @stack(%x, %w)
  %b = call @stack(%a, %w)
  %q = multiply %b, %b
  %l = reduce %q {op=add, dims=[0]}
  return %l
}
program @loss {
  %x = view @x [-]
  %w = view @w [-, -]
  %l = call @f(%x, %w)
  return @loss = %l []
}
)")
      .compare();
}

/// The loss comes first, what else a func gives comes along, without a gradient.
TEST(Gradient, FurtherResultsComeAlong) {
  DiagnosticSink sink;
  const auto file = std::make_shared<SourceFile>(SourceFile{"t.shard", R"(isoshard 1
global @x : f32[3] param
func @f(%x: f32[3]) -> f32[], f32[3], i32[] {
  %q = multiply %x, %x
  %l = reduce %q {op=add, dims=[0]}
  %n = constant {value=3, dtype=i32}
  return %l, %q, %n
}
program @p {
  %x = view @x [-]
  %l, %q, %n, %g = grad @f(%x) {wrt=[0]}
  return @l = %l []
  return @q = %q [-]
  return @n = %n []
  return @g = %g [-]
}
)"});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  ASSERT_TRUE(module.has_value()) << render(sink.diagnostics().at(0));
  const std::vector<float> x{1, -2, 3};
  const auto made =
      golden::run_program(*module, *module->find_program("p"), {{"x", Tensor::from<float>(DType::f32, {3}, x)}});
  EXPECT_EQ(made.at("l").as<float>()[0], 14);
  EXPECT_EQ(made.at("q").as<float>()[1], 4);
  EXPECT_EQ(made.at("n").as<int32_t>()[0], 3);
  EXPECT_EQ(made.at("g").as<float>()[1], -4);
}

}  // namespace
}  // namespace isoshard::autodiff::mesh_test
