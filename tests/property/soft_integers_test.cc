// What the verdict rests on: where every variable takes one entry, a soft integer is the number that the machine
// computes (so that equal means are equal numbers, entry by entry), and at random weights a true identity of integers
// holds.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

#include "core/value/integers.h"
#include "sim/domains/soft/tables/soft_integers.h"
#include "sim/integers/integer_ops.h"
#include "sim/integers/integer_order.h"

namespace isoshard::sim::soft_integers_test {
namespace {

using Word = SoftIntegers::Word;
constexpr uint64_t kPrime = 2147483647;
constexpr DType kType = DType::i32;
constexpr std::array kDtypes{DType::i32, DType::i8, DType::u8, DType::u32, DType::i64, DType::u64};

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

int64_t machine(IntegerOp op, int64_t x, int64_t y, DType type = kType) {
  std::byte a[8], b[8], c[8];
  integer::wrap(type, 1, &x, a);
  integer::wrap(type, 1, &y, b);
  integer::apply(op, type, 1, a, b, c);
  int64_t result = 0;
  integer::widen(type, 1, c, &result);
  return result;
}

bool machine(Direction direction, int64_t x, int64_t y, DType type = kType) {
  std::byte a[8], b[8];
  uint8_t holds = 0;
  integer::wrap(type, 1, &x, a);
  integer::wrap(type, 1, &y, b);
  integer::compare(direction, type, 1, a, b, &holds);
  return holds != 0;
}

/// A random program on a few inputs, as soft integers and as the machine has them.
struct Programs {
  SoftIntegers soft;
  std::vector<Word> words;
  std::vector<int64_t> numbers;
  std::vector<bool> predicates;
  DType type;

  Programs(SoftIntegers::Weights weights, uint64_t seed, DType of = kType)
      : soft(std::vector(2, PrimeField(kPrime)), seed, weights), type(of) {}

  void add(Word word, int64_t number, bool predicate = false) {
    words.push_back(word);
    numbers.push_back(number);
    predicates.push_back(predicate);
  }

  /// Among `count` numbers from `low` on; the machine's is the one that its name picks.
  void input(uint64_t index, int64_t low, int64_t count) {
    const std::array<uint64_t, 1> parts{index};
    const SoftName name = soft.name(7, parts);
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(wrapped_integer(type, low + 2 * i));
    add(soft.variable(name, values), values[name.first % values.size()]);
  }

  size_t any() const { return static_cast<size_t>(draw(0, std::ssize(words) - 1)); }

  void op() {
    constexpr IntegerOp kOps[] = {IntegerOp::add,        IntegerOp::subtract,      IntegerOp::multiply,
                                  IntegerOp::minimum,    IntegerOp::maximum,       IntegerOp::remainder,
                                  IntegerOp::negate,     IntegerOp::absolute,      IntegerOp::sign,
                                  IntegerOp::complement, IntegerOp::conjunction,   IntegerOp::exclusive_or,
                                  IntegerOp::quotient,   IntegerOp::shift_left,    IntegerOp::shift_right_logical,
                                  IntegerOp::count_ones, IntegerOp::leading_zeros, IntegerOp::shift_right_arithmetic};
    const IntegerOp op = kOps[static_cast<size_t>(draw(0, std::ssize(kOps) - 1))];
    const size_t x = any(), y = any();
    int64_t exact = 0;  // a product of sums may overflow, which has a test of its own
    if (__builtin_mul_overflow(numbers[x], numbers[y], &exact) || std::abs(exact) > 1 << 20) return;
    add(soft.apply(op, type, words[x], words[y]), machine(op, numbers[x], numbers[y], type));
  }

  void comparison() {
    const auto direction = static_cast<Direction>(draw(1, 6));
    const size_t x = any(), y = any();
    add(soft.compare(direction, type, words[x], words[y]), machine(direction, numbers[x], numbers[y], type), true);
  }

  void choice() {
    const size_t p = any(), x = any(), y = any();
    if (!predicates[p]) return;
    add(soft.choose(words[p], type, words[x], words[y]), numbers[p] != 0 ? numbers[x] : numbers[y]);
  }

  void count() {
    Word sum = soft.number(0);
    int64_t number = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      if (!predicates[i]) continue;
      sum = soft.apply(IntegerOp::add, type, sum, words[i]);
      number += numbers[i];
    }
    add(sum, number);
  }

  /// Modulo the range of another dtype and back.
  void conversion() {
    const DType other = kDtypes[static_cast<size_t>(draw(0, 5))];
    const size_t x = any();
    add(soft.convert(other, type, soft.convert(type, other, words[x])),
        wrapped_integer(type, wrapped_integer(other, numbers[x])));
  }

  void step() {
    const int64_t kind = draw(0, 6);
    if (kind < 3) op();
    if (kind == 3) comparison();
    if (kind == 4) choice();
    if (kind == 5) count();
    if (kind == 6) conversion();
  }

  uint64_t mean(Word word) {
    std::array<uint64_t, 2> residues{};
    soft.collapse(word, residues);
    return residues[0];
  }
};

RC_GTEST_PROP(SoftIntegersProperty, AreTheMachinesNumbersWhereEachVariableTakesOneEntry, ()) {
  const DType type = kDtypes[static_cast<size_t>(draw(0, 5))];
  Programs programs(SoftIntegers::Weights::vertex, static_cast<uint64_t>(draw(0, 1 << 30)), type);
  const int64_t inputs = draw(1, 14);
  for (int64_t i = 0; i < inputs; ++i) programs.input(static_cast<uint64_t>(i), draw(-3, 2), draw(2, 5));
  for (int64_t i = 0; i < inputs; ++i) programs.comparison();
  size_t decided = programs.words.size();
  const auto is_decided = [&] {
    return programs.soft.undecided().empty() && !programs.soft.is_opaque_integer(programs.words.back());
  };
  for (int i = 0; i < 12 && is_decided(); ++i) {
    decided = programs.words.size();
    programs.step();
  }
  if (is_decided()) decided = programs.words.size();
  const PrimeField field(kPrime);
  for (size_t i = 0; i < decided; ++i) {
    RC_ASSERT(programs.mean(programs.words[i]) == field.residue(programs.numbers[i]));
    const std::vector<int64_t> possible = programs.soft.possible(programs.words[i]);
    RC_ASSERT(possible.empty() || std::binary_search(possible.begin(), possible.end(), programs.numbers[i]));
  }
}

RC_GTEST_PROP(SoftIntegersProperty, KeepTheLawsOfIntegers, ()) {
  Programs p(SoftIntegers::Weights::random, static_cast<uint64_t>(draw(0, 1 << 30)));
  for (uint64_t i = 0; i < 8; ++i) p.input(i, draw(-3, 2), draw(2, 5));
  SoftIntegers& s = p.soft;
  const Word x = p.words[p.any()], y = p.words[p.any()], z = p.words[p.any()];
  const auto apply = [&](IntegerOp op, Word a, Word b) { return s.apply(op, kType, a, b); };
  RC_ASSERT(apply(IntegerOp::add, x, y) == apply(IntegerOp::add, y, x));
  RC_ASSERT(p.mean(apply(IntegerOp::multiply, x, apply(IntegerOp::add, y, z))) ==
            p.mean(apply(IntegerOp::add, apply(IntegerOp::multiply, x, y), apply(IntegerOp::multiply, x, z))));
  RC_ASSERT(p.mean(apply(IntegerOp::add, apply(IntegerOp::minimum, x, y), apply(IntegerOp::maximum, x, y))) ==
            p.mean(apply(IntegerOp::add, x, y)));
  const Word less = s.compare(Direction::lt, kType, x, y), not_less = s.compare(Direction::ge, kType, x, y);
  RC_ASSERT(apply(IntegerOp::multiply, less, less) == less);
  RC_ASSERT(apply(IntegerOp::add, less, not_less) == s.number(1));
  RC_ASSERT(apply(IntegerOp::multiply, less, not_less) == s.number(0));
  RC_ASSERT(s.choose(less, kType, x, y) == apply(IntegerOp::minimum, x, y));
}

/// A count of 14 predicates has no joint table; from either end it is one integer, and what it is compared with
/// decides.
TEST(SoftIntegers, CountsFromEitherEnd) {
  Programs p(SoftIntegers::Weights::random, 3);
  SoftIntegers& s = p.soft;
  Word set = s.number(0), unset = s.number(0);
  for (uint64_t i = 0; i < 14; ++i) {
    p.input(i, 0, 2);
    const Word holds = s.compare(Direction::gt, kType, p.words[i], s.number(1));
    set = s.apply(IntegerOp::add, kType, set, holds);
    unset = s.apply(IntegerOp::add, kType, unset, s.apply(IntegerOp::subtract, kType, s.number(1), holds));
  }
  const Word many = s.compare(Direction::ge, kType, set, s.number(5));
  EXPECT_EQ(many, s.compare(Direction::le, kType, unset, s.number(9)));
  EXPECT_NE(p.mean(many), p.mean(s.compare(Direction::le, kType, unset, s.number(8))));
  EXPECT_EQ(p.mean(s.apply(IntegerOp::add, kType, set, unset)), 14U);
  const Word capped = s.apply(IntegerOp::minimum, kType, set, s.number(5));
  EXPECT_EQ(p.mean(s.compare(Direction::eq, kType, capped, s.number(5))), p.mean(many));
  EXPECT_EQ(s.undecided(), "");
}

TEST(SoftIntegers, ThatMayOverflowAreNotDecided) {
  Programs p(SoftIntegers::Weights::random, 3);
  SoftIntegers& s = p.soft;
  Word sum = s.number(0);
  for (uint64_t i = 0; i < 12; ++i) {
    const std::array<uint64_t, 1> parts{i};
    const std::array<int64_t, 2> values{0, int64_t{1} << 30};
    sum = s.apply(IntegerOp::add, kType, sum, s.variable(s.name(7, parts), values));
  }
  EXPECT_EQ(s.undecided(), "a sum of integers that may overflow");
}

/// Numbers too far apart for a table are opaque, or what they are.
TEST(SoftIntegers, AtTheEndsOf64BitsAreNotMistaken) {
  constexpr DType kWide = DType::i64;
  constexpr std::array kEnds{std::numeric_limits<int64_t>::min(), int64_t{-1}, std::numeric_limits<int64_t>::max()};
  constexpr std::array kNear{std::numeric_limits<int64_t>::max() - 1, std::numeric_limits<int64_t>::max()};
  const PrimeField field(kPrime);
  for (uint64_t seed = 0; seed < 24; ++seed) {
    Programs p(SoftIntegers::Weights::vertex, seed);
    const auto input = [&](uint64_t index, std::span<const int64_t> values) {
      const SoftName name = p.soft.name(7, std::span(&index, 1));
      p.add(p.soft.variable(name, values), values[name.first % values.size()]);
    };
    input(0, std::span(kEnds).first(2));
    input(1, kNear);
    input(2, kEnds);
    const auto expect = [&](Word word, int64_t number) {
      if (p.soft.is_opaque_integer(word)) return;
      EXPECT_EQ(p.mean(word), field.residue(number)) << seed;
    };
    for (size_t x = 0; x < 3; ++x) {
      for (size_t y = 0; y < 3; ++y) {
        const Word less = p.soft.compare(Direction::lt, kWide, p.words[x], p.words[y]);
        if (!p.soft.undecided().empty()) continue;
        for (const IntegerOp op : {IntegerOp::add, IntegerOp::subtract, IntegerOp::multiply, IntegerOp::maximum}) {
          const Word word = p.soft.apply(op, kWide, p.words[x], p.words[y]);
          if (p.soft.undecided().empty()) expect(word, machine(op, p.numbers[x], p.numbers[y], kWide));
        }
        const bool holds = p.numbers[x] < p.numbers[y];
        if (!p.soft.is_opaque_integer(p.words[x]) && !p.soft.is_opaque_integer(p.words[y])) expect(less, holds);
        if (p.mean(less) == field.residue(holds)) {
          expect(p.soft.choose(less, kWide, p.words[x], p.words[y]), holds ? p.numbers[x] : p.numbers[y]);
        }
      }
    }
  }
}

/// Of an integer that may be any number only functions are formed, the same of the same arguments.
TEST(SoftIntegers, ThatMayBeAnythingHaveFunctions) {
  Programs p(SoftIntegers::Weights::random, 3);
  SoftIntegers& s = p.soft;
  const std::array<uint64_t, 1> first{1}, second{2};
  const Word x = s.opaque(s.name(7, first)), y = s.opaque(s.name(7, second));
  EXPECT_EQ(s.apply(IntegerOp::add, kType, x, y), s.apply(IntegerOp::add, kType, y, x));
  EXPECT_NE(s.apply(IntegerOp::subtract, kType, x, y), s.apply(IntegerOp::subtract, kType, y, x));
  EXPECT_EQ(s.compare(Direction::lt, kType, x, y), s.compare(Direction::gt, kType, y, x));
  EXPECT_NE(s.compare(Direction::lt, kType, x, y), s.compare(Direction::le, kType, x, y));
  EXPECT_EQ(s.undecided(), "");
  EXPECT_TRUE(s.possible(x).empty());
  EXPECT_EQ(s.undecided(), "an index that may be any number");
}

/// A predicate of which only its name is known is not always 0.
TEST(SoftIntegers, AreNotChosenByAnOpaquePredicate) {
  Programs p(SoftIntegers::Weights::random, 3);
  SoftIntegers& s = p.soft;
  const std::array<uint64_t, 1> first{1};
  const Word predicate = s.opaque(s.name(7, first));
  const Word chosen = s.choose(predicate, kType, s.number(5), s.number(3));
  EXPECT_TRUE(s.is_opaque_integer(chosen));
  EXPECT_EQ(chosen, s.choose(predicate, kType, s.number(5), s.number(3)));
}

}  // namespace
}  // namespace isoshard::sim::soft_integers_test
