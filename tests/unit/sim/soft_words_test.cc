// What words of soft integers stand for, and operations on them, without threads and arrays.
#include "sim/domains/soft/tables/soft_words.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/domains/soft/tables/soft_operations.h"

namespace isoshard::sim::soft_words_test {
namespace {

using Word = SoftWords::Word;
using Numbers = SoftWords::Numbers;

constexpr uint64_t kPrime = 2147483629;

class SoftWordsTest : public ::testing::Test {
 protected:
  Word number(int64_t x) { return words_.word_of(SoftSum{x}); }
  Word variable(uint64_t id, const Numbers& values) { return words_.variable(SoftName{id, 1}, values); }
  Word add(Word x, Word y) { return operations_.apply(IntegerOp::add, DType::i32, x, y); }
  Word multiply(Word x, Word y) { return operations_.apply(IntegerOp::multiply, DType::i32, x, y); }
  std::vector<uint64_t> mean(Word x) {
    const std::span<const uint64_t> result = words_.mean(x);
    return {result.begin(), result.end()};
  }

  const SoftNames names_{std::vector(2, PrimeField(kPrime)), 3, SoftNames::Weights::random};
  SoftWords words_{names_};
  SoftOperations operations_{words_};
};

TEST_F(SoftWordsTest, AreOnePerInteger) {
  const Word x = variable(1, {2, 5, 9});
  EXPECT_EQ(variable(1, {2, 5, 9}), x);
  EXPECT_NE(variable(2, {2, 5, 9}), x);
  EXPECT_TRUE(words_.is_number(number(-7)));
  EXPECT_EQ(words_.value(number(-7)), -7);
  EXPECT_EQ(words_.value(number(int64_t{1} << 62)), int64_t{1} << 62) << "which is no small word";
  EXPECT_FALSE(words_.is_number(x));
  EXPECT_EQ(words_.range(x).low, 2);
  EXPECT_EQ(words_.range(x).high, 9);
  EXPECT_EQ(words_.in_parts(x)->numbers, (Numbers{2, 5, 9}));
  EXPECT_EQ(words_.in_parts(words_.opaque(SoftName{9, 9})), nullptr);
}

TEST_F(SoftWordsTest, AreWorthTheirMeans) {
  const Word x = variable(1, {2, 5}), y = variable(2, {0, 1});
  const std::vector<uint64_t> a = mean(x), b = mean(y), sum = mean(add(x, y)), product = mean(multiply(x, y));
  for (size_t r = 0; r < names_.weight_residues(); ++r) {
    EXPECT_EQ(sum[r], names_.field(r).add(a[r], b[r]));
    EXPECT_EQ(product[r], names_.field(r).multiply(a[r], b[r])) << "of independent integers";
  }
  EXPECT_NE(mean(multiply(y, add(x, y))), product);
}

TEST_F(SoftWordsTest, OfAPredicateAndItsOppositeOneHasAVariable) {
  const Word p = words_.predicate({5, 7}), q = words_.opposite(p);
  EXPECT_EQ(words_.predicate({kPrime - 4, kPrime - 6}), q);
  EXPECT_EQ(add(p, q), number(1));
  EXPECT_EQ(operations_.choose(p, DType::i32, number(3), number(8)), add(multiply(q, number(5)), number(3)));
}

TEST_F(SoftWordsTest, SumsOfManyVariablesAreCounted) {
  Word sum = number(0);
  for (uint64_t i = 0; i < 40; ++i) sum = add(sum, variable(i, {0, 1}));
  const Word counted = words_.counted(words_.sum_of(sum)).value();
  EXPECT_EQ(mean(counted), mean(sum));
  EXPECT_EQ(words_.in_parts(counted)->numbers.size(), 41u);
  EXPECT_EQ(operations_.compare(Direction::gt, DType::i32, sum, number(40)), number(0));
  EXPECT_FALSE(words_.is_number(operations_.compare(Direction::ge, DType::i32, sum, number(20))));
  EXPECT_EQ(words_.notes().undecided(), "");
}

TEST_F(SoftWordsTest, OpaqueIntegersKeepSumsAndMultiples) {
  const Word x = words_.opaque(SoftName{1, 2}), y = words_.opaque(SoftName{3, 4});
  EXPECT_EQ(add(x, x), multiply(x, number(2)));
  EXPECT_EQ(operations_.apply(IntegerOp::subtract, DType::i32, add(x, y), y), x);
  EXPECT_EQ(multiply(x, y), multiply(y, x));
  EXPECT_NE(multiply(x, y), multiply(x, x));
  const Word above = operations_.compare(Direction::gt, DType::i32, x, y);
  EXPECT_EQ(operations_.compare(Direction::le, DType::i32, x, y), words_.opposite(above));
  EXPECT_EQ(operations_.convert(DType::i64, DType::i32, number(int64_t{1} << 32)), number(0));
}

TEST_F(SoftWordsTest, MaximaOfOpaqueIntegersAreThoseOfSets) {
  const Word a = words_.opaque(SoftName{1, 2}), b = words_.opaque(SoftName{3, 4}), c = words_.opaque(SoftName{5, 6});
  const auto larger = [&](Word x, Word y) { return operations_.apply(IntegerOp::maximum, DType::i32, x, y); };
  const auto smaller = [&](Word x, Word y) { return operations_.apply(IntegerOp::minimum, DType::i32, x, y); };
  const Word all = larger(larger(a, b), c);
  EXPECT_EQ(all, larger(b, larger(c, larger(a, b))));
  EXPECT_EQ(larger(a, a), a);
  EXPECT_NE(all, larger(a, b)) << "one is left out";
  EXPECT_NE(all, smaller(smaller(a, b), c));
  EXPECT_EQ(larger(larger(a, number(3)), larger(number(7), b)), larger(larger(a, b), number(7)));
  EXPECT_NE(larger(larger(a, b), number(0)), larger(a, b));
  EXPECT_NE(larger(smaller(a, b), c), smaller(larger(a, c), b));
  EXPECT_NE(all, operations_.apply(IntegerOp::maximum, DType::u32,
                                   operations_.apply(IntegerOp::maximum, DType::u32, a, b), c))
      << "in another order";
}

TEST_F(SoftWordsTest, WrapAroundAtTheWidthOfTheirDtype) {
  const Word x = words_.opaque(SoftName{1, 2});
  const Word sixteen = operations_.apply(IntegerOp::multiply, DType::u8, x, number(16));
  EXPECT_EQ(operations_.apply(IntegerOp::multiply, DType::u8, sixteen, number(16)), number(0));
  EXPECT_NE(operations_.apply(IntegerOp::multiply, DType::i32, multiply(x, number(16)), number(16)), number(0));
  EXPECT_EQ(operations_.apply(IntegerOp::add, DType::i8, number(127), number(1)), number(-128));
  EXPECT_EQ(operations_.convert(DType::u8, DType::i8, number(200)), number(-56));
  EXPECT_EQ(operations_.compare(Direction::lt, DType::u8, x, number(0)), number(0));
}

/// 2^64 - 1 is the word of -1.
TEST_F(SoftWordsTest, OfU64AreOrderedWithoutASign) {
  EXPECT_EQ(operations_.compare(Direction::gt, DType::u64, number(-1), number(5)), number(1));
  EXPECT_EQ(operations_.compare(Direction::gt, DType::i64, number(-1), number(5)), number(0));
  EXPECT_EQ(operations_.apply(IntegerOp::maximum, DType::u64, number(-1), number(5)), number(-1));
  EXPECT_EQ(operations_.apply(IntegerOp::remainder, DType::u64, number(-1), number(10)), number(5));
  EXPECT_EQ(operations_.compare(Direction::ge, DType::u64, words_.opaque(SoftName{1, 2}), number(0)), number(1));
  const Word v = variable(0, {1, -1});
  EXPECT_EQ(operations_.compare(Direction::ge, DType::u64, v, number(1)), number(1));
  EXPECT_EQ(words_.notes().undecided(), "");
}

/// A sum of many that may be below 0, and so beyond 2^63, is not ordered by what its words are.
TEST_F(SoftWordsTest, SumsOfU64ThatMayWrapAroundAreNotCompared) {
  Word sum = number(0);
  for (uint64_t i = 0; i < 80; ++i) {
    sum = operations_.apply(IntegerOp::add, DType::u64, sum, variable(i, {0, 1}));
  }
  EXPECT_EQ(operations_.compare(Direction::le, DType::u64, sum, number(80)), number(1));
  const Word less = operations_.apply(IntegerOp::subtract, DType::u64, sum, number(20));
  EXPECT_EQ(words_.notes().undecided(), "");
  operations_.compare(Direction::gt, DType::u64, less, number(5));
  EXPECT_EQ(words_.notes().undecided(), "a comparison of integers of more than 65536 numbers");
}

}  // namespace
}  // namespace isoshard::sim::soft_words_test
