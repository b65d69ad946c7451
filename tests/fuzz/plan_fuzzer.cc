#include <memory>
#include <string>

#include "core/support/check.h"
#include "core/text/plan/plan_text.h"
#include "tests/fuzz/target.h"

/// Any bytes as a Plan file: an error with a rule, or a Plan that prints as a file that gives the same text again.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isoshard;
  const auto source = [](std::string text) {
    return std::make_shared<const SourceFile>(SourceFile{"fuzz.plan", std::move(text)});
  };
  DiagnosticSink sink;
  const std::optional<text::PlanFile> file =
      text::read_plan(source(std::string(reinterpret_cast<const char*>(data), size)), sink);
  ISOSHARD_CHECK(file.has_value() == !sink.has_errors(), "a Plan exactly where there is no error");
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    ISOSHARD_CHECK(!diagnostic.rule.empty(), "an error says which rule is broken");
  }
  if (!file) return 0;
  const std::string printed = print(*file);
  const std::optional<text::PlanFile> again = text::read_plan(source(printed), sink);
  ISOSHARD_CHECK(again.has_value(), "what is printed can be read");
  ISOSHARD_CHECK(print(*again) == printed, "printing is a fixpoint");
  return 0;
}
