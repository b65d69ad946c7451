// `fmt`: blanks become canonical, tokens and comments stay, a second time changes nothing.

#include "core/support/result.h"
#include "core/text/print/format.h"

#include <filesystem>

#include "tests/sanitized.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_format_test {
namespace {

std::string format(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"t.shard", text});
  const std::optional<std::string> result = text::format_source(file, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
  return result.value_or("");
}

/// The statements of a body after formatting, without its frame.
std::string format_body(const std::string& body) {
  const std::string frame = "isoshard 1\nprogram @p {\n", text = format(frame + body + "}\n");
  EXPECT_EQ(text.substr(0, frame.size()), frame);
  return text.substr(frame.size(), text.size() - frame.size() - 2);
}

TEST(Format, Items) {
  EXPECT_EQ(format("isoshard    1\n"
                   "mesh @m[ data = 2,model=a +1 ]devices = [ 1,0 ]\n"
                   "let  d=64*( a+b )% 3\n"
                   "let e = -1-a -b\n"
                   "global @x:f32[ d,d ]   input  init = - 0.5\n"
                   "func @f( %x :f32[*],%y: f32[2]{V:( data,model ),?:p} )on @m->f32[ ],i32[2]{\n"
                   "return %x ,%y\n"
                   "}\n"
                   "untyped   program @p on @m\n{\n}\n"
                   "check   @p==@q\n"
                   "check grad (@p.l,wrt = [ @x,@y ] ,convention=c)==vjp( @q )\n"),
            "isoshard 1\n"
            "mesh @m [data=2, model=a+1] devices=[1, 0]\n"
            "let d = 64*(a+b) % 3\n"
            "let e = -1-a-b\n"
            "global @x : f32[d, d] input init=-0.5\n"
            "func @f(%x: f32[*], %y: f32[2] {V: (data, model), ?: p}) on @m -> f32[], i32[2] {\n"
            "  return %x, %y\n"
            "}\n"
            "untyped program @p on @m {\n"
            "}\n"
            "check @p == @q\n"
            "check grad(@p.l, wrt=[@x, @y], convention=c) == vjp(@q)\n");
}

TEST(Format, Statements) {
  EXPECT_EQ(format_body("%x.{ 0 }.w.{k+1}=view   @x[ - ,model - k, ( data,model )+1 ]as I{ data,model }\n"
                        "   %y=dot_general %x.{0 .. n},%x{contract = [ 1 ]x[0],partial={ model }}:f32[2]{ P:model }\n"
                        "%y=convolution %x,%w{dims=[ b,f,0 ]x[ o,i ,0] -> [b, f,0],low=[ - 1 ]}\n"
                        "%a ,%b=call @f ( %x,%y )\n"
                        "%z=add ( d*d ),%x\n"
                        "%z=add -1 ,%x\n"
                        "%z=add %x,- 1\n"
                        "%c=collective_permute %x{axis=(a,b),pairs=[( 0,1 ),(1 ,0)],shift= - 1}\n"
                        "return @y=%y[-,-]\n"),
            "  %x.{0}.w.{k+1} = view @x [-, model - k, (data, model)+1] as I{data, model}\n"
            "  %y = dot_general %x.{0..n}, %x {contract=[1]x[0], partial={model}} : f32[2] {P: model}\n"
            "  %y = convolution %x, %w {dims=[b, f, 0]x[o, i, 0]->[b, f, 0], low=[-1]}\n"
            "  %a, %b = call @f(%x, %y)\n"
            "  %z = add (d*d), %x\n"
            "  %z = add -1, %x\n"
            "  %z = add %x, -1\n"
            "  %c = collective_permute %x {axis=(a, b), pairs=[(0, 1), (1, 0)], shift=-1}\n"
            "  return @y = %y [-, -]\n");
}

TEST(Format, Blocks) {
  EXPECT_EQ(format_body("for k in - 1 .. size( m )-1{%x.{k}=tanh %y}\n"
                        "for k in (1)..2 {   %x.{k} = tanh %y\n}\n"
                        "if k<2{ } else if min( k,3 )==-1 {\n%a=tanh %b }\n"
                        "\n"
                        "else\n"
                        "{ if (k) % 2 !=0 { %c = tanh %d } else {} }\n"),
            "  for k in -1..size(m)-1 { %x.{k} = tanh %y }\n"
            "  for k in (1)..2 {\n"
            "    %x.{k} = tanh %y\n"
            "  }\n"
            "  if k < 2 {} else if min(k, 3) == -1 {\n"
            "    %a = tanh %b\n"
            "  } else { if (k) % 2 != 0 { %c = tanh %d } else {} }\n");
}

TEST(Format, Comments) {
  EXPECT_EQ(format("\n\n// head\t \n"
                   "\n\n\n"
                   "isoshard 1 // version\n"
                   "// about a\n"
                   "let a = 1// one\n"
                   "let bb = 2 // two\n"
                   "let c = 3\n"
                   "let d = 4   // four\n"
                   "\n\n"
                   "let e = 5 // alone\n"
                   "program @p {// opened\n"
                   "\n"
                   "    // first\n"
                   "  %x = view @x [-, // inside\n"
                   " // between\n"
                   "   -\n"
                   "] // behind\n"
                   "    // last\n"
                   "\n"
                   "} // closed\n"
                   "\n"
                   "// tail\n\n\n"),
            "// head\n"
            "\n"
            "isoshard 1  // version\n"
            "// about a\n"
            "let a = 1   // one\n"
            "let bb = 2  // two\n"
            "let c = 3\n"
            "let d = 4   // four\n"
            "\n"
            "let e = 5     // alone\n"
            "program @p {  // opened\n"
            "  // first\n"
            "  %x = view @x [-,  // inside\n"
            "      // between\n"
            "      -\n"
            "  ]  // behind\n"
            "  // last\n"
            "}  // closed\n"
            "\n"
            "// tail\n");
}

TEST(Format, BranchesWithComments) {
  EXPECT_EQ(format_body("if a < 2 {\n"
                        "// nothing\n"
                        "} // if\n"
                        "// otherwise\n"
                        "else { // else\n"
                        "%x = tanh %y }\n"),
            "  if a < 2 {\n"
            "    // nothing\n"
            "  }  // if\n"
            "  // otherwise\n"
            "  else {  // else\n"
            "    %x = tanh %y\n"
            "  }\n");
}

TEST(Format, LongLinesDoNotMoveComments) {
  const std::string wide(120, '1');
  EXPECT_EQ(format("isoshard 1\nlet a = 1 // one\nlet b = " + wide + " // two\n"),
            "isoshard 1\nlet a = 1  // one\nlet b = " + wide + "  // two\n");
}

TEST(Format, LineEndsAndMarks) {
  EXPECT_EQ(format("\xef\xbb\xbfisoshard 1\r\n\r\n\r\nlet a = 1 // one \r\n"), "isoshard 1\n\nlet a = 1  // one\n");
  EXPECT_EQ(format("isoshard 1 let a = 1 let b = 2"), "isoshard 1\nlet a = 1\nlet b = 2\n");
}

TEST(Format, ErrorsOfSyntaxOnly) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"t.shard", "isoshard 1\nlet a = \n"});
  EXPECT_FALSE(text::format_source(file, sink).has_value());
  ASSERT_EQ(sink.diagnostics().size(), 1U);
  EXPECT_EQ(sink.diagnostics()[0].rule, "P-expected");
  EXPECT_EQ(format("isoshard 1\nlet a = 1/2\nlet a = b\n"), "isoshard 1\nlet a = 1/2\nlet a = b\n");
}

using FormatFiles = TextTest;

/// The files of the repository: tests run in its root.
TEST(Format, Expressions) {
  EXPECT_EQ(format_body("%y=tanh (%h* 2+%b)/ - %x\n"
                        "%z = d -%y*( %x-1 )\n"
                        "%a = select( %x<0.5,@f (%y),0 )\n"
                        "%b=sqrt (reduce(%x*%x){op=add,dims=[1]})\n"
                        "%c = add (2),%x\n"
                        "%d = add -1,%x *2\n"
                        "return @y=f (%a)*k[-]\n"
                        "return @z = %a [-]\n"),
            "  %y = tanh(%h*2+%b)/-%x\n"
            "  %z = d-%y*(%x-1)\n"
            "  %a = select(%x < 0.5, @f(%y), 0)\n"
            "  %b = sqrt(reduce(%x*%x) {op=add, dims=[1]})\n"
            "  %c = add (2), %x\n"
            "  %d = add -1, %x*2\n"
            "  return @y = f(%a)*k [-]\n"
            "  return @z = %a [-]\n");
}

TEST_F(FormatFiles, KeepTheirMeaning) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  size_t count = 0;
  text::ElaborateOptions options;
  options.max_ops = 50'000;  // one file tries the limit
  for (const char* folder : {"examples", "tests/files"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".shard") continue;
      const Result<std::shared_ptr<const SourceFile>> file = text::read_source(entry.path());
      ASSERT_TRUE(file.has_value());
      DiagnosticSink sink;
      const std::optional<std::string> text = text::format_source(*file, sink);
      EXPECT_EQ(text.has_value(), !sink.has_errors()) << entry.path();
      if (!text) continue;
      ++count;
      EXPECT_EQ(format(*text), *text) << entry.path();
      const std::optional<Module> before = parse((*file)->text, options), after = parse(*text, options);
      ASSERT_EQ(before.has_value(), after.has_value()) << entry.path();
      if (before) {
        EXPECT_EQ(text::print(*before), text::print(*after)) << entry.path();
      }
    }
  }
  EXPECT_GT(count, 20U) << "the tests run in the root of the repository";
}

TEST_F(FormatFiles, ExamplesAreFormatted) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator("examples")) {
    if (entry.path().extension() != ".shard") continue;
    const Result<std::shared_ptr<const SourceFile>> file = text::read_source(entry.path());
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(format((*file)->text), (*file)->text) << "run isoshard fmt " << entry.path();
  }
}

}  // namespace
}  // namespace isoshard::text_format_test
