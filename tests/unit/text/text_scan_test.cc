// The text of scans: what it means, how it prints, what is wrong.

#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_scan_test {
namespace {

using ::testing::ElementsAre;

class TextScanTest : public TextTest {
 protected:
  std::string printed_with_types(const std::string& text) {
    const std::optional<Module> module = parse(text);
    for (const Diagnostic& diagnostic : sink_.diagnostics()) ADD_FAILURE() << render(diagnostic);
    return module ? text::print(*module, text::PrintOptions{true}) : "";
  }
};

/// `body` stands from line 9 on, after %x = all of @x and %h0 f32[12]; it must define %y f32[12].
std::string with_rows(const std::string& body) {
  return in_program("  %x = view @x [-, -]\n  %h0 = reduce %x {op=add, dims=[0]}\n" + body + "  return @y = %y [-]\n");
}

TEST_F(TextScanTest, PrintsWhatItReads) {
  const std::string scan =
      "  %y, %sums = scan (%c = %h0) over (%row = %x) index %i {\n"
      "    %next = add %c, %row\n"
      "    yield (%next) stack (%next)\n"
      "  }\n";
  const std::string text = printed(with_rows(scan));
  EXPECT_NE(text.find(scan), std::string::npos) << text;
  EXPECT_EQ(printed(text), text);
}

TEST_F(TextScanTest, NestedScansLoopsAndCalls) {
  const std::string text = printed(
      "isoshard 1\n"
      "mesh @m [data=2, model=3]\n"
      "global @x : f32[12] input\n"
      "func @step(%c: f32[12]) on @m -> f32[12] {\n"
      "  %n = scan (%c = %c) trips 2 {\n"
      "    %c2 = negate %c\n"
      "    yield (%c2)\n"
      "  }\n"
      "  return %n\n"
      "}\n"
      "program @p on @m {\n"
      "  %x.0 = view @x [-]\n"
      "  for k in 0..2 {\n"
      "    %x.{k+1} = scan (%c.0 = %x.{k}) trips size(model) - k {\n"
      "      for j in 0..2 { %c.{j+1} = call @step(%c.{j}) }\n"
      "      yield (%c.2)\n"
      "    }\n"
      "  }\n"
      "  return @y = %x.2 [-]\n"
      "}\n");
  EXPECT_NE(text.find("func @step(%c: f32[12]) on @m -> f32[12] {\n"
                      "  %n = scan (%c = %c) trips 2 {\n"
                      "    %c2 = negate %c\n"
                      "    yield (%c2)\n"
                      "  }\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  %x.2 = scan (%c.0 = %x.1) trips 2 {\n"
                      "    %c.1 = call @step(%c.0)\n"
                      "    %c.2 = call @step(%c.1)\n"
                      "    yield (%c.2)\n"
                      "  }\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(printed(text), text);
}

TEST_F(TextScanTest, TypesArePrintedAndChecked) {
  // The zero takes V over `data` from the body; instances made on the way there leave no trace.
  const std::string text = printed_with_types(
      "isoshard 1\n"
      "mesh @m [data=2]\n"
      "global @x : f32[4, 8] input\n"
      "func @join(%a: f32[8], %b: f32[8]) on @m -> f32[8] {\n"
      "  %s = add %a, %b\n"
      "  return %s\n"
      "}\n"
      "program @p on @m {\n"
      "  %x = view @x [-, data]\n"
      "  %z = constant {value=0, dtype=f32, shape=[4]}\n"
      "  %y = scan (%c = %z : f32[4] {V: data}) over (%r = %x : f32[4] {V: data}) {\n"
      "    %n = add %c, %r : f32[4] {V: data}\n"
      "    yield (%n)\n"
      "  } : f32[4] {V: data}\n"
      "  return @y = %y [data]\n"
      "}\n");
  EXPECT_NE(text.find("  %y = scan (%c = %z : f32[4] {V: data}) over (%r = %x : f32[4] {V: data}) {\n"
                      "    %n = add %c, %r : f32[4] {V: data}\n"
                      "    yield (%n)\n"
                      "  } : f32[4] {V: data}\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(printed_with_types(text), text);
}

TEST_F(TextScanTest, InstancesFollowTheStatesOfTheBody) {
  const std::string text = printed_with_types(
      "isoshard 1\n"
      "mesh @m [data=2]\n"
      "global @x : f32[4, 8] input\n"
      "func @join(%a: f32[4] {V: data}, %b: f32[4] {V: data}) on @m -> f32[4] {\n"
      "  %s = add %a, %b\n"
      "  return %s\n"
      "}\n"
      "program @p on @m {\n"
      "  %x = view @x [-, data]\n"
      "  %z = constant {value=0, dtype=f32, shape=[4]}\n"
      "  %y = scan (%c = %z) over (%r = %x) {\n"
      "    %n = call @join(%c, %r)\n"
      "    yield (%n)\n"
      "  }\n"
      "  return @y = %y [data]\n"
      "}\n");
  EXPECT_NE(text.find("func @join(%a: f32[4] {V: data}, %b: f32[4] {V: data})"), std::string::npos) << text;
  EXPECT_EQ(text.find("func @join_2"), std::string::npos) << text;
  EXPECT_EQ(printed_with_types(text), text);
}

TEST_F(TextScanTest, WrongTypesAreReportedOnce) {
  EXPECT_THAT(errors(with_rows("  %z = constant {value=0, dtype=f32, shape=[12]}\n"
                               "  %y = scan (%c = %z : f32[12] {V: data}) over (%r = %x : f32[11]) {\n"
                               "    %n = add %c, %r : f32[12] {V: data}\n"
                               "    yield (%n)\n"
                               "  }\n")),
              ElementsAre("11:35 T-annotation %n is R over `data`; the annotation says V"));
  EXPECT_THAT(errors(with_rows("  %y = scan (%c = %h0 : f32[12] {V: data}) over (%r = %x : f32[11]) {\n"
                               "    yield (%c)\n"
                               "  } : f32[11]\n")),
              ElementsAre("9:37 T-annotation %c is R over `data`; the annotation says V",
                          "9:60 T-annotation %r is f32[12]; the annotation says f32[11]",
                          "11:7 T-annotation %y is f32[12]; the annotation says f32[11]"));
}

TEST_F(TextScanTest, BodiesCaptureNothing) {
  EXPECT_EQ(rendered(with_rows("  %y = scan (%c = %h0) trips 2 {\n"
                               "    %n = add %c, %h0\n"
                               "    yield (%n)\n"
                               "  }\n")),
            "t.shard:10:18: error: %h0 is outside of this scan, whose body captures nothing; carry it, as in `scan "
            "(%a = %h0)`, or slice it along dimension 0, as in `over (%a = %h0)` [E-capture]\n"
            "        %n = add %c, %h0\n"
            "                     ^^^\n"
            "t.shard:8:3: note: it is defined here\n"
            "      %h0 = reduce %x {op=add, dims=[0]}\n"
            "      ^^^\n");
}

TEST_F(TextScanTest, ValuesOfABodyAreUnknownOutside) {
  EXPECT_EQ(error(with_rows("  %z = scan (%c = %h0) trips 2 {\n"
                            "    %inner = negate %c\n"
                            "    yield (%inner)\n"
                            "  }\n"
                            "  %y = negate %inner\n")),
            "13:15 E-undefined %inner is not defined");
}

TEST_F(TextScanTest, ABodyEndsInOneYield) {
  const std::string start = "  %y = scan (%c = %h0) trips 2 {\n";
  EXPECT_EQ(error(with_rows(start + "    %n = negate %c\n  }\n")),
            "9:8 E-yield the body of this scan does not end in `yield`; expected `yield (%next) stack (%y)`");
  EXPECT_EQ(error(with_rows(start + "    yield (%c)\n    %n = negate %c\n  }\n")),
            "11:10 E-yield the body of a scan ends in one `yield`; expected nothing after it");
  EXPECT_EQ(error(with_rows(start + "    yield (%c)\n    yield (%c)\n  }\n")),
            "11:5 E-yield the body of a scan ends in one `yield`; expected nothing after it");
  EXPECT_EQ(error(with_rows(start + "    return @z = %c [-]\n  }\n")),
            "10:5 E-yield the body of a scan ends in `yield (%next) stack (%y)`; `return` stands outside of it");
  EXPECT_EQ(error(with_rows("  %y = negate %h0\n  yield (%y)\n")),
            "10:3 E-yield `yield` ends the body of a scan; expected `return` here");
}

TEST_F(TextScanTest, HeadersAreChecked) {
  const auto scan = [](const std::string& header) {
    return with_rows("  %y = scan " + header + " {\n    yield (%c)\n  }\n");
  };
  EXPECT_EQ(error(scan("(%c = %h0)")),
            "9:8 T-scan scan: nothing is stacked and `trips` is missing; expected how often the body runs");
  EXPECT_EQ(
      error(scan("(%c = %h0) over (%r = %x) trips 5")),
      "9:8 T-scan scan: the stacked input 0 is f32[12,12]; expected 5 slices along dimension 0, one per iteration");
  EXPECT_EQ(error(scan("(%c = %h1) trips 2")), "9:19 E-undefined %h1 is not defined; did you mean `%h0`?");
  EXPECT_EQ(error(scan("(%c = %h0, %c = %h0) trips 2")), "9:8 V-name the value name %c is taken; expected a new name");
  EXPECT_EQ(error(scan("(%c = %h0) index %c trips 2")), "9:8 V-name the value name %c is taken; expected a new name");
  EXPECT_EQ(error(scan("(%c = %h0) trips d / 5")).substr(0, 4), "9:30");
  EXPECT_EQ(error(scan("(%c = %h0) {trips=2}")).substr(0, 14), "9:25 P-expecte");
  EXPECT_EQ(
      error(scan("%h0")),
      "9:13 P-expected found \"%h0\"; expected `{` and the body, as in `%h, %ys = scan (%c = %h0) over (%w = %ws) { "
      "... }`");
}

TEST_F(TextScanTest, RecursionThroughAScanIsAnError) {
  EXPECT_EQ(error("isoshard 1\n"
                  "func @f(%x: f32[]) -> f32[] {\n"
                  "  %y = scan (%c = %x) trips 2 {\n"
                  "    %n = call @f(%c)\n"
                  "    yield (%n)\n"
                  "  }\n"
                  "  return %y\n"
                  "}\n"),
            "4:10 E-recursion the func @f calls itself: @f -> @f; calls are elaborated to the end, so recursion has "
            "none");
}

TEST_F(TextScanTest, AStateErrorStaysWithTheScan) {
  const std::optional<Module> module =
      parse(with_rows("  %v = reinterpret %h0 {axis=model, to=V}\n"
                      "  %y, %z = scan (%c = %h0, %d = %v) trips 2 {\n"
                      "    %n = add %c, %d\n"
                      "    yield (%n, %d)\n"
                      "  }\n"));
  ASSERT_TRUE(module.has_value());
  const std::vector<Diagnostic> found = module->state_errors(*module->find_program("p"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message,
            "scan: the carry %c enters as R over `model` (%h0) and leaves as V (%n); it has one state: reinterpret %h0 "
            "{axis=model, to=V} before the scan, or all_gather %n in the body");
  EXPECT_EQ(found[0].location.line(), 10U);
}

}  // namespace
}  // namespace isoshard::text_scan_test
