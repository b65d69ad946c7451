// What print_json writes is what the Module holds: program by program, op by op, value by value, for random programs,
// all files and the catalogue. Of fields it is enough that no two ops that differ look alike; how they look is in
// tests/unit/text/json_write_test.cc.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "catalogue/catalogue.h"
#include "core/support/result.h"
#include "core/text/print/json_write.h"
#include "core/text/text.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::json_output_test {
namespace {

using Json = nlohmann::json;

/// Compares one program with its JSON; the first difference stays.
class Comparison {
 public:
  explicit Comparison(const Program& program) : program_(program) {}

  std::string run(const Json& json) {
    same(json["name"], program_.name());
    same(json["typed"], program_.typed());
    const bool function = program_.kind() == ProgramKind::function;
    same(json["kind"], function ? "function" : "program");
    same(json.contains("outputs") || json.contains("updates"), !function);
    region(json["body"], program_.body());
    if (!function) outputs(json["outputs"], program_.outputs());
    if (!function) outputs(json["updates"], program_.updates());
    return difference_;
  }

 private:
  void same(const Json& written, const Json& expected) {
    if (difference_.empty() && written != expected)
      difference_ = "@" + program_.name() + ": " + written.dump() + ", expected " + expected.dump();
  }

  void values(const Json& json, const std::vector<ValueId>& ids) {
    same(json.size(), ids.size());
    for (size_t i = 0; i < ids.size() && i < json.size(); ++i) value(json[i], program_.value(ids[i]));
  }

  void value(const Json& json, const Value& value) {
    same(json["name"], value.name);
    same(json["dtype"], name(value.type.tensor.dtype));
    same(json["shape"], value.type.tensor.shape);
    same(json["has_gradient"], value.type.has_gradient);
    same(json["states"].size(), value.type.states.size());
    for (size_t a = 0; a < value.type.states.size(); ++a) {
      same(json["states"][program_.mesh().axes()[a].name], std::string(1, letter(value.type.states[a])));
    }
  }

  void names(const Json& json, const std::vector<ValueId>& ids) {
    Json expected = Json::array();
    for (const ValueId id : ids) expected.push_back(program_.value(id).name);
    same(json, expected);
  }

  void region(const Json& json, const Region& region) {
    values(json["arguments"], region.arguments);
    same(json["ops"].size(), region.ops.size());
    for (size_t i = 0; i < region.ops.size() && i < json["ops"].size(); ++i)
      op(json["ops"][i], program_.op(region.ops[i]));
    names(json["results"], region.results);
  }

  void op(const Json& json, const Op& op) {
    same(json["op"], op_name(op.data));
    const auto [known, is_new] = ops_.insert({json["op"].dump() + json["fields"].dump(), op.data});
    if (!is_new && !(known->second == op.data)) same("two ops: " + known->first, "one op");
    names(json["operands"], op.operands);
    values(json["results"], op.results);
    same(json.contains("regions") ? json["regions"].size() : 0U, op.regions.size());
    for (size_t i = 0; i < op.regions.size(); ++i) region(json["regions"][i], op.regions[i]);
    same(json["location"], op.location.known() ? Json(op.location.to_string()) : Json(nullptr));
    state_errors(json, op.state_errors);
  }

  void state_errors(const Json& json, const std::vector<Diagnostic>& errors) {
    Json expected = Json::array();
    for (const Diagnostic& error : errors) expected.push_back(Json{{"rule", error.rule}, {"message", error.message}});
    same(json.contains("state_errors") ? json["state_errors"] : Json::array(), expected);
  }

  void outputs(const Json& json, const std::vector<Output>& outputs) {
    same(json.size(), outputs.size());
    for (size_t i = 0; i < outputs.size() && i < json.size(); ++i) {
      same(json[i]["name"], outputs[i].name);
      same(json[i]["dtype"], name(outputs[i].type.dtype));
      same(json[i]["shape"], outputs[i].type.shape);
      std::vector<ValueId> ids;
      for (const ReturnPart& part : outputs[i].parts) ids.push_back(part.value);
      Json parts = Json::array();
      for (const Json& part : json[i]["parts"]) parts.push_back(part["value"]);
      names(parts, ids);
    }
  }

  const Program& program_;
  std::map<std::string, OpData> ops_;  ///< by name and fields in JSON
  std::string difference_;
};

/// Where the JSON is not what the module holds, or nothing.
std::string difference(const Module& module) {
  const Json json = Json::parse(text::print_json(module));
  if (json["programs"].size() != module.programs.size() || json["globals"].size() != module.globals.size() ||
      json["checks"].size() != module.checks.size() || json["meshes"].size() != module.meshes.size())
    return "parts of the module are missing";
  for (size_t i = 0; i < module.checks.size(); ++i) {
    const Json& check = json["checks"][i];
    if (check["left"] != module.checks[i].left.index() || check["right"] != module.checks[i].right.index())
      return "another check";
  }
  for (size_t i = 0; i < module.programs.size(); ++i) {
    const std::string found = Comparison(module.programs[i]).run(json["programs"][i]);
    if (!found.empty()) return found;
  }
  return "";
}

RC_GTEST_PROP(JsonOutput, OfRandomPrograms, ()) {
  testing::RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  options.updates = *rc::gen::arbitrary<bool>();
  options.typed = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  const Module module = testing::random_program(options).module;
  RC_LOG(text::print(module, text::PrintOptions{true}));
  RC_ASSERT(difference(module) == "");
}

/// Right and wrong files.
TEST(JsonOutput, OfAllFilesThatAreRead) {
  size_t modules = 0, wrong = 0;
  for (const char* folder : {"examples", "tests/files"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".shard") continue;
      DiagnosticSink sink;
      const auto source = text::read_source(entry.path().string());
      const std::optional<Module> module = source ? text::parse_module(*source, {}, sink) : std::nullopt;
      if (!module) continue;
      ++modules;
      for (const Program& program : module->programs) wrong += program.state_errors().empty() ? 0U : 1U;
      EXPECT_EQ(difference(*module), "") << entry.path();
    }
  }
  EXPECT_GT(modules, 50U);
  EXPECT_GT(wrong, 5U);
}

TEST(JsonOutput, OfTheCatalogue) {
  for (const ModelInfo& model : catalogue()) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(ModelRequest{std::string(model.name), {}, {}}, sink);
    ASSERT_TRUE(module.has_value()) << model.name;
    EXPECT_EQ(difference(*module), "") << model.name;
  }
}

}  // namespace
}  // namespace isoshard::json_output_test
