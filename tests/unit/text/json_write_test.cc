// The JSON forms of Modules and Plans: every part of them, exactly.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/plan/passes/lower.h"
#include "core/text/print/json_write.h"
#include "core/text/print/plan_json.h"
#include "core/text/text.h"

namespace isoshard::json_write_test {
namespace {

using Json = nlohmann::json;

constexpr const char* kFile = R"(isoshard 1
mesh @m [data=2, model=3] devices=[5, 4, 3, 2, 1, 0]
global @x : f32[4, 6] input init=1/3
global @w : f32[6, 2] param init=zeros
func @double(%a: f32[2, 2]) on @m -> f32[2, 2] {
  %b = add %a, %a
  return %b
}
program @p on @m {
  %x = view @x [data, model]
  %w = view @w [model, -]
  %t = dot_general %x, %w {contract=[1]x[0], partial={model}}
  %y = all_reduce %t {axis=model, to=I}
  %z = call @double(%y)
  return @y = %z [data, -]
}
program @q {
  %x = view @x [-, -]
  %w = view @w [-, -]
  %t = dot_general %x, %w {contract=[1]x[0]}
  %z = add %t, %t
  return @y = %z [-, -]
}
check @p == @q
)";

Module parse(const char* text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"x.shard", text});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
  return module ? std::move(*module) : Module{};
}

Json program_named(const Json& module, const std::string& name) {
  for (const Json& program : module["programs"]) {
    if (program.is_object() && program["name"] == name) return program;
  }
  return {};
}

TEST(JsonWrite, MeshesGlobalsAndChecks) {
  const Module module = parse(kFile);
  const Json json = Json::parse(text::print_json(module));
  EXPECT_EQ(json["isoshard"], 1);
  EXPECT_EQ(json["kind"], "module");
  const Json mesh = Json::parse(R"({"name": "m", "axes": [{"name": "data", "size": 2}, {"name": "model", "size": 3}],
                                    "devices": [5, 4, 3, 2, 1, 0]})");
  EXPECT_EQ(json["meshes"], Json::array({mesh}));
  EXPECT_EQ(json["globals"][0],
            Json::parse(R"({"name": "x", "dtype": "f32", "shape": [4, 6], "role": "input", "init": "1/3"})"));
  EXPECT_EQ(json["globals"][1]["init"], "zeros");
  ASSERT_EQ(json["checks"].size(), 1U);
  EXPECT_EQ(json["programs"][json["checks"][0]["left"].get<size_t>()]["name"], "p");
  EXPECT_EQ(json["programs"][json["checks"][0]["right"].get<size_t>()]["name"], "q");
  EXPECT_EQ(json["checks"][0]["location"], "x.shard:24:1");
  EXPECT_EQ(program_named(json, "p")["mesh"], mesh);
  EXPECT_EQ(program_named(json, "q")["mesh"], nullptr);
}

TEST(JsonWrite, OpsWithFieldsTypesAndStates) {
  const Module module = parse(kFile);
  const Json json = Json::parse(text::print_json(module));
  const Json program = program_named(json, "p");
  const Json& ops = program["body"]["ops"];
  ASSERT_EQ(ops.size(), 5U);
  EXPECT_EQ(ops[1]["fields"], Json::parse(R"({"global": "w", "layout": ["model", "-"]})"));
  EXPECT_EQ(ops[2], Json::parse(R"({
      "op": "dot_general", "operands": ["x", "w"],
      "fields": {"contract": {"lhs": [1], "rhs": [0]}, "partial": ["model"]},
      "results": [{"name": "t", "dtype": "f32", "shape": [2, 2], "states": {"data": "V", "model": "P"},
                   "has_gradient": true}],
      "location": "x.shard:12:8"})"));
  EXPECT_EQ(ops[3]["fields"], Json::parse(R"({"axis": ["model"], "to": "I"})"));
  const Json callee = json["programs"][ops[4]["fields"]["callee"].get<size_t>()];
  EXPECT_EQ(callee["kind"], "function");
  EXPECT_EQ(callee["name"], "double");
  EXPECT_EQ(callee["body"]["arguments"][0]["states"], Json::parse(R"({"data": "V", "model": "I"})"));
  EXPECT_EQ(callee["body"]["results"], Json::array({"b"}));
  EXPECT_EQ(program["outputs"], Json::parse(R"([{"name": "y", "dtype": "f32", "shape": [4, 2],
                                                 "parts": [{"value": "z", "layout": ["data", "-"],
                                                            "location": "x.shard:15:3"}]}])"));
}

TEST(JsonWrite, FieldsOfEveryKind) {
  const Module module = parse(R"(isoshard 1
mesh @m [a=2, b=2]
untyped program @p on @m {
  %c = constant {value=-0.25, dtype=f64, shape=[2, 2]}
  %s = slice %c {start=[0, 0], limit=[2, 1]}
  %p = collective_permute %s {axis=(b, a), pairs=[(0, 1), (1, 0)], order=tuple}
  %q = collective_permute %s {axis=a, shift=1}
  %r = reduce %c {op=add, dims=[1]}
  return @p = %p [-, b]
  return @q = %q [(a, b), -]
  return @r = %r [a]
}
)");
  const Json ops = program_named(Json::parse(text::print_json(module)), "p")["body"]["ops"];
  EXPECT_EQ(ops[0]["fields"], Json::parse(R"({"value": "-0.25", "dtype": "f64", "shape": [2, 2]})"));
  EXPECT_EQ(ops[1]["fields"], Json::parse(R"({"start": [0, 0], "limit": [2, 1]})"));
  EXPECT_EQ(ops[2]["fields"], Json::parse(R"({"axis": ["b", "a"], "pairs": [[0, 1], [1, 0]], "order": "tuple"})"));
  EXPECT_EQ(ops[3]["fields"], Json::parse(R"({"axis": ["a"], "shift": 1})"));
  EXPECT_EQ(ops[4]["fields"], Json::parse(R"({"op": "add", "dims": [1]})"));
}

TEST(JsonWrite, ViewsInPartsAndOnOwners) {
  const Module module = parse(R"(isoshard 1
mesh @m [a=2]
global @x : f32[8, 4] input
global @k : i32[6] const in 0..32, -100 init=zeros
untyped program @p on @m {
  %part = view @x [a, -] [0:2, 1:] incomplete
  %one = view @k [-] only a=1
  return @part = %part [a, -]
  return @one = %one [a]
}
)");
  const Json json = Json::parse(text::print_json(module));
  EXPECT_EQ(json["globals"][1]["range"], Json::parse(R"({"low": 0, "high": 32, "others": [-100]})"));
  const Json ops = program_named(json, "p")["body"]["ops"];
  EXPECT_EQ(ops[0]["fields"], Json::parse(R"({"global": "x", "layout": ["a", "-"], "coverage": 0,
      "range": [{"start": 0, "limit": 2}, {"start": 1, "limit": null}]})"));
  EXPECT_EQ(ops[1]["fields"], Json::parse(R"({"global": "k", "layout": ["-"], "only": {"a": 1}})"));
  EXPECT_EQ(ops[1]["results"][0]["has_gradient"], false);
}

TEST(JsonWrite, Scans) {
  const Module module = parse(R"(isoshard 1
program @p {
  %x = constant {value=1, dtype=f32, shape=[2]}
  %rows = constant {value=2, dtype=f32, shape=[3, 2]}
  %sum, %all = scan (%c = %x) over (%r = %rows) {
    %n = add %c, %r
    yield (%n) stack (%c)
  }
  return @sum = %sum [-]
  return @all = %all [-, -]
}
)");
  const Json op = program_named(Json::parse(text::print_json(module)), "p")["body"]["ops"][2];
  EXPECT_EQ(op["op"], "scan");
  EXPECT_EQ(op["operands"], Json::array({"x", "rows"}));
  EXPECT_EQ(op["fields"], Json::parse(R"({"trips": 3, "carries": 1})"));
  EXPECT_EQ(op["results"][1]["shape"], Json::array({3, 2}));
  ASSERT_EQ(op["regions"].size(), 1U);
  const Json& body = op["regions"][0];
  ASSERT_EQ(body["arguments"].size(), 2U);
  EXPECT_EQ(body["arguments"][1],
            Json::parse(R"({"name": "r", "dtype": "f32", "shape": [2], "states": {}, "has_gradient": false})"));
  ASSERT_EQ(body["ops"].size(), 1U);
  EXPECT_EQ(body["ops"][0]["operands"], Json::array({"c", "r"}));
  EXPECT_EQ(body["results"], Json::array({"n", "c"}));
}

TEST(JsonWrite, UpdatesStepsAndMaps) {
  const Module module = parse(R"(isoshard 1
mesh @m [a=2]
global @w : f32[4, 2] param
global @v : f32[4, 2] param
program @p on @m {
  %w = view @w [a, -]
  %n = add %w, %w
  return @y = %n [a, -]
  update @w = %n [a, -]
}
program @q {
  %v = view @v [-, -]
  %n = add %v, %v
  return @y = %n [-, -]
}
check @p == @q {steps=3, map @v = @w [-, -]}
)");
  const Json json = Json::parse(text::print_json(module));
  EXPECT_EQ(program_named(json, "p")["updates"], Json::parse(R"([{"name": "w", "dtype": "f32", "shape": [4, 2],
                             "parts": [{"value": "n", "layout": ["a", "-"], "location": "x.shard:9:3"}]}])"));
  EXPECT_EQ(program_named(json, "q")["updates"], Json::array());
  EXPECT_EQ(json["checks"][0]["steps"], 3);
  EXPECT_EQ(json["checks"][0]["maps"], Json::parse(R"([{"global": "v", "source": "w", "layout": ["-", "-"],
                                                        "location": "x.shard:16:26"}])"));
}

TEST(JsonWrite, StateErrorsStayWithTheirOps) {
  const Module module = parse(R"(isoshard 1
mesh @m [a=2]
global @x : f32[4] input
program @p on @m {
  %x = view @x [a]
  %y = all_reduce %x {axis=a, to=I}
  return @y = %y [-]
}
)");
  const Json ops = program_named(Json::parse(text::print_json(module)), "p")["body"]["ops"];
  EXPECT_EQ(ops[0].count("state_errors"), 0U);
  ASSERT_EQ(ops[1]["state_errors"].size(), 1U);
  EXPECT_EQ(ops[1]["state_errors"][0]["rule"], "S-all_reduce");
}

TEST(JsonWrite, OneProgramWithWhatItCalls) {
  const Module module = parse(kFile);
  const Json all = Json::parse(text::print_json(module));
  const Json one = Json::parse(text::print_json(module, *module.find_program("p")));
  EXPECT_EQ(program_named(one, "p"), program_named(all, "p"));
  EXPECT_EQ(program_named(one, "double"), program_named(all, "double"));
  EXPECT_TRUE(program_named(one, "q").is_null());
  EXPECT_EQ(one["programs"].size(), all["programs"].size());
  EXPECT_TRUE(one["checks"].empty());
}

TEST(JsonWrite, Plans) {
  const Module module = parse(kFile);
  const Json json = plan_to_json(lower(module, *module.find_program("p")));
  EXPECT_EQ(json["isoshard"], 1);
  EXPECT_EQ(json["kind"], "plan");
  EXPECT_EQ(json["program"], "p");
  const Json& load = json["instructions"][0];
  EXPECT_EQ(load["kind"], "load");
  EXPECT_EQ(load["block"], Json::array({"data", "model"}));
  EXPECT_EQ(load["count"], Json::array({2, 3}));
  EXPECT_EQ(json["values"][load["results"][0].get<size_t>()],
            Json::parse(R"({"name": "x", "dtype": "f32", "shape": [2, 2]})"));
  EXPECT_EQ(json["communicators"][0]["axes"], Json::array({"model"}));
  size_t instructions = 0;
  for (const Json& queue : json["groups"][0]["blocks"][0]["queues"]) instructions += queue["instructions"].size();
  EXPECT_EQ(instructions, json["instructions"].size());
  for (const Json& instruction : json["instructions"]) {
    if (instruction["kind"] != "local" || instruction["op"] != "dot_general") continue;
    EXPECT_EQ(instruction["fields"]["contract"], Json::parse(R"({"lhs": [1], "rhs": [0]})"));
  }
}

TEST(JsonWrite, PrecisionsOfSums) {
  const Module module = parse(R"(isoshard 1
mesh @m [a=2]
global @x : bf16[4, 4] input
program @p on @m {
  %x = view @x [a, -]
  %t = reinterpret %x {axis=a, to=P}
  %y = all_reduce %t {axis=a, to=R, precision=native}
  %z = all_reduce %t {axis=a, to=R}
  %b = reduce_scatter %t {axis=a, dim=1, precision=f32}
  return @y = %y [-, -]
}
)");
  const Json ops = program_named(Json::parse(text::print_json(module)), "p")["body"]["ops"];
  EXPECT_EQ(ops[2]["fields"]["precision"], "native");
  EXPECT_EQ(ops[3]["fields"].count("precision"), 0U);
  EXPECT_EQ(ops[4]["fields"]["precision"], "f32");
  std::vector<Json> sums;
  const Json plan = plan_to_json(lower(module, *module.find_program("p")));
  for (const Json& i : plan["instructions"]) {
    if (i["kind"] == "all_reduce" || i["kind"] == "reduce_scatter") sums.push_back(i);
  }
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0]["precision"], "native");
  EXPECT_EQ(sums[1].count("precision"), 0U);
  EXPECT_EQ(sums[2]["precision"], "f32");
}

}  // namespace
}  // namespace isoshard::json_write_test
