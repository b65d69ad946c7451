// Random numbers of the building blocks: the vectors of the specification, blocks, and what initialisers are made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/value/threefry.h"
#include "parallel/module/initializers.h"
#include "parallel/module/param_key.h"
#include "tests/golden/program_run.h"

namespace isoshard::rng_test {
namespace {

using golden::ProgramRun;

template <class Make>
Tensor with_seed(uint32_t seed, const Make& make) {
  ProgramRun run;
  run.output("y", make(run.m(), prng_key(run.m(), seed)));
  return run.run().at("y").front();
}

std::vector<float> floats(const Tensor& tensor) { return {tensor.as<float>().begin(), tensor.as<float>().end()}; }

Draw shape(Shape shape, KeyLayout layout = KeyLayout::original) { return Draw{std::move(shape), {}, {}, layout}; }

/// As printed, with 7 digits.
void expect_printed(const Tensor& made, const std::vector<float>& printed) {
  ASSERT_EQ(made.size(), std::ssize(printed));
  for (size_t i = 0; i < printed.size(); ++i) EXPECT_FLOAT_EQ(made.as<float>()[i], printed[i]) << i;
}

TEST(Rng, DrawsTheNumbersOfJax) {
  const auto uniforms = [](ModelBuilder& m, ValueId key) { return uniform(m, key, shape({4})); };
  const auto triple = [](ModelBuilder& m, ValueId key) { return uniform(m, key, shape({3})); };
  const auto normals = [](ModelBuilder& m, ValueId key) { return normal(m, key, shape({4})); };
  const auto odd = [](ModelBuilder& m, ValueId key) { return normal(m, key, shape({3})); };
  const auto partitionable = [](ModelBuilder& m, ValueId key) {
    return normal(m, key, shape({3}, KeyLayout::partitionable));
  };
  expect_printed(with_seed(42, uniforms), {.57414436f, .8566375f, .05946112f, .06235552f});
  expect_printed(with_seed(0, triple), {.9653214f, .31468165f, .63302994f});
  expect_printed(with_seed(42, normals), {.18693547f, 1.0653335f, -1.5593132f, -1.5352962f});
  expect_printed(with_seed(42, odd), {.18693547f, -1.2806505f, -1.5593132f});
  expect_printed(with_seed(42, partitionable), {-.028304616f, .46713185f, .29570296f});
}

/// split, split, fold of the device, fold of the path: the first element of a kernel of 784 x 512.
TEST(Rng, FollowsAPathToAParameter) {
  EXPECT_EQ(param_fold({"input_dense", "sharded"}, 1), 1205362272U);
  const Tensor kernel = with_seed(42, [](ModelBuilder& m, ValueId key) {
    const ValueId init = split_key(m, split_key(m, key, 0, 3), 0, 2);
    const auto fold = [&](ValueId k, int64_t data) {
      return m.op(RngFoldIn{}, {k, m.op(Constant{Rational(data), DType::u32, {}}, {})});
    };
    const ValueId own = fold(fold(init, 0), param_fold({"input_dense", "sharded"}, 1));
    const ValueId zero = m.op(Constant{Rational(0), DType::i32, {}}, {});
    return lecun_normal_initializer()(m, own, Draw{{1, 1}, {784, 512}, {zero, zero}});
  });
  EXPECT_EQ(floats(kernel), std::vector<float>{-0.0754908f});
}

TEST(Rng, CountsTheDrawsOfScopes) {
  EXPECT_EQ(draw_counter(2, 1), 1);
  EXPECT_EQ(draw_counter(2, 2), 2);
  EXPECT_EQ(draw_counter(2, 1, 1), 3);
  EXPECT_EQ(draw_counter(2, 1, 2), 7);
  EXPECT_EQ(draw_counter(1, 1, 2), 4);
  EXPECT_NE(param_fold({"ab"}, 1), param_fold({"b"}, 1));
  EXPECT_EQ(param_fold({"a", "b"}, 1), param_fold({"ab"}, 1));  // nothing stands between the names
  EXPECT_NE(param_fold({}, 1), param_fold({}, 256));
}

TEST(Rng, BernoulliIsUniformBelowP) {
  for (const float p : {0.0f, 0.1f, 0.5f, 0.9f, 1.0f}) {
    ProgramRun run;
    ModelBuilder& m = run.m();
    const ValueId key = prng_key(m, 5), u = uniform(m, key, shape({200}));
    run.output("kept", bernoulli(m, key, shape({200}), p));
    run.output("below", m.with_constant(Compare{Direction::lt}, u, Rational::from_double(static_cast<double>(p))));
    const auto outputs = run.run();
    const auto kept = outputs.at("kept").front().as<uint8_t>(), below = outputs.at("below").front().as<uint8_t>();
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), below.begin())) << p;
  }
}

/// On a mesh every device draws its block, which is that of the whole.
TEST(Rng, BlocksAreThoseOfTheWhole) {
  const auto mesh = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"a", 2}, {"b", 3}});
  for (const KeyLayout layout : {KeyLayout::original, KeyLayout::partitionable}) {
    const Tensor whole = with_seed(9, [&](ModelBuilder& m, ValueId key) {
      return lecun_normal_initializer()(m, key, shape({4, 9}, layout));
    });
    ProgramRun run(mesh);
    ModelBuilder& m = run.m();
    const auto start = [&](const char* axis, int64_t block) {
      return m.with_constant(Multiply{}, m.op(AxisIndex{m.group(axis)}, {}), Rational(block));
    };
    const Draw block{{2, 3}, {4, 9}, {start("a", 2), start("b", 3)}, layout};
    run.output("y", lecun_normal_initializer()(m, prng_key(m, 9), block));
    const std::vector<Tensor> blocks = run.run().at("y");
    for (size_t i = 0; i < 36; ++i) {
      const size_t row = i / 9, column = i % 9, device = row / 2 * 3 + column / 3;
      EXPECT_EQ(blocks[device].as<float>()[row % 2 * 3 + column % 3], whole.as<float>()[i]) << i;
    }
  }
}

float first_of(const Initializer& initializer, const Shape& size) {
  return floats(with_seed(42, [&](ModelBuilder& m, ValueId key) { return initializer(m, key, shape(size)); })).front();
}

TEST(Rng, InitialisersScaleTheSameNumbers) {
  const float one = first_of(normal_initializer(1), {4});
  EXPECT_EQ(one, .18693547f);
  EXPECT_EQ(first_of(zeros_initializer(), {4}), 0);
  EXPECT_EQ(first_of(ones_initializer(), {4}), 1);
  EXPECT_EQ(first_of(normal_initializer(0.02), {4}), one * 0.02f);
  EXPECT_EQ(first_of(uniform_initializer(0.5), {4}), .57414436f * 0.5f);
  EXPECT_EQ(first_of(small_initializer(10), {4}), one * static_cast<float>(std::sqrt(2.0 / 50)));
  EXPECT_EQ(first_of(wang_initializer(16, 2), {4}), one * 0.25f);
  EXPECT_EQ(first_of(wang2_initializer(16, 2), {4}), one * 0.125f);
  EXPECT_EQ(first_of(scale_init(normal_initializer(1), 3), {4}), one * 3);
  EXPECT_EQ(first_of(scale_init(normal_initializer(1)), {4}), one);
  EXPECT_EQ(scale_init(normal_initializer(0.02), 0.5).name, "scale_init(0.5) of normal(0.02)");
}

}  // namespace
}  // namespace isoshard::rng_test
