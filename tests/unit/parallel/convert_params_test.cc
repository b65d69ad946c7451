// Arrays of one layout of a dense layer as those of another.
#include "parallel/sharding/convert_params.h"

#include <gtest/gtest.h>

#include <numeric>

namespace isoshard::convert_params_test {
namespace {

constexpr TpLayout kAll[] = {TpLayout::dense,        TpLayout::gather,        TpLayout::scatter,
                             TpLayout::async_gather, TpLayout::async_scatter, TpLayout::async_split};

NamedTensor counting(const std::string& name, const Shape& shape, float first) {
  std::vector<float> values(static_cast<size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), first);
  return NamedTensor{name, Tensor::from<float>(DType::f32, shape, values)};
}

std::vector<NamedTensor> dense(int64_t rows, int64_t columns) {
  return {counting("kernel", {rows, columns}, 1), counting("bias", {columns}, 1000)};
}

std::vector<NamedTensor> convert(const std::vector<NamedTensor>& params, TpLayout from, TpLayout to, int64_t devices) {
  DiagnosticSink sink;
  const std::optional<std::vector<NamedTensor>> result = convert_params(params, from, to, devices, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return result.value_or(std::vector<NamedTensor>());
}

std::map<std::string, std::vector<float>> values_of(const std::vector<NamedTensor>& params) {
  std::map<std::string, std::vector<float>> result;
  for (const NamedTensor& p : params) {
    result[p.name + to_string(p.tensor.shape())] = {p.tensor.as<float>().begin(), p.tensor.as<float>().end()};
  }
  return result;
}

TEST(ConvertParams, GoesThereAndBack) {
  for (const int64_t devices : {1, 2, 3, 4, 8}) {
    const std::vector<NamedTensor> start = dense(2 * devices, 3 * devices);
    for (const TpLayout a : kAll) {
      const std::vector<NamedTensor> there = convert(start, TpLayout::dense, a, devices);
      for (const TpLayout b : kAll) {
        const std::vector<NamedTensor> other = convert(there, a, b, devices);
        EXPECT_EQ(values_of(other), values_of(convert(start, TpLayout::dense, b, devices)));
      }
      EXPECT_EQ(values_of(convert(there, a, TpLayout::dense, devices)), values_of(start));
    }
  }
}

/// The blocks of docs/spec/originals.md, "Asynchronous dense layers", one element each.
TEST(ConvertParams, ShardsAreTheBlocksOfTheRing) {
  constexpr int64_t kDevices = 3;
  const std::vector<NamedTensor> start = dense(kDevices, 2 * kDevices);
  const auto w = [](int64_t r, int64_t c) { return static_cast<float>(1 + r * 2 * kDevices + c); };
  const auto mod = [](int64_t i) { return (i % kDevices + kDevices) % kDevices; };
  auto gather = values_of(convert(start, TpLayout::dense, TpLayout::async_gather, kDevices));
  auto scatter = values_of(convert(start, TpLayout::dense, TpLayout::async_scatter, kDevices));
  auto split = values_of(convert(start, TpLayout::dense, TpLayout::async_split, kDevices));
  for (int64_t k = 0; k < kDevices; ++k) {
    const std::string name = "shard_" + std::to_string(k) + "/sharded/kernel3,1,2";
    for (int64_t d = 0; d < kDevices; ++d) {
      const auto at = static_cast<size_t>(2 * d);
      EXPECT_EQ(gather.at(name)[at], w(mod(d - k), 2 * d));
      EXPECT_EQ(scatter.at(name)[at], w(d, 2 * mod(d - 1 - k)));
      EXPECT_EQ(split.at(name)[at], w(d, 2 * mod(d - 1 - k)));
      EXPECT_EQ(split.at(name)[at + 1], w(d, 2 * mod(d + 1 + k) + 1));
    }
  }
  EXPECT_EQ(gather.count("shard_1/sharded/bias3,2"), 0U);
  EXPECT_EQ(split.at("shard_0/sharded/bias3,2"), (std::vector<float>{1004, 1003, 1000, 1005, 1002, 1001}));
}

TEST(ConvertParams, TheBiasesOfScatterAreAddedUp) {
  const std::vector<NamedTensor> own{counting("module/sharded/kernel", {2, 1, 2}, 1),
                                     counting("module/sharded/bias", {2, 2}, 1)};
  const auto sum = values_of(convert(own, TpLayout::scatter, TpLayout::dense, 2));
  EXPECT_EQ(sum.at("bias2"), (std::vector<float>{4, 6}));
  const auto again = values_of(convert(dense(2, 2), TpLayout::dense, TpLayout::scatter, 2));
  EXPECT_EQ(again.at("module/sharded/bias2,2"), (std::vector<float>{1000, 1001, 0, 0}));
}

TEST(ConvertParams, OneDeviceHasTheNamesOfTheLayerAlone) {
  const auto sync = values_of(convert(dense(2, 2), TpLayout::dense, TpLayout::scatter, 1));
  EXPECT_EQ(sync.count("Dense_0/kernel2,2"), 1U);
  const auto async = values_of(convert({counting("kernel", {2, 2}, 1)}, TpLayout::dense, TpLayout::async_split, 1));
  ASSERT_EQ(async.size(), 1U) << "without a bias";
  EXPECT_EQ(async.begin()->first, "shard_0/kernel2,2");
}

std::string error_of(const std::vector<NamedTensor>& params, TpLayout from, TpLayout to, int64_t devices) {
  DiagnosticSink sink;
  EXPECT_FALSE(convert_params(params, from, to, devices, sink).has_value());
  return sink.diagnostics().size() == 1 ? sink.diagnostics()[0].rule + ": " + sink.diagnostics()[0].message : "";
}

TEST(ConvertParams, ArraysMustFit) {
  EXPECT_EQ(error_of({counting("shard_0/sharded/kernel", {2, 1, 2}, 1)}, TpLayout::async_gather, TpLayout::dense, 2),
            "C-layout: convert_params: the array shard_1/sharded/kernel is missing; expected f32[2,1,2]");
  EXPECT_EQ(error_of({counting("module/sharded/kernel", {3, 1, 2}, 1)}, TpLayout::scatter, TpLayout::dense, 2),
            "C-layout: convert_params: the array module/sharded/kernel is f32[3,1,2]; expected f32[2,1,2]");
  EXPECT_EQ(error_of(dense(2, 3), TpLayout::dense, TpLayout::gather, 2),
            "C-layout: convert_params: the dense kernel is f32[2,3]; expected sizes that 2 devices divide");
}

}  // namespace
}  // namespace isoshard::convert_params_test
