#include "sim/domains/soft/tables/soft_odds.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace isoshard::sim::soft_odds_test {
namespace {

using Element = std::vector<uint64_t>;

std::vector<Element> elements(size_t n) {
  std::vector<Element> result;
  for (size_t i = 0; i < n; ++i) result.push_back({1000 + 37 * i});
  return result;
}

/// The weights of all elements by a choice in each part, then among what was chosen, in the order of `parts`.
std::vector<uint64_t> by_parts(SoftIntegers& integers, SoftOdds& odds, std::span<const Element> all,
                               const std::vector<std::pair<size_t, size_t>>& parts) {
  const size_t residues = integers.weight_residues();
  std::vector<std::vector<uint64_t>> own;
  std::vector<Element> chosen;
  for (const auto& [begin, size] : parts) {
    chosen.push_back({1'000'000 + begin});
    own.push_back(odds.weights(all.subspan(begin, size), chosen.back()));
  }
  const std::vector<uint64_t> among = odds.weights(chosen, {2'000'000});
  std::vector<uint64_t> result(all.size() * residues);
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t i = 0; i < parts[p].second * residues; ++i) {
      const size_t r = i % residues;
      result[parts[p].first * residues + i] = integers.field(r).multiply(own[p][i], among[p * residues + r]);
    }
  }
  return result;
}

class Odds : public ::testing::Test {
 protected:
  SoftIntegers integers_{{PrimeField(2147483647)}, 7};
  SoftOdds odds_{integers_, 64};
  std::vector<Element> all_ = elements(12);
};

TEST_F(Odds, AddUpToOne) {
  const std::vector<uint64_t> weights = odds_.weights(all_, {5});
  for (size_t r = 0; r < integers_.weight_residues(); ++r) {
    uint64_t sum = 0;
    for (size_t i = 0; i < all_.size(); ++i) {
      sum = integers_.field(r).add(sum, weights[i * integers_.weight_residues() + r]);
    }
    EXPECT_EQ(sum, 1U);
  }
}

TEST_F(Odds, OfPartsAreThoseOfTheWhole) {
  const std::vector<uint64_t> whole = odds_.weights(all_, {5});
  EXPECT_EQ(by_parts(integers_, odds_, all_, {{0, 4}, {4, 4}, {8, 4}}), whole);
  SoftOdds others(integers_, 64);  // which knows nothing of these parts
  EXPECT_EQ(by_parts(integers_, others, all_, {{0, 1}, {1, 6}, {7, 5}}), whole) << "of parts of any size";
}

/// Of equal numbers another one would come first.
TEST_F(Odds, OfPartsInAnotherOrderAreOthers) {
  const std::vector<uint64_t> whole = odds_.weights(all_, {5});
  EXPECT_NE(by_parts(integers_, odds_, all_, {{4, 4}, {0, 4}, {8, 4}}), whole);
}

TEST_F(Odds, OfLongRowsAreNotHandedOn) {
  SoftOdds few(integers_, 3);
  EXPECT_NE(by_parts(integers_, few, all_, {{0, 4}, {4, 4}, {8, 4}}), few.weights(all_, {5}));
}

}  // namespace
}  // namespace isoshard::sim::soft_odds_test
