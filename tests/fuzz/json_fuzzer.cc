#include <memory>
#include <string>

#include "core/support/check.h"
#include "core/text/json_read.h"
#include "core/text/json_write.h"
#include "tests/fuzz/target.h"

/// Any bytes as the JSON of a module: an error with a place, or a module that prints as JSON that gives the same text
/// again.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isoshard;
  DiagnosticSink sink;
  text::ElaborateOptions options;
  options.max_ops = 5000;  // scans in scans may ask for more than a sanitizer makes in seconds
  const auto source = [](std::string text) {
    return std::make_shared<const SourceFile>(SourceFile{"fuzz.json", std::move(text)});
  };
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::optional<Module> module = text::parse_json_module(source(text), options, sink);
  ISOSHARD_CHECK(module.has_value() == !sink.has_errors(), "a module exactly where there is no error");
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    ISOSHARD_CHECK(diagnostic.location.known() && !render(diagnostic).empty(), "an error has a place");
  }
  if (!module) return 0;
  const std::string printed = text::print_json(*module);
  const std::optional<Module> again = text::parse_json_module(source(printed), {}, sink);
  ISOSHARD_CHECK(again.has_value(), "what is printed can be read");
  ISOSHARD_CHECK(text::print_json(*again) == printed, "printing is a fixpoint");
  return 0;
}
