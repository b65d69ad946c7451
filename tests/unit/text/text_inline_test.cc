// Expressions over values: what they mean, what they refuse, and where errors in them point.

#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_inline_test {
namespace {

using ::testing::HasSubstr;

using Inline = TextTest;

/// What `body` becomes, behind its first line.
std::string with_scalar(const std::string& body) {
  return in_program("  %x = view @x [-, -]\n  %s = reduce %x {op=add, dims=[0, 1]}\n" + body +
                    "  return @y = %y [-, -]\n");
}

TEST_F(Inline, BecomesTheOpsThatOneWouldWriteOut) {
  const std::string text = printed(with_scalar("  %y = tanh(%x * 2 + %x) / (%s - 1)\n"));
  EXPECT_THAT(text, HasSubstr("  %2 = constant {value=2, dtype=f32, shape=[12, 12]}\n"
                              "  %3 = multiply %x, %2\n"
                              "  %4 = add %3, %x\n"
                              "  %5 = tanh %4\n"
                              "  %6 = constant {value=1, dtype=f32}\n"
                              "  %7 = subtract %s, %6\n"
                              "  %8 = broadcast_in_dim %7 {dims=[], shape=[12, 12]}\n"
                              "  %y = divide %5, %8\n"));
  EXPECT_EQ(printed(text), text);
}

TEST_F(Inline, BindsAsInPython) {
  const auto ops = [&](const std::string& expression) {
    const std::string text = printed(with_x("  %z = " + expression + "\n"));
    const size_t begin = text.find("%x = view");
    return text.substr(text.find('\n', begin) + 1, text.find("  return") - text.find('\n', begin) - 1);
  };
  EXPECT_EQ(ops("-%x * %x"), "  %1 = negate %x\n  %z = multiply %1, %x\n");
  EXPECT_EQ(ops("%x - %x - %x"), "  %1 = subtract %x, %x\n  %z = subtract %1, %x\n");
  EXPECT_EQ(ops("%x - (%x - %x)"), "  %1 = subtract %x, %x\n  %z = subtract %x, %1\n");
  EXPECT_EQ(ops("%x / %x * %x"), "  %1 = divide %x, %x\n  %z = multiply %1, %x\n");
  EXPECT_EQ(ops("%x + %x * %x"), "  %1 = multiply %x, %x\n  %z = add %x, %1\n");
  EXPECT_EQ(ops("%x + %x < %x"), "  %1 = add %x, %x\n  %z = compare %1, %x {direction=lt}\n");
  EXPECT_EQ(ops("%x != %x"), "  %z = compare %x, %x {direction=ne}\n");
  EXPECT_EQ(ops("d / 8 * %x"), "  %1 = constant {value=1.5, dtype=f32, shape=[12, 12]}\n  %z = multiply %1, %x\n");
  EXPECT_EQ(ops("size(%x, 0) - %x"), "  %1 = constant {value=12, dtype=f32, shape=[12, 12]}\n  %z = subtract %1, %x\n");
  EXPECT_EQ(ops("d - %x"), "  %1 = constant {value=12, dtype=f32, shape=[12, 12]}\n  %z = subtract %1, %x\n");
}

TEST_F(Inline, WhatWasAnOpWithOperandsIsOneStill) {
  const auto last = [&](const std::string& statement) {
    const std::string text = printed(with_x("  %z = " + statement + "\n"));
    const size_t begin = text.find("  %z");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(last("add (2), %x"), "  %z = add %1, %x");
  EXPECT_EQ(last("add (2) * 3, %x"), "  %z = add %1, %x");
  EXPECT_EQ(last("add -1, %x"), "  %z = add %1, %x");
  EXPECT_EQ(last("add (size(%x, 0)), %x"), "  %z = add %1, %x");
  EXPECT_EQ(last("add (%x), %x"), "  %z = add %x, %x");
  EXPECT_EQ(last("add(%x, %x)"), "  %z = add %x, %x");
  EXPECT_EQ(last("add %x * 2, -%x"), "  %z = add %2, %3");
  EXPECT_EQ(last("reduce(%x) {op=add, dims=[0]}"), "  %z = reduce %x {op=add, dims=[0]}");
  EXPECT_EQ(last("sqrt(reduce(%x * %x) {op=add, dims=[0]})"), "  %z = sqrt %2");
}

TEST_F(Inline, StandsWhereValuesAreReturnedAndYielded) {
  const std::string text = printed(in_program("  %x = view @x [-, -]\n"
                                              "  %h = scan (%c = %x) trips 3 {\n    yield (%c * 2 - 1)\n  }\n"
                                              "  return @y = f(%h) + 1 [-, -]\n") +
                                   "func @f(%a: f32[*]) -> f32[*] {\n  return @g(%a) * %a\n}\n"
                                   "func @g(%a: f32[*]) -> f32[*] {\n  return -%a\n}\n");
  EXPECT_THAT(text, HasSubstr("    yield (%5)\n"));
  EXPECT_THAT(text, HasSubstr("  %7 = call @f(%h)\n"));
  EXPECT_THAT(text, HasSubstr("  return @y = %9 [-, -]\n"));
  EXPECT_THAT(text, HasSubstr("  %1 = call @g(%a)\n  %2 = multiply %1, %a\n  return %2\n"));
  EXPECT_EQ(printed(text), text);
}

TEST_F(Inline, ErrorsPointAtTheirPartOfTheExpression) {
  EXPECT_EQ(rendered(with_x("  %y = %x + tanh(%x * %n) / 2\n")),
            "t.shard:8:23: error: %n is not defined [E-undefined]\n"
            "      %y = %x + tanh(%x * %n) / 2\n"
            "                          ^^\n");
  EXPECT_EQ(
      rendered(with_x("  %n = view @n [-]\n  %y = %x + tanh(%n * 2) / 2\n")),
      "t.shard:9:13: error: tanh: the operand is i32[3]; expected floats, not integers, predicates or keys [T-float]\n"
      "      %y = %x + tanh(%n * 2) / 2\n"
      "                ^^^^^^^^^^^^\n");
  EXPECT_EQ(error(with_x("  %n = view @n [-]\n  %y = (%x + %n) * 2\n")),
            "9:9 T-dtype add: the operands are f32[12,12] and i32[3]; expected one dtype");
  EXPECT_EQ(error(with_x("  %y = 2 * foo - %x\n")), "8:12 E-name there is no let `foo`; the lets are d");
  EXPECT_EQ(error(with_x("  %y = %x * top_k(%x) {k=2}\n")), "8:13 V-results top_k: has 2 results and 1 names");
  EXPECT_EQ(error(with_x("  %y = %x * foo(%x)\n")), "8:13 E-op there is no op `foo`; `isoshard ops` lists them");
}

TEST_F(Inline, OnlyScalarsAreBroadcast) {
  const std::string row = "  %r = reduce %x {op=add, dims=[0]}\n";
  EXPECT_THAT(error(with_x(row + "  %y = %x * %r\n")),
              HasSubstr("9:8 T-shape multiply: the operands are f32[12,12] and f32[12]; expected one shape"));
  EXPECT_THAT(error(with_scalar("  %y = multiply %x, %s\n")),
              HasSubstr("9:8 T-shape multiply: the operands are f32[12,12] and f32[]; expected one shape"));
}

TEST_F(Inline, WhatIsNoExpression) {
  EXPECT_EQ(error(with_x("  %y = %x\n")),
            "8:8 P-expression a value alone computes nothing; expected an op, or the value itself where it is used");
  EXPECT_EQ(
      error(with_x("  %y = 2 * d\n")),
      "8:8 P-expression a number alone has no shape; expected an op, or `constant {value=2, dtype=f32, shape=[4]}`");
  EXPECT_EQ(error(with_x("  %y = tanh(2)\n")).substr(0, 40), "8:12 E-literal `(2)` has no shape here: ");
  EXPECT_EQ(error(with_x("  %y = -(%x\n")),
            "8:12 P-expected found the end of the line; expected `)` after the expression");
  EXPECT_EQ(error(with_x("  %y = maximum(%x, %x\n")),
            "8:22 P-expected found the end of the line; expected `)` or `,` after the argument");
  EXPECT_EQ(error(with_x("  %y = %x < %x < %x\n")),
            "8:16 P-comparison comparisons do not chain; expected parentheses, or `and(%a < %b, %b < %c)`");
  EXPECT_EQ(error(with_x("  %y = max(%x, 0)\n")),
            "8:12 P-function `max` is a function of integers; the op for values is `maximum`, as in maximum(%a, %b)");
  EXPECT_EQ(error(with_x("  %y = (%x) % (%x)\n")),
            "8:13 P-expected `%` is a remainder of numbers; expected `remainder(%a, %b)` for values");
  EXPECT_EQ(error(with_x("  %y = tanh(tanh %x)\n")),
            "8:18 P-expected found \"%x\"; expected `(` behind the name of an op in an expression, as in tanh(%x)");
  EXPECT_EQ(error(in_program("  return @y = 2 [-]\n")),
            "7:15 E-literal `2` has no shape here; expected a value: write a `constant`");
}

TEST_F(Inline, DeepExpressionsAreRefused) {
  std::string chain = "%x";
  for (int i = 0; i < 300; ++i) chain += " + %x";
  EXPECT_EQ(error(with_x("  %y = " + chain + "\n")),
            "8:8 P-nesting the expression has more than 256 ops in each other; expected several statements, or `sum`");
  EXPECT_THAT(error(with_x("  %y = " + std::string(1000, '(') + "%x\n")),
              HasSubstr("P-nesting nesting is deeper than"));
  EXPECT_THAT(error(with_x("  %y = " + std::string(1000, '-') + "%x\n")),
              HasSubstr("P-nesting nesting is deeper than"));
  std::string calls;
  for (int i = 0; i < 1000; ++i) calls += "tanh(";
  EXPECT_THAT(error(with_x("  %y = " + calls + "%x\n")), HasSubstr("P-nesting nesting is deeper than"));
}

}  // namespace
}  // namespace isoshard::text_inline_test
