#include <memory>
#include <string>

#include "core/import/stablehlo/import.h"
#include "core/import/stablehlo/text/parse.h"
#include "core/support/check.h"
#include "core/text/text.h"
#include "tests/fuzz/target.h"

/// Any bytes as a StableHLO text on a mesh of two by two devices: an error with a rule, or a program that prints as a
/// file of the language which can be read again.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isoshard;
  const auto source = [](const char* name, std::string text) {
    return std::make_shared<const SourceFile>(SourceFile{name, std::move(text)});
  };
  DiagnosticSink sink;
  const std::optional<stablehlo::ModuleText> text =
      stablehlo::parse(source("fuzz.mlir", std::string(reinterpret_cast<const char*>(data), size)), sink);
  std::optional<Module> module;
  const std::vector<MeshAxis> mesh = {MeshAxis{"data", 2}, MeshAxis{"model", 2}};
  if (text)
    module =
        stablehlo::import_program({*text, "fuzz", text->meshes.empty() ? mesh : std::vector<MeshAxis>()}, {}, sink);
  ISOSHARD_CHECK(module.has_value() == !sink.has_errors(), "a program exactly where there is no error");
  for (const Diagnostic& diagnostic : sink.diagnostics()) {
    ISOSHARD_CHECK(!diagnostic.rule.empty(), "an error says which rule is broken");
  }
  if (!module) return 0;
  const std::string printed = text::print(*module);
  const std::optional<Module> again = text::parse_module(source("fuzz.shard", printed), {}, sink);
  ISOSHARD_CHECK(again.has_value(), "what is printed can be read");
  ISOSHARD_CHECK(text::print(*again) == printed, "printing is a fixpoint");
  return 0;
}
