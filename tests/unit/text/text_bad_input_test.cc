// Bad input, each with its message as the user sees it.

#include "core/support/result.h"
#include "tests/sanitized.h"
#include "tests/unit/text/text_fixture.h"
#include "tests/unit/value/in_temporary_directory.h"

namespace isoshard::text_bad_input_test {
namespace {

using Rendered = TextTest;

TEST_F(Rendered, UnknownVersion) {
  EXPECT_EQ(rendered("isoshard 2\n"),
            "t.shard:1:10: error: the format version 2 is unknown; this isoshard knows version 1 [P-version]\n"
            "    isoshard 2\n"
            "             ^\n");
  EXPECT_EQ(rendered("mesh @m [a=2]\n"),
            "t.shard:1:1: error: found \"mesh\"; expected the first line `isoshard 1`, which names the version of the "
            "format [P-expected]\n"
            "    mesh @m [a=2]\n"
            "    ^^^^\n");
}

TEST_F(Rendered, UnknownOp) {
  EXPECT_EQ(rendered(with_x("  %y = dot_genral %x, %x {contract=[1]x[0]}\n")),
            "t.shard:8:8: error: there is no op `dot_genral`; did you mean `dot_general`? [E-op]\n"
            "      %y = dot_genral %x, %x {contract=[1]x[0]}\n"
            "           ^^^^^^^^^^\n");
}

TEST_F(Rendered, SeveralAtOnce) {
  EXPECT_EQ(rendered("isoshard 1\nglobal @x, t : f32[4] input\n"),
            "t.shard:2:12: error: found \"t\"; expected a name, as in `global @x : f32[8, 16] input` [P-expected]\n"
            "    global @x, t : f32[4] input\n"
            "               ^\n");
  EXPECT_EQ(rendered("isoshard 1\nglobal @x, @t : f33[4] input\n"),
            "t.shard:2:17: error: there is no dtype `f33`; did you mean `f32`? [E-dtype]\n"
            "    global @x, @t : f33[4] input\n"
            "                    ^^^\n");
  EXPECT_EQ(
      rendered("isoshard 1\nglobal @x : f32[4] input\nprogram @p {\n  %x = view @x [-]\n  return @y = %x [-], %x\n}\n"),
      "t.shard:5:23: error: found \"%x\"; expected an output [P-expected]\n"
      "      return @y = %x [-], %x\n"
      "                          ^^\n");
}

TEST_F(Rendered, UnknownField) {
  EXPECT_EQ(rendered(with_x("  %y = reduce %x {op=add, dim=[0]}\n")),
            "t.shard:8:27: error: reduce has no field `dim`; did you mean `dims`? [E-field]\n"
            "      %y = reduce %x {op=add, dim=[0]}\n"
            "                              ^^^\n"
            "t.shard:8:8: error: reduce needs the field `dims`: dimensions that disappear [E-field]\n"
            "      %y = reduce %x {op=add, dim=[0]}\n"
            "           ^^^^^^\n");
}

TEST_F(Rendered, UnknownAxis) {
  EXPECT_EQ(rendered(with_x("  %y = axis_index {axis=modle}\n")),
            "t.shard:8:25: error: the mesh @m has no axis `modle`; did you mean `model`? [E-axis]\n"
            "      %y = axis_index {axis=modle}\n"
            "                            ^^^^^\n");
}

TEST_F(Rendered, UnknownGlobal) {
  EXPECT_EQ(rendered(with_x("  %y = view @weights [-]\n")),
            "t.shard:8:13: error: there is no global @weights; the globals are @n, @x [E-global]\n"
            "      %y = view @weights [-]\n"
            "                ^^^^^^^^\n");
}

TEST_F(Rendered, DuplicateValue) {
  EXPECT_EQ(rendered(with_x("  %x = negate %x\n")),
            "t.shard:8:3: error: %x is defined twice; expected a new name [E-duplicate]\n"
            "      %x = negate %x\n"
            "      ^^\n"
            "t.shard:7:3: note: it is first defined here\n"
            "      %x = view @x [-, -]\n"
            "      ^^\n");
}

TEST_F(Rendered, UseBeforeDefinition) {
  EXPECT_EQ(rendered(with_x("  %y = negate %z\n  %z = negate %x\n")),
            "t.shard:8:15: error: %z is used before it is defined [E-order]\n"
            "      %y = negate %z\n"
            "                  ^^\n"
            "t.shard:9:3: note: it is defined here\n"
            "      %z = negate %x\n"
            "      ^^\n");
}

TEST_F(Rendered, ShapeMismatchInALoop) {
  EXPECT_EQ(rendered(with_x("  for k in 12..14 {\n    %y.{k} = reshape %x {shape=[d, k]}\n  }\n")),
            "t.shard:9:14: error: reshape: the operand f32[12,12] has 144 elements and [12,13] has 156 [T-reshape]\n"
            "        %y.{k} = reshape %x {shape=[d, k]}\n"
            "                 ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  t.shard:8:3: note: iteration k = 13\n");
}

TEST_F(Rendered, DtypeMismatch) {
  EXPECT_EQ(rendered(with_x("  %n = view @n [-]\n  %y = add %x, %n\n")),
            "t.shard:9:8: error: add: the operands are f32[12,12] and i32[3]; expected one dtype [T-dtype]\n"
            "      %y = add %x, %n\n"
            "           ^^^^^^^^^^\n");
}

TEST_F(Rendered, BareAxis) {
  EXPECT_EQ(rendered(with_x("  %y = reshape %x {shape=[data, 72]}\n")),
            "t.shard:8:27: error: the axis `data` is not a number here; write size(data) for its number of devices "
            "(a bare axis stands only in layouts and fields, as in [data]) [E-bare-axis]\n"
            "      %y = reshape %x {shape=[data, 72]}\n"
            "                              ^^^^\n");
}

TEST_F(Rendered, SplitsThatDoNotDivide) {
  EXPECT_EQ(rendered("isoshard 1\nmesh @m [model=3]\nlet d = 512\nlet dl = d / size(model)\n"),
            "t.shard:4:10: error: `d / size(model)` = 512 / 3 is not exact: it leaves a remainder of 2; choose numbers "
            "that divide [E-divide]\n"
            "    let dl = d / size(model)\n"
            "             ^^^^^^^^^^^^^^^\n");
  EXPECT_EQ(rendered(in_program("  %n = view @n [data]\n  return @y = %n [data]\n")),
            "t.shard:7:8: error: view: dim 0 of @n with size 3 is not divisible by 2, the size of data; `uneven "
            "data` splits it into blocks of 2 with padding [T-divide]\n"
            "      %n = view @n [data]\n"
            "           ^^^^^^^^^^^^^^\n");
}

TEST_F(Rendered, MissingReturn) {
  EXPECT_EQ(rendered(in_program("  %x = view @x [-, -]\n")),
            "t.shard:6:9: error: program @p returns nothing; expected `return @name = %value [layout]` or `update "
            "@global = %value [layout]` [V-return]\n"
            "    program @p on @m {\n"
            "            ^^\n");
}

TEST_F(Rendered, OutputsThatDiffer) {
  const std::string other = "program @q {\n  %n = view @n [-]\n  return @z = %n [-]\n}\ncheck @p == @q\n";
  EXPECT_EQ(rendered(with_x("") + other),
            "t.shard:14:1: error: the outputs differ: @p returns @y: f32[12,12]; @q returns @z: i32[3]; expected the "
            "same names, dtypes and shapes [E-check]\n"
            "    check @p == @q\n"
            "    ^^^^^^^^^^^^^^\n");
}

TEST_F(Rendered, MeshOption) {
  const auto with = [&](int64_t size, const std::string& axis = "model") {
    return rendered(with_x(""), text::ElaborateOptions{{{axis, size}}, {}});
  };
  EXPECT_EQ(with(4, "modle"),
            "error: --mesh modle=4: no mesh of the file has the axis `modle`; did you mean `model`? [E-axis]\n");
  const std::string range = "; expected 1 to 1048576 devices, and as many for the whole mesh [E-size]\n";
  EXPECT_EQ(with(0), "error: --mesh model=0: the size of `model` is 0" + range);
  EXPECT_EQ(with(-2), "error: --mesh model=-2: the size of `model` is -2" + range);
  EXPECT_EQ(with(int64_t{1} << 40), "error: --mesh model=1099511627776: the size of `model` is 1099511627776" + range);
  EXPECT_EQ(with(1048576),
            "t.shard:2:6: error: the mesh @m has more than 1048576 devices; expected smaller axes [E-size]\n"
            "    mesh @m [data=2, model=3]\n"
            "         ^^\n");
}

TEST_F(Rendered, NoText) {
  EXPECT_EQ(rendered(""), "t.shard:1:1: error: the file is empty; expected the first line `isoshard 1` [P-empty]\n");
  EXPECT_EQ(rendered("// only a comment\n"),
            "t.shard:1:1: error: the file is empty; expected the first line `isoshard 1` [P-empty]\n"
            "    // only a comment\n"
            "    ^\n");
  EXPECT_EQ(rendered(std::string("isoshard\0 1\n", 12)),
            "t.shard:1:9: error: the byte 0x00 is a control character; expected a .shard file, which is UTF-8 text "
            "[P-encoding]\n"
            "    isoshard  1\n"
            "            ^\n");
  EXPECT_EQ(error("isoshard 1 // \xff"),
            "1:15 P-encoding the byte 0xff is not UTF-8; expected a .shard file, which is UTF-8 text");
}

TEST_F(Rendered, HugeLinesOfEveryKind) {
  const size_t bytes = kSanitized ? 1 << 20 : 10 << 20;
  const auto repeated = [&](const std::string& part) {
    std::string text;
    while (text.size() < bytes) text += part;
    return text;
  };
  EXPECT_EQ(printed("isoshard 1\nlet a = " + repeated("100000000 + ") + "1\n"), "isoshard 1\n");
  EXPECT_EQ(printed("isoshard 1 // " + repeated("comment ") + "\n"), "isoshard 1\n");
  EXPECT_EQ(printed("isoshard 1\nlet " + std::string(bytes, 'a') + " = 1\n"), "isoshard 1\n");
  EXPECT_EQ(error(with_x("  %y = reshape %x {shape=[144, " + repeated("1000000000, ") + "1]}\n")).substr(0, 12),
            "8:8 T-size r");
  EXPECT_EQ(error("isoshard 1\nlet b = " + std::string(bytes, 'a') + "\n").substr(0, 30),
            "2:9 E-name there is no let `aa");
  EXPECT_EQ(error("isoshard 1\nlet b = 9223372036854775807 + " + repeated("100000000 + ") + "1\n"),
            "2:9 E-overflow `9223372036854775807 + 100000000` = 9223372036854775807 + 100000000 does not fit 64 bits");
  std::string text = "isoshard 1\nlet a = " + repeated("1000000 * 0 + ") + "%\n";
  EXPECT_EQ(errors(text).size(), 1U);
}

/// What is unknown is looked for among all names: that must not be done for each of many errors.
TEST_F(Rendered, ManyErrors) {
  std::string body;
  for (int i = 0; i < 20000; ++i) {
    const std::string name = "value" + std::to_string(i);
    body += "  %" + name + " = negate %x\n  %y" + name + " = negate %missing" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(errors(with_x(body)).size(), 100U);
  std::string lets = "isoshard 1\n";
  for (int i = 0; i < 20000; ++i) lets += "let l" + std::to_string(i) + " = m" + std::to_string(i) + "\n";
  EXPECT_EQ(errors(lets).size(), 100U);
}

TEST_F(Rendered, MisspeltWords) {
  EXPECT_EQ(error("isoshard 1\nprogam @p { }\n"),
            "2:1 P-expected found \"progam\"; expected an item: import, mesh, let, global, func, program, pipeline or "
            "check; did you "
            "mean `program`?");
  EXPECT_EQ(error(with_x("  retrun @y = %x [-, -]\n")),
            "8:3 P-expected found \"retrun\"; expected a statement: `%y = op ...`, `return ...`, `update ...`, `yield "
            "...`, `for k in "
            "a..b { ... }`, or `if a < b { ... }`; did you mean `return`?");
  EXPECT_EQ(error(with_x("  %y = negate %X\n")), "8:15 E-undefined %X is not defined; did you mean `%x`?");
  EXPECT_EQ(error(with_x("  %y = negate %z\n")), "8:15 E-undefined %z is not defined");
  EXPECT_EQ(error(with_x("  %y = NEGATE %x\n")), "8:8 E-op there is no op `NEGATE`; did you mean `negate`?");
  EXPECT_EQ(error(with_x("  %y = axis_index {axis=MODEL}\n")),
            "8:25 E-axis the mesh @m has no axis `MODEL`; did you mean `model`?");
}

using ReadSource = testing::InTemporaryDirectory;

TEST_F(ReadSource, FilesThatCannotBeRead) {
  const auto message = [](const std::string& path) {
    const Result<std::shared_ptr<const SourceFile>> source = text::read_source(path);
    return source ? "read" : render(source.error());
  };
  EXPECT_EQ(message("none.shard"), "error: cannot read \"none.shard\": No such file or directory [P-file]\n");
  EXPECT_EQ(message("."), "error: cannot read \".\": it is a directory; expected a .shard file [P-file]\n");
  testing::spit("a.shard", "isoshard 1\n");
  EXPECT_EQ(message("a.shard"), "read");
  ASSERT_EQ(::chmod("a.shard", 0), 0);
  EXPECT_EQ(as_nobody([&] { return message("a.shard"); }),
            "error: cannot read \"a.shard\": Permission denied [P-file]\n");
}

}  // namespace
}  // namespace isoshard::text_bad_input_test
