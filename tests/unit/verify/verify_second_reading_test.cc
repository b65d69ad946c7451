// What a constant may count as beside what is written (docs/spec/verdict.md, "Constants").
#include "verify/pair_facts/second_reading.h"

#include <gtest/gtest.h>

#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/make_pair.h"

namespace isoshard::verify::verify_second_reading_test {
namespace {

/// The readings of x times `left` against x times `right`, as texts, of one way to read.
std::vector<std::string> readings(const std::string& left, const std::string& right, const std::string& dtype,
                                  size_t way = 0) {
  const auto program = [&](const std::string& name, const std::string& constant) {
    return "program @" + name + " on @m {\n  %x = view @x [-]\n  %c = constant {value=" + constant +
           ", dtype=" + dtype + ", shape=[2]}\n  %y = multiply %x, %c\n  return @y = %y [-]\n}\n";
  };
  const Module module = parse("mesh @m [p=1]\nglobal @x : " + dtype + "[2] input\n" + program("a", left) +
                              program("b", right) + "check @a == @b\n");
  const Pair pair = make_pair_of(module, module.checks.at(0));
  const std::vector<std::vector<SecondReading>> ways = second_readings(pair);
  std::vector<std::string> result;
  if (way >= ways.size()) return result;
  for (const SecondReading& r : ways[way]) result.push_back(r.to_string());
  return result;
}

using Texts = std::vector<std::string>;

TEST(SecondReadings, AreWhatATextWasRoundedFrom) {
  EXPECT_EQ(readings("0.33333334", "3", "f32"), Texts{"0.33333334 (f32) is 1/3"});
  EXPECT_EQ(readings("-0.33333334", "3", "f32"), Texts{"-0.33333334 (f32) is -1/3"});
  EXPECT_EQ(readings("0.100000001490116119384765625", "10", "f32"),
            Texts{"0.100000001490116119384765625 (f32) is 0.1"});
  EXPECT_EQ(readings("0.35355338", "8", "f32"), Texts{"0.35355338 (f32) is sqrt(1/8)"});
  EXPECT_EQ(readings("0.0013020833", "768", "f16"), Texts{"0.0013020833 (f16) is 1/768"});
}

TEST(SecondReadings, AreFirstWhatTheOtherProgramHolds) {
  EXPECT_EQ(readings("0.7978846", "0.7978845608", "f32"), Texts{"0.7978846 (f32) is 0.7978845608"});
}

TEST(SecondReadings, AreNotOfWhatIsExact) {
  EXPECT_EQ(readings("1/768", "765", "bf16"), Texts{});
  EXPECT_EQ(readings("3", "1/3", "f32"), Texts{});
  EXPECT_EQ(readings("0.5", "2", "f32"), Texts{});
}

TEST(SecondReadings, NeedDigits) {
  EXPECT_EQ(readings("0.3333", "3", "bf16").size(), 1U) << "what bf16 makes of it";
  EXPECT_NE(readings("0.3333", "3", "bf16"), Texts{"0.3333 (bf16) is 1/3"});
  EXPECT_NE(readings("0.0013", "768", "f32"), Texts{"0.0013 (f32) is 1/768"});
}

TEST(SecondReadings, AreThenWhatTheDtypeMakesOfThem) {
  const Texts rounded = readings("0.0883789", "0.08837890625", "bf16", 1);
  EXPECT_EQ(rounded, Texts{"0.0883789 (bf16) is 0.08837890625"});
}

}  // namespace
}  // namespace isoshard::verify::verify_second_reading_test
