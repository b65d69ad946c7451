// Which numbers a verdict is about, and which few stand for all of them.
#include "verify/compare/integer_values.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <regex>
#include <string>

#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/make_pair.h"
#include "verify/compare/pair.h"

namespace isoshard::verify::verify_integer_values_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kGreatest = std::numeric_limits<int64_t>::max();

/// Of @s, a scalar of `dtype`, where the reference makes %y of it, of @X, f32[300], and @Y, f32[4], by `lines`.
IntegerValues values_where(const std::string& lines, const std::string& dtype = "i32") {
  const std::string views = "  %X = view @X [-]\n  %Y = view @Y [-]\n  %s = view @s []\n";
  const Module module =
      parse("mesh @m [p=2]\nglobal @X : f32[300] input\nglobal @Y : f32[4] input\nglobal @s : " + dtype +
            "[] input\nuntyped program @a on @m {\n" + views + lines + "  return @y = %y []\n}\nprogram @b {\n" +
            views + lines + "  return @y = %y []\n}\ncheck @a == @b\n");
  return integer_values(make_pair_of(module, module.checks.at(0))).at(2);
}

std::string looked_up(const std::string& lines) { return values_where(lines).words(DType::i32); }

IntegerValues compared_with(const std::string& dtype, int64_t number) {
  return values_where("  %k = constant {value=" + std::to_string(number) + ", dtype=" + dtype +
                          "}\n  %c = compare %s, %k {direction=gt}\n  %y = convert %c {dtype=f32}\n",
                      dtype);
}

TEST(IntegerValues, NumbersThatAreComparedHaveNeighboursUpToTheEndsOfTheDtype) {
  for (const int64_t number : {int64_t{5}, int64_t{1} << 60, -(int64_t{1} << 60), int64_t{1} << 62, -(int64_t{1} << 62),
                               kGreatest - 1, kLeast + 1}) {
    EXPECT_THAT(compared_with("i64", number).values, ElementsAre(number - 1, number, number + 1));
  }
  EXPECT_THAT(compared_with("i64", kGreatest).values, ElementsAre(kGreatest - 1, kGreatest));
  EXPECT_THAT(compared_with("i64", kLeast).values, ElementsAre(kLeast, kLeast + 1));
  const int64_t words = int64_t{1} << 32;
  EXPECT_THAT(compared_with("u32", words - 1).values, ElementsAre(0, 1, words - 2, words - 1));
  EXPECT_THAT(compared_with("u32", 0).values, ElementsAre(0, 1, words - 2, words - 1));
  EXPECT_THAT(compared_with("i32", words / 2 - 1).values,
              ElementsAre(-words / 2, -words / 2 + 1, words / 2 - 2, words / 2 - 1));
  EXPECT_THAT(compared_with("i32", -words / 2).values,
              ElementsAre(-words / 2, -words / 2 + 1, words / 2 - 2, words / 2 - 1));
}

TEST(IntegerValues, NumbersOf8BitsHaveTheirOwnEnds) {
  EXPECT_THAT(compared_with("u8", 200).values, ElementsAre(0, 1, 199, 200, 201, 254, 255));
  EXPECT_THAT(compared_with("u8", 255).values, ElementsAre(0, 1, 254, 255));
  EXPECT_THAT(compared_with("i8", 5).values, ElementsAre(-128, -127, 4, 5, 6, 126, 127));
}

/// Those from 2^63 on are negative here, and 2^64 - 1 is next to 0.
TEST(IntegerValues, NumbersOfU64GoOnBeyondI64) {
  EXPECT_THAT(compared_with("u64", 5).values, ElementsAre(-2, -1, 0, 1, 4, 5, 6));
  const IntegerValues beyond = values_where(
      "  %k = constant {value=9223372036854775808, dtype=u64}\n  %c = compare %s, %k {direction=gt}\n"
      "  %y = convert %c {dtype=f32}\n",
      "u64");
  EXPECT_THAT(beyond.values, IsEmpty());
}

TEST(IntegerValues, AnIndexIsARowOnlyUpToTheEndOfItsDtype) {
  const auto rows = [](const std::string& lines, const std::string& dtype) {
    return values_where(lines, dtype).words(*parse_dtype(dtype));
  };
  const std::string lookup = "  %y = gather %X, %s {dim=0}\n";
  EXPECT_EQ(rows(lookup, "u8"), "0..256");
  EXPECT_EQ(rows(lookup, "i8"), "0..128");
  EXPECT_EQ(rows(lookup, "u64"), "0..300");
  const auto moved = [&](const std::string& op, const std::string& dtype) {
    return rows(
        "  %k = constant {value=100, dtype=" + dtype + "}\n  %t = " + op + " %s, %k\n  %y = gather %X, %t {dim=0}\n",
        dtype);
  };
  EXPECT_EQ(moved("add", "i8"), "-100..28");
  EXPECT_EQ(moved("subtract", "u8"), "");  // also below 100, by wrapping around
  EXPECT_EQ(moved("subtract", "u64"), "100..400");
  EXPECT_EQ(moved("add", "u64"), "");
}

TEST(IntegerValues, ASumOf64BitsWrapsAround) {
  const IntegerValues values = values_where(
      "  %k = constant {value=2, dtype=i64}\n  %t = add %s, %k\n  %c = compare %t, %k {direction=gt}\n"
      "  %y = convert %c {dtype=f32}\n",
      "i64");
  EXPECT_THAT(values.values, ElementsAre(-1, 0, 1, kGreatest - 2, kGreatest - 1, kGreatest));
}

TEST(IntegerValues, AnIndexTakesTheRowsThatAllLookupsHave) {
  EXPECT_EQ(looked_up("  %y = gather %X, %s {dim=0}\n"), "0..300");
  EXPECT_EQ(looked_up("  %g = gather %X, %s {dim=0}\n  %h = gather %Y, %s {dim=0}\n  %y = add %g, %h\n"), "0..4");
  EXPECT_EQ(looked_up("  %k = constant {value=10, dtype=i32}\n  %t = subtract %s, %k\n  %g = gather %X, %s {dim=0}\n"
                      "  %h = gather %Y, %t {dim=0}\n  %y = add %g, %h\n"),
            "10..14");
}

TEST(IntegerValues, ABoundIsNoLimit) {
  const std::string bound = "  %k = constant {value=3, dtype=i32}\n  %z = constant {value=0, dtype=i32}\n";
  const std::string x = "  %g = gather %X, %s {dim=0}\n", sum = "  %y = add %g, %h\n";
  EXPECT_EQ(looked_up(bound + x + "  %t = minimum %s, %k\n  %h = gather %Y, %t {dim=0}\n" + sum), "0..300");
  EXPECT_EQ(looked_up(bound + x + "  %c = compare %s, %k {direction=le}\n  %t = select %c, %s, %z\n" +
                      "  %h = gather %Y, %t {dim=0}\n" + sum),
            "0..300");
  EXPECT_EQ(looked_up(bound + "  %t = minimum %s, %k\n  %y = gather %Y, %t {dim=0}\n"), "0..2147483648");
  EXPECT_EQ(looked_up(bound + "  %t = maximum %s, %z\n  %y = gather %Y, %t {dim=0}\n"), "-2147483648..4");
  EXPECT_EQ(looked_up("  %k = constant {value=4, dtype=i32}\n  %t = minimum %s, %k\n  %y = gather %Y, %t {dim=0}\n"),
            "0..4");
}

TEST(IntegerValues, BehindBothBoundsRowsAndNeighboursStandForAll) {
  const IntegerValues values = values_where(
      "  %k = constant {value=3, dtype=i32}\n  %z = constant {value=0, dtype=i32}\n  %u = minimum %s, %k\n"
      "  %t = maximum %u, %z\n  %y = gather %Y, %t {dim=0}\n");
  EXPECT_EQ(values.words(DType::i32), "");
  EXPECT_THAT(values.values, IsSupersetOf({-(int64_t{1} << 31), int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2},
                                           int64_t{3}, int64_t{4}, (int64_t{1} << 31) - 1}));
}

TEST(IntegerValues, AChosenIndexTakesTheRowsAndWhatItIsToldFrom) {
  EXPECT_EQ(looked_up("  %k = constant {value=-100, dtype=i32}\n  %z = constant {value=0, dtype=i32}\n"
                      "  %c = compare %s, %k {direction=ne}\n  %t = select %c, %s, %z\n  %y = gather %Y, %t {dim=0}\n"),
            "0..4 and -100");
}

/// What stands for the padding of @q, i32[7] on three devices, where %p is made of %q by `lines`.
PaddingValues padding_where(const std::string& lines) {
  const std::string program =
      "  %k = constant {value=37, dtype=i32}\n  %kb = broadcast_in_dim %k {dims=[], shape=[N]}\n" + lines +
      "  return @y = %c [L]\n}\n";
  const auto with = [&](std::string text, const std::string& n, const std::string& layout) {
    text = std::regex_replace(text, std::regex("\\[N\\]"), "[" + n + "]");
    return std::regex_replace(text, std::regex("\\[L\\]"), layout);
  };
  const Module module = parse(
      "mesh @m [p=3]\nglobal @q : i32[7] input in 0..100\nuntyped program @a on @m {\n  %q = view @q [uneven p]\n" +
      with(program, "3", "[uneven p] : pred[7]") + "program @b {\n  %q = view @q [-]\n" + with(program, "7", "[-]") +
      "check @a == @b\n");
  return padding_values(make_pair_of(module, module.checks.at(0)));
}

TEST(IntegerValues, PaddingIsAnyNumberOfTheDtype) {
  const PaddingValues shifted = padding_where("  %r = subtract %q, %kb\n  %c = compare %r, %kb {direction=eq}\n");
  EXPECT_THAT(shifted.standing.at(0), IsSupersetOf({-(int64_t{1} << 31), int64_t{73}, int64_t{74}, int64_t{75}}));
  EXPECT_EQ(shifted.compared.at(0).front(), 74);
  const PaddingValues squared = padding_where("  %r = multiply %q, %q\n  %c = compare %r, %kb {direction=eq}\n");
  EXPECT_THAT(squared.standing, IsEmpty());
  EXPECT_THAT(squared.compared, IsEmpty());
}

}  // namespace
}  // namespace isoshard::verify::verify_integer_values_test
