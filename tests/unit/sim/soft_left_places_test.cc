#include "sim/domains/soft/tables/soft_left_places.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "sim/domains/soft/tables/soft_largest.h"

namespace isoshard::sim::soft_left_places_test {
namespace {

using Word = SoftIntegers::Word;

class LeftPlaces : public ::testing::Test {
 protected:
  /// A row of integers that may be 0, 1 or 2.
  std::vector<Word> row(size_t n) {
    constexpr std::array<int64_t, 3> kNumbers{0, 1, 2};
    std::vector<Word> result;
    for (uint64_t i = 0; i < n; ++i) {
      const std::array<uint64_t, 1> parts{i};
      result.push_back(integers_.variable(integers_.name(77, parts), kNumbers));
    }
    return result;
  }

  /// Per place and residue the sum over ranks of the weights that the rank has this place.
  std::vector<uint64_t> added_up(const std::vector<SoftRanked>& ranks, size_t places) {
    std::vector<uint64_t> sums(places * residues_);
    for (const SoftRanked& rank : ranks) {
      for (size_t i = 0; i < places; ++i) {
        const Word number = integers_.number(static_cast<int64_t>(i));
        std::vector<uint64_t> weight(residues_);
        integers_.collapse(integers_.compare(Direction::eq, DType::i32, rank.place, number), weight);
        for (size_t r = 0; r < residues_; ++r) {
          uint64_t& sum = sums[i * residues_ + r];
          sum = integers_.field(r).add(sum, weight[r]);
        }
      }
    }
    return sums;
  }

  SoftIntegers integers_{{PrimeField(2147483647)}, 7};
  const size_t residues_ = integers_.weight_residues();
};

TEST_F(LeftPlaces, OfAllRanksEachPlaceIsTakenOnce) {
  for (const size_t n : {size_t{2}, size_t{3}, size_t{6}}) {
    const std::vector<SoftRanked> ranks = largest_integers_of(integers_, DType::i32, row(n), n);
    EXPECT_EQ(added_up(ranks, n), std::vector<uint64_t>(n * residues_, 1)) << n;
  }
}

TEST_F(LeftPlaces, OfSomeRanksNothingIsSaid) {
  const std::vector<SoftRanked> ranks = largest_integers_of(integers_, DType::i32, row(6), 5);
  EXPECT_NE(added_up(ranks, 6), std::vector<uint64_t>(6 * residues_, 1));
}

/// Of a part of the ranks the first one's is what the integers say.
TEST_F(LeftPlaces, TheFirstOfSomeIsKnown) {
  const std::vector<Word> of = row(4);
  const SoftRanked some = largest_integers_of(integers_, DType::i32, of, 3)[0];
  const SoftRanked one = largest_integers_of(integers_, DType::i32, of, 1)[0];
  EXPECT_EQ(some.place, one.place);
}

}  // namespace
}  // namespace isoshard::sim::soft_left_places_test
