#include "core/value/tensor.h"
#include "tests/internal_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace isoshard::tensor_test {
namespace {

TEST(DType, TableIsIndexedByTheEnumeration) {
  for (const DTypeInfo& row : kDTypes) {
    EXPECT_EQ(&info(row.dtype), &row);
    EXPECT_EQ(parse_dtype(row.name), row.dtype);
    EXPECT_EQ(std::string(row.numpy).substr(2), std::to_string(row.bytes));
  }
  EXPECT_EQ(parse_dtype("float32"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
  EXPECT_FALSE(is_float(DType::pred));
  EXPECT_FALSE(is_float(DType::i32));
  EXPECT_TRUE(is_float(DType::f32));
  EXPECT_TRUE(is_float(DType::f64));
}

TEST(Shape, CountsAndPrints) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_EQ(element_count({3, 4, 5}), 60);
  EXPECT_EQ(to_string(DType::f32, {8, 16}), "f32[8,16]");
  EXPECT_EQ(to_string(DType::pred, {}), "pred[]");
}

TEST(Tensor, CopiesItsValuesAndSharesItsStorage) {
  std::array<int32_t, 6> values{1, 2, 3, 4, 5, 6};
  const Tensor tensor = Tensor::from<int32_t>(DType::i32, {2, 3}, values);
  values[0] = 99;
  EXPECT_EQ(tensor.dtype(), DType::i32);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.size(), 6);
  EXPECT_EQ(tensor.bytes().size(), 24U);
  for (int32_t i = 0; i < 6; ++i) EXPECT_EQ(tensor.as<int32_t>()[static_cast<size_t>(i)], i + 1);
  const Tensor copy = tensor;
  EXPECT_TRUE(copy.same_storage(tensor));
  EXPECT_EQ(copy.as<int32_t>().data(), tensor.as<int32_t>().data());
  EXPECT_FALSE(Tensor::from<int32_t>(DType::i32, {2, 3}, values).same_storage(tensor));
}

TEST(Tensor, StorageIsAlignedAndOutlivesTheOriginal) {
  Tensor kept;
  {
    const std::array<double, 1> value{2.5};
    const Tensor scalar = Tensor::from<double>(DType::f64, {}, value);
    kept = scalar;
  }
  EXPECT_EQ(kept.as<double>()[0], 2.5);
  for (const size_t size : std::array<size_t, 6>{0, 1, 63, 64, 65, 4096}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(allocate_aligned(size).get()) % 64, 0U) << size;
  }
}

/// Small blocks are kept by threads for the next ones: none may be given out twice.
TEST(Tensor, SmallStorageMayBeFreedByAnotherThread) {
  constexpr uint8_t kBlocks = 200;
  const auto fill = [](std::vector<std::shared_ptr<std::byte>>& blocks) {
    for (uint8_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(allocate_aligned(64));
      std::fill_n(blocks.back().get(), 64, std::byte{i});
    }
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<std::shared_ptr<std::byte>> here, there;
    std::thread other([&] { fill(there); });
    other.join();
    fill(here);
    std::thread last([&] { there.erase(there.begin() + 100, there.end()); });
    last.join();
    fill(there);
    for (size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(std::count(here[i].get(), here[i].get() + 64, std::byte{static_cast<uint8_t>(i)}), 64) << round;
    }
  }
}

TEST(Tensor, MayBeEmpty) {
  const Tensor empty = Tensor::from<float>(DType::f32, {0, 4}, {});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_TRUE(empty.bytes().empty());
}

TEST(Tensor, ByteCountMustFit) {
  const std::array<float, 3> three{};
  EXPECT_INTERNAL_ERROR(Tensor::from<float>(DType::f32, {2, 2}, three), "tensor byte count");
  EXPECT_INTERNAL_ERROR(Tensor::from<float>(DType::f64, {3}, three), "tensor byte count");
}

}  // namespace
}  // namespace isoshard::tensor_test
