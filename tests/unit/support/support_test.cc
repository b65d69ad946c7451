#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/support/call_chain.h"
#include "core/support/diagnostic.h"
#include "core/support/location.h"
#include "core/support/quoted.h"
#include "core/support/result.h"

namespace isoshard::support_test {
namespace {

std::shared_ptr<const SourceFile> source(std::string text) {
  return std::make_shared<const SourceFile>(SourceFile{"a.shard", std::move(text)});
}

TEST(SourceFile, Lines) {
  const SourceFile file{"a.shard", "one\r\n\ntwo"};
  EXPECT_EQ(file.line(1), "one");
  EXPECT_EQ(file.line(2), "");
  EXPECT_EQ(file.line(3), "two");
  EXPECT_EQ(file.line(4), "");
}

TEST(Location, Unknown) {
  const Location nowhere;
  EXPECT_FALSE(nowhere.known());
  EXPECT_EQ(nowhere.to_string(), "<unknown>");
  EXPECT_EQ(nowhere.file(), "");
  EXPECT_EQ(nowhere.source_line(), "");
  EXPECT_EQ(nowhere.outer(), nullptr);
}

TEST(Location, Span) {
  const Location span = Location::span(source("x\nlet b = 16\n"), 2, 5, 6);
  EXPECT_TRUE(span.known());
  EXPECT_EQ(span.to_string(), "a.shard:2:5");
  EXPECT_EQ(span.source_line(), "let b = 16");
  EXPECT_EQ(span.end_column(), 6U);
}

TEST(Location, ALineIsTheSameWhereItsBeginIsKnown) {
  const auto file = source("x\nlet b = 16\r\nend");
  EXPECT_EQ(Location::span(file, 2, 5, 6, 2).source_line(), "let b = 16");
  EXPECT_EQ(Location::span(file, 3, 1, 4, 14).source_line(), "end");
  EXPECT_EQ(Location::span(file, 3, 1, 4, 99).source_line(), "");
}

TEST(Location, FunctionOfTheSource) {
  const auto file = std::make_shared<const SourceFile>(SourceFile{"model.py", "", "Block.attention"});
  const Location inside = Location::span(file, 12, 5, 6);
  EXPECT_EQ(inside.function(), "Block.attention");
  EXPECT_EQ(inside.to_string(), "model.py:12:5");
  EXPECT_EQ(inside.in_words(), "model.py:12:5 in Block.attention");
  EXPECT_EQ(Location::here().function(), "");
  EXPECT_EQ(Location().in_words(), "<unknown>");
  EXPECT_EQ(Location::span(source("x\n"), 1, 1, 2).in_words(), "a.shard:1:1") << "most texts say no function";
}

TEST(Location, CallSite) {
  const Location site = Location::here();
  const int line = __LINE__ - 1;
  EXPECT_EQ(site.to_string(), std::string(__FILE__) + ":" + std::to_string(line));
  EXPECT_EQ(site.source_line(), "");
  EXPECT_EQ(site.column(), 0U);
}

/// What chain_of tells of `where`, as "line note".
std::vector<std::string> told(const Location& where) {
  std::vector<std::string> result;
  for (const ChainLink& link : chain_of(where)) {
    result.push_back(std::to_string(link.at->line()) + " " + std::string(link.note));
  }
  return result;
}

TEST(Location, ACallIsToldOnceAndAsTheOneThatWasInlined) {
  const auto file = source("a\nb\nc\nd\ne\n");
  const auto at = [&](uint32_t line) { return Location::span(file, line, 1, 2); };
  const std::string called(kCalled), inlined(kInlined);
  // Line 1 is in a func that line 2, in another func, calls; lines 3 and 4 call that, and line 5 is a loop around
  // line 4.
  const Location inner = at(1).within(at(2), called).within(at(3), called);
  EXPECT_EQ(told(inner), (std::vector<std::string>{"2 " + called, "3 " + called}));
  const Location call = at(4).within(at(5), "iteration k = 0");
  const Location middle = at(2).within(at(3), called).within(call, inlined);
  EXPECT_EQ(told(inner.within(middle, inlined)),
            (std::vector<std::string>{"2 " + inlined, "4 " + inlined, "5 iteration k = 0"}));
  EXPECT_EQ(told(at(1)), std::vector<std::string>{});
}

TEST(Location, ChainsGrowAtTheOuterEnd) {
  const auto file = source("a\nb\nc\n");
  const Location inner = Location::span(file, 1, 1, 2);
  const Location loop = Location::span(file, 2, 1, 2), call = Location::span(file, 3, 1, 2);
  const Location once = inner.within(loop, "iteration k = 3");
  const Location twice = once.within(call, "called from here");
  EXPECT_EQ(inner.outer(), nullptr);
  EXPECT_EQ(twice.to_string(), "a.shard:1:1");
  EXPECT_EQ(twice.note(), "iteration k = 3");
  ASSERT_NE(twice.outer(), nullptr);
  EXPECT_EQ(twice.outer()->to_string(), "a.shard:2:1");
  EXPECT_EQ(twice.outer()->note(), "called from here");
  ASSERT_NE(twice.outer()->outer(), nullptr);
  EXPECT_EQ(twice.outer()->outer()->to_string(), "a.shard:3:1");
  EXPECT_EQ(twice.outer()->outer()->outer(), nullptr);
  EXPECT_EQ(once.outer()->outer(), nullptr) << "within() must not change the location it extends";
}

Diagnostic at(Location where, std::string message) {
  return Diagnostic{Severity::error, "S-1", std::move(where), std::move(message), {}};
}

TEST(Render, SpanWithCarets) {
  const auto file = source("isoshard 1\n  %u = add %r, %c2\n");
  EXPECT_EQ(render(at(Location::span(file, 2, 8, 11), "P + I")),
            "a.shard:2:8: error: P + I [S-1]\n"
            "      %u = add %r, %c2\n"
            "           ^^^\n");
}

TEST(Render, WithoutLocationOrRule) {
  EXPECT_EQ(render(Diagnostic{Severity::warning, "", {}, "x", {}}), "warning: x\n");
}

TEST(Render, NotesAndChains) {
  const auto file = source("first\nsecond\nthird\n");
  Diagnostic diagnostic =
      at(Location::span(file, 1, 1, 6).within(Location::span(file, 3, 2, 3), "iteration k = 3"), "bad");
  diagnostic.note(Location::span(file, 2, 1, 4), "defined here").note({}, "insert an all_reduce");
  EXPECT_EQ(render(diagnostic),
            "a.shard:1:1: error: bad [S-1]\n"
            "    first\n"
            "    ^^^^^\n"
            "  a.shard:3:2: note: iteration k = 3\n"
            "a.shard:2:1: note: defined here\n"
            "    second\n"
            "    ^^^\n"
            "note: insert an all_reduce\n");
}

TEST(Render, Colour) {
  const std::string text = render(at(Location::span(source("abc"), 1, 2, 3), "bad"), true);
  EXPECT_EQ(text,
            "\033[1ma.shard:1:2: \033[1;31merror\033[0m: bad [S-1]\n"
            "    abc\n"
            "     \033[1;32m^\033[0m\n");
}

TEST(Render, CaretsStayInsideTheLine) {
  const auto file = source("abc");
  EXPECT_EQ(render(at(Location::span(file, 1, 3, 90), "bad")), "a.shard:1:3: error: bad [S-1]\n    abc\n      ^\n");
  EXPECT_EQ(render(at(Location::span(file, 1, 4, 4), "unfinished")),
            "a.shard:1:4: error: unfinished [S-1]\n    abc\n       ^\n");
}

TEST(Render, TabsAndControlBytesKeepTheirColumn) {
  EXPECT_EQ(render(at(Location::span(source("\tx\033y"), 1, 4, 5), "bad")),
            "a.shard:1:4: error: bad [S-1]\n     x y\n       ^\n");
}

TEST(Render, LongLinesAreCutAroundTheSpan) {
  std::string line(10'000'000, 'a');
  line.replace(5'000'000, 3, "BAD");
  const std::string text = render(at(Location::span(source(line), 1, 5'000'001, 5'000'004), "bad"));
  EXPECT_EQ(text, "a.shard:1:5000001: error: bad [S-1]\n    " + std::string(80, 'a') + "BAD" + std::string(77, 'a') +
                      "\n    " + std::string(80, ' ') + "^^^\n");
}

/// Wherever the span lies, the caret stands under the byte it names.
TEST(Render, CaretColumnOnEveryColumnOfALongLine) {
  std::string line;
  for (size_t i = 0; i < 400; ++i) line += static_cast<char>('a' + i % 26);
  const auto file = source(line);
  for (uint32_t column = 1; column <= 400; ++column) {
    const std::string text = render(at(Location::span(file, 1, column, column + 1), "x"));
    const size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
    const size_t caret = text.find('^', second) - second;
    ASSERT_LT(first + caret, second - 1) << column;
    EXPECT_EQ(text[first + caret], line[column - 1]) << column;
  }
}

TEST(DiagnosticSink, KeepsOrderAndCountsErrorsOnly) {
  DiagnosticSink sink;
  EXPECT_FALSE(sink.has_errors());
  sink.warning("W-1", {}, "first");
  EXPECT_FALSE(sink.has_errors());
  sink.error("E-1", {}, "second").note({}, "why");
  sink.add(Diagnostic{Severity::error, "E-2", {}, "third", {}});
  EXPECT_EQ(sink.error_count(), 2U);
  ASSERT_EQ(sink.diagnostics().size(), 3U);
  EXPECT_EQ(sink.diagnostics()[0].severity, Severity::warning);
  EXPECT_EQ(sink.diagnostics()[1].notes.at(0).message, "why");
  EXPECT_EQ(sink.diagnostics()[2].rule, "E-2");
}

TEST(Result, FailureCarriesTheDiagnostic) {
  const Result<int> bad = failure("E-3", {}, "no");
  ASSERT_FALSE(bad);
  EXPECT_EQ(render(bad.error()), "error: no [E-3]\n");
  EXPECT_EQ(Result<int>(4).value(), 4);
}

TEST(ClosestName, EditDistance) {
  const std::vector<std::string> names = {"all_reduce", "all_gather", "add", "model", "data"};
  EXPECT_EQ(closest_name("all_redcue", names), "all_reduce") << "a transposition counts one";
  EXPECT_EQ(closest_name("allreduce", names), "all_reduce");
  EXPECT_EQ(closest_name("modle", names), "model");
  EXPECT_EQ(closest_name("ad", names), "add");
  EXPECT_EQ(closest_name("da", names), "") << "two edits are too many for two letters";
  EXPECT_EQ(closest_name("transpose", names), "");
  EXPECT_EQ(closest_name("", names), "");
  EXPECT_EQ(closest_name("add", names), "add");
  EXPECT_EQ(closest_name("x", {}), "");
  EXPECT_EQ(closest_name("x", {"y", "X", "xy"}), "X") << "one letter: case only";
  EXPECT_EQ(closest_name("x", {"y", "xy"}), "") << "every name of one letter is one edit away";
  EXPECT_EQ(closest_name("DATA_AXIS", {"data_axes", "data_axis"}), "data_axis") << "case counts nothing";
  EXPECT_EQ(closest_name(std::string(200, 'a'), {std::string(201, 'a')}), "") << "that is no typing error";
  EXPECT_EQ(closest_name("bd", {"ad", "bb"}), "ad") << "the first of equals";
}

TEST(Quoted, EscapesAndCuts) {
  EXPECT_EQ(quoted("plain"), "\"plain\"");
  EXPECT_EQ(quoted("a\"b\\c\n\x01\x7f"), "\"a\\\"b\\\\c\\n\\x01\\x7f\"");
  EXPECT_EQ(quoted("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"), "\"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(quoted("\xc2\x9b"), "\"\\xc2\\x9b\"") << "a C1 control";
  EXPECT_EQ(quoted("\xc0\x80 \xed\xa0\x80 \xe2\x82"), "\"\\xc0\\x80 \\xed\\xa0\\x80 \\xe2\\x82\"") << "not UTF-8";
  EXPECT_EQ(quoted("abcdef", 4), "\"abcd\"...");
  EXPECT_EQ(quoted("abc\xc3\xbc", 4), "\"abc\"...") << "no half character";
}

}  // namespace
}  // namespace isoshard::support_test
