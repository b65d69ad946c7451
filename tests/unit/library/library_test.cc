// The library as a user of it sees it: include/isoshard and nothing else.
#include <gmock/gmock.h>
#include <isoshard/isoshard.h>

#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

namespace isoshard::library_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// A sum over two devices; `scale` multiplies it.
std::string sum_text(const std::string& scale) {
  return "isoshard 1\nmesh @m [x=2]\nglobal @a : f32[4] input\n"
         "program @sharded on @m {\n  %a = view @a [x]\n  %s = reduce %a {dims=[0], op=add, partial={x}}\n"
         "  %r = all_reduce %s {axis=x, to=I}\n  %o = multiply %r, " +
         scale +
         "\n  return @y = %o []\n}\n"
         "program @reference {\n  %a = view @a [-]\n  %o = reduce %a {dims=[0], op=add}\n  return @y = %o []\n}\n"
         "check @sharded == @reference\n";
}

Programs sum(const std::string& scale = "1") { return load(Input::text("sum.shard", sum_text(scale))); }

NamedArray floats(const std::string& name, const std::vector<float>& numbers) {
  NamedArray array{name, "f32", {static_cast<int64_t>(numbers.size())}, {}};
  array.bytes.resize(numbers.size() * sizeof(float));
  std::memcpy(array.bytes.data(), numbers.data(), array.bytes.size());
  return array;
}

float scalar_of(const NamedArray& array) {
  float number = 0;
  EXPECT_EQ(array.bytes.size(), sizeof number);
  std::memcpy(&number, array.bytes.data(), sizeof number);
  return number;
}

/// The findings of the InputError that `work` throws; fails where it throws none.
template <class Work>
std::vector<Finding> findings_of(const Work& work) {
  try {
    static_cast<void>(work());
  } catch (const InputError& error) {
    EXPECT_FALSE(error.findings().empty());
    return error.findings();
  }
  ADD_FAILURE() << "no InputError";
  return {Finding{}};
}

TEST(Library, ProgramsAndClaimsHaveNames) {
  const Programs programs = sum();
  EXPECT_THAT(programs.names(), ElementsAre("sharded", "reference"));
  ASSERT_EQ(programs.claims().size(), 1U);
  EXPECT_EQ(programs.claims()[0].left, "sharded");
  EXPECT_EQ(programs.claims()[0].right, "reference");
  EXPECT_THAT(programs.claims()[0].location, StartsWith("sum.shard:"));
  ASSERT_EQ(programs.globals().size(), 1U);
  EXPECT_EQ(programs.globals()[0].type, "f32[4]");
  EXPECT_EQ(programs.globals()[0].role, "input");
  EXPECT_THAT(programs.warnings(), IsEmpty());
}

TEST(Library, EqualPrograms) {
  const Report report = sum().check();
  EXPECT_EQ(report.verdict(), Verdict::equal);
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_THAT(report.headline(), StartsWith("EQUAL as formulas"));
  EXPECT_THAT(report.text(), HasSubstr("check @sharded == @reference"));
  EXPECT_THAT(report.json(), HasSubstr("\"exit_code\": 0"));
  EXPECT_THAT(report.counterexample(), IsEmpty());
  ASSERT_EQ(report.outputs().size(), 1U);
  EXPECT_EQ(report.outputs()[0].name, "y");
  EXPECT_EQ(report.outputs()[0].type, "f32[]");
  EXPECT_EQ(report.outputs()[0].verdict, Verdict::equal);
}

TEST(Library, DifferentProgramsHaveACounterexample) {
  const Programs programs = sum("2");
  const Report report = programs.check();
  EXPECT_EQ(report.verdict(), Verdict::not_equal);
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_STREQ(to_string(report.verdict()), "NOT EQUAL");
  EXPECT_THAT(report.outputs().at(0).message, HasSubstr("expected"));
  const std::vector<NamedArray> arrays = report.counterexample();
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].name, "a");
  SimulateSettings exact;
  exact.program = "sharded";
  exact.f64 = true;
  const NamedArray left = programs.simulate(arrays, exact).at(0);
  exact.program = "reference";
  EXPECT_NE(left.bytes, programs.simulate(arrays, exact).at(0).bytes);
}

TEST(Library, Simulates) {
  const std::vector<NamedArray> outputs = sum("2").simulate({floats("a", {1, 2, 3, 4})});
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].name, "y");
  EXPECT_EQ(outputs[0].dtype, "f32");
  EXPECT_THAT(outputs[0].shape, IsEmpty());
  EXPECT_EQ(scalar_of(outputs[0]), 20);
  EXPECT_EQ(sum().simulate().size(), 1U) << "all arrays are drawn";
}

TEST(Library, GradientsAreClaimedOfACopy) {
  const Programs programs = load("tp_dense");
  CheckSettings settings;
  settings.gradients = true;
  EXPECT_EQ(programs.check(0, settings).verdict(), Verdict::equal);
  EXPECT_THAT(programs.check().text(), ::testing::Not(HasSubstr("vjp")));
}

TEST(Library, ModelsTakeSizesAndSettings) {
  LoadOptions options;
  options.mesh["model"] = 2;
  options.settings["mode"] = "scatter";
  EXPECT_THAT(load("tp_dense", options).show(), HasSubstr("model=2"));
  options.settings["mood"] = "scatter";
  EXPECT_THAT(findings_of([&] { return load("tp_dense", options); })[0].message, HasSubstr("mood"));
}

TEST(Library, TextsOfProgramsAndPlans) {
  EXPECT_THAT(sum().show("reference"), ::testing::Not(HasSubstr("all_reduce")));
  EXPECT_THAT(sum().show("", true), HasSubstr("f32[]"));
  EXPECT_THAT(sum().lower("sharded"), StartsWith("isoshard-plan 1"));
  EXPECT_THAT(findings_of([] { return sum().show("shaded"); })[0].message, HasSubstr("no program @shaded"));
  EXPECT_THAT(findings_of([] { return sum().lower("shaded"); })[0].message, HasSubstr("no program @shaded"));
}

TEST(Library, AnErrorOfATextSaysWhere) {
  const Finding found = findings_of(
      [] { return load(Input::text("bad.shard", "isoshard 1\nmesh @m [x=2]\nglobal @a : f99[4] input\n")); })[0];
  EXPECT_TRUE(found.is_error);
  EXPECT_EQ(found.file, "bad.shard");
  EXPECT_EQ(found.line, 3U);
  EXPECT_EQ(found.column, 13U);
  EXPECT_FALSE(found.rule.empty());
  EXPECT_THAT(found.text, StartsWith("bad.shard:3:13: error: " + found.message));
}

TEST(Library, AFileThatIsMissing) {
  EXPECT_EQ(findings_of([] { return load("no/such.shard"); })[0].rule, "P-file");
  EXPECT_EQ(findings_of([] { return load("no_such_model"); })[0].rule, "C-model");
}

TEST(Library, WrongArguments) {
  EXPECT_THAT(findings_of([] { return sum().check(1); })[0].message, HasSubstr("no claim 1"));
  CheckSettings settings;
  settings.error_exponent = 10;
  EXPECT_THAT(findings_of([&] { return sum().check(0, settings); })[0].message, HasSubstr("20 to 240"));
  settings = {};
  settings.workers = -1;
  EXPECT_THAT(findings_of([&] { return sum().check(0, settings); })[0].message, HasSubstr("0 or more"));
  SimulateSettings steps;
  steps.steps = 2;
  EXPECT_EQ(findings_of([&] { return sum().simulate({}, steps); })[0].rule, "I-steps");
}

TEST(Library, WrongArrays) {
  const auto rule = [](const NamedArray& array) {
    return findings_of([&] { return sum().simulate({array}); })[0].rule;
  };
  EXPECT_EQ(rule(floats("a", {1, 2, 3})), "I-type");
  EXPECT_EQ(rule(floats("b", {1, 2, 3, 4})), "I-unknown");
  NamedArray array = floats("a", {1, 2, 3, 4});
  array.dtype = "f31";
  EXPECT_EQ(rule(array), "I-type");
  array.dtype = "f64";
  EXPECT_EQ(rule(array), "I-type") << "too few bytes";
  array.shape = {-4};
  EXPECT_EQ(rule(array), "I-type");
  array.shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(rule(array), "I-type");
  const NamedArray one = floats("a", {1, 2, 3, 4});
  EXPECT_EQ(findings_of([&] { return sum().simulate({one, one}); })[0].rule, "I-unknown");
}

TEST(Library, WorkStops) {
  CheckSettings settings;
  settings.stop.request_stop();
  EXPECT_THROW(static_cast<void>(sum().check(0, settings)), StoppedError);
  SimulateSettings run;
  run.stop.request_stop();
  EXPECT_THROW(static_cast<void>(sum().simulate({}, run)), StoppedError);
}

TEST(Library, ProgressIsToldAndMayEndTheWork) {
  std::vector<std::string> parts;
  CheckSettings settings;
  settings.progress = [&](const std::string& part) { parts.push_back(part); };
  EXPECT_EQ(sum().check(0, settings).verdict(), Verdict::equal);
  EXPECT_THAT(parts, ::testing::Contains("rung A"));
  settings.progress = [](const std::string&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(static_cast<void>(sum().check(0, settings)), std::runtime_error);
}

TEST(Library, ThreadsShareAHandle) {
  const Programs programs = sum("2");
  const std::string expected = programs.check().headline();
  std::vector<std::future<std::string>> headlines;
  for (int thread = 0; thread < 8; ++thread) {
    headlines.push_back(std::async(std::launch::async, [&] { return programs.check().headline(); }));
  }
  for (std::future<std::string>& headline : headlines) EXPECT_EQ(headline.get(), expected);
}

TEST(Library, TwoTexts) {
  const std::string folder = "tests/data/stablehlo/cases/wrong_tp_grad_factor/";
  const Report report = load_pair(folder + "sharded.mlir", folder + "reference.mlir").check();
  EXPECT_EQ(report.verdict(), Verdict::not_equal);
  EXPECT_THAT(report.headline(), HasSubstr("4x"));
  const Finding alone = findings_of([&] { return load(folder + "sharded.mlir").check(); })[0];
  EXPECT_THAT(alone.message, HasSubstr("has no `check` line"));
  const Input same = Input::text("one.mlir", "module {}");
  EXPECT_THAT(findings_of([&] { return load_pair(same, same); })[0].message, HasSubstr("both texts are called"));
  const Input wrong = Input::text("two.mlir", "module @x {\n  %0 = nothing\n}\n");
  EXPECT_EQ(findings_of([&] { return load_pair(folder + "sharded.mlir", wrong); })[0].file, "two.mlir");
}

TEST(Library, VersionIsThatOfTheHeaders) { EXPECT_STREQ(version(), ISOSHARD_VERSION); }

}  // namespace
}  // namespace isoshard::library_test
