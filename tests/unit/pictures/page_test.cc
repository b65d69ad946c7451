// Pages: that they are well-formed whatever a program calls its values, hold every value, mark the wrong one and say
// what they leave out.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "pictures/chart/listing.h"
#include "pictures/markup/escape.h"
#include "pictures/page/page.h"
#include "pictures/svg/plan_svg.h"
#include "tests/models_testing.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::pictures::page_test {
namespace {

/// What keeps `page` from being a tree of elements with quoted attributes, or nothing. Scripts and styles are skipped.
class WellFormed {
 public:
  explicit WellFormed(std::string_view page) : rest_(page) {}

  std::string error() {
    if (rest_.starts_with("<!DOCTYPE html>")) rest_.remove_prefix(15);
    while (!rest_.empty() && error_.empty()) {
      const size_t text = rest_.find('<');
      if (text != 0) {
        check_text(rest_.substr(0, text));
        rest_.remove_prefix(std::min(text, rest_.size()));
      } else {
        tag();
      }
    }
    if (error_.empty() && !open_.empty()) error_ = "never closed: " + open_.back();
    return error_;
  }

 private:
  void check_text(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c < 0x20 && c != '\n' && c != '\t') error_ = "a control character";
      if (c == '>' || (c == '&' && text.substr(i, 12).find(';') == std::string_view::npos))
        error_ = "bare " + std::string(1, text[i]);
    }
  }

  void tag() {
    size_t end = 1;
    for (bool quoted = false; end < rest_.size() && (quoted || rest_[end] != '>'); ++end) {
      if (rest_[end] == '"') quoted = !quoted;
      if (quoted && rest_[end] == '<') error_ = "< in an attribute";
    }
    const std::string inside(rest_.substr(1, end - 1));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    const std::string name = inside.substr(0, inside.find_first_of(" /", 1));
    if (inside[0] == '/') {
      if (open_.empty() || "/" + open_.back() != inside)
        error_ = "<" + inside + "> closes " + (open_.empty() ? "nothing" : open_.back());
      if (!open_.empty()) open_.pop_back();
    } else if (inside.back() != '/') {
      open_.push_back(name);
      if (name == "script" || name == "style") rest_.remove_prefix(std::min(rest_.find("</" + name), rest_.size()));
    }
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  std::string error_;
};

/// The JSON inside of a page.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"isoshard-data\">";
  const size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

Module parsed(const std::string& text) {
  DiagnosticSink sink;
  auto module = text::parse_module(std::make_shared<const SourceFile>(SourceFile{"a.shard", text}), {}, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  return module ? std::move(*module) : Module();
}

TEST(Page, TheCheckOfTestsFindsWhatIsBroken) {
  EXPECT_EQ(WellFormed("<p><b>x</b></p>").error(), "");
  for (const char* wrong :
       {"<p><b>x</p></b>", "<p>", "</p>", "<p>a > b</p>", "<p>a & b</p>", "<p t=\"<\"></p>", "<p>\x01</p>"}) {
    EXPECT_NE(WellFormed(wrong).error(), "") << wrong;
  }
}

TEST(Page, OfEveryModelIsWellFormedAndListsEveryValue) {
  testing::for_each_catalogue_program([](const Module& module, ProgramId id, const std::string& name) {
    Page page(name);
    page.add(module, id);
    const std::string html = page.html();
    EXPECT_EQ(WellFormed(html).error(), "") << name;
    EXPECT_LT(html.size(), 5'000'000U) << name;
    const nlohmann::json values = data_of(html).at(0).at("values");
    std::set<std::string> listed;
    for (const auto& value : values) listed.insert(value.at("n"));
    const Program& program = module.program(id);
    for (size_t v = 0; v < program.value_count(); ++v) {
      EXPECT_TRUE(listed.contains("%" + program.value(ValueId(v)).name))
          << name << " " << program.value(ValueId(v)).name;
    }
    EXPECT_EQ(html.find("src="), std::string::npos) << "asks nobody for anything";
    EXPECT_EQ(html.find("url("), std::string::npos);
  });
}

TEST(Page, TellsTheBlockOfEachDevice) {
  const Module module = testing::made({"tp_mlp", {{"data", 2}, {"model", 2}}, {{"d", "8"}}});
  Page page("tp_mlp");
  page.add(module, module.checks.at(0).left);
  const nlohmann::json data = data_of(page.html());
  for (const auto& value : data.at(0).at("values")) {
    if (value.at("n") != "%W1") continue;
    EXPECT_EQ(value.at("s"), "RV");
    EXPECT_EQ(value.at("b"), (nlohmann::json{"[0:8, 0:420]", "[0:8, 420:840]"}));
    EXPECT_EQ(value.at("d"), (nlohmann::json{0, 1, 0, 1}));
    return;
  }
  FAIL() << "%W1 is not on the page";
}

TEST(Page, MarksTheFirstWrongValueInPlace) {
  const auto file = text::read_source("examples/wrong/missing_all_reduce.shard");
  ASSERT_TRUE(file.has_value());
  DiagnosticSink sink;
  const std::optional<Module> module = text::parse_module(*file, {}, sink);
  ASSERT_TRUE(module.has_value());
  Page page("check");
  for (const Check& claim : module->checks) page.add(*module, claim, verify::check(*module, claim));
  const std::string html = page.html();
  EXPECT_EQ(WellFormed(html).error(), "");
  const size_t wrong = html.find("<tr class=\"value wrong\"");
  ASSERT_NE(wrong, std::string::npos);
  EXPECT_EQ(html.find("<tr class=\"value wrong\"", wrong + 1), std::string::npos) << "one value only";
  EXPECT_LT(html.find("<th scope=\"row\">%y</th>", wrong), html.find("</tr>", wrong));
  EXPECT_NE(html.find("missing all_reduce of %p over `model` before add", wrong), std::string::npos);
  EXPECT_NE(html.find("<tr class=\"value near\""), std::string::npos);
  EXPECT_LT(html.find("class=\"claim\""), html.find("<section id=\"p0\""));
  EXPECT_LT(html.find("DOES NOT HOLD", html.find("<main>")), html.find("EQUAL as formulas", html.find("<main>")))
      << "what fails stands first";
}

TEST(Page, SaysWhatItLeavesOut) {
  std::string text =
      "isoshard 1\nmesh @m [data=512]\nglobal @x : f32[512] input\nprogram @long on @m {\n  %v0 = view @x [data]\n";
  for (size_t i = 1; i <= kMostValues; ++i) {
    text += "  %v" + std::to_string(i) + " = add %v" + std::to_string(i - 1) + ", %v0\n";
  }
  const Module module = parsed(text + "  return @y = %v" + std::to_string(kMostValues) + " [data]\n}\n");
  Page page("long");
  page.add(module, ProgramId(0));
  const std::string html = page.html();
  EXPECT_EQ(WellFormed(html).error(), "");
  EXPECT_NE(html.find("Cut: the first 4000 of 4002 values are listed"), std::string::npos);
  EXPECT_NE(html.find("Cut: the first 256 of 512 devices are shown"), std::string::npos);
  EXPECT_NE(html.find("Cut: the first 4000 of 4002 slots and 1 of 1 queues are drawn, 4000 of 4002 instructions"),
            std::string::npos);
  EXPECT_EQ(data_of(html).at(0).at("values").size(), kMostValues);
}

TEST(Escaped, IsHarmless) {
  EXPECT_EQ(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escaped(std::string_view("\0\x1f\x7f", 3)), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xc3\xa4 \xe2\x9c\x97 \xf0\x9f\x98\x80"), "\xc3\xa4 \xe2\x9c\x97 \xf0\x9f\x98\x80");
  EXPECT_EQ(escaped("\xff\xc3"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd") << "overlong";
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(script_json("[\"</script>&\"]"), "[\"\\u003c/script\\u003e\\u0026\"]");
}

/// Texts that break pages: tags, quotes, entities, ends of scripts, bytes that are not UTF-8.
rc::Gen<std::string> nasty() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::oneOf(
                          rc::gen::element<std::string>("</script>", "<script>", "\"", "'", "<!--", "]]>", "&amp;", "&",
                                                        "\xff", "\xe2\x9c", "-->", "\n", "</td>"),
                          rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string(1, c); }))),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

RC_GTEST_PROP(Page, StaysWhatItIsWhateverNamesAre, ()) {
  Module module = testing::made({"tp_mlp", {}, {}});
  Plan plan = lower(module, module.checks.at(0).left);
  const PlanValueList values = std::exchange(plan.values, {});
  for (const PlanValue& value : values) plan.values.add(value.type(), *nasty());
  for (Global& global : plan.globals) global.name = *nasty();
  plan.groups[0].name = *nasty();
  plan.program = *nasty();
  for (Block& block : plan.groups[0].blocks) {
    for (Queue& queue : block.queues) queue.name = *nasty();
  }
  Page page(*nasty());
  page.add(plan);
  const std::string html = page.html();
  RC_ASSERT(WellFormed(html).error() == "");
  RC_ASSERT(data_of(html).at(0).at("values").size() > 0U);
  RC_ASSERT(WellFormed(plan_svg(plan)).error() == "");
}

RC_GTEST_PROP(Page, OfARandomProgramListsAllItsValues, ()) {
  testing::RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  options.updates = *rc::gen::arbitrary<bool>();
  const Module module = testing::random_program(options).module;
  for (size_t p = 0; p < module.programs.size(); ++p) {
    if (module.programs[p].kind() != ProgramKind::program) continue;
    Page page("random");
    page.add(module, ProgramId(p));
    const std::string html = page.html();
    RC_ASSERT(WellFormed(html).error() == "");
    std::set<std::string> listed;
    const nlohmann::json data = data_of(html);
    for (const auto& value : data.at(0).at("values")) listed.insert(value.at("n").get<std::string>());
    const Program& program = module.programs[p];
    for (size_t v = 0; v < program.value_count(); ++v) RC_ASSERT(listed.contains("%" + program.value(ValueId(v)).name));
  }
}

}  // namespace
}  // namespace isoshard::pictures::page_test
