#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/text/text.h"

namespace isoshard {

/// Reads texts as if they were the file `t.shard`.
class TextTest : public ::testing::Test {
 protected:
  std::optional<Module> parse(const std::string& text, const text::ElaborateOptions& options = {}) {
    sink_ = DiagnosticSink();
    return text::parse_module(std::make_shared<const SourceFile>(SourceFile{"t.shard", text}), options, sink_);
  }

  /// All errors of `text` as they are shown; it must have one.
  std::string rendered(const std::string& text, const text::ElaborateOptions& options = {}) {
    EXPECT_FALSE(parse(text, options).has_value());
    std::string result;
    for (const Diagnostic& diagnostic : sink_.diagnostics()) result += render(diagnostic);
    return result;
  }

  /// All errors of `text` as "line:column RULE message".
  std::vector<std::string> errors(const std::string& text, const text::ElaborateOptions& options = {}) {
    EXPECT_FALSE(parse(text, options).has_value());
    std::vector<std::string> result;
    for (const Diagnostic& d : sink_.diagnostics()) {
      const std::string place = std::to_string(d.location.line()) + ":" + std::to_string(d.location.column());
      result.push_back(place + " " + d.rule + " " + d.message);
    }
    return result;
  }

  /// The first error of `text`, in the same form.
  std::string error(const std::string& text, const text::ElaborateOptions& options = {}) {
    const std::vector<std::string> all = errors(text, options);
    return all.empty() ? "none" : all.front();
  }

  /// The printed form of `text`, which must be right.
  std::string printed(const std::string& text, const text::ElaborateOptions& options = {}) {
    const std::optional<Module> module = parse(text, options);
    for (const Diagnostic& diagnostic : sink_.diagnostics()) ADD_FAILURE() << render(diagnostic);
    return module ? text::print(*module) : "";
  }

  DiagnosticSink sink_;
};

/// Eight lines: a mesh {data=2, model=3}, `d` = 12, global @x f32[12,12] and a const @n i32[3]; bodies start at line 7.
inline std::string in_program(const std::string& body) {
  return "isoshard 1\n"
         "mesh @m [data=2, model=3]\n"
         "let d = 12\n"
         "global @x : f32[d, d] input\n"
         "global @n : i32[3] const init=1\n"
         "program @p on @m {\n" +
         body + "}\n";
}

/// The same with `%x` = all of @x before `body` and a return of it behind; `body` starts at line 8.
inline std::string with_x(const std::string& body) {
  return in_program("  %x = view @x [-, -]\n" + body + "  return @y = %x [-, -]\n");
}

}  // namespace isoshard
