// `import`: funcs and lets of other files, where their errors point, and what is no import; the library.

#include <map>

#include "core/support/result.h"
#include "core/text/standard/standard_files.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_import_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Imports : public TextTest {
 protected:
  /// Reads `files` by path in place of the disk.
  text::ElaborateOptions options() const {
    text::ElaborateOptions result;
    result.read = [this](const std::string& path) -> Result<std::shared_ptr<const SourceFile>> {
      const auto found = files_.find(path);
      if (found == files_.end()) return failure("P-file", Location(), "cannot read \"" + path + "\": it is not there");
      return std::make_shared<const SourceFile>(SourceFile{path, found->second});
    };
    return result;
  }

  std::map<std::string, std::string> files_;
};

constexpr const char* kUse =
    "program @p {\n  %x = constant {value=1, dtype=f32, shape=[4]}\n  return @y = f(%x) [-]\n}\n";

TEST_F(Imports, FuncsAndLetsComeInAndNothingElse) {
  files_["a.shard"] =
      "isoshard 1\nmesh @m [q=2]\nlet k = 2 * n\nglobal @W : f32[3] input\n"
      "func @f(%a) {\n  return g(%a) * k\n}\n"
      "import \"b.shard\"\n"
      "program @own {\n  %W = view @W [-]\n  return @y = %W [-]\n}\ncheck @own == @nothing\n";
  files_["b.shard"] =
      "isoshard 1\nfunc @g(%a) {\n  return -%a\n}\nfunc @unused(%a: f32[2]) on @m -> f32[2] {\n  return %a\n}\n";
  const std::string text =
      printed("isoshard 1\nlet n = 5\nimport \"a.shard\"\nimport \"b.shard\"\nimport \"a.shard\"\n" + std::string(kUse),
              options());
  EXPECT_THAT(text, HasSubstr("constant {value=10, dtype=f32, shape=[4]}"));
  EXPECT_THAT(text, HasSubstr("func @g(%a: f32[4]) -> f32[4] {\n"));
  EXPECT_THAT(text, Not(HasSubstr("own")));
  EXPECT_THAT(text, Not(HasSubstr("global")));
  EXPECT_THAT(text, Not(HasSubstr("mesh")));
  EXPECT_THAT(text, Not(HasSubstr("unused")));
  EXPECT_EQ(printed(text), text) << "what is printed imports nothing";
}

TEST_F(Imports, PathsAreRelativeToTheImportingFile) {
  files_["parts/a.shard"] = "isoshard 1\nimport \"more/b.shard\"\n";
  files_["parts/more/b.shard"] = "isoshard 1\nfunc @f(%a) {\n  return -%a\n}\n";
  EXPECT_NE(printed("isoshard 1\nimport \"parts/a.shard\"\n" + std::string(kUse), options()), "");
}

TEST_F(Imports, SetReplacesTheirLets) {
  files_["a.shard"] = "isoshard 1\nlet k = 2\nfunc @f(%a) {\n  return %a * k\n}\n";
  text::ElaborateOptions set = options();
  set.settings = {{"k", "7"}};
  EXPECT_THAT(printed("isoshard 1\nimport \"a.shard\"\n" + std::string(kUse), set), HasSubstr("constant {value=7,"));
}

TEST_F(Imports, ErrorsPointIntoTheImportedFile) {
  files_["a.shard"] = "isoshard 1\nfunc @f(%a) {\n  return tanh(%b)\n}\n";
  EXPECT_EQ(rendered("isoshard 1\nimport \"a.shard\"\n" + std::string(kUse), options()),
            "a.shard:3:15: error: %b is not defined [E-undefined]\n"
            "      return tanh(%b)\n"
            "                  ^^\n"
            "  t.shard:5:15: note: called from here\n"
            "      return @y = f(%x) [-]\n"
            "                  ^^^^^\n");
  files_["a.shard"] = "isoshard 1\nfunc @f(%a) {\n  return tanh %a %a\n}\n";
  EXPECT_EQ(rendered("isoshard 1\nimport \"a.shard\"\n" + std::string(kUse), options()),
            "a.shard:3:15: error: found \"%a\"; expected `(` behind the name of an op in an expression, as in tanh(%x) "
            "[P-expected]\n"
            "      return tanh %a %a\n"
            "                  ^^\n"
            "t.shard:2:8: note: imported from here\n"
            "    import \"a.shard\"\n"
            "           ^^^^^^^^^\n");
  files_["a.shard"] = "isoshard 1\nlet k = n / 2\nfunc @f(%a) {\n  return %a\n}\n";
  EXPECT_EQ(rendered("isoshard 1\nlet n = 3\nimport \"a.shard\"\n" + std::string(kUse), options()),
            "a.shard:2:9: error: `n / 2` = 3 / 2 is not exact: it leaves a remainder of 1; choose numbers that divide "
            "[E-divide]\n"
            "    let k = n / 2\n"
            "            ^^^^^\n"
            "  t.shard:3:8: note: imported from here\n");
  files_["a.shard"] = "isoshard 1\nfunc @f(%a: f32[5]) -> f32[5] {\n  return %a\n}\n";
  EXPECT_EQ(error("isoshard 1\nimport \"a.shard\"\n" + std::string(kUse), options()),
            "5:15 T-call call: argument 0 is f32[4]; expected f32[5] for %a of @f");
}

TEST_F(Imports, NamesAreDeclaredOnce) {
  files_["a.shard"] = "isoshard 1\nfunc @f(%a) {\n  return %a\n}\n";
  EXPECT_EQ(rendered("isoshard 1\nimport \"a.shard\"\nfunc @f(%a) {\n  return %a\n}\n" + std::string(kUse), options()),
            "t.shard:3:6: error: func @f is declared twice; expected a new name [E-duplicate]\n"
            "    func @f(%a) {\n"
            "         ^^\n"
            "a.shard:2:6: note: it is first declared here\n"
            "    func @f(%a) {\n"
            "         ^^\n");
}

TEST_F(Imports, WhatCannotBeImported) {
  EXPECT_EQ(error("isoshard 1\nimport a.shard\n"),
            "2:8 P-expected found \"a.shard\"; expected a file in quotes, as in `import \"std/nn.shard\"`");
  EXPECT_EQ(error("isoshard 1\nimport \"a.shard\"\n", options()),
            "2:8 P-file cannot read \"a.shard\": it is not there");
  EXPECT_EQ(error("isoshard 1\nimport \"std/mm.shard\"\n"),
            "2:8 E-import there is no \"std/mm.shard\" in the library, which has std/nn.shard");
  files_["a.shard"] = "isoshard 1\nimport \"b.shard\"\n";
  files_["b.shard"] = "isoshard 1\nimport \"c.shard\"\n";
  files_["c.shard"] = "isoshard 1\nimport \"b.shard\"\n";
  EXPECT_EQ(rendered("isoshard 1\nimport \"a.shard\"\n", options()),
            "c.shard:2:8: error: \"b.shard\" imports itself: b.shard -> c.shard -> b.shard; expected files without a "
            "circle [E-import]\n"
            "    import \"b.shard\"\n"
            "           ^^^^^^^^^\n"
            "  b.shard:2:8: note: imported from here\n"
            "  a.shard:2:8: note: imported from here\n"
            "  t.shard:2:8: note: imported from here\n");
  EXPECT_EQ(error("isoshard 1\nimport \"t.shard\"\n", options()),
            "2:8 E-import \"t.shard\" imports itself: t.shard -> t.shard; expected files without a circle");
  for (int i = 0; i < 70; ++i) {
    files_["d" + std::to_string(i) + ".shard"] = "isoshard 1\nimport \"d" + std::to_string(i + 1) + ".shard\"\n";
  }
  EXPECT_THAT(error("isoshard 1\nimport \"d0.shard\"\n", options()),
              HasSubstr("E-import files import each other more than 64 deep"));
}

TEST_F(Imports, TheLibraryServesEveryRank) {
  const std::string body =
      "import \"std/nn.shard\"\n"
      "program @p {\n"
      "  %x = constant {value=1/2, dtype=f32, shape=[2, 3, 4]}\n"
      "  %g = constant {value=2, dtype=f32, shape=[4]}\n"
      "  %a = layer_norm(rms_norm(softmax(%x), %g), %g, %g, 1e-3)\n"
      "  %b = gelu(relu(%g)) + gelu_tanh(silu(log_softmax(%g)))\n"
      "  %c = matmul(%x, %g)\n"
      "  %s = matmul(%x, reshape(%x) {shape=[2, 4, 3]})\n"
      "  %d = where(%b > 0, %b, -1)\n"
      "  return @a = %a [-, -, -]\n"
      "  return @d = %d [-]\n"
      "}\n";
  const std::string text = printed("isoshard 1\n" + body);
  EXPECT_THAT(text, HasSubstr("func @layer_norm(%x: f32[2,3,4], %gain: f32[4], %bias: f32[4]) -> f32[2,3,4] {\n"));
  EXPECT_THAT(text, HasSubstr("func @log_softmax(%x: f32[4]) -> f32[4] {\n"));
  EXPECT_EQ(printed(text), text);
}

}  // namespace
}  // namespace isoshard::text_import_test
