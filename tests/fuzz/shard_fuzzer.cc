#include <memory>
#include <string>

#include "core/support/check.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "tests/fuzz/target.h"

/// Any bytes as a `.shard` file: an error with a place, or a module that prints as a file that gives the same text
/// again.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isoshard;
  DiagnosticSink sink;
  text::ElaborateOptions options;
  options.max_ops = 5000;  // a loop may ask for more than a sanitizer makes in seconds
  options.read = [](const std::string& path) -> Result<std::shared_ptr<const SourceFile>> {
    return failure("P-file", Location(), "nothing beside " + path);
  };
  const auto source = [](std::string text) {
    return std::make_shared<const SourceFile>(SourceFile{"fuzz.shard", std::move(text)});
  };
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::optional<Module> module = text::parse_module(source(text), options, sink);
  ISOSHARD_CHECK(module.has_value() == !sink.has_errors(), "a module exactly where there is no error");
  if (!module) return 0;
  const std::string printed = text::print(*module, text::PrintOptions{true});
  const std::optional<Module> again = text::parse_module(source(printed), {}, sink);
  ISOSHARD_CHECK(again.has_value(), "what is printed can be read");
  ISOSHARD_CHECK(text::print(*again, text::PrintOptions{true}) == printed, "printing is a fixpoint");
  return 0;
}
