// The JSON reader: what is wrong in a JSON module is told at its place; the right twin of each case is the unchanged
// text, which is accepted.

#include "core/text/json_read.h"

#include <gtest/gtest.h>

#include "core/text/json_write.h"
#include "core/text/text.h"
#include "tests/sanitized.h"

namespace isoshard::json_read_test {
namespace {

constexpr const char* kFile = R"(isoshard 1
mesh @m [data=2, model=3]
global @x : f32[4, 6] input init=1/3
global @w : f32[6, 2] param init=zeros
global @n : i32[3] const init=1
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
  update @w = %w [model, -]
}
program @q {
  %x = view @x [-, -]
  %w = view @w [-, -]
  %z = dot_general %x, %w {contract=[1]x[0]}
  %hs = scan (%a = %z) trips 2 {
    %b = add %a, %a
    yield (%b)
  }
  return @y = %hs [-, -]
  update @w = %w [-, -]
}
check @p == @q {steps=2}
)";

std::shared_ptr<const SourceFile> file(const std::string& name, std::string text) {
  return std::make_shared<const SourceFile>(SourceFile{name, std::move(text)});
}

Module parse(const std::string& text) {
  DiagnosticSink sink;
  std::optional<Module> module = text::parse_module(file("x.shard", text), {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) ADD_FAILURE() << render(diagnostic);
  return module ? std::move(*module) : Module{};
}

/// The errors as "line:column RULE message" lines; the notes with their places.
std::string errors(const std::string& json, const text::ElaborateOptions& options = {}) {
  DiagnosticSink sink;
  const std::optional<Module> module = text::parse_json_module(file("m.json", json), options, sink);
  EXPECT_EQ(module.has_value(), !sink.has_errors());
  std::string result;
  for (const Diagnostic& d : sink.diagnostics()) {
    EXPECT_TRUE(!d.location.known() || d.location.file() == "m.json");
    const std::string place = std::to_string(d.location.line()) + ":" + std::to_string(d.location.column());
    result += (result.empty() ? "" : "\n") + place + " " + d.rule + " " + d.message;
    for (const Note& note : d.notes) result += "\n  " + note.location.to_string() + " " + note.message;
  }
  return result;
}

/// `json` with the first `from` behind `after` replaced.
std::string edited(const std::string& json, const std::string& after, const std::string& from, const std::string& to) {
  const size_t begin = json.find(after);
  const size_t at = begin == std::string::npos ? begin : json.find(from, begin);
  EXPECT_NE(at, std::string::npos) << after << " ... " << from;
  if (at == std::string::npos) return json;
  std::string result = json;
  return result.replace(at, from.size(), to);
}

std::string written() {
  static const std::string json = text::print_json(parse(kFile));
  return json;
}

struct Case {
  const char *after, *from, *to;  ///< see edited()
  const char* expected;
};

TEST(JsonRead, TheRightTwin) { EXPECT_EQ(errors(written()), ""); }

TEST(JsonRead, WhatIsWrongIsToldWhereItStands) {
  const Case cases[] = {
      {"{", R"("isoshard": 1)", R"("isoshard": 2)", "2:15 P-version the version is 2; this isoshard reads version 1"},
      {"{", R"("isoshard": 1,)", "",
       R"(1:1 P-version the object has no key `isoshard`; expected `"isoshard": 1`, as `isoshard show --json` prints)"},
      {"{", R"("kind": "module")", R"("kind": "plan")",
       R"(3:11 P-version `kind` is "plan"; expected "module", as `isoshard show --json` prints; a plan is only written, never read)"},
      {"{", R"("meshes")", R"("meshs")",
       R"(4:3 P-key the module has no key "meshs"; did you mean `meshes`?)"
       "\n"
       "1:1 P-key the module needs the key `meshes`"},
      {"{", R"("typed": true)", R"("typed": 1)", "54:16 P-value `typed` is 1; expected true or false"},
      {"{", R"("typed": true,)", R"("typed": true, "typed": true,)",
       R"(54:22 P-key the key "typed" is given twice; expected it once)"},
      {R"("programs")", R"("kind": "program")", R"("kind": "programm")",
       R"(118:15 P-value `kind` is "programm"; expected "program" or "function")"},
      {R"("programs")", R"("location")", R"("locatoin")",
       R"(68:7 P-key a function has no key "locatoin"; did you mean `location`?)"},
      {R"("meshes")", R"("size": 2)", R"("size": 0)",
       "10:19 E-size the size of `data` is 0; expected 1 to 1048576 devices, and as many for the whole mesh"},
      {R"("meshes")", R"("size": 2)", R"("size": 2.5)", "10:19 E-integer 2.5 is not an integer; expected one here"},
      {R"("meshes")", R"("size": 2)", R"("size": 99999999999999999999)",
       "10:19 E-overflow 99999999999999999999 does not fit 64 bits; expected at most 9223372036854775807"},
      {R"("meshes")", R"("size": 2)", R"("size": "2")", R"(10:19 P-value `size` is "2"; expected an integer)"},
      {R"("meshes")", R"("name": "model")", R"("name": "data")",
       "13:19 E-duplicate the axis data is declared twice; expected a new name"
       "\n"
       "  m.json:9:19 it is first declared here"},
      {R"("meshes")", R"("name": "model")", R"("name": "a b")",
       R"(13:19 P-value `name` is "a b"; expected a name of letters, digits and `_`)"},
      {R"("meshes")", R"("name": "model")", R"("name": "\u0000")",
       R"(13:19 P-value `name` is "\x00"; expected a name of letters, digits and `_`)"},
      {R"("globals")", R"("name": "w")", R"("name": "x")",
       "31:15 E-duplicate global @x is declared twice; expected a new name"
       "\n"
       "  m.json:21:15 it is first declared here"},
      {R"("globals")", R"("dtype": "f32")", R"("dtype": "f33")",
       "22:16 E-dtype there is no dtype `f33`; did you mean `f32`?"},
      {R"("globals")", R"("role": "input")", R"("role": "inptu")",
       "27:15 E-role there is no role `inptu`; did you mean `input`?"},
      {R"("globals")", R"("init": "1/3")", R"("init": "1/")",
       R"(28:15 P-expected `init` is "1/": found the end of the file; expected a number, a name, size(axis) or a parenthesis)"},
      {R"("globals")", R"("init": "1")", R"("init": "1/3")",
       "47:15 E-init the init is 1/3 for i32[3]; expected an integer"},
      {R"("globals")", R"("init": "zeros")", R"("init": "zeroes")",
       "38:15 E-init there is no init `zeroes` (and it is no number); did you mean `zeros`?"},
      {R"("name": "q")", R"("name": "q")", R"("name": "p")",
       "325:15 E-duplicate program @p is declared twice; expected a new name"
       "\n"
       "  m.json:117:15 it is first declared here"},
      {R"("name": "q")", R"("name": "q")", R"("name": "double")",
       "325:15 E-duplicate program @double is declared twice; expected a new name"
       "\n"
       "  m.json:52:15 it is first declared here"},
      {R"("programs")", R"("mesh": {)", R"("mesh": {"name": "k", "axes": []}, "": {)",
       R"(55:42 P-key a function has no key ""; the keys are name, kind, typed, mesh, body, location)"},
      {R"("programs")", R"("size": 2)", R"("size": 4)",
       "55:15 E-differs this is not the mesh @m of `meshes`; expected the same axes, sizes and devices"},
      {R"("name": "q")", R"("mesh": null)", R"("mesh": {"name": "k", "axes": []})",
       "328:24 E-mesh there is no mesh @k; the meshes are @m"},
      {R"("programs")", R"("op": "add")", R"("op": "ad")", R"(87:19 E-op there is no op "ad"; did you mean `add`?)"},
      {R"("name": "q")", R"("contract")", R"("contrcat")",
       R"(388:15 E-field dot_general has no field "contrcat"; did you mean `contract`?)"
       "\n"
       "387:23 E-field dot_general needs the field `contract`: contracted dimensions, [lhs]x[rhs]"},
      {R"("name": "p")", R"("axis": [)", R"("axes": [)",
       R"(233:15 E-field all_reduce has no field "axes"; did you mean `axis`?)"
       "\n"
       "232:23 E-field all_reduce needs the field `axis`: an axis or a tuple of axes"},
      {R"("op": "all_reduce")", R"("model")", R"("modle")",
       "234:17 E-axis the mesh @m has no axis `modle`; did you mean `model`?"},
      {R"("op": "all_reduce")", R"("to": "I")", R"("to": "Q")",
       R"(236:21 E-field-value all_reduce: `to` is "Q"; expected a state: R, I, V or P)"},
      {R"("op": "all_reduce")", R"("fields": {)", R"("fields": {"op": "add ",)",
       R"(232:30 E-field-value all_reduce: `op` is "add "; expected add or max or min or argmax)"},
      {R"("op": "view")", R"("global": "x")", R"("global": "xx")",
       "141:25 E-global there is no global @xx; did you mean `@x`?"},
      {R"("op": "view")", R"("data")", R"("data of")",
       R"(143:17 P-expected an entry of view: `layout` is "data of": found "]"; expected a number, a name, size(axis) or a parenthesis)"},
      {R"("op": "view")", R"("data")", R"("data, -")",
       R"(143:17 P-value an entry of view: `layout` is "data, -"; expected one entry per string)"},
      {R"("op": "view")", R"("data")", R"("data*")",
       R"(143:17 P-expected an entry of view: `layout` is "data*": found "]"; expected a number, a name, size(axis) or a parenthesis)"},
      {R"("op": "view")", R"("data")", R"("k of 2")", "143:17 E-name there is no let `k`; there are no lets"},
      {R"("op": "view")", R"("fields": {)", R"("fields": {"coverage": -1,)",
       "140:36 E-field-value view: `coverage` is -1; expected how often each element is read, or 0 where that is not "
       "checked"},
      {R"("op": "view")", R"("fields": {)", R"("fields": {"only": {"k": 0},)",
       "140:33 E-axis the mesh @m has no axis `k`; the axes are data, model"},
      {R"("op": "scan")", R"("trips": 2)", R"("trips": -1)",
       "411:11 T-scan scan: `trips` is -1; expected 0 to 2147483647"
       "\n"
       "  x.shard:23:9 it was written here"},
      {R"("op": "scan")", R"("carries": 1)", R"("carries": 2)",
       "416:23 E-field-value scan: `carries` is 2; expected 0 to the number of operands, 1"},
      {R"("op": "scan")", R"("regions": [)", R"("regions": [], "region": [)",
       R"(432:28 P-key an op has no key "region"; did you mean `regions`?)"},
      {R"("op": "add")", R"("fields": {)", R"("regions": [], "fields": {)",
       "92:24 P-key add has no regions; only scan has"},
      {R"("op": "scan")", "\"regions\": [\n              {\n                \"arguments\": [",
       R"("regions": [{"arguments": ["b", )", R"(432:40 P-value a value is "b"; expected an object)"},
      {R"("op": "scan")", "\"results\": [\n                  \"b\"", "\"results\": [\n                  \"b\", \"b\"",
       "411:11 V-results scan: has 2 results and 1 name"
       "\n"
       "  x.shard:23:9 it was written here"},
      {R"("op": "scan")", "\"operands\": [\n              \"z\"", R"("operands": ["")",
       R"(413:26 E-undefined "" is not defined before this place; did you mean "w"?)"},
      {R"("op": "dot_general")", R"("x")", R"("v")", R"(194:15 E-undefined "v" is not defined before this place)"},
      {R"("regions")", "\"a\",\n                      \"a\"", "\"z\",\n                      \"a\"",
       R"(450:23 E-capture "z" is outside of this scan, whose body captures nothing; carry it or stack it)"},
      {R"("op": "all_reduce")", R"("results": [)", R"("results": [], "result": [)",
       "238:28 P-key an op has no key \"result\"; did you mean `results`?"},
      {R"("op": "all_reduce")", R"("name": "y")", R"("name": "t")",
       "227:11 V-name the value name %t is taken; expected a new name"
       "\n"
       "  x.shard:14:8 it was written here"
       "\n"
       "  x.shard:13:8 it is first used here"},
      {R"("op": "all_reduce")", R"("name": "y")", R"("name": "y y")",
       R"(240:25 P-value `name` is "y y"; expected the name of a value without `%`, as in "x.3")"},
      {R"("op": "all_reduce")", "\"t\"\n", "\"t\", \"t\"\n",
       "227:11 V-operands all_reduce: has 2 operands; expected 1"
       "\n"
       "  x.shard:14:8 it was written here"},
      {R"("op": "dot_general")", "\"rhs\": [\n                  0", "\"rhs\": [\n                  1", ""},
      {R"("op": "all_reduce")", R"("model": "I")", R"("model": "R")",
       "239:15 E-differs %y is f32[2,2] {I: model, V: data}; the JSON says that it is f32[2,2] {R: model, V: data}; "
       "types and states follow from the ops, so change those"},
      {R"("op": "all_reduce")", R"("model": "I")", R"("model": "X")",
       R"(248:28 P-value the state over `model` is "X"; expected "R", "I", "V", "P", "=" or "?")"},
      {R"("op": "all_reduce")", R"("model": "I")", R"("modell": "I")",
       R"(248:19 P-key `states` has no key "modell"; did you mean `model`?)"
       "\n"
       "246:27 P-key `states` needs the key `model`"},
      {R"("op": "all_reduce")", R"("has_gradient": true)", R"("has_gradient": false)",
       "239:15 E-differs %y has a gradient; the JSON says that it has no gradient; types and states follow from the "
       "ops, so change those"},
      {R"("op": "all_reduce")", "\"shape\": [\n                  2", "\"shape\": [\n                  3",
       "239:15 E-differs %y is f32[2,2] {I: model, V: data}; the JSON says that it is f32[3,2] {I: model, V: data}; "
       "types and states follow from the ops, so change those"},
      {R"("op": "all_reduce")", R"("location")",
       R"("state_errors": [{"rule": "S-all_reduce", "message": ""}], "location")",
       "227:11 E-differs all_reduce: the state errors are none; the JSON says S-all_reduce"},
      {R"("name": "double")", R"("model": "I")", R"("model": "V")",
       "94:15 E-differs %b is f32[2,2] {V: (data, model)}; the JSON says that it is f32[2,2] {I: model, V: data}; "
       "types and states follow from the ops, so change those"},
      {R"("name": "double")", R"("dtype": "f32")", R"("dtype": "i32")",
       "71:11 P-value %a has a gradient; expected none, its dtype is i32"},
      {R"("name": "double")", R"("has_gradient": true)", R"("has_gradient": false)",
       "71:11 P-value %a is R or I and has no gradient; expected =, R and I differ in the gradient only"},
      {R"("name": "double")", R"("arguments": [)", R"("arguments": ["a", )",
       R"(70:23 P-value a value is "a"; expected an object)"},
      {R"("op": "call")", R"("callee": 0)", R"("callee": 1)",
       "261:25 E-program call: `callee` is 1, and there are 1 before it; expected the index of a function that stands "
       "before its caller in `programs`"},
      {R"("op": "call")", R"("callee": 0)", R"("callee": -1)",
       "261:25 E-program call: `callee` is -1, and there are 1 before it; expected the index of a function that stands "
       "before its caller in `programs`"},
      {R"("outputs")", R"("value": "z")", R"("value": "zz")",
       R"(293:24 E-undefined "zz" is not defined before this place; did you mean "z"?)"},
      {R"("outputs")", "4,", "5,",
       "284:9 T-output return @y is written as f32[5,2]; the blocks f32[2,2] laid out as [data, -] make f32[4,2]"
       "\n"
       "  x.shard:16:3 it was written here"},
      {R"("outputs")", R"("data")", R"("model")",
       "284:9 T-output return @y is written as f32[4,2]; the blocks f32[2,2] laid out as [model, -] make f32[6,2]"
       "\n"
       "  x.shard:16:3 it was written here"},
      {R"("updates")", R"("name": "w")", R"("name": "n")", "304:9 E-differs @n is i32[3]; its update says f32[6,2]"},
      {R"("updates")", "6,", "5,", "304:9 E-differs @w is f32[6,2]; its update says f32[5,2]"},
      {R"("checks")", R"("left": 1)", R"("left": 0)",
       "523:15 E-program `left` is 0, the function @double; expected the index of a program in `programs`"},
      {R"("checks")", R"("left": 1)", R"("left": 7)",
       "523:15 E-program `left` is 7, and there are 3; expected the index of a program in `programs`"},
      {R"("checks")", R"("steps": 2)", R"("steps": 0)", "525:16 E-steps steps is 0; expected 1 to 1000000"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(errors(edited(written(), c.after, c.from, c.to)), c.expected) << c.after << " ... " << c.from;
  }
}

TEST(JsonRead, WhatIsNoJson) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "1:1 P-json this is no JSON: unexpected end of input; expected '[', '{', or a literal"},
      {"{\"a\": 1,\n \"b\": }", "2:7 P-json this is no JSON: unexpected '}'; expected '[', '{', or a literal"},
      {"[1,,2]", "1:4 P-json this is no JSON: unexpected ','; expected '[', '{', or a literal"},
      {"{\"a\": 1} {}", "1:10 P-json this is no JSON: unexpected '{'; expected end of input"},
      {"[nul]", "1:2 P-json this is no JSON: invalid literal"},
      {"[\"abc", "1:2 P-json this is no JSON: invalid string: missing closing quote"},
      {"[\"ab\xff\"]", "1:5 P-json this is no JSON: invalid string: ill-formed UTF-8 byte"},
      {std::string("[\0]", 3), "1:2 P-json this is no JSON: it has a NUL byte"},
      {std::string("{}\n\0x", 5), "2:1 P-json this is no JSON: it has a NUL byte"},
      {"[1e999]", "1:2 P-json this is no JSON: number overflow"},
      {"{\"a\\n\": 1, \"a\\n\": 2}", "1:12 P-key the key \"a\\n\" is given twice; expected it once"},
      {"3", "1:1 P-value the JSON is 3; expected an object, as `isoshard show --json` prints"},
      {std::string(257, '['), "1:257 P-nesting nesting is deeper than 256 levels; expected fewer arrays and objects"},
      {std::string(256, '['), "1:257 P-json this is no JSON: unexpected end of input; expected '[', '{', or a literal"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(errors(text), expected) << text;
}

TEST(JsonRead, LargeTexts) {
  const size_t bytes = kSanitized ? 1 << 20 : 10 << 20;
  const std::string blanks(bytes, ' ');
  EXPECT_EQ(errors(blanks + written() + blanks), "");
  EXPECT_EQ(errors("\xef\xbb\xbf" + written()), "");
  std::string many = "[1";
  for (size_t i = 0; i < bytes / 10; ++i) many += ",1";
  EXPECT_EQ(errors(many + "]"),
            "1:1 P-value the JSON is an array; expected an object, as `isoshard show --json` prints");
  EXPECT_EQ(errors(std::string(bytes, '[')),
            "1:257 P-nesting nesting is deeper than 256 levels; expected fewer arrays and objects");
}

TEST(JsonRead, SizesAreFixed) {
  text::ElaborateOptions options;
  options.mesh_sizes.push_back({"model", 8});
  EXPECT_EQ(errors(written(), options),
            "0:0 E-option --mesh does not apply to \"m.json\": a JSON module is elaborated and its sizes are fixed; "
            "elaborate the .shard file anew, as in `isoshard show --json FILE.shard --mesh ...`");
  options.mesh_sizes.clear();
  options.settings.push_back({"d", "8"});
  EXPECT_EQ(errors(written(), options).substr(0, 36), "0:0 E-option --set does not apply to");
}

/// An op without results would be given one.
TEST(JsonRead, ResultsMustBeNamed) {
  const std::string op =
      R"({"op": "constant", "operands": [], "fields": {"value": "1", "dtype": "f32"}, "results": []},)";
  EXPECT_EQ(errors(edited(written(), "\"name\": \"q\"", "\"ops\": [", "\"ops\": [" + op)),
            "332:105 P-value `results` is empty; every op has at least one");
}

/// print_json of one program leaves the others out.
TEST(JsonRead, NullPrograms) {
  const Module module = parse(kFile);
  const std::string json = text::print_json(module, *module.find_program("p"));
  EXPECT_EQ(errors(json), "");
  const std::string checks = R"("checks": [{"left": 1, "right": 2, "steps": 1, "maps": []}])";
  EXPECT_NE(errors(edited(json, "\"updates\"", "\"checks\": []", checks))
                .find("E-program `right` is 2, which is null; expected the index of a program in `programs`"),
            std::string::npos);
}

/// Locations are those of the file that was elaborated; what is no location is the place in the JSON.
TEST(JsonRead, Locations) {
  const auto first_op = [](const std::string& location) {
    DiagnosticSink sink;
    const std::string json = edited(written(), "\"op\": \"view\"", "\"location\": \"x.shard:11:8\"", location);
    const std::optional<Module> module = text::parse_json_module(file("m.json", json), {}, sink);
    return module ? module->program(ProgramId(1)).op(OpId(0)).location.to_string() : "none";
  };
  EXPECT_EQ(first_op("\"location\": \"x.shard:11:8\""), "x.shard:11:8");
  EXPECT_EQ(first_op("\"location\": \"a b:c.cc:7\""), "a b:c.cc:7");
  EXPECT_EQ(first_op("\"location\": null"), "<unknown>");
  for (const char* other : {"\"x.shard\"", "\"x.shard:0\"", "\":3\"", "\"x:99999999999\"", "\"\\n:3:4\"", "7"}) {
    EXPECT_EQ(first_op(std::string("\"location\": ") + other), "m.json:137:11") << other;
  }
}

/// A chain of funcs, each calling the one before.
std::string chain(size_t length) {
  const std::string value = R"("dtype": "f32", "shape": [], "states": {}, "has_gradient": true})";
  std::string json = R"({"isoshard": 1, "kind": "module", "meshes": [], "globals": [], "programs": [)";
  for (size_t i = 0; i < length; ++i) {
    const std::string op =
        i == 0 ? R"("negate", "fields": {})" : R"("call", "fields": {"callee": )" + std::to_string(i - 1) + "}";
    json += (i ? "," : "") + std::string(R"({"name": "f)") + std::to_string(i) +
            R"(", "kind": "function", "typed": true, "mesh": null, "body": {"arguments": [{"name": "x", )" + value +
            R"(], "ops": [{"op": )" + op + R"(, "operands": ["x"], "results": [{"name": "y", )" + value +
            R"(]}], "results": ["y"]}})";
  }
  return json + R"(], "checks": []})";
}

TEST(JsonRead, CallsNestToALimit) {
  EXPECT_EQ(errors(chain(257)), "");
  EXPECT_NE(errors(chain(258)).find("E-recursion calls are nested deeper than 256 funcs; expected fewer"),
            std::string::npos);
}

/// Scans in scans are run again while states are found; a limit on ops ends what would take too long.
TEST(JsonRead, OpsAreLimited) {
  text::ElaborateOptions options;
  options.max_ops = 3;
  EXPECT_EQ(errors(written(), options),
            "191:11 E-limit the file elaborates to more than 3 ops; expected fewer iterations");
}

}  // namespace
}  // namespace isoshard::json_read_test
