#include "sim/run/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace isoshard::sim::draw_test {
namespace {

Global make(const char* name, DType dtype, Shape shape, Init init) {
  return Global{name, TensorType{dtype, std::move(shape)}, Role::param, init, Location()};
}

struct Moments {
  double mean = 0, variance = 0, largest = 0;
};

Moments moments(const Tensor& tensor) {
  Moments m;
  const auto values = tensor.as<double>();
  for (const double x : values) m.mean += x / static_cast<double>(values.size());
  for (const double x : values) {
    m.variance += (x - m.mean) * (x - m.mean) / static_cast<double>(values.size());
    m.largest = std::max(m.largest, std::fabs(x));
  }
  return m;
}

TEST(Draw, DistributionsHaveTheirMoments) {
  const Moments normal = moments(draw_global(make("w", DType::f64, {200, 500}, {}), 1));
  EXPECT_NEAR(normal.mean, 0, 0.02);
  EXPECT_NEAR(normal.variance, 1, 0.03);
  EXPECT_GT(normal.largest, 3.5);
  const Moments uniform = moments(draw_global(make("w", DType::f64, {100000}, {InitKind::uniform, {}}), 1));
  EXPECT_NEAR(uniform.mean, 0.5, 0.01);
  EXPECT_LT(uniform.largest, 1.0);
  const Moments lecun = moments(draw_global(make("w", DType::f64, {100, 1000}, {InitKind::lecun_normal, {}}), 1));
  EXPECT_NEAR(lecun.variance, 0.01, 0.0005);
  EXPECT_LT(lecun.largest, 0.1 * 2 / 0.8796256610342397);
}

TEST(Draw, DependsOnSeedAndNameOnly) {
  const Tensor a = draw_global(make("a", DType::f32, {64}, {}), 1);
  const Tensor again = draw_global(make("a", DType::f32, {64}, {}), 1);
  const Tensor seed = draw_global(make("a", DType::f32, {64}, {}), 2);
  const Tensor name = draw_global(make("b", DType::f32, {64}, {}), 1);
  const auto same = [&](const Tensor& t) { return std::equal(a.bytes().begin(), a.bytes().end(), t.bytes().begin()); };
  EXPECT_TRUE(same(again));
  EXPECT_FALSE(same(seed));
  EXPECT_FALSE(same(name));
}

TEST(Draw, ConstantsAndIntegers) {
  EXPECT_EQ(draw_global(make("z", DType::f32, {3}, {InitKind::ones, {}}), 1).as<float>()[2], 1.0F);
  EXPECT_EQ(draw_global(make("c", DType::f32, {1}, {InitKind::value, Rational(1, 4)}), 1).as<float>()[0], 0.25F);
  const Tensor ids = draw_global(make("i", DType::i32, {500}, {}), 1);
  const std::set<int32_t> seen(ids.as<int32_t>().begin(), ids.as<int32_t>().end());
  EXPECT_EQ(seen, (std::set<int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  Global labels = make("l", DType::i32, {500}, {});
  labels.range = ValueRange{3, 6, {-100}};
  const Tensor drawn = draw_global(labels, 1);
  EXPECT_EQ(std::set<int32_t>(drawn.as<int32_t>().begin(), drawn.as<int32_t>().end()),
            (std::set<int32_t>{-100, 3, 4, 5}));
  const Tensor mask = draw_global(make("p", DType::pred, {100}, {}), 1);
  EXPECT_EQ(std::set<uint8_t>(mask.as<uint8_t>().begin(), mask.as<uint8_t>().end()), (std::set<uint8_t>{0, 1}));
}

}  // namespace
}  // namespace isoshard::sim::draw_test
