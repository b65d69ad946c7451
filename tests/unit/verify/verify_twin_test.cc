#include <gmock/gmock.h>

#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_twin_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Rows of @x over `dp` (2), whole otherwise; the bodies make %y of %x.
std::string rows(const std::string& sharded, const std::string& dense) {
  return "mesh @g [dp=2]\nglobal @x : f32[8, 4] input\nglobal @a : f32[4] const\nglobal @b : f32[4] const\n"
         "untyped program @s on @g {\n  %x = view @x [dp, -]\n  %a = view @a [-]\n  %b = view @b [-]\n" +
         sharded +
         "  return @y = %y [dp, -]\n}\n"
         "program @d {\n  %x = view @x [-, -]\n  %a = view @a [-]\n  %b = view @b [-]\n" +
         dense + "  return @y = %y [-, -]\n}\ncheck @s == @d\n";
}

TEST(VerifyTwin, ANumberThatIsAnotherOne) {
  const auto body = [](const std::string& epsilon) {
    return "  %q = multiply %x, %x\n  %v = add %q, " + epsilon + "\n  %r = rsqrt %v\n  %y = multiply %x, %r\n";
  };
  const CheckReport r = check_text(rows(body("1e-6"), body("1e-8")));
  EXPECT_EQ(r.diagnosis.value, "%v");
  EXPECT_EQ(r.diagnosis.cause, "%v = add takes 1e-6 instead of 1e-8");
  EXPECT_EQ(check_text(rows(body("1e-8"), body("1e-8"))).verdict(), Verdict::equal);
}

TEST(VerifyTwin, AWrittenNumberIsNoSizeOfAnAxis) {
  const auto body = [](const std::string& factor) {
    return "  %t = tanh %x\n  %s = multiply %t, " + factor + "\n  %y = exponential %s\n";
  };
  EXPECT_EQ(check_text(rows(body("2"), body("1"))).diagnosis.cause, "%s = multiply takes 2 instead of 1");
  EXPECT_THAT(check_text(rows(body("(size(dp))"), body("1"))).diagnosis.cause, HasSubstr("2x too large (= size(dp))"));
}

TEST(VerifyTwin, AnOperandThatIsAnotherOne) {
  const auto body = [](const std::string& first, const std::string& second, const std::string& count) {
    const std::string shape = ", shape=[" + count + ", 4]}\n";
    return "  %ar = broadcast_in_dim %a {dims=[1]" + shape + "  %br = broadcast_in_dim %b {dims=[1]" + shape +
           "  %q = multiply %x, " + first + "\n  %t = tanh %x\n  %r = multiply %t, " + second +
           "\n  %y = subtract %q, %r\n";
  };
  const CheckReport r = check_text(rows(body("%br", "%ar", "4"), body("%ar", "%br", "8")));
  EXPECT_EQ(r.diagnosis.cause, "%q = multiply takes %br (%br of @d) instead of %ar of @d");
  EXPECT_THAT(r.diagnosis.facts[0], HasSubstr("in 2 such places all outputs are right"));
}

TEST(VerifyTwin, AComparisonOfAnotherDirection) {
  const auto body = [](const std::string& direction, const std::string& count) {
    const std::string shape = ", shape=[" + count + ", 4]";
    return "  %i = iota {dtype=i32" + shape + ", dim=1}\n  %two = constant {value=2, dtype=i32" + shape +
           "}\n  %ok = compare %i, %two {direction=" + direction + "}\n  %y = select %ok, %x, 0\n";
  };
  const CheckReport r = check_text(rows(body("lt", "4"), body("le", "8")));
  EXPECT_EQ(r.diagnosis.value, "%ok");
  EXPECT_EQ(r.diagnosis.cause, "%ok = compare has {direction=lt}, not {direction=le}");
}

TEST(VerifyTwin, PositionsOfTheDeviceInThePlaceOfThoseOfAll) {
  const auto body = [](const std::string& count) {
    const std::string shape = ", shape=[" + count + ", 4]";
    return "  %i = iota {dtype=i32" + shape + ", dim=0}\n  %three = constant {value=3, dtype=i32" + shape +
           "}\n  %ok = compare %i, %three {direction=lt}\n  %y = select %ok, %x, 0\n";
  };
  const CheckReport r = check_text(rows(body("4"), body("8")));
  EXPECT_EQ(r.diagnosis.value, "%i");
  EXPECT_THAT(r.diagnosis.cause, HasSubstr("the same on every device of `dp`"));
}

TEST(VerifyTwin, AMeanOfTheDevice) {
  const auto body = [](const std::string& count, const std::string& numbers) {
    return "  %s = reduce %x {op=add, dims=[0, 1]}\n  %m = divide %s, " + numbers +
           "\n  %ms = broadcast_in_dim %m {dims=[], shape=[" + count +
           ", 4]}\n  %c = subtract %x, %ms\n  %y = multiply %c, %c\n";
  };
  EXPECT_EQ(check_text(rows(body("4", "16"), body("8", "32"))).diagnosis.cause,
            "missing all_reduce of %s over `dp` before divide, which takes 16 instead of 32");
}

TEST(VerifyTwin, AFactorThatMendsNothingIsNoCause) {
  const CheckReport r = check_text(rows("  %t = tanh %x\n  %z = multiply %t, 8\n  %y = exponential %z\n",
                                        "  %t = tanh %x\n  %e = exponential %t\n  %y = multiply %e, 8\n"));
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_THAT(r.diagnosis.cause, Not(HasSubstr("8x too large")));
}

}  // namespace
}  // namespace isoshard::verify::verify_twin_test
