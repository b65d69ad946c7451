// The kernels of every local op, with every dtype that it takes, against the simulator: bit for bit, and no byte beside
// the result is written.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/plan/local_ops.h"
#include "tests/property/local_calls_cases.h"

namespace isoshard::local_calls_test {
namespace {

using testing::LocalCase;
using testing::LocalCases;
using testing::MemoryLayout;

constexpr int kRounds = 25;

/// `reduce argmax`; of other ops the name.
std::string kind_of(const OpData& op) {
  std::string kind(op_name(op));
  if (const auto* reduce = std::get_if<Reduce>(&op)) kind += " " + std::to_string(static_cast<int>(reduce->op));
  return kind;
}

template <size_t... Is>
std::set<std::string> local_ops(std::index_sequence<Is...>) {
  std::set<std::string> names;
  const auto add = [&]<class Op>(const Op*) {
    if (kIsLocalOp<Op>) names.insert(std::string(Op::kName));
  };
  (add(static_cast<const std::variant_alternative_t<Is, OpVariant>*>(nullptr)), ...);
  return names;
}

void expect_same(const LocalCase& c, const MemoryLayout& layout) {
  const std::string found = difference(c, layout);
  EXPECT_EQ(found, "") << text_of(c) << (layout.in_place ? ", in place" : "");
}

bool can_be_in_place(const LocalCase& c) {
  if (!op_facts(c.op).elementwise || c.operands.empty()) return false;
  const TensorType type = result_types(c)->front();
  const Tensor& x = c.operands[0];
  return x.shape() == type.shape && info(x.dtype()).bytes == info(type.dtype).bytes;
}

TEST(LocalCalls, EveryOpOfEveryDTypeHasTheBitsOfTheSimulator) {
  std::set<std::string> seen, kinds;
  for (const DTypeInfo& row : kDTypes) {
    LocalCases draw(1 + static_cast<uint64_t>(row.dtype));
    for (int round = 0; round < kRounds && !::testing::Test::HasFailure(); ++round) {
      for (const LocalCase& c : draw.all(row.dtype)) {
        if (!result_types(c)) continue;
        seen.insert(std::string(op_name(c.op)));
        kinds.insert(kind_of(c.op) + " of " + std::string(row.name));
        expect_same(c, {draw.between(0, 3), false});
        if (can_be_in_place(c)) expect_same(c, {draw.between(0, 3), true});
      }
    }
  }
  EXPECT_EQ(seen, local_ops(std::make_index_sequence<std::variant_size_v<OpVariant>>{}));
  EXPECT_GT(kinds.size(), 400U);
}

TEST(LocalCalls, LongArraysAreDoneManyElementsAThread) {
  for (const DTypeInfo& row : kDTypes) {
    LocalCases draw(77 + static_cast<uint64_t>(row.dtype));
    for (const int64_t size : {2048, 6151}) {
      for (const LocalCase& c : draw.elementwise(row.dtype, {size})) {
        if (result_types(c)) expect_same(c, {draw.between(0, 1), can_be_in_place(c) && draw.between(0, 1) == 0});
      }
    }
  }
}

TEST(LocalCalls, ManyTermsAreReducedByManyThreads) {
  for (const DTypeInfo& row : kDTypes) {
    LocalCases draw(177 + static_cast<uint64_t>(row.dtype));
    for (int round = 0; round < 4; ++round) {
      for (const LocalCase& c : draw.long_reductions(row.dtype)) {
        if (result_types(c)) expect_same(c, {draw.between(0, 3), false});
      }
    }
  }
}

}  // namespace
}  // namespace isoshard::local_calls_test
