#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "core/text/text.h"
#include "verify/check.h"

namespace isoshard::verify {

/// Parses `body` (without the version line); any error fails the test.
inline Module parse(const std::string& body) {
  auto file = std::make_shared<SourceFile>(SourceFile{"t.shard", "isoshard 1\n" + body});
  DiagnosticSink sink;
  std::optional<Module> module = text::parse_module(file, {}, sink);
  std::string errors;
  for (const Diagnostic& d : sink.diagnostics()) errors += render(d);
  EXPECT_TRUE(module.has_value()) << errors;
  return module ? std::move(*module) : Module{};
}

/// The report of the only check of `body`.
inline CheckReport check_text(const std::string& body, const CheckOptions& options = {}) {
  const Module module = parse(body);
  EXPECT_EQ(module.checks.size(), 1U);
  return module.checks.empty() ? CheckReport{} : check(module, module.checks[0], options);
}

/// The text of a report with the time replaced by `T`.
inline std::string masked(const CheckReport& report) {
  return std::regex_replace(to_text(report), std::regex("  time       [^\n]*"), "  time       T");
}

inline long count_lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace isoshard::verify
