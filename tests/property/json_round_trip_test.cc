// What print_json writes, parse_json_module reads back to the same module: the same JSON and the same `.shard`.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "core/parallel/catalogue.h"
#include "core/support/result.h"
#include "core/text/json_read.h"
#include "core/text/json_write.h"
#include "core/text/text.h"
#include "tests/property/random_program.h"

namespace isoshard::json_round_trip_test {
namespace {

std::optional<Module> read(const std::string& json, std::string& problems) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"m.json", json});
  std::optional<Module> module = text::parse_json_module(file, {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) problems += render(diagnostic);
  return module;
}

std::vector<std::string> state_errors(const Module& module) {
  std::vector<std::string> result;
  for (const Program& program : module.programs) {
    for (const Diagnostic& error : program.state_errors()) {
      result.push_back(error.location.to_string() + " " + error.rule + " " + error.message);
    }
  }
  return result;
}

/// What is lost or changed on the way, or nothing.
std::string difference(const Module& module) {
  const std::string json = text::print_json(module);
  std::string problems;
  const std::optional<Module> again = read(json, problems);
  if (!again) return problems;
  if (text::print_json(*again) != json) return "the JSON differs:\n" + text::print_json(*again);
  const text::PrintOptions types{true};
  if (text::print(*again, types) != text::print(module, types))
    return "the text differs:\n" + text::print(*again, types);
  return state_errors(*again) == state_errors(module) ? "" : "the state errors differ";
}

/// The program as a file says it, with locations: the generator makes up new bodies of scans while their states settle.
Module as_file(const Module& module) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"random.shard", text::print(module)});
  std::optional<Module> read = text::parse_module(file, {}, sink);
  RC_ASSERT(read.has_value());
  return std::move(*read);
}

RC_GTEST_PROP(JsonRoundTrip, OfRandomPrograms, ()) {
  testing::RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  options.updates = *rc::gen::arbitrary<bool>();
  options.typed = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  const Module module = as_file(testing::random_program(options).module);
  RC_LOG(text::print(module, text::PrintOptions{true}));
  RC_ASSERT(difference(module) == "");
}

/// One program and what it calls: the others are null in the JSON.
RC_GTEST_PROP(JsonRoundTrip, OfOneProgram, ()) {
  testing::RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  const Module module = as_file(testing::random_program(options).module);
  const ProgramId program = *module.find_program("p");
  std::string problems;
  const std::optional<Module> again = read(text::print_json(module, program), problems);
  RC_ASSERT(problems == "");
  RC_ASSERT(again->find_program("p").has_value());
  RC_ASSERT(text::print(*again, *again->find_program("p")) == text::print(module, program));
}

/// Right and wrong files: those that have errors of states keep them.
TEST(JsonRoundTrip, OfAllFilesThatAreRead) {
  size_t modules = 0, wrong = 0;
  for (const char* folder : {"examples", "tests/files"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".shard") continue;
      DiagnosticSink sink;
      const auto source = text::read_source(entry.path().string());
      const std::optional<Module> module = source ? text::parse_module(*source, {}, sink) : std::nullopt;
      if (!module) continue;
      ++modules;
      wrong += state_errors(*module).empty() ? 0U : 1U;
      EXPECT_EQ(difference(*module), "") << entry.path();
    }
  }
  EXPECT_GT(modules, 50U);
  EXPECT_GT(wrong, 5U);
}

TEST(JsonRoundTrip, OfTheCatalogue) {
  for (const ModelInfo& model : catalogue()) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(ModelRequest{std::string(model.name), {}, {}}, sink);
    ASSERT_TRUE(module.has_value()) << model.name;
    EXPECT_EQ(difference(*module), "") << model.name;
  }
}

}  // namespace
}  // namespace isoshard::json_round_trip_test
