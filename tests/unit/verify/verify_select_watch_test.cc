// Selects on predicates of floats that took one side only in all lanes and draws are listed.
#include <gmock/gmock.h>

#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_select_watch_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The same program twice, with these lines; they make %o of @x and @y, f64[6].
CheckReport of(const std::string& lines, Rung rung) {
  const std::string body = " {\n  %x = view @x [-]\n  %y = view @y [-]\n" + lines + "  return @o = %o [-]\n}\n";
  CheckOptions options;
  options.only_rung = rung;
  return check_text("global @x : f64[6] input\nglobal @y : f64[6] input\nprogram @left" + body + "program @right" +
                        body + "check @left == @right\n",
                    options);
}

const std::string kRight = "  %p = compare %x, %y {direction=gt}\n  %o = select %p, %x, %y\n";
const std::string kNever = "  %d = subtract %x, %x\n  %p = compare %d, 0 {direction=gt}\n  %o = select %p, %x, %y\n";
const std::string kAlways =
    "  %p = compare %x, %x {direction=ge}\n  %q = not %p\n  %r = not %q\n  %o = select %r, %x, %y\n";

TEST(VerifySelectWatch, BothSides) {
  for (const Rung rung : {Rung::a, Rung::b, Rung::e, Rung::eh}) {
    EXPECT_EQ(of(kRight, rung).verdict(), rung == Rung::eh ? Verdict::not_refuted : Verdict::equal) << name(rung);
    EXPECT_THAT(of(kRight, rung).assumes.one_sided, IsEmpty()) << name(rung);
  }
}

TEST(VerifySelectWatch, OneSide) {
  for (const Rung rung : {Rung::a, Rung::b, Rung::e, Rung::eh}) {
    EXPECT_THAT(of(kNever, rung).assumes.one_sided,
                ElementsAre("%o at t.shard:9:8 always takes %y", "%o at t.shard:17:8 always takes %y"))
        << name(rung);
    EXPECT_THAT(of(kAlways, rung).assumes.one_sided,
                ElementsAre("%o at t.shard:10:8 always takes %x", "%o at t.shard:19:8 always takes %x"))
        << name(rung);
  }
}

/// What integers decide is no matter of floats: this mask is causal on purpose.
TEST(VerifySelectWatch, PredicatesOfIntegersAreNotListed) {
  const CheckReport r =
      of("  %i = iota {dtype=i32, shape=[6], dim=0}\n  %p = compare %i, 7 {direction=lt}\n  %o = select %p, %x, %y\n",
         Rung::a);
  EXPECT_EQ(r.verdict(), Verdict::equal);
  EXPECT_THAT(r.assumes.one_sided, IsEmpty());
}

TEST(VerifySelectWatch, CarriedByLoops) {
  const std::string lines =
      "  %p = compare %x, %x {direction=gt}\n"
      "  %o, %last, %z = scan (%c = %x, %q = %p, %w = %y) trips 3 {\n    %s = select %q, %w, %c\n"
      "    yield (%s, %q, %w)\n  }\n";
  EXPECT_THAT(of(lines, Rung::a).assumes.one_sided,
              ElementsAre(HasSubstr("always takes %c"), HasSubstr("always takes %c")));
}

TEST(VerifySelectWatch, TheReportSaysSo) {
  EXPECT_THAT(masked(of(kNever, Rung::b)), HasSubstr("\n  one-sided  %o at t.shard:9:8 always takes %y, %o at "));
  EXPECT_THAT(to_json(of(kNever, Rung::b)), HasSubstr("\"one_sided\": ["));
}

}  // namespace
}  // namespace isoshard::verify::verify_select_watch_test
