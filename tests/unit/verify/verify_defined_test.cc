// Where a program may have no value, as far as the construction of what it divides by, or takes roots and logarithms
// of, shows.
#include <gmock/gmock.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify::verify_defined_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A Plan of `lines`, which make %o of @x and @y, f64[4], on two devices.
Plan plan_of(const std::string& lines) {
  const Module module = parse(
      "mesh @m [p=2]\nglobal @x : f64[4] input\nglobal @y : f64[4] input\nglobal @i : i32[2] input\n"
      "untyped program @a on @m {\n  %x = view @x [p]\n  %y = view @y [p]\n" +
      lines + "  return @o = %o [p]\n}\n");
  return lower(module, *module.find_program("a"));
}

std::string in_words(const PartialArgument& argument, const Plan& plan) {
  return "%" + plan.value(argument.value).name() + " " + std::string(in_words(argument.needs));
}

/// `%d != 0 wide` per argument of each partial use.
std::vector<std::string> uses_of(const std::string& lines) {
  const Plan plan = plan_of(lines);
  std::vector<std::string> result;
  for (const PartialUse& use : partial_uses(plan).uses) {
    for (const PartialArgument& argument : use.arguments) {
      result.push_back(in_words(argument, plan) + (use.wide ? " wide" : "") + (use.of_infinity ? " of infinity" : ""));
    }
  }
  return result;
}

/// `%d > 0` per operand of a partial function, or part of one, of which that is known.
std::vector<std::string> shown_of(const std::string& lines) {
  const Plan plan = plan_of(lines);
  std::vector<std::string> result;
  for (const PartialArgument& argument : partial_uses(plan).shown) result.push_back(in_words(argument, plan));
  return result;
}

TEST(PartialUses, DenominatorsAndRootsThatMayFail) {
  EXPECT_THAT(uses_of("  %o = divide %x, %y\n"), ElementsAre("%y != 0"));
  EXPECT_THAT(uses_of("  %o = sqrt %x\n"), ElementsAre("%x >= 0 wide"));
  EXPECT_THAT(uses_of("  %o = log %x\n"), ElementsAre("%x > 0 wide"));
  EXPECT_THAT(uses_of("  %o = power %x, %y\n"), ElementsAre("%x > 0 wide"));
  EXPECT_THAT(uses_of("  %o = power %x, -2\n"), ElementsAre("%x != 0"));
  EXPECT_THAT(uses_of("  %o = power %x, 2\n"), IsEmpty());
  EXPECT_THAT(uses_of("  %q = multiply %x, %x\n  %o = log %q\n"), ElementsAre("%q > 0"));
  EXPECT_THAT(uses_of("  %d = divide %x, %y\n  %p = compare %y, 0 {direction=gt}\n  %o = select %p, %d, %x\n"),
              ElementsAre("%y != 0"));
}

TEST(PartialUses, WhatIsAsNeededByItsConstruction) {
  const std::string sum = "  %q = multiply %x, %x\n  %e = exponential %y\n  %s = add %q, %e\n";
  for (const char* use : {"divide %x, %s", "log %s", "rsqrt %s", "power %s, %x"}) {
    EXPECT_THAT(uses_of(sum + "  %o = " + use + "\n"), IsEmpty()) << use;
  }
  EXPECT_THAT(uses_of("  %q = multiply %x, %x\n  %o = sqrt %q\n"), IsEmpty());
  for (const char* function : {"logistic", "tanh"}) {
    EXPECT_THAT(uses_of("  %f = " + std::string(function) +
                        " %x\n  %q = multiply %f, %f\n  %d = subtract 1, %q\n"
                        "  %n = negate %f\n  %e = add %n, 1\n  %p = multiply %d, %e\n  %o = log %p\n"),
                IsEmpty());
    EXPECT_THAT(uses_of("  %f = " + std::string(function) + " %x\n  %d = subtract 0.5, %f\n  %o = divide %y, %d\n"),
                ElementsAre("%d != 0"));
  }
  EXPECT_THAT(uses_of("  %t = tanh %x\n  %o = erf_inv %t\n"), IsEmpty());
  EXPECT_THAT(uses_of("  %t = multiply %x, 0.5\n  %o = erf_inv %t\n"), ElementsAre("%t between -1 and 1 wide"));
  EXPECT_THAT(uses_of("  %a = abs %x\n  %m = maximum %a, 1\n  %o = divide %y, %m\n"), IsEmpty());
}

/// A product needs what its factors need, a root what is below it, so that programs may divide in one step or two.
TEST(PartialUses, DenominatorsAreSplit) {
  EXPECT_THAT(uses_of("  %d = multiply %x, %y\n  %o = divide %x, %d\n"), ElementsAre("%x != 0", "%y != 0"));
  EXPECT_THAT(uses_of("  %r = sqrt %y\n  %d = multiply %x, %r\n  %o = divide %x, %d\n"),
              ElementsAre("%y >= 0 wide", "%x != 0 wide", "%y > 0 wide"));
  EXPECT_THAT(uses_of("  %q = divide %x, %y\n  %n = negate %q\n  %o = divide 1, %n\n"),
              ElementsAre("%y != 0", "%x != 0", "%n != 0 of infinity"));  // x/0 is infinite, and 1/inf is 0
}

/// exp(-1/x^2) is positive, but 0 where x is.
TEST(PartialUses, WhatIsPositiveButForInfinities) {
  const std::string bell = "  %s = multiply %x, %x\n  %q = divide -1, %s\n  %e = exponential %q\n";
  EXPECT_THAT(uses_of(bell + "  %o = divide %y, %e\n"), ElementsAre("%x != 0", "%x != 0", "%e != 0 of infinity"));
  EXPECT_THAT(uses_of("  %e = exponential %x\n  %o = divide %y, %e\n"), IsEmpty());
}

/// The reference vouches with these for the same elements of the sharded program, so nothing of infinities is among
/// them.
TEST(PartialUses, WhatIsShownOnAllInputs) {
  EXPECT_THAT(shown_of("  %e = exponential %x\n  %o = divide %y, %e\n"), ElementsAre("%e > 0"));
  EXPECT_THAT(shown_of("  %q = multiply %x, %x\n  %o = sqrt %q\n"), ElementsAre("%q >= 0"));
  EXPECT_THAT(shown_of("  %t = tanh %x\n  %o = erf_inv %t\n"), ElementsAre("%t between -1 and 1"));
  EXPECT_THAT(shown_of("  %e = exponential %x\n  %d = multiply %e, %y\n  %o = divide 1, %d\n"), ElementsAre("%e > 0"));
  EXPECT_THAT(shown_of("  %o = divide %x, %y\n"), IsEmpty());
  EXPECT_THAT(shown_of("  %e = exponential %x\n  %o = add %y, %e\n"), IsEmpty());  // nothing is applied to it
  const std::string bell = "  %q = divide -1, %x\n  %e = exponential %q\n";
  EXPECT_THAT(shown_of(bell + "  %o = divide %y, %e\n"), IsEmpty());
  const std::string masked =
      "  %p = compare %x, %y {direction=gt}\n  %z = select %p, %x, -inf\n  %e = exponential %z\n";
  EXPECT_THAT(shown_of(masked + "  %o = divide %y, %e\n"), IsEmpty());
}

/// A large number that meets data counts as infinite on rung E, where its exponential is 0. A scale does not.
TEST(PartialUses, NothingThatCountsAsInfiniteIsShownToBePositive) {
  const std::string number = "  %k = constant {value=-20000, dtype=f64, shape=[2]}\n";
  const std::string product = "  %h = constant {value=-200, dtype=f64, shape=[2]}\n  %k = multiply %h, 100\n";
  for (const std::string& large : {number, product}) {
    EXPECT_THAT(shown_of(large + "  %a = add %x, %k\n  %e = exponential %a\n  %o = divide %y, %e\n"),
                ElementsAre("%e >= 0"));
    EXPECT_THAT(shown_of(large + "  %e = exponential %k\n  %o = divide %y, %e\n"), ElementsAre("%e >= 0"));
    EXPECT_THAT(shown_of(large + "  %a = multiply %x, %k\n  %e = exponential %a\n  %o = divide %y, %e\n"),
                ElementsAre("%e > 0"));
    EXPECT_THAT(shown_of(large + "  %s = sine %k\n  %a = add %x, %s\n  %e = exponential %a\n  %o = divide %y, %e\n"),
                ElementsAre("%e > 0"));
  }
  EXPECT_THAT(shown_of("  %a = add %x, -2000\n  %e = exponential %a\n  %o = divide %y, %e\n"), ElementsAre("%e > 0"));
  EXPECT_THAT(uses_of(number + "  %a = add %x, %k\n  %e = exponential %a\n  %o = divide %y, %e\n"), IsEmpty());
  EXPECT_THAT(uses_of(number + "  %a = add %x, %k\n  %e = exponential %a\n  %o = power %e, -1\n"),
              ElementsAre("%e != 0 wide"));  // of a division by 0 the ring says so
}

TEST(PartialUses, PiecewiseDenominatorsFailWidely) {
  for (const char* made : {"maximum %x, 0", "abs %x", "floor %x", "minimum %x, %y", "sign %x"}) {
    EXPECT_THAT(uses_of(std::string("  %d = ") + made + "\n  %n = add %d, %y\n  %o = divide %y, %n\n"),
                ElementsAre("%n != 0 wide"))
        << made;
  }
  EXPECT_THAT(
      uses_of("  %i = view @i [p]\n  %d = convert %i {dtype=f64}\n  %b = broadcast_in_dim %d {dims=[0], shape=[2]}\n"
              "  %z = slice %b {start=[0], limit=[1]}\n  %w = broadcast_in_dim %z {dims=[0], shape=[1]}\n"
              "  %c = concatenate %w, %w {dim=0}\n  %o = divide %y, %c\n"),
      ElementsAre("%c != 0 wide"));
}

/// exp of what integers or orders make -inf is 0.
TEST(PartialUses, MasksOfMinusInfinity) {
  const std::string masked =
      "  %p = compare %x, %y {direction=gt}\n  %z = select %p, %x, -inf\n  %e = exponential %z\n";
  EXPECT_THAT(uses_of(masked + "  %o = divide %y, %e\n"), ElementsAre("%e != 0 wide"));
  EXPECT_THAT(uses_of("  %e = exponential %x\n  %o = divide %y, %e\n"), IsEmpty());
}

/// What loops hand on is what they made last; what is sent is what is received, or 0.
TEST(PartialUses, LoopsAndMessages) {
  EXPECT_THAT(
      uses_of("  %z0 = constant {value=0, dtype=f64, shape=[2]}\n  %z = scan (%c = %z0) trips 3 {\n"
              "    %one = constant {value=1, dtype=f64, shape=[2]}\n    %n = add %c, %one\n    yield (%n)\n  }\n"
              "  %o = divide %y, %z\n"),
      IsEmpty());
  EXPECT_THAT(uses_of("  %e = exponential %x\n  %r = collective_permute %e {axis=p, shift=1}\n  %s = sqrt %r\n"
                      "  %t = add %s, %e\n  %o = divide %y, %t\n"),
              IsEmpty());
  EXPECT_THAT(
      uses_of("  %e = exponential %x\n  %r = collective_permute %e {axis=p, pairs=[(0, 1)]}\n  %o = divide %y, %r\n"),
      ElementsAre("%r != 0"));
}

/// The derivative of a maximum divides by how many elements are the maximum, and one of them is.
TEST(PartialUses, CountsOfMaxima) {
  const auto count = [](const std::string& of, const std::string& extreme, const std::string& direction = "eq") {
    return extreme + "  %b = broadcast_in_dim %m {dims=[], shape=[2]}\n  %e = compare " + of +
           ", %b {direction=" + direction +
           "}\n  %f = convert %e {dtype=f64}\n  %n = reduce %f {op=add, dims=[0]}\n  %k = broadcast_in_dim %n "
           "{dims=[], "
           "shape=[2]}\n";
  };
  const std::string maximum = "  %m = reduce %x {op=max, dims=[0]}\n", by_n = "  %o = divide %y, %k\n";
  EXPECT_THAT(uses_of(count("%x", maximum) + by_n), IsEmpty());
  EXPECT_THAT(uses_of(count("%x", "  %m = reduce %x {op=min, dims=[0]}\n") + by_n), IsEmpty());
  EXPECT_THAT(uses_of(count("%x", maximum) + "  %o = log %k\n"), IsEmpty());
  EXPECT_THAT(uses_of(count("%x", maximum, "ge") + by_n), ElementsAre("%n != 0 wide"));  // no rule of it
  for (const char* other : {"add %x, 0", "maximum %x, 0", "multiply %x, 1"}) {  // may be another number once rounded
    EXPECT_THAT(uses_of(std::string("  %u = ") + other + "\n" + count("%u", maximum) + by_n),
                ElementsAre("%n != 0 wide"));
  }
  const std::string bound = "  %l = reduce %x {op=max, dims=[0]}\n  %m = maximum %l, 5\n";  // may be above them all
  EXPECT_THAT(uses_of(count("%x", bound) + by_n), ElementsAre("%n != 0 wide"));
  EXPECT_THAT(uses_of(count("%x", maximum) + "  %c = subtract %k, 1\n  %o = divide %y, %c\n"),
              ElementsAre("%c != 0 wide"));
}

/// The larger of -inf and a number is a number, and exp of what is left of it positive; exp of -inf may be 0, and then
/// a sum of it and a square.
TEST(PartialUses, MaximaWithMinusInfinity) {
  const std::string
      top = "  %i = constant {value=-inf, dtype=f64, shape=[2]}\n  %m = maximum %i, %x\n  %q = multiply %x, %x\n",
      by_sum = "  %e = exponential %d\n  %s = add %q, %e\n  %o = divide %y, %s\n";
  EXPECT_THAT(uses_of(top + "  %d = subtract %x, %m\n" + by_sum), IsEmpty());
  EXPECT_THAT(uses_of(top + "  %d = subtract %i, %m\n" + by_sum), ElementsAre("%s != 0 wide"));
  EXPECT_THAT(uses_of(top + "  %n = maximum %i, %i\n  %d = subtract %x, %n\n" + by_sum), ElementsAre("%s != 0 wide"));
}

/// NaN equals nothing, not even where it is the maximum; -inf does.
TEST(PartialUses, CountsOfMaximaThatMayBeNan) {
  const std::string count =
      "  %m = reduce %u {op=max, dims=[0]}\n  %b = broadcast_in_dim %m {dims=[], shape=[2]}\n"
      "  %e = compare %u, %b {direction=eq}\n  %f = convert %e {dtype=f64}\n  %n = reduce %f {op=add, dims=[0]}\n"
      "  %k = broadcast_in_dim %n {dims=[], shape=[2]}\n  %o = divide %y, %k\n";
  EXPECT_THAT(uses_of("  %u = sqrt %x\n" + count), ElementsAre("%x >= 0 wide", "%n != 0 wide"));
  EXPECT_THAT(uses_of("  %u = divide %x, %y\n" + count),
              ElementsAre("%y != 0", "%n != 0 wide", "%u not -inf throughout of infinity", "%k != 0 of infinity"));
  EXPECT_THAT(uses_of("  %s = exponential %x\n  %u = divide %y, %s\n" + count), IsEmpty());
  const std::string places = "  %i = iota {dtype=i32, shape=[2], dim=0}\n  %p = compare %i, 1 {direction=lt}\n";
  EXPECT_THAT(uses_of(places + "  %u = select %p, %x, -inf\n" + count), IsEmpty());
  EXPECT_THAT(uses_of(places + "  %c = convert %p {dtype=f64}\n  %t = multiply %c, -inf\n  %u = add %x, %t\n" + count),
              ElementsAre("%n != 0 wide"));
}

/// One is the maximum of its row, of all devices that have a part of it.
TEST(PartialUses, CountsOfMaximaAreOfWholeRows) {
  const auto count = [](const std::string& rows, const std::string& spread, const std::string& sum) {
    return "  %s = broadcast_in_dim %x {dims=[0], shape=[2, 2]}\n  %t = broadcast_in_dim %y {dims=[1], shape=[2, 2]}\n"
           "  %u = multiply %s, %t\n  %m = reduce %u {op=max, dims=[" +
           rows + "]}\n  %b = broadcast_in_dim %m {dims=[" + spread +
           "], shape=[2, 2]}\n  %e = compare %b, %u {direction=eq}\n  %f = convert %e {dtype=f64}\n"
           "  %n = reduce %f {op=add, dims=[" +
           sum + "]}\n  %o = divide %y, %n\n";
  };
  EXPECT_THAT(uses_of(count("1", "0", "1")), IsEmpty());
  EXPECT_THAT(uses_of(count("0", "1", "0")), IsEmpty());
  EXPECT_THAT(uses_of(count("1", "1", "1")), ElementsAre("%n != 0 wide"));  // with the maximum of another row
  EXPECT_THAT(uses_of(count("1", "0", "0")), ElementsAre("%n != 0 wide"));  // down the columns
  const auto on_devices = [](const std::string& maximum, const std::string& sum) {
    return "  %l = reduce %x {op=max, dims=[0]}\n  %m = " + maximum +
           "\n  %b = broadcast_in_dim %m {dims=[], shape=[2]}\n  %e = compare %x, %b {direction=eq}\n"
           "  %f = convert %e {dtype=f64}\n  %h = reduce %f {op=add, dims=[0]}\n  %n = " +
           sum + "\n  %k = broadcast_in_dim %n {dims=[], shape=[2]}\n  %o = divide %y, %k\n";
  };
  const std::string all = "all_reduce %l {axis=p, op=max}", own = "add %l, 0", sum = "all_reduce %h {axis=p}";
  EXPECT_THAT(uses_of(on_devices(all, sum)), IsEmpty());
  EXPECT_THAT(uses_of(on_devices("reshape %l {shape=[]}", sum)), IsEmpty());
  EXPECT_THAT(uses_of(on_devices(all, "add %h, 0")), ElementsAre("%n != 0 wide"));  // the largest is elsewhere
  EXPECT_THAT(uses_of(on_devices("all_reduce %l {axis=p, op=min}", sum)), ElementsAre("%n != 0 wide"));
  EXPECT_THAT(uses_of(on_devices(own, sum)), ElementsAre("%n != 0 wide"));
}

/// Nothing is left of an array each row of which an iteration writes.
TEST(PartialUses, RowsThatALoopWrites) {
  const auto loop = [](const std::string& trips, const std::string& row) {
    return "  %z0 = constant {value=0, dtype=f64, shape=[3, 2]}\n  %z, %xs = scan (%c = %z0, %u = %x) index %i trips " +
           trips +
           " {\n    %e = exponential %u\n    %r = reshape %e {shape=[1, 2]}\n"
           "    %n0 = constant {value=0, dtype=i32}\n    %n2 = constant {value=2, dtype=i32}\n    %k = " +
           row +
           "\n    %d = dynamic_update_slice %c, %r, %k, %n0\n    yield (%d, %u)\n  }\n"
           "  %w = slice %z {start=[2, 0], limit=[3, 2]}\n  %v = reshape %w {shape=[2]}\n  %o = divide %y, %v\n";
  };
  EXPECT_THAT(uses_of(loop("3", "add %n0, %i")), IsEmpty());
  EXPECT_THAT(uses_of(loop("3", "subtract %n2, %i")), IsEmpty());
  EXPECT_THAT(uses_of(loop("2", "add %n0, %i")), ElementsAre("%w != 0"));  // row 2 stays 0
  EXPECT_THAT(uses_of(loop("3", "add %n2, %i")), ElementsAre("%w != 0"));
  EXPECT_THAT(uses_of(loop("3", "multiply %i, %i")), ElementsAre("%w != 0"));
}

/// log 0 is -inf, and exp of that 0: a value that is not finite may lead to one that is, or to a 0.
TEST(PartialUses, InfiniteOnTheWay) {
  EXPECT_THAT(uses_of("  %n = maximum %x, 0\n  %l = log %n\n  %e = exponential %l\n  %o = divide %y, %e\n"),
              ElementsAre("%n > 0 wide", "%e != 0 wide"));
  EXPECT_THAT(uses_of("  %p = compare %x, %y {direction=gt}\n  %n = convert %p {dtype=f64}\n  %l = log %n\n"
                      "  %e = exponential %l\n  %o = divide %y, %e\n"),
              ElementsAre("%n > 0 wide", "%e != 0 wide"));
  EXPECT_THAT(uses_of("  %n = maximum %x, 0\n  %l = log %n\n  %e = exponential %l\n  %o = add %l, %e\n"),
              ElementsAre("%n > 0 wide"));
}

/// a/b is 0 where b is infinite: then it is not enough that a is not 0.
TEST(PartialUses, QuotientsByInfinity) {
  EXPECT_THAT(uses_of("  %n = maximum %x, 0\n  %b = divide 1, %n\n  %q = divide %y, %b\n  %o = divide %x, %q\n"),
              ElementsAre("%n != 0 wide", "%b != 0 wide", "%q != 0 wide"));
}

/// What a check of two programs takes for granted, which make %o of %d = x y - 3 and its negative %e.
Assumptions assumptions(const std::string& sharded, const std::string& reference) {
  const std::string d = "  %xy = multiply %x, %y\n  %d = subtract %xy, 3\n  %e = subtract 3, %xy\n";
  return check_text(
             "mesh @m [p=2]\nglobal @x : f64[4] input\nglobal @y : f64[4] input\n"
             "untyped program @a on @m {\n  %x = view @x [p]\n  %y = view @y [p]\n" +
             d + sharded + "  return @o = %o [p]\n}\nprogram @b {\n  %x = view @x [-]\n  %y = view @y [-]\n" + d +
             reference + "  return @o = %o [-]\n}\ncheck @a == @b\n")
      .assumes;
}

std::vector<std::string> conditions(const std::string& sharded, const std::string& reference) {
  return assumptions(sharded, reference).conditions;
}

/// f32 rounds and overflows where f64 does not, whichever program makes it.
TEST(Definedness, F32MadeOfF64IsListed) {
  const std::string right = "  %o = add %x, 0\n";
  const std::string narrowed = "  %n = convert %x {dtype=f32}\n  %o = convert %n {dtype=f64}\n";
  EXPECT_TRUE(assumptions(narrowed, right).f64_to_f32);
  EXPECT_TRUE(assumptions(right, narrowed).f64_to_f32);
  EXPECT_FALSE(assumptions(right, right).f64_to_f32);
  const std::string widened = "  %f = iota {dtype=f32, shape=[4], dim=0}\n  %w = convert %f {dtype=f64}\n";
  EXPECT_FALSE(assumptions(widened + right, right).f64_to_f32);
}

/// What the sharded program divides by counts as the reference's where the same element has it, and there only.
TEST(Definedness, ThinUsesAreToldPerElement) {
  const std::string quotient = "  %q = divide %d, %d\n", product = "  %o = multiply %x, %q\n";
  EXPECT_THAT(conditions(quotient + product, quotient + product), IsEmpty());
  EXPECT_THAT(conditions("  %s = collective_permute %d {axis=p, shift=1}\n  %q = divide %s, %s\n" + product,
                         quotient + product),
              ElementsAre(StartsWith("%s != 0 (divide at ")));
  EXPECT_THAT(conditions(quotient + product, quotient + "  %o = add %x, 0\n"),
              ElementsAre(StartsWith("%d != 0 (divide at ")));
}

/// 1/(1/d) is 0 where d is, and the reference divides by d, but has a value.
TEST(Definedness, WhatIsInfiniteOnAThinSetIsToldPerElement) {
  const std::string u = "  %q = divide 1, %d\n  %u = divide 1, %q\n", t = u + "  %t = divide %u, %u\n";
  EXPECT_THAT(conditions(t + "  %o = multiply %u, %t\n", u + "  %o = multiply %u, 1\n"),
              ElementsAre(StartsWith("%d != 0 (divide at ")));
  EXPECT_THAT(conditions(t + "  %o = multiply %u, %t\n", t + "  %o = multiply %t, %u\n"), IsEmpty());
  // 1/inf and 1/(-inf) are two zeros, of which nobody knows which one it is.
  EXPECT_THAT(conditions(u + "  %o = divide %x, %u\n", u + "  %o = divide %x, %u\n"),
              ElementsAre(StartsWith("%d != 0 (divide at ")));
}

/// 1/(-0) is -inf.
TEST(Definedness, WhichZeroItIs) {
  const std::string function = "  %q = divide 1, %s\n  %o = exponential %q\n";
  const std::string joined = "  %s = concatenate %n {dim=0}\n", negated = "  %n = negate %d\n" + joined;
  EXPECT_THAT(conditions(negated + function, "  %n = add %e, 0\n" + joined + function),
              ElementsAre(StartsWith("%s != 0 (divide at ")));
  EXPECT_THAT(conditions(negated + "  %o = divide 1, %s\n", "  %o = divide 1, %e\n"), IsEmpty());
  EXPECT_THAT(conditions("  %h = multiply %e, 0.5\n  %s = sine %h\n" + function,
                         "  %h = divide %e, 2\n  %s = sine %h\n" + function),
              IsEmpty());
}

}  // namespace
}  // namespace isoshard::verify::verify_defined_test
