// Every rule of the syntax (P-) and of elaboration (E-), with place and message.

#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_errors_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Syntax = TextTest;

TEST_F(Syntax, EveryStatementIsReportedOnce) {
  EXPECT_THAT(
      errors("isoshard 1\n"
             "let 3 = 4\n"
             "program @p {\n"
             "  %x = view @x -, -]\n"
             "  %y = negate %x %x\n"
             "  for k in 0..3 { %z = }\n"
             "  foo\n"
             "  %w = add %x, =\n"
             "}\n"
             "check @p = @q\n"),
      ElementsAre(
          "2:5 P-expected found \"3\"; expected a name, as in `let d = 64`",
          "4:16 P-expected found \"-\"; expected `[` and one entry per dimension, as in [data, -]",
          "5:18 P-expected found \"%x\"; expected the end of the line; operands are separated by commas",
          "6:24 P-expected found \"}\"; expected an op, as in `%y = add %a, %b`",
          "7:3 P-expected found \"foo\"; expected a statement: `%y = op ...`, `return ...`, `update ...`, `yield ...`, "
          "`for k in a..b "
          "{ ... }`, or `if a < b { ... }`; did you mean `for`?",
          "8:16 P-expected found \"=\"; expected an operand: a value such as %x, a number, or an "
          "expression in parentheses",
          "10:10 P-expected found \"=\"; expected `==` after the program, as in `check @a == @b`"));
}

TEST_F(Syntax, Tokens) {
  EXPECT_EQ(error("isoshard 1\nlet a = 12x\n"),
            "2:9 P-number \"12x\" is not a number; expected digits, as in 12, 0.5 or 1e-5");
  EXPECT_EQ(error("isoshard 1\nlet a = 1 $ 2\n"), "2:11 P-character unexpected character \"$\"");
  EXPECT_EQ(error("isoshard 1\nprogram @p { % = }\n"),
            "2:14 P-character a name is missing after \"%\"; expected letters and digits, as in %x");
  EXPECT_EQ(error("isoshard 1\nlet a = mid(1, 2)\n"), "2:9 P-function there is no function `mid`; did you mean `min`?");
  EXPECT_EQ(
      error("isoshard 1\nlet a = length(2)\n"),
      "2:9 P-function there is no function `length`; the functions are ceildiv, floordiv, max, min, mod, rank, size");
  EXPECT_EQ(error("isoshard 1\nlet a = mod(1)\n"), "2:9 P-function mod gets 1 arguments; expected 2");
  EXPECT_EQ(error("isoshard 1\nlet a = min()\n"), "2:9 P-function min gets 0 arguments; expected at least 1");
  EXPECT_EQ(
      error("isoshard 1\nlet b = 2\nlet a = 7 %b\n"),
      "3:11 P-expected found \"%b\"; expected the end of the expression; a remainder has a blank after the `%`, as "
      "in a % b, and operands are separated by commas");
  EXPECT_EQ(error("isoshard 1\nprogram @p {\n"),
            "2:12 P-brace the brace has no `}`; expected one before the end of the file in line 3");
}

TEST_F(Syntax, AnOpenBraceIsNamedWhereItOpens) {
  EXPECT_EQ(
      rendered(
          "isoshard 1\nprogram @p {\n  for k in 0..2 {\n    %x.{k} = sum %y\n  }\n\nprogram @q {\n}\nfunc @f(%a) {\n"),
      "t.shard:2:12: error: the brace has no `}`; expected one before \"program\" in line 7 [P-brace]\n"
      "    program @p {\n"
      "               ^\n"
      "t.shard:7:1: note: the block goes on to here\n"
      "    program @q {\n"
      "    ^^^^^^^\n"
      "t.shard:9:13: error: the brace has no `}`; expected one before the end of the file in line 10 [P-brace]\n"
      "    func @f(%a) {\n"
      "                ^\n"
      "t.shard:10:1: note: the block goes on to here\n");
}

TEST_F(Syntax, Conditions) {
  const auto comparison = std::string(
      "P-comparison a comparison is no number; expected one alone between `if` and `{`, as in `if a < b { ... }`");
  EXPECT_EQ(error("isoshard 1\nlet a = 1 < 2\n"), "2:11 " + comparison);
  EXPECT_EQ(error(with_x("  if (d == 12) { }\n")), "8:9 " + comparison);
  EXPECT_EQ(error(with_x("  if 1 < d < 13 { }\n")), "8:12 " + comparison);
  EXPECT_EQ(error(with_x("  %y = reshape %x {shape=[d >= 1]}\n")), "8:29 " + comparison);
  EXPECT_EQ(error(with_x("  if d { }\n")),
            "8:8 P-expected found \"{\"; expected a comparison, as in `if a < b { ... }`");
  EXPECT_EQ(error(with_x("  if d ! 3 { }\n")),
            "8:8 P-character unexpected character \"!\"; of predicates it is `and(%a, %b)`, `or(%a, %b)` or `not(%a)`");
  EXPECT_EQ(error(with_x("  else { }\n")),
            "8:3 P-expected found \"else\"; expected a statement; `else` stands only behind the block of an `if`");
  EXPECT_EQ(error(with_x("  if d < 1 { } else { } else { }\n")),
            "8:25 P-expected found \"else\"; expected the end of the line; operands are separated by commas");
  for (const std::string word : {"if 1 < 2 {\n}\n", "for k in 0..2 {\n}\n"}) {
    EXPECT_EQ(error("isoshard 1\n" + word),
              "2:1 P-expected found \"" + word.substr(0, word.find(' ')) +
                  "\"; expected an item; `if` and `for` stand only in the body of a program or func");
  }
}

TEST_F(Syntax, Pipelines) {
  EXPECT_EQ(error("isoshard 1\npipeline @p { }\n"),
            "2:15 P-expected found \"}\"; expected a field of the pipeline: stage=@s, stages=EXPR over AXIS, "
            "microbatches=EXPR, loss=@l, schedule=\"1F1B\", or actions \"file.csv\"");
  EXPECT_EQ(error("isoshard 1\npipeline @p {stage=@s}\n"), "2:10 E-field pipeline @p needs the field loss=@l");
  EXPECT_EQ(error("isoshard 1\npipeline @p {stage=@s, loss=@l}\n"),
            "2:10 E-field pipeline @p needs the field stages=EXPR over AXIS");
  EXPECT_EQ(error("isoshard 1\npipeline @p {stage=@s, loss=@l, stages=2}\n"),
            "2:41 P-expected found \"}\"; expected `over` and the axis, as in stages=size(pp) over pp");
}

TEST_F(Syntax, Strings) {
  const std::string rest =
      "a string has no end on its line; expected printable ASCII characters and `\"`, as in \"1F1B\"";
  EXPECT_EQ(error("isoshard 1\npipeline @p {schedule=\"1F1B}\n"), "2:23 P-string " + rest);
  EXPECT_EQ(error("isoshard 1\npipeline @p {schedule=\"caf\xc3\xa9\"}\n").substr(0, 14), "2:23 P-string ");
}

TEST_F(Syntax, Nesting) {
  const auto nested = [](size_t depth) {
    return "isoshard 1\nlet a = " + std::string(depth, '(') + "1" + std::string(depth, ')') + "\n";
  };
  EXPECT_EQ(printed(nested(100)), "isoshard 1\n");
  EXPECT_THAT(error(nested(100000)), HasSubstr("P-nesting nesting is deeper than 256 levels"));
  EXPECT_THAT(error("isoshard 1\nlet a = " + std::string(100000, '-') + "1\n"), HasSubstr("P-nesting"));
  EXPECT_THAT(error(with_x("  %y = reshape %x {shape=" + std::string(100000, '[') + "\n")), HasSubstr("P-nesting"));
  std::string loops;
  for (int i = 0; i < 5000; ++i) loops += "for k in 0..1 {\n";
  EXPECT_THAT(error(with_x(loops)), HasSubstr("P-nesting"));
}

TEST_F(Syntax, ErrorsEnd) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "  foo\n";
  EXPECT_EQ(errors(with_x(lines)).size(), 20U);
}

using Names = TextTest;

TEST_F(Names, Unknown) {
  EXPECT_EQ(error(with_x("  %y = negate %xx\n")), "8:15 E-undefined %xx is not defined; did you mean `%x`?");
  EXPECT_EQ(error(with_x("  %y = reshape %x {shape=[dd, 12]}\n")),
            "8:27 E-name there is no let `dd`; did you mean `d`?");
  EXPECT_EQ(error(with_x("  %y = call @f(%x)\n")), "8:13 E-func there is no func @f; there are no funcs");
  EXPECT_EQ(error(with_x("") + "program @q on @n { }\n"), "10:15 E-mesh there is no mesh @n; the meshes are @m");
  EXPECT_EQ(error(with_x("") + "check @p == @q\n"), "10:13 E-program there is no program @q; the programs are @p");
  EXPECT_EQ(error("isoshard 1\nglobal @x : f33[2] input\n"),
            "2:13 E-dtype there is no dtype `f33`; did you mean `f32`?");
  EXPECT_EQ(error("isoshard 1\nglobal @x : f32[2] inputs\n"),
            "2:20 E-role there is no role `inputs`; did you mean `input`?");
  EXPECT_EQ(error("isoshard 1\nglobal @x : f32[2] input init=nrmal\n"),
            "2:31 E-init there is no init `nrmal` (and it is no number); did you mean `normal`?");
  EXPECT_EQ(error("isoshard 1\nglobal @x : i32[2] input init=1/2\n"),
            "2:31 E-init the init is 0.5 for i32[2]; expected an integer");
  EXPECT_EQ(error("isoshard 1\nprogram @p {\n  %x = axis_index {axis=model}\n}\n"),
            "3:25 E-axis there is no axis `model`: the program is on no mesh; write `on @mesh` after its name");
}

TEST_F(Names, Ranges) {
  EXPECT_EQ(error("isoshard 1\nglobal @x : f32[2] input in 0..8\n"),
            "2:26 E-range @x is f32[2]; a range is for integers");
  EXPECT_EQ(error("isoshard 1\nglobal @x : i32[2] input in 8..8\n"),
            "2:26 E-range the range is 8..8, which holds no integer; expected LOW..HIGH with LOW < HIGH");
  EXPECT_EQ(error("isoshard 1\nglobal @x : u32[2] input in 0..8, -1\n"),
            "2:26 E-range the range is 0..8, -1 for u32[2]; expected integers from 0 to 4294967295");
  EXPECT_EQ(error("isoshard 1\nglobal @x : i32[2] input in 0..2147483649\n"),
            "2:26 E-range the range is 0..2147483649 for i32[2]; expected integers from -2147483648 to 2147483647");
  EXPECT_EQ(error("isoshard 1\nglobal @t : i32[] state in 1..8 init=zeros\n"),
            "2:25 E-range the range is 1..8 and the init 0; expected an init in the range");
  EXPECT_EQ(error("isoshard 1\nglobal @x : i32[2] input in 0\n"),
            "3:1 P-expected found the end of the file; expected `..` and the end of the range, as in 0..4");
  EXPECT_EQ(error("isoshard 1\nglobal @x : i32[2] input in 0..vocab\n"),
            "2:32 E-name there is no let `vocab`; there are no lets");
  EXPECT_EQ(printed("isoshard 1\nlet v = 8\nglobal @x : i32[2] input in 0..v, 9, -1, v - 1, 9 init=ones\n"),
            "isoshard 1\n\nglobal @x : i32[2] input in 0..8, -1, 9 init=ones\n");
}

TEST_F(Names, Twice) {
  EXPECT_EQ(error("isoshard 1\nlet a = 1\nlet a = 2\n"),
            "3:5 E-duplicate let a is declared twice; expected a new name");
  EXPECT_EQ(error(with_x("") + "program @p { }\n"),
            "10:9 E-duplicate program @p is declared twice; expected a new name");
  EXPECT_EQ(error("isoshard 1\nmesh @m [a=2, a=3]\n"),
            "2:15 E-duplicate the axis a is declared twice; expected a new name");
  EXPECT_EQ(error("isoshard 1\nmesh @m [a=2]\nlet a = 3\n"),
            "3:5 E-duplicate the let `a` has the name of an axis of @m; rename one");
  EXPECT_EQ(
      error(with_x("  for k in 0..2 {\n    %t = negate %x\n  }\n")),
      "9:5 E-duplicate %t is defined again in every iteration; write %t.{k} with the loop variable k, so that each "
      "has its own name");
  EXPECT_EQ(error(with_x("  for d in 0..2 { }\n")),
            "8:7 E-duplicate the loop variable `d` has the name of a let; expected a new name");
  EXPECT_EQ(error(with_x("  %a, %a = negate %x\n")), "8:7 E-duplicate %a is defined twice; expected a new name");
  EXPECT_EQ(error(with_x("  return @y = %x [-, -]\n")),
            "9:3 V-output return: output @y is returned twice; expected one return per output");
}

TEST_F(Names, FollowUpErrorsAreNotReported) {
  EXPECT_EQ(errors(with_x("  %y = view @z [-]\n  %q = add %y, %x\n  %r = tanh %q\n")).size(), 1U);
  EXPECT_EQ(errors(with_x("  for k in 0..4 { %t.{k} = nagate %x }\n  %s = sum %t.{0..4}\n")).size(), 1U);
  EXPECT_EQ(errors("isoshard 1\nlet a = 1/2\nlet b = a + 1\nlet c = b * b\n").size(), 1U);
}

using Numbers = TextTest;

TEST_F(Numbers, Integers) {
  const auto let = [&](const std::string& expr) { return error("isoshard 1\nlet d = 12\nlet a = " + expr + "\n"); };
  EXPECT_EQ(let("9223372036854775807 + 1"),
            "3:9 E-overflow `9223372036854775807 + 1` = 9223372036854775807 + 1 does not fit 64 bits");
  EXPECT_EQ(let("99999999999999999999"),
            "3:9 E-overflow 99999999999999999999 does not fit 64 bits; expected at most 9223372036854775807");
  EXPECT_EQ(let("d / 5"),
            "3:9 E-divide `d / 5` = 12 / 5 is not exact: it leaves a remainder of 2; choose numbers that divide");
  EXPECT_EQ(let("d / (d - 12)"), "3:9 E-divide `d / (d - 12)` = 12 / 0 divides by zero");
  EXPECT_EQ(let("(-9223372036854775807 - 1) / -1"),
            "3:9 E-overflow `(-9223372036854775807 - 1) / -1` = -9223372036854775808 / -1 does not fit 64 bits");
  EXPECT_EQ(let("9223372036854775808"),
            "3:9 E-overflow 9223372036854775808 does not fit 64 bits; expected at most 9223372036854775807");
  EXPECT_EQ(let("-(-9223372036854775808)"), "3:9 E-overflow -9223372036854775808 negated does not fit 64 bits");
  EXPECT_EQ(let("-9223372036854775808 - d"),
            "3:9 E-overflow `-9223372036854775808 - d` = -9223372036854775808 - 12 does not fit 64 bits");
  EXPECT_EQ(let("floordiv(d, d-12)"), "3:9 E-divide `floordiv(d, d-12)` = floordiv(12, 0) divides by zero");
  EXPECT_EQ(let("ceildiv(1, 0)"), "3:9 E-divide `ceildiv(1, 0)` = ceildiv(1, 0) divides by zero");
  for (const char* name : {"floordiv", "ceildiv"}) {
    const std::string call = std::string(name) + "(-9223372036854775808, -1)";
    EXPECT_EQ(let(call), "3:9 E-overflow `" + call + "` = " + call + " does not fit 64 bits");
  }
  EXPECT_EQ(let("mod(d, -5)"), "3:9 E-divide `mod(d, -5)` = mod(12, -5) has the modulus -5; expected at least 1");
  EXPECT_EQ(let("d % (d - 12)"), "3:9 E-divide `d % (d - 12)` = 12 % 0 has the modulus 0; expected at least 1");
  EXPECT_EQ(let("size(%x, 0)"),
            "3:9 E-undefined `size(%x, 0)` stands only in the body of a func or program, which has values");
  EXPECT_EQ(let("min(1, 0.5)"), "3:16 E-integer 0.5 is not an integer; expected one here");
  EXPECT_EQ(let("9223372036854775807 + " + std::string(110, '(') + "1" + std::string(110, ')')),
            "3:9 E-overflow `9223372036854775807 + " + std::string(98, '(') +
                "...` = 9223372036854775807 + 1 does not fit 64 bits");
  EXPECT_EQ(let("1.5"), "3:9 E-integer 1.5 is not an integer; expected one here");
  EXPECT_EQ(let("size(model)"), "3:9 E-axis no mesh before this line has an axis `model`; there are no axes");
}

TEST_F(Numbers, Fields) {
  const auto op = [&](const std::string& text) { return error(with_x("  %y = " + text + "\n")); };
  EXPECT_EQ(op("all_reduce %x {axis=model, to=3}"),
            "8:38 E-field-value all_reduce: the field `to` is `3`; expected a state: R, I, V or P");
  EXPECT_EQ(op("all_reduce %x {axis=[model]}"),
            "8:28 E-field-value all_reduce: the field `axis` is `[model]`; expected an axis or a tuple of axes");
  EXPECT_EQ(op("all_reduce %x {axis=model, axis=data}"), "8:35 E-field all_reduce: the field `axis` is given twice");
  EXPECT_EQ(op("all_reduce %x {axis=(model, model)}"),
            "8:36 E-axis the axis `model` is named twice; expected each axis once");
  EXPECT_EQ(op("dot_general %x, %x {contract=[1]}"),
            "8:37 E-field-value dot_general: the field `contract` is `[1]`; expected two lists of dimensions, as in "
            "[1]x[0]");
  EXPECT_EQ(
      op("convolution %x, %x {dims=[b, f]x[o, f]->[b, f]}"),
      "8:33 E-field-value convolution: the field `dims` is `[b, f]x[o, f]->[b, f]`; expected dimension numbers, as "
      "in [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]");
  EXPECT_EQ(op("reduce %x {op=mean, dims=[0]}"),
            "8:22 E-field-value reduce: the field `op` is `mean`; expected one of add, max, min, argmax, "
            "mul, and, or");
  EXPECT_EQ(op("reduce %x {op=add, dims=0, partial=model}"),
            "8:32 E-field-value reduce: the field `dims` is `0`; expected a list of integers, as in [0, 1]");
  EXPECT_EQ(op("reduce %x {op=add, dims=[0], partial=model}"),
            "8:45 E-field-value reduce: the field `partial` is `model`; expected axes in braces, as in {model}");
  EXPECT_EQ(op("collective_permute %x {axis=model, pairs=[0, 1]}"),
            "8:49 E-field-value collective_permute: the field `pairs` is `[0, 1]`; expected a list of pairs, as in "
            "[(0, 1), (1, 0)]");
  EXPECT_EQ(op("constant {value=[1], dtype=f32}"),
            "8:24 E-field-value constant: the field `value` is `[1]`; expected a number, as in 0.1, 1/3, -2 or inf");
  EXPECT_EQ(op("constant {value=1, dtype=float}"),
            "8:33 E-field-value constant: the field `dtype` is `float`; expected a dtype: pred, i8, u8, i32, u32, i64, "
            "u64, f8e4m3, f8e5m2, bf16, f16, f32, f64, key");
  EXPECT_EQ(op("constant {value=1 + inf, dtype=f32}"),
            "8:28 E-number inf cannot be part of a sum or product; write it alone");
  EXPECT_EQ(op("constant {value=1e5000, dtype=f32}"),
            "8:24 E-number 1e5000 is out of range; expected an exponent of at most 4000");
}

TEST_F(Numbers, SizesAndLimits) {
  EXPECT_EQ(error("isoshard 1\nglobal @x : f32[2, -1] input\n"),
            "2:20 E-size the size is -1; expected at least 0 and at most 2^40 elements in all");
  EXPECT_EQ(error("isoshard 1\nmesh @m [a=0]\n"),
            "2:12 E-size the size of `a` is 0; expected 1 to 1048576 devices, and as many for the whole mesh");
  EXPECT_EQ(error("isoshard 1\nmesh @m [a=2] devices=[0, 0]\n"),
            "2:27 E-devices the device 0 is out of range or repeated; expected each of 0 to 1 once");
  EXPECT_EQ(
      error("isoshard 1\nmesh @m [a=2] devices=[0]\n"),
      "2:6 E-devices devices lists 1 devices and the mesh @m has 2; expected one per position, or leave `devices` "
      "out");
  EXPECT_EQ(error(with_x("  for k in 0..9223372036854775807 { }\n")),
            "8:3 E-limit the file elaborates to more than 1000000 ops; expected fewer iterations");
  EXPECT_THAT(error(with_x("  %s = sum %x.{0..9223372036854775807}\n")), HasSubstr("8:12 E-"));
}

TEST_F(Numbers, IndicesAndLiterals) {
  EXPECT_EQ(error(with_x("  %y.{0-1} = negate %x\n")), "8:7 E-index the index is -1; expected at least 0");
  EXPECT_EQ(error(with_x("  %y.{0..2} = negate %x\n")), "8:3 E-index `%y.{0..2}` is a spread; expected one value here");
  EXPECT_EQ(error(with_x("  %y = sum %x.{0..0}\n")), "8:8 E-sum sum has no operands; expected at least one value");
  EXPECT_EQ(
      error(with_x("  %y = negate 1\n")),
      "8:15 E-literal `1` has no shape here: a number takes that of the other of two operands; write a `constant`");
  EXPECT_EQ(
      error(with_x("  %y = add 1, 2\n")),
      "8:12 E-literal `1` has no shape here: a number takes that of the other of two operands; write a `constant`");
}

TEST_F(Numbers, Options) {
  const std::string file = "isoshard 1\nlet d = 12\n";
  EXPECT_EQ(error(file, {{}, {{"dd", "3"}}}), "0:0 E-set --set dd=3: the file has no `let dd`; did you mean `d`?");
  EXPECT_EQ(error(file, {{}, {{"d", "3x"}}}), "0:0 E-set --set d: the value is \"3x\"; expected an integer of 64 bits");
  EXPECT_EQ(error(file, {{}, {{"d", "3"}, {"d", "4"}}}), "0:0 E-option --set gives `d` twice; expected once");
}

using Functions = TextTest;

TEST_F(Functions, Recursion) {
  EXPECT_EQ(
      rendered("isoshard 1\n"
               "func @f(%a: f32[2]) -> f32[2] {\n  %b = call @g(%a)\n  return %b\n}\n"
               "func @g(%a: f32[2]) -> f32[2] {\n  %b = call @f(%a)\n  return %b\n}\n"),
      "t.shard:7:8: error: the func @f calls itself: @f -> @g -> @f; calls are elaborated to the end, so recursion "
      "has none [E-recursion]\n"
      "      %b = call @f(%a)\n"
      "           ^^^^^^^^^^^\n"
      "  t.shard:3:8: note: called from here\n"
      "      %b = call @g(%a)\n"
      "           ^^^^^^^^^^^\n");
}

TEST_F(Functions, SignaturesAndReturns) {
  const std::string header = "isoshard 1\nmesh @m [a=2]\nfunc @f(%a: f32[2]) on @m -> f32[3] {\n";
  EXPECT_EQ(error(header + "  return %a\n}\n"), "4:3 E-result @f returns f32[2] as result 0; its header says f32[3]");
  EXPECT_EQ(error(header + "  return %a, %a\n}\n"), "4:3 E-result @f returns 2 values; its header says 1");
  EXPECT_EQ(error(header + "}\n"), "3:6 V-return func @f returns nothing; expected `return %value`");
  EXPECT_EQ(error(header + "  return @y = %a [-]\n}\n"),
            "4:3 E-return a func returns values without names: `return %y`");
  EXPECT_EQ(error(in_program("  %x = view @x [-, -]\n  return %x\n")),
            "8:3 E-return a program returns named outputs with a layout: `return @y = %y [-, model]`");
  const std::string f = "func @f(%a: f32[d]) on @m -> f32[d] {\n  return %a\n}\n";
  EXPECT_EQ(error(with_x("  %y = call @f(%x)\n") + f),
            "8:8 T-call call: argument 0 is f32[12,12]; expected f32[12] for %a of @f");
  EXPECT_EQ(error(with_x("  %y = call @f()\n") + f), "8:8 T-call call: @f takes 1 arguments and gets 0");
  EXPECT_EQ(error(with_x("  %y, %z = call @g(%x)\n") + "func @g(%a: f32[d, d]) on @m -> f32[d, d] {\n  return %a\n}\n"),
            "8:12 V-results call: has 1 results and 2 names");
  EXPECT_EQ(error("isoshard 1\nmesh @m [a=2]\nmesh @n [a=2]\nglobal @x : f32[4] input\n"
                  "func @h(%a: f32[4]) on @n -> f32[4] {\n  return %a\n}\n"
                  "program @p on @m {\n  %x = view @x [-]\n  %y = call @h(%x)\n  return @y = %y [-]\n}\n"),
            "10:13 E-mesh the func @h is on @n and its caller @p is on @m; expected the same mesh, or a func without "
            "`on`, which takes that of its caller");
  EXPECT_EQ(
      error("isoshard 1\nmesh @m [a=2]\nglobal @x : f32[4] input\n"
            "func @h(%a: f32[4]) on @m -> f32[4] {\n  return %a\n}\n"
            "program @p {\n  %x = view @x [-]\n  %y = call @h(%x)\n  return @y = %y [-]\n}\n"),
      "9:13 E-mesh the func @h is on @m and its caller @p is on no mesh; expected the same mesh, or a func without "
      "`on`, which takes that of its caller");
}

TEST_F(Functions, WithoutAMeshTheyHaveThatOfTheirCaller) {
  const std::string total = "func @total(%a: f32[*]) -> f32[*] {\n  %s = all_reduce %a {axis=data}\n  return %s\n}\n";
  EXPECT_NE(printed(with_x("  %y = call @total(%x)\n") + total), "");
  EXPECT_EQ(rendered("isoshard 1\nmesh @m [data=2]\nglobal @x : f32[4] input\n"
                     "program @p {\n  %x = view @x [-]\n  %y = call @total(%x)\n  return @y = %y [-]\n}\n" +
                     total),
            "t.shard:10:28: error: there is no axis `data`: the program is on no mesh; write `on @mesh` after its name "
            "[E-axis]\n"
            "      %s = all_reduce %a {axis=data}\n"
            "                               ^^^^\n"
            "  t.shard:6:8: note: called from here\n"
            "      %y = call @total(%x)\n"
            "           ^^^^^^^^^^^^^^^\n");
}

TEST_F(Functions, AnyShape) {
  const std::string scale = "func @scale(%a: f32[*], %b: f32[2]) on @m -> f32[*] {\n  return %a\n}\n";
  EXPECT_EQ(error(with_x("  %n = view @n [-]\n  %y = call @scale(%n, %n)\n") + scale),
            "9:8 T-call call: argument 0 is i32[3]; expected f32[*] for %a of @scale");
  EXPECT_EQ(error(with_x("  %y = call @scale(%x, %x)\n") + scale),
            "8:8 T-call call: argument 1 is f32[12,12]; expected f32[2] for %b of @scale");
  EXPECT_EQ(error(with_x("  %y = call @scale(%x)\n") + scale), "8:8 T-call call: @scale takes 2 arguments and gets 1");
  EXPECT_EQ(
      error(with_x("  %y = call @f(%x)\n") + "func @f(%a: f32[*]) on @m -> i32[*] {\n  %b = tanh %a\n  return %b\n}\n"),
      "13:3 E-result @f returns f32[12,12] as result 0; its header says i32[*]");
  EXPECT_EQ(error("isoshard 1\nglobal @x : f32[*] input\n"),
            "2:13 E-any-shape `f32[*]` is a type of any shape; it stands only for parameters and results of funcs");
  EXPECT_EQ(error(with_x("  %y = negate %x : f32[*]\n")),
            "8:20 E-any-shape `f32[*]` is a type of any shape; it stands only for parameters and results of funcs");
  EXPECT_EQ(error(with_x("  %y = call @f(%x)\n") + "func @f(%a: f33[*]) on @m -> f32[*] {\n  return %a\n}\n"),
            "11:13 E-dtype there is no dtype `f33`; did you mean `f32`?");
  EXPECT_EQ(
      rendered(with_x("  %y = call @f(%x)\n") +
               "func @f(%a: f32[*]) on @m -> f32[*] {\n  %b = reshape %a {shape=[size(%a, 2)]}\n  return %b\n}\n"),
      "t.shard:12:27: error: `size(%a, 2)` asks for dimension 2 of a value of rank 2; expected at least 0 and "
      "less than the rank [E-size]\n"
      "      %b = reshape %a {shape=[size(%a, 2)]}\n"
      "                              ^^^^^^^^^^^\n"
      "  t.shard:8:8: note: called from here\n"
      "      %y = call @f(%x)\n"
      "           ^^^^^^^^^^^\n");
  EXPECT_EQ(error("isoshard 1\nfunc @f(%a: f32[*]) on @m -> f32[*] {\n  return %a\n}\n"),
            "2:24 E-mesh there is no mesh @m; there are no meshes");
}

TEST_F(Functions, InferredTypes) {
  const std::string f = "func @f(%a, %b, %eps = 1e-6) {\n  return %a * %b + %eps\n}\n";
  EXPECT_EQ(error(with_x("  %y = call @f(%x)\n") + f), "8:8 T-call call: @f takes 3 arguments and gets 1");
  EXPECT_EQ(error(with_x("  %y = call @f(%x, %x, 2, %x)\n") + f), "8:8 T-call call: @f takes 3 arguments and gets 4");
  EXPECT_EQ(rendered(with_x("  %n = view @n [-]\n  %y = f(%x, %n)\n") + f),
            "t.shard:13:10: error: multiply: the operands are f32[12,12] and i32[3]; expected one dtype [T-dtype]\n"
            "      return %a * %b + %eps\n"
            "             ^^^^^^^\n"
            "  t.shard:9:8: note: called from here\n"
            "      %y = f(%x, %n)\n"
            "           ^^^^^^^^^\n");
  EXPECT_EQ(error(with_x("  %y = g(%x)\n") + "func @g(%a, %n = 2, %b) {\n  return %a\n}\n"),
            "11:21 P-expected a parameter without a number stands behind one that has one; expected those with numbers "
            "last");
  EXPECT_EQ(error(with_x("  %y = g(%x)\n") + "func @g(%a %b) {\n  return %a\n}\n"),
            "11:12 P-expected found \"%b\"; expected `=` and a number, `:` and a type, or `,`, as in (%x, %w: f32[8], "
            "%eps = 1e-6)");
  EXPECT_EQ(error(with_x("  %y = g(%x, 2)\n") + "func @g(%a, %n) {\n  return %n\n}\n"),
            "12:10 E-literal %n is the number 2 here, which has no shape; expected a value");
  EXPECT_EQ(error(with_x("  %y = g(%x, 2)\n") + "func @g(%a, %n) {\n  return tanh(%n)\n}\n"),
            "12:15 E-literal `%n` has no shape here: a number takes that of the other of two operands; write a "
            "`constant`");
  EXPECT_EQ(error(with_x("  %y = g(%x, 2)\n") + "func @g(%a, %n) {\n  return %a / (1 / (%n - 2))\n}\n"),
            "12:16 E-divide `1 / (%n - 2)` is no number: 1 and 0");
  EXPECT_EQ(error(with_x("  %y = g(%x, foo)\n") + "func @g(%a, %n) {\n  return %a * %n\n}\n"),
            "8:14 E-name there is no let `foo`; the lets are d");
  EXPECT_EQ(error(with_x("  %y = g(%x)\n") + "func @g(%a) {\n  return reduce(%a) {op=add, dims=[0..9999]}\n}\n"),
            "12:36 E-limit `0..9999` is from 0 to 9999; expected numbers of dimensions, at most 4096");
  EXPECT_EQ(error("isoshard 1\nlet a = rank(%x)\n"),
            "2:9 E-undefined `rank(%x)` stands only in the body of a func or program, which has values");
}

TEST_F(Functions, FuncsThatAreNotCalledAreChecked) {
  EXPECT_EQ(error("isoshard 1\nfunc @f(%a: f32[2], %b: f32[3]) -> f32[2] {\n  %c = add %a, %b\n  return %c\n}\n"),
            "3:8 T-shape add: the operands are f32[2] and f32[3]; expected one shape (use broadcast_in_dim, nothing is "
            "broadcast silently)");
}

TEST_F(Functions, Annotations) {
  EXPECT_EQ(error(with_x("  %y = negate %x : f32[12]\n")),
            "8:20 T-annotation %y is f32[12,12]; the annotation says f32[12]");
  EXPECT_EQ(error(with_x("  %y = negate %x : f32[d, d] {V: data}\n")),
            "8:34 T-annotation %y is R over `data`; the annotation says V");
  EXPECT_EQ(error(with_x("  %y = negate %x : f32[d, d], f32[d, d]\n")),
            "8:20 T-annotation there are 1 results and 2 types; expected one type per result");
}

}  // namespace
}  // namespace isoshard::text_errors_test
