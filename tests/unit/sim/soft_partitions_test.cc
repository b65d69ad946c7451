// Partitions by decision diagrams against tables of all joint entries.
#include "sim/domains/soft/tables/soft_partitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace isoshard::sim::soft_partitions_test {
namespace {

using Id = SoftPartitions::Id;

class Partitions : public ::testing::Test {
 protected:
  static constexpr std::array<size_t, 5> kEntries{2, 3, 2, 4, 3};
  static constexpr size_t kJoint = 144;

  Partitions() {
    for (const size_t entries : kEntries) {
      const std::array<uint64_t, 1> index{variables_.size()};
      variables_.push_back(tables_.add(SoftVariable{entries, names_.weights(names_.name(1, index), entries)}));
    }
  }

  /// A function of some of the variables with few numbers, as a table over all of them.
  std::vector<int64_t> function(uint32_t of) {
    std::vector<int64_t> result(kJoint), known(kJoint, -1);
    for (size_t e = 0; e < kJoint; ++e) {
      size_t rest = e, key = 0;
      for (size_t d = kEntries.size(); d-- > 0; rest /= kEntries[d]) {
        key = key * 5 + ((of >> d & 1) != 0 ? rest % kEntries[d] : 0);
      }
      result[e] = static_cast<int64_t>((key * 2654435761 + of * 40503) >> 7 & 3);
    }
    return result;
  }

  /// The number at each joint entry, by way of the diagram.
  std::vector<int64_t> spread(const SoftPartitions::Numbered& x) {
    Id all = SoftPartitions::kWhole;
    for (const uint32_t variable : variables_) all = partitions_.joint(all, partitions_.of_variable(variable)).value();
    const std::vector<uint32_t> entry_part = partitions_.dense(all), place = partitions_.places(x.partition, all);
    std::vector<int64_t> result;
    for (const uint32_t part : entry_part) result.push_back(x.numbers[place[part]]);
    return result;
  }

  SoftNames names_{{PrimeField(2147483647)}, 3, SoftNames::Weights::random};
  SoftTables tables_;
  SoftTables::Variables variables_;
  SoftPartitions partitions_{tables_, names_};
};

TEST_F(Partitions, AreTheTablesTheyAreMadeOf) {
  for (uint32_t of = 0; of < 32; ++of) {
    const std::vector<int64_t> table = function(of);
    const SoftPartitions::Numbered x = partitions_.of_table(variables_, table);
    EXPECT_EQ(spread(x), table);
    std::vector<int64_t> numbers = x.numbers;
    std::sort(numbers.begin(), numbers.end());
    EXPECT_EQ(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
}

TEST_F(Partitions, HaveOneIdEach) {
  const std::vector<int64_t> table = function(21);
  std::vector<int64_t> renamed;
  for (const int64_t number : table) renamed.push_back(7 - number);
  EXPECT_EQ(partitions_.of_table(variables_, table).partition, partitions_.of_table(variables_, renamed).partition);
  const Id a = partitions_.of_table(variables_, function(3)).partition;
  const Id b = partitions_.of_table(variables_, function(12)).partition;
  EXPECT_EQ(partitions_.joint(a, b), partitions_.joint(b, a));
  EXPECT_EQ(partitions_.joint(partitions_.joint(a, b).value(), a), partitions_.joint(a, b));
}

TEST_F(Partitions, JointOnesTellWhatEitherTells) {
  for (const auto& [of_x, of_y] : {std::pair(3U, 12U), {7U, 14U}, {31U, 17U}, {0U, 5U}}) {
    const SoftPartitions::Numbered x = partitions_.of_table(variables_, function(of_x));
    const SoftPartitions::Numbered y = partitions_.of_table(variables_, function(of_y));
    const Id both = partitions_.joint(x.partition, y.partition).value();
    SoftPartitions::Numbered sum{both, {}};
    for (size_t p = 0; p < partitions_.parts(both); ++p) {
      sum.numbers.push_back(x.numbers[partitions_.places(x.partition, both)[p]] +
                            10 * y.numbers[partitions_.places(y.partition, both)[p]]);
    }
    std::vector<int64_t> expected = function(of_x);
    for (size_t e = 0; e < kJoint; ++e) expected[e] += 10 * function(of_y)[e];
    EXPECT_EQ(spread(sum), expected);
    EXPECT_EQ(partitions_.merged(sum).partition, both);  // all of its numbers differ
  }
}

TEST_F(Partitions, PartsWithEqualNumbersAreMerged) {
  const std::vector<int64_t> table = function(31);
  SoftPartitions::Numbered x = partitions_.of_table(variables_, table);
  for (int64_t& number : x.numbers) number /= 2;
  const SoftPartitions::Numbered merged = partitions_.merged(x);
  EXPECT_EQ(partitions_.parts(merged.partition), 2U);
  EXPECT_EQ(spread(merged), spread(x));
}

TEST_F(Partitions, WeighPartsAsTheirEntries) {
  const PrimeField& field = names_.field(0);
  const size_t residues = names_.weight_residues();
  const SoftPartitions::Numbered x = partitions_.of_table(variables_, function(29));
  const std::vector<int64_t> at = spread(x);
  std::vector<uint64_t> expected(x.numbers.size(), 0);
  for (size_t e = 0; e < kJoint; ++e) {
    uint64_t weight = 1;
    size_t rest = e;
    for (size_t d = kEntries.size(); d-- > 0; rest /= kEntries[d]) {
      weight = field.multiply(weight, tables_.variable(variables_[d]).weights[rest % kEntries[d] * residues]);
    }
    const auto part = std::find(x.numbers.begin(), x.numbers.end(), at[e]) - x.numbers.begin();
    expected[static_cast<size_t>(part)] = field.add(expected[static_cast<size_t>(part)], weight);
  }
  const std::vector<uint64_t> weights = partitions_.weights(x.partition);
  for (size_t p = 0; p < expected.size(); ++p) EXPECT_EQ(weights[p * residues], expected[p]);
}

/// Which of 20 tokens is the second that goes to an expert: a table would have 2^20 entries.
TEST_F(Partitions, CountWhatNoTableHolds) {
  SoftPartitions::Numbered second{SoftPartitions::kWhole, {-1}}, count{SoftPartitions::kWhole, {0}};
  for (int64_t token = 0; token < 20; ++token) {
    const std::array<uint64_t, 1> index{static_cast<uint64_t>(100 + token)};
    const uint32_t chosen = tables_.add(SoftVariable{2, names_.weights(names_.name(1, index), 2)});
    Id both = partitions_.joint(second.partition, count.partition).value();
    both = partitions_.joint(both, partitions_.of_variable(chosen)).value();
    SoftPartitions::Numbered next_second{both, {}}, next_count{both, {}};
    for (size_t p = 0; p < partitions_.parts(both); ++p) {
      const bool goes = partitions_.places(partitions_.of_variable(chosen), both)[p] == 1;
      const int64_t before = count.numbers[partitions_.places(count.partition, both)[p]];
      const int64_t known = second.numbers[partitions_.places(second.partition, both)[p]];
      next_second.numbers.push_back(known < 0 && goes && before == 1 ? token : known);
      next_count.numbers.push_back(before + (goes ? 1 : 0));
    }
    second = partitions_.merged(next_second);
    count = partitions_.merged(next_count);
  }
  EXPECT_EQ(partitions_.parts(second.partition), 20U);  // tokens 1 to 19, or nobody
  EXPECT_EQ(partitions_.parts(count.partition), 21U);
}

TEST_F(Partitions, HaveAtMostSoManyParts) {
  Id all = SoftPartitions::kWhole;
  for (uint64_t i = 0; i < 11; ++i) {
    const std::array<uint64_t, 1> index{200 + i};
    const uint32_t variable = tables_.add(SoftVariable{2, names_.weights(names_.name(1, index), 2)});
    const std::optional<Id> next = partitions_.joint(all, partitions_.of_variable(variable));
    EXPECT_EQ(next.has_value(), i < 10);
    all = next.value_or(all);
  }
}

}  // namespace
}  // namespace isoshard::sim::soft_partitions_test
