// What right files mean: expressions, loops, spreads, literals, funcs, views, and the canonical examples.

#include "core/support/result.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_language_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Language : public TextTest {
 protected:
  /// The ops of program @p as printed, without the view of %x and the return.
  std::string body(const std::string& statements) {
    const std::string text = printed(with_x(statements)), view = "  %x = view @x [-, -]\n";
    const size_t begin = text.find(view) + view.size(), end = text.find("  return @y");
    return text.substr(begin, end - begin);
  }
};

TEST_F(Language, Expressions) {
  EXPECT_EQ(body("  %y = reshape %x {shape=[d/size(model), 2*(8-5), -(-6)]}\n"),
            "  %y = reshape %x {shape=[4, 6, 6]}\n");
  EXPECT_EQ(body("  %y = reshape %x {shape=[d - 4 - 2, 2 * d]}\n"), "  %y = reshape %x {shape=[6, 24]}\n");
  EXPECT_EQ(body("  %y = reshape %x {shape=[d*size(model)/size(data)/9, 72]}\n"),
            "  %y = reshape %x {shape=[2, 72]}\n");
  EXPECT_EQ(body("  %y = constant {value=1/10, dtype=f64, shape=[1+1]}\n"),
            "  %y = constant {value=0.1, dtype=f64, shape=[2]}\n");
  EXPECT_EQ(body("  %y = constant {value=-inf, dtype=f32}\n"), "  %y = constant {value=-inf, dtype=f32}\n");
}

TEST_F(Language, IntegerFunctions) {
  const auto value = [&](const std::string& expression) {
    const std::string text = body(
        "  %v = slice_block %x {axis=model, dim=0}\n  %y = collective_permute %v {axis=model, shift=" + expression +
        "}\n");
    const size_t begin = text.find("shift=") + 6;
    return text.substr(begin, text.find('}', begin) - begin);
  };
  struct Row {
    int64_t a, b, floor, ceil, mod;
  };
  const Row rows[] = {{7, 2, 3, 4, 1}, {-7, 2, -4, -3, 1}, {6, 2, 3, 3, 0},  {-6, 2, -3, -3, 0},
                      {0, 5, 0, 0, 0}, {1, 5, 0, 1, 1},    {-1, 5, -1, 0, 4}};
  for (const Row& row : rows) {
    const std::string a = std::to_string(row.a), b = std::to_string(row.b);
    EXPECT_EQ(value("floordiv(" + a + ", " + b + ")"), std::to_string(row.floor)) << a << " " << b;
    EXPECT_EQ(value("ceildiv(" + a + ", " + b + ")"), std::to_string(row.ceil)) << a << " " << b;
    EXPECT_EQ(value("mod(" + a + ", " + b + ")"), std::to_string(row.mod)) << a << " " << b;
    EXPECT_EQ(value("(" + a + ") % " + b), std::to_string(row.mod)) << a << " " << b;
    EXPECT_EQ(value("floordiv(-(" + a + "), -" + b + ")"), std::to_string(row.floor)) << a << " " << b;
    EXPECT_EQ(value("ceildiv(-(" + a + "), -" + b + ")"), std::to_string(row.ceil)) << a << " " << b;
  }
  EXPECT_EQ(value("min(3, -2, d)"), "-2");
  EXPECT_EQ(value("max(3, -2, d)"), "12");
  EXPECT_EQ(value("max(7)"), "7");
  EXPECT_EQ(value("2 + 7 % 4 * 3 - 1"), "10") << "from left to right, as * and /";
  EXPECT_EQ(value("min(d, 5)*ceildiv(d, size(model) + 2)"), "15");
  EXPECT_EQ(value("-9223372036854775808 + 9223372036854775807"), "-1");
  EXPECT_EQ(body("  %y = constant {value=7 % 4 + 1/2, dtype=f64}\n"), "  %y = constant {value=3.5, dtype=f64}\n");
}

TEST_F(Language, Branches) {
  const std::string text =
      "  for k in 0..4 {\n"
      "    if k == 0 {\n"
      "      %a.{k} = negate %x\n"
      "    } else if k % 2 != 0 { %a.{k} = tanh %a.{k-1} }\n"
      "    else { %a.{k} = logistic %a.{k-1} }\n"
      "    if k > 5 { %a.{k} = nonsense %b }\n"
      "  }\n"
      "  if size(model) <= 2 { %z = exponential %x } else { if d >= 12 { %z = negate %a.3 } }\n"
      "  if d < d { } else { %w = tanh %z }\n";
  EXPECT_EQ(body(text),
            "  %a.0 = negate %x\n"
            "  %a.1 = tanh %a.0\n"
            "  %a.2 = logistic %a.1\n"
            "  %a.3 = tanh %a.2\n"
            "  %z = negate %a.3\n"
            "  %w = tanh %z\n");
}

TEST_F(Language, EveryComparison) {
  const auto chosen = [&](const std::string& condition) {
    return body("  if " + condition + " { %y = tanh %x } else { %y = negate %x }\n") == "  %y = tanh %x\n";
  };
  for (const int64_t a : {11, 12, 13}) {
    const std::string left = std::to_string(a);
    EXPECT_EQ(chosen(left + " == d"), a == 12);
    EXPECT_EQ(chosen(left + " != d"), a != 12);
    EXPECT_EQ(chosen(left + " < d"), a < 12);
    EXPECT_EQ(chosen(left + " <= d"), a <= 12);
    EXPECT_EQ(chosen(left + " > d"), a > 12);
    EXPECT_EQ(chosen(left + " >= d"), a >= 12);
  }
}

TEST_F(Language, BranchesInLocations) {
  EXPECT_EQ(rendered(with_x("  for k in 12..14 {\n"
                            "    if k == d {\n"
                            "    } else if k > d {\n"
                            "      %y.{k} = reshape %x {shape=[d, k]}\n"
                            "    }\n"
                            "  }\n")),
            "t.shard:11:16: error: reshape: the operand f32[12,12] has 144 elements and [12,13] has 156 [T-reshape]\n"
            "          %y.{k} = reshape %x {shape=[d, k]}\n"
            "                   ^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  t.shard:10:12: note: branch 13 > 12\n"
            "  t.shard:8:3: note: iteration k = 13\n");
  EXPECT_EQ(rendered(with_x("  if d < 3 {\n    %y = tanh %x\n  } else {\n    %z = tanh %y\n  }\n")),
            "t.shard:11:15: error: %y is not defined [E-undefined]\n"
            "        %z = tanh %y\n"
            "                  ^^\n"
            "  t.shard:10:5: note: branch otherwise\n"
            "t.shard:9:5: note: this definition stands in a branch of an `if`\n"
            "        %y = tanh %x\n"
            "        ^^\n");
}

TEST_F(Language, LoopsIndicesAndSpreads) {
  EXPECT_EQ(body("  %a.{0} = negate %x\n"
                 "  for k in 0..2 {\n"
                 "    for j in k..2 { %b.{k}.w.{j} = add %a.{k}, %x }\n"
                 "    %a.{k+1} = tanh %b.{k}.w.{k}\n"
                 "  }\n"
                 "  for k in 5..5 { %none.{k} = tanh %nothing }\n"
                 "  %s = sum %a.{0..3}\n"
                 "  %t = sum %a.{1..2}\n"
                 "  %c = concatenate %a.{0..2}, %t {dim=0}\n"),
            "  %a.0 = negate %x\n"
            "  %b.0.w.0 = add %a.0, %x\n"
            "  %b.0.w.1 = add %a.0, %x\n"
            "  %a.1 = tanh %b.0.w.0\n"
            "  %b.1.w.1 = add %a.1, %x\n"
            "  %a.2 = tanh %b.1.w.1\n"
            "  %7 = add %a.0, %a.1\n"
            "  %s = add %7, %a.2\n"
            "  %c = concatenate %a.0, %a.1, %a.1 {dim=0}\n");
}

TEST_F(Language, LiteralsTakeTheOtherOperandsType) {
  EXPECT_EQ(body("  %y = multiply %x, 0.01\n  %n = view @n [-]\n  %m = subtract (d*d), %n\n  %2 = negate %x\n"),
            "  %1 = constant {value=0.01, dtype=f32, shape=[12, 12]}\n"
            "  %y = multiply %x, %1\n"
            "  %n = view @n [-]\n"
            "  %4 = constant {value=144, dtype=i32, shape=[3]}\n"
            "  %m = subtract %4, %n\n"
            "  %2 = negate %x\n");
}

TEST_F(Language, MadeUpNamesGiveWay) {
  EXPECT_EQ(body("  %y = multiply %x, 2\n  %1 = negate %y\n"),
            "  %2 = constant {value=2, dtype=f32, shape=[12, 12]}\n"
            "  %y = multiply %x, %2\n"
            "  %1 = negate %y\n");
}

TEST_F(Language, ViewsAndLayouts) {
  EXPECT_EQ(printed(in_program("  for k in 0..2 { %x.{k} = view @x [model-k, (data, model)+k+1-2*k] incomplete }\n"
                               "  %y = view @x [-, model] as I{data} incomplete\n"
                               "  return @y = %x.{0} [data, (model) - size(model)]\n")),
            "isoshard 1\n"
            "\n"
            "mesh @m [data=2, model=3]\n"
            "\n"
            "global @x : f32[12,12] input\n"
            "global @n : i32[3] const init=1\n"
            "\n"
            "program @p on @m {\n"
            "  %x.0 = view @x [model, (data, model)+1] incomplete\n"
            "  %x.1 = view @x [model-1, (data, model)] incomplete\n"
            "  %y = view @x [-, model] as I{data} incomplete\n"
            "  return @y = %x.0 [data, model-3]\n"
            "}\n");
}

TEST_F(Language, FieldsOfEveryKind) {
  const std::string ops =
      "  %u = slice_block %x {axis=model, dim=0}\n"
      "  %v = slice_block %u {axis=data, dim=1}\n"
      "  %a = collective_permute %v {axis=(model, data), shift=-1, order=tuple}\n"
      "  %b = collective_permute %v {axis=data, pairs=[(0, 1), (1, 0)]}\n"
      "  %c = dot_general %v, %v {contract=[0, 1]x[0, 1], partial={data, model}}\n"
      "  %e = slice %x {start=[0, 1], limit=[12, 9], strides=[1, 2]}\n"
      "  %f = convert_state %x {axis=data, to=P, owner=1}\n"
      "  %g = axis_index {axis=(data, model)}\n"
      "  %h = all_gather %v {axis=model, dim=0, to=I}\n"
      "  %i = reduce %x {op=add, dims=[]}\n";
  EXPECT_EQ(body(ops), ops);
}

TEST_F(Language, BlanksCommentsAndLineEnds) {
  const std::string unix_text = with_x("  %y = add %x,\n    %x  // joined\n");
  std::string dos_text;
  for (const char c : unix_text) dos_text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(printed(dos_text), printed(unix_text));
  EXPECT_EQ(printed("\xef\xbb\xbf// \xc3\xa9\n\nisoshard 1 // version\n"), "isoshard 1\n");
  const std::string blanks(10 << 20, ' ');
  EXPECT_EQ(printed("isoshard 1\nlet a = 1 +" + blanks + "2\n"), "isoshard 1\n");
  EXPECT_EQ(errors("isoshard 1\nlet a =" + blanks + "$\n").size(), 1U);
  const std::string empty = "  %y = slice %x {start=[3, 0], limit=[3, 12]}\n";
  EXPECT_EQ(body(empty), empty) << "zero is a size";
}

TEST_F(Language, SettingsAndMeshSizes) {
  const std::string text = printed(in_program("  %x = view @x [-, model]\n  return @y = %x [-, model]\n"),
                                   text::ElaborateOptions{{{"model", 5}}, {{"d", "20"}}});
  EXPECT_THAT(text, HasSubstr("mesh @m [data=2, model=5]\n"));
  EXPECT_THAT(text, HasSubstr("global @x : f32[20,20] input\n"));
}

TEST_F(Language, DeviceOrderUntypedAndInits) {
  const std::string text =
      "isoshard 1\n"
      "\n"
      "mesh @m [a=2, b=2] devices=[3, 1, 0, 2]\n"
      "mesh @n []\n"
      "\n"
      "global @x : f32[] param init=-0.5\n"
      "global @y : f64[0] input init=uniform\n"
      "global @z : pred[] const init=1\n"
      "\n"
      "untyped program @p on @m {\n"
      "  %x = view @x []\n"
      "  %1 = all_reduce %x {axis=(a, b)}\n"
      "  return @y = %1 []\n"
      "}\n"
      "\n"
      "program @q on @n {\n"
      "  %x = view @x []\n"
      "  return @y = %x []\n"
      "}\n"
      "\n"
      "check @p == @q\n";
  EXPECT_EQ(printed(text), text);
}

constexpr const char* kTwoKindsOfCall =
    "isoshard 1\n"
    "mesh @m [model=2]\n"
    "global @x : f32[4] input\n"
    "func @twice(%a: f32[2]) on @m -> f32[2] {\n"
    "  %b = add %a, %a\n"
    "  return %b\n"
    "}\n"
    "program @p on @m {\n"
    "  %v = view @x [model] times 2\n"
    "  %w = view @x [-] times 2\n"
    "  %r = slice %w {start=[0], limit=[2]}\n"
    "  %s = call @twice(%v)\n"
    "  %t = call @twice(%r)\n"
    "  %u = call @twice(%r)\n"
    "  return @s = %s [model]\n"
    "  return @t = %t [-]\n"
    "}\n";

TEST_F(Language, FunctionsAreTypedPerCall) {
  const std::optional<Module> module = parse(kTwoKindsOfCall);
  ASSERT_TRUE(module.has_value());
  ASSERT_EQ(module->programs.size(), 3U) << "one instance per set of states";
  EXPECT_EQ(module->programs[0].value(ValueId(0)).type.states, States{State::varying});
  EXPECT_EQ(module->programs[1].value(ValueId(0)).type.states, States{State::replicated});
  const std::string text = text::print(*module);
  EXPECT_THAT(text, HasSubstr("func @twice(%a: f32[2]) on @m -> f32[2] {\n"));
  EXPECT_THAT(text, Not(HasSubstr("twice_2"))) << "one func: without states the instances are the same";
  EXPECT_EQ(printed(text), text);
}

TEST_F(Language, FunctionsOfAnyShape) {
  const std::string text =
      printed(with_x("  %n = view @n [-]\n"
                     "  %v = slice %x {start=[0, 0], limit=[3, 5]}\n"
                     "  %a = call @half(%x, %n)\n"
                     "  %b = call @half(%v, %n)\n"
                     "  %c = call @half(%v, %n)\n") +
              "func @half(%w: f32[*], %n: i32[*]) on @m -> f32[floordiv(size(%w, 0), 2), size(%w, 1)] {\n"
              "  if size(%w, 0) > 1 { %h = slice %w {start=[0, 0], limit=[floordiv(size(%w, 0), 2), size(%w, 1)]} }\n"
              "  %y = multiply %h, 2\n"
              "  return %y\n"
              "}\n"
              "func @never(%w: f32[*]) -> f32[*] {\n  return %w\n}\n");
  EXPECT_THAT(text, HasSubstr("func @half(%w: f32[12,12], %n: i32[3]) on @m -> f32[6,12] {\n"
                              "  %h = slice %w {start=[0, 0], limit=[6, 12]}\n"));
  EXPECT_THAT(text, HasSubstr("func @half_2(%w: f32[3,5], %n: i32[3]) on @m -> f32[1,5] {\n"));
  EXPECT_THAT(text, HasSubstr("  %b = call @half_2(%v, %n)\n"));
  EXPECT_EQ(printed(text), text);
}

TEST_F(Language, FunctionsWithoutAMeshAreOnThatOfTheirCaller) {
  const std::string text = printed(
      "isoshard 1\nmesh @m [a=2, b=3]\nmesh @n [a=4]\nglobal @x : f32[12] input\n"
      "program @p on @m {\n  %x = view @x [a]\n  %y = call @f(%x)\n  return @y = %y [a]\n}\n"
      "program @q on @n {\n  %x = view @x [a]\n  %y = call @f(%x)\n  return @y = %y [a]\n}\n"
      "program @r {\n  %x = view @x [-]\n  %y = call @f(%x)\n  return @y = %y [-]\n}\n"
      "func @f(%a: f32[*]) -> f32[*] {\n  %y = call @g(%a)\n  return %y\n}\n"
      "func @g(%a: f32[*]) -> f32[*] {\n  %y = multiply %a, (size(%a, 0))\n  return %y\n}\n");
  EXPECT_THAT(text, HasSubstr("func @f(%a: f32[6]) on @m -> f32[6] {\n  %y = call @g(%a)\n"));
  EXPECT_THAT(text, HasSubstr("func @f_2(%a: f32[3]) on @n -> f32[3] {\n  %y = call @g_2(%a)\n"));
  EXPECT_THAT(text, HasSubstr("func @f_3(%a: f32[12]) -> f32[12] {\n  %y = call @g_3(%a)\n"));
  EXPECT_THAT(text,
              HasSubstr("func @g_3(%a: f32[12]) -> f32[12] {\n  %1 = constant {value=12, dtype=f32, shape=[12]}\n"));
  EXPECT_EQ(printed(text), text);
}

TEST_F(Language, InferredTypesAreThoseOfTheCall) {
  const std::string text = printed(with_x("  %n = view @n [-]\n"
                                          "  %a = mean(%x)\n"
                                          "  %b, %c = shifted(%a, 3)\n"
                                          "  %e = shifted_by(%x)\n"
                                          "  %f = shifted_by(%x, 1/3)\n"
                                          "  %g = shifted_by(%n, d)\n") +
                                   "func @mean(%a) {\n"
                                   "  %s = reduce(%a) {op=add, dims=[rank(%a) - 1]} / size(%a, rank(%a) - 1)\n"
                                   "  return broadcast_in_dim(%s) {dims=[0..rank(%s)], shape=[shape(%s), 2]}\n"
                                   "}\n"
                                   "func @shifted(%a, %by) {\n  return %a + %by, %a - 2 * (%by + 1)\n}\n"
                                   "func @shifted_by(%a, %by = 0.5) {\n"
                                   "  %h = scan (%c = %a) trips 2 {\n    yield (%c - %by)\n  }\n"
                                   "  return %h\n"
                                   "}\n"
                                   "func @never(%a) {\n  return nothing(%a)\n}\n");
  EXPECT_THAT(text, HasSubstr("func @mean(%a: f32[12,12]) on @m -> f32[12,2] {\n"));
  EXPECT_THAT(text, HasSubstr("  %4 = broadcast_in_dim %s {dims=[0], shape=[12, 2]}\n"));
  EXPECT_THAT(text, HasSubstr("func @shifted(%a: f32[12,2]) on @m -> f32[12,2], f32[12,2] {\n"
                              "  %1 = constant {value=3, dtype=f32, shape=[12, 2]}\n"
                              "  %2 = add %a, %1\n"
                              "  %3 = constant {value=8, dtype=f32, shape=[12, 2]}\n"
                              "  %4 = subtract %a, %3\n"
                              "  return %2, %4\n"));
  EXPECT_THAT(text, HasSubstr("constant {value=0.5, dtype=f32, shape=[12, 12]}"));
  EXPECT_THAT(text, HasSubstr("constant {value=1/3, dtype=f32, shape=[12, 12]}"));
  EXPECT_THAT(text, HasSubstr("func @shifted_by_3(%a: i32[3]) on @m -> i32[3] {\n"));
  EXPECT_THAT(text, HasSubstr("  %b, %c = call @shifted(%a)\n"));
  EXPECT_EQ(printed(text), text);
}

TEST_F(Language, LetsMayBeWords) {
  const std::string text =
      "isoshard 1\nlet act in {tanh, sine, none}\nglobal @x : f32[2] const\n"
      "func @f(%a) {\n"
      "  if act == tanh { %y = tanh %a } else if act != none { %y = sine %a } else { %y = negate %a }\n"
      "  return %y\n}\n"
      "program @p {\n  %x = view @x [-]\n  %y = f(%x)\n  return @y = %y [-]\n}\n";
  text::ElaborateOptions options;
  EXPECT_THAT(printed(text), HasSubstr("  %y = tanh %a\n"));
  options.settings = {{"act", "sine"}};
  EXPECT_THAT(printed(text, options), HasSubstr("  %y = sine %a\n"));
  options.settings = {{"act", "none"}};
  EXPECT_THAT(printed(text, options), HasSubstr("  %y = negate %a\n"));
  options.settings = {{"act", "gelu"}};
  EXPECT_EQ(error(text, options), "0:0 E-set --set act: the value is \"gelu\"; expected one of tanh, sine, none");
  options.settings = {{"akt", "none"}};
  EXPECT_EQ(error(text, options), "0:0 E-set --set akt=none: the file has no `let akt`; did you mean `act`?");
}

TEST_F(Language, WordsAreNoNumbers) {
  const std::string file = "isoshard 1\nlet act in {silu, gelu}\n";
  EXPECT_EQ(
      error(file + "let b = act + 1\n"),
      "3:9 E-word `act` is a word, one of silu, gelu; expected a number here (words are compared, as in `if act == "
      "silu`)");
  const std::string program = "program @p {\n  if ";
  EXPECT_EQ(error(file + program + "act < gelu { }\n}\n"),
            "4:6 E-word `act` is one of silu, gelu; expected == or != and one of these");
  EXPECT_EQ(error(file + program + "act == relu { }\n}\n"),
            "4:6 E-word `act` is one of silu, gelu; expected == or != and one of these");
  EXPECT_EQ(error(file + program + "act == 1 { }\n}\n"),
            "4:6 E-word `act` is one of silu, gelu; expected == or != and one of these");
  EXPECT_EQ(error("isoshard 1\nlet act in {}\n"),
            "2:13 P-expected found \"}\"; expected a word, as in `let act in {silu, gelu}`");
  EXPECT_EQ(error(file + "let act = 3\n"), "3:5 E-duplicate let act is declared twice; expected a new name");
}

TEST_F(Language, TypesShowEveryInstance) {
  const std::optional<Module> module = parse(kTwoKindsOfCall);
  ASSERT_TRUE(module.has_value());
  const std::string text = text::print(*module, text::PrintOptions{true});
  EXPECT_THAT(text, HasSubstr("func @twice(%a: f32[2] {V: model}) on @m -> f32[2] {\n"
                              "  %b = add %a, %a : f32[2] {V: model}\n"));
  EXPECT_THAT(text, HasSubstr("func @twice_2(%a: f32[2] {R: model}) on @m -> f32[2] {\n"
                              "  %b = add %a, %a : f32[2] {R: model}\n"));
  EXPECT_THAT(text, HasSubstr("  %u = call @twice_2(%r) : f32[2] {R: model}\n"));
  const std::optional<Module> again = parse(text);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(text::print(*again, text::PrintOptions{true}), text);
}

TEST_F(Language, LocationsLeadThroughLoopsAndCalls) {
  const std::optional<Module> module = parse(
      "isoshard 1\nmesh @m [model=2]\nglobal @x : f32[4] input\n"
      "func @f(%a: f32[4]) on @m -> f32[4] {\n  %b = tanh %a\n  return %b\n}\n"
      "program @p on @m {\n  %x = view @x [-]\n  for k in 0..1 {\n    %y.{k} = call @f(%x)\n  }\n"
      "  return @y = %y.{0} [-]\n}\n");
  ASSERT_TRUE(module.has_value());
  const Location& tanh = module->programs[0].op(OpId(0)).location;
  EXPECT_EQ(tanh.to_string(), "t.shard:5:8");
  EXPECT_EQ(tanh.note(), "called from here");
  ASSERT_NE(tanh.outer(), nullptr);
  EXPECT_EQ(tanh.outer()->to_string(), "t.shard:11:14");
  EXPECT_EQ(tanh.outer()->note(), "iteration k = 0");
  ASSERT_NE(tanh.outer()->outer(), nullptr);
  EXPECT_EQ(tanh.outer()->outer()->to_string(), "t.shard:10:3");
}

class TextExamples : public TextTest, public ::testing::WithParamInterface<int64_t> {};

/// The files of the repository: tests run in its root.
TEST_P(TextExamples, ElaborateForEverySize) {
  for (const char* path : {"examples/canonical.shard", "examples/ring_matmul.shard"}) {
    const Result<std::shared_ptr<const SourceFile>> file = text::read_source(path);
    ASSERT_TRUE(file.has_value()) << path;
    DiagnosticSink sink;
    const std::optional<Module> module = text::parse_module(*file, {{{"model", GetParam()}}, {}}, sink);
    for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
    ASSERT_TRUE(module.has_value());
    ASSERT_EQ(module->checks.size(), 1U);
    EXPECT_TRUE(module->state_errors(module->checks[0].left).empty());
    EXPECT_EQ(module->program(module->checks[0].left).mesh().axes().back().size, GetParam());
    const std::string text = text::print(*module);
    EXPECT_EQ(printed(text), text);
  }
}

INSTANTIATE_TEST_SUITE_P(Model, TextExamples, ::testing::Range<int64_t>(1, 9));

}  // namespace
}  // namespace isoshard::text_language_test
