// Two SGD steps of a tensor-parallel MLP: each of its reductions is left out,
// doubled and moved to another axis, in the typed text, where states speak first and the erased program is compared
// beside them, and in its untyped twin, where only the values can speak.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/text/text.h"
#include "verify/check.h"

namespace isoshard::sgd_step_test {
namespace {

struct Edit {
  std::string what, with;
};

/// What is changed, and who must notice.
struct Mutant {
  std::string name;
  std::vector<Edit> edits;
  bool states = false;  ///< state errors
  bool values = true;   ///< the program without states is NOT EQUAL
};

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The text with every edit made, each in the one place where it applies.
std::string edited(std::string text, const Mutant& mutant) {
  for (const Edit& edit : mutant.edits) {
    const size_t at = text.find(edit.what);
    EXPECT_NE(at, std::string::npos) << mutant.name << ": no " << edit.what;
    if (at == std::string::npos) return text;
    EXPECT_EQ(text.find(edit.what, at + 1), std::string::npos) << mutant.name << ": twice " << edit.what;
    text.replace(at, edit.what.size(), edit.with);
  }
  return text;
}

std::optional<Module> elaborate(const std::string& text, DiagnosticSink& sink, int64_t data = 2, int64_t model = 2) {
  const auto file = std::make_shared<SourceFile>(SourceFile{"step.shard", text});
  text::ElaborateOptions options;
  options.mesh_sizes = {{"data", data}, {"model", model}};
  options.settings = {{"b", std::to_string(2 * data)}, {"d", "3"}, {"f", std::to_string(2 * model)}};
  return text::parse_module(file, options, sink);
}

void judge_check(const Module& module, size_t check, const Mutant& mutant) {
  const verify::CheckReport report = verify::check(module, module.checks.at(check));
  EXPECT_EQ(!report.state_errors.empty(), mutant.states) << mutant.name << ": " << report.headline();
  EXPECT_EQ(report.equivalence, mutant.values ? verify::Verdict::not_equal : verify::Verdict::equal)
      << mutant.name << ": " << report.headline();
  const bool rejected = mutant.states || mutant.values;
  EXPECT_EQ(report.exit_code(), rejected ? 1 : 0) << mutant.name << ": " << report.headline();
}

/// Of the example at `path`, the check with that number.
void judge(const std::string& path, const std::vector<Mutant>& mutants, size_t check = 0, int64_t data = 2,
           int64_t model = 2) {
  const std::string original = read(path);
  ASSERT_FALSE(original.empty()) << path;
  for (const Mutant& mutant : mutants) {
    DiagnosticSink sink;
    const std::optional<Module> module = elaborate(edited(original, mutant), sink, data, model);
    ASSERT_TRUE(module) << mutant.name << ": " << sink.diagnostics().at(0).message;
    judge_check(*module, check, mutant);
  }
}

/// An all_reduce of `operand` over `axis`, as the text has it, left out, doubled, and over the other axis. `use` is the
/// first place where its result is read.
std::vector<Mutant> reductions(const std::string& result, const std::string& operand, const std::string& axis,
                               const std::string& to, const std::string& use, bool states) {
  const auto line = [&](const std::string& name, const std::string& from, const std::string& over) {
    return "%" + name + " = all_reduce %" + from + " {axis=" + over + to + "}";
  };
  const std::string written = line(result, operand, axis), other = axis == "data" ? "model" : "data";
  std::string without = use;
  without.replace(use.find("%" + result), result.size() + 1, "%" + operand);
  return {{result + " left out", {{use, without}}, states},
          {result + " doubled", {{written, line("one", operand, axis) + "\n  " + line(result, "one", axis)}}, states},
          {result + " over the wrong axis", {{written, line(result, operand, other)}}, states},
          {result + " over both axes", {{written, line(result, operand, "(data, model)")}}, states}};
}

void append(std::vector<Mutant>& all, const std::vector<Mutant>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(SgdStep, EveryReductionIsNeededWithStates) {
  std::vector<Mutant> mutants;
  append(mutants, reductions("r", "p", "model", ", to=I", "add %r, %c2", true));
  append(mutants, reductions("gW1", "dW1", "data", "", "multiply %gW1, 0.01", true));
  append(mutants, reductions("gb1", "db1", "data", "", "multiply %gb1, 0.01", true));
  append(mutants, reductions("gW2", "dW2", "data", "", "multiply %gW2, 0.01", true));
  append(mutants, reductions("gb2", "db2", "data", "", "multiply %gb2, 0.01", true));
  append(mutants, reductions("loss", "l", "data", "", "return @loss = %loss", true));
  judge("examples/sgd_step.shard", mutants);
}

// What only says what a value means changes no value: the states alone can see it, and the program without states is
// really equal. The gradient of x, which the `reinterpret` completes, is not asked for here;
// tests/files/check/gradients_wrong.shard asks for it.
TEST(SgdStep, MarksAreSeenByStatesOnly) {
  judge("examples/sgd_step.shard",
        {{"x is not reinterpreted", {{"dot_general %xr, %W1", "dot_general %x, %W1"}}, true, false},
         {"x is reinterpreted twice",
          {{"%z = dot_general %xr, %W1", "%xx = reinterpret %xr {axis=model, to=R}\n  %z = dot_general %xx, %W1"}},
          true,
          false},
         {"x is reinterpreted over data",
          {{"reinterpret %x {axis=model, to=R}", "reinterpret %x {axis=data, to=R}"}},
          true,
          false},
         {"p is no partial sum", {{", partial={model}}", "}"}}, true, false},
         {"p is partial over data", {{"partial={model}", "partial={data}"}}, true, false},
         {"p is partial over both axes", {{"partial={model}", "partial={data, model}"}}, true, false}});
}

// A loss that is returned as terms of a sum is none.
TEST(GradientCheck, ALossOfTermsIsRejected) {
  for (const Edit& edit : {Edit{"divide %s, ", "divide %l, "},
                           Edit{"all_reduce %l {axis=data, to=R}", "all_reduce %l {axis=model, to=R}"}}) {
    DiagnosticSink sink;
    EXPECT_FALSE(elaborate(edited(read("examples/gradient_check.shard"), {edit.with, {edit}}), sink));
    ASSERT_EQ(sink.diagnostics().size(), 1U);
    EXPECT_EQ(sink.diagnostics()[0].rule, "A-loss");
    EXPECT_EQ(sink.diagnostics()[0].message,
              "@tp returns %m as @loss, which is P over `data`, a term of a sum on each device; all_reduce it first");
  }
}

// Without its mark the loss is each device's own, and there is nothing to differentiate.
TEST(SgdStep, ALossOfEachDeviceIsRejected) {
  for (const std::string mark : {"}", ", partial={model}}"}) {
    DiagnosticSink sink;
    const Mutant mutant{"the mark of l is " + mark, {{", partial={data}}", mark}}};
    EXPECT_FALSE(elaborate(edited(read("examples/sgd_step.shard"), mutant), sink));
    ASSERT_EQ(sink.diagnostics().size(), 1U);
    EXPECT_EQ(sink.diagnostics()[0].rule, "A-loss");
  }
}

TEST(SgdStep, EveryReductionIsNeededWithoutStates) {
  std::vector<Mutant> mutants;
  append(mutants, reductions("r", "p", "model", "", "add %r, %c2", false));
  append(mutants, reductions("gW1", "dW1", "data", "", "divide %gW1, ", false));
  append(mutants, reductions("gb1", "db1", "data", "", "divide %gb1, ", false));
  append(mutants, reductions("gW2", "dW2", "data", "", "divide %gW2, ", false));
  append(mutants, reductions("gb2", "db2", "data", "", "multiply %gb2, 0.01", false));
  append(mutants, reductions("loss", "l", "data", "", "return @loss = %loss", false));
  for (const std::string name : {"W1", "b1", "W2"}) {
    mutants.push_back({"m" + name + " is not divided", {{"multiply %m" + name + ",", "multiply %g" + name + ","}}});
  }
  judge("examples/blocks/sgd_step_unchecked.shard", mutants);
}

// `check grad(...)` of the loss alone, on meshes of other sizes. The loss without its last all_reduce is a sum of
// terms, which its states say: its gradient is right, and its value is not.
TEST(GradientCheck, EveryReductionIsNeeded) {
  std::vector<Mutant> mutants = reductions("r", "p", "model", ", to=I", "add %r, %c2", true);
  append(mutants, reductions("s", "l", "data", ", to=R", "divide %s, ", true));
  mutants.erase(mutants.begin() + 6);  // s over the wrong axis and s left out: the next test
  mutants.erase(mutants.begin() + 4);
  mutants.push_back({"x is not reinterpreted", {{"dot_general %xr, %W1", "dot_general %x, %W1"}}, true});
  mutants.push_back({"b2 is read as R", {{"view @b2 [-] as I{model}", "view @b2 [-]"}}, true});
  mutants.push_back({"the mean of own rows", {{"divide %s, (b*d)", "divide %s, (bl*d)"}}});
  for (const auto& [data, model] : {std::pair(2, 2), std::pair(3, 2), std::pair(2, 3)}) {
    judge("examples/gradient_check.shard", {{"as written", {}, false, false}}, 1, data, model);
    judge("examples/gradient_check.shard", mutants, 1, data, model);
  }
}

TEST(SgdStep, AsWrittenItIsEqual) {
  judge("examples/sgd_step.shard", {{"as written", {}, false, false}});
  judge("examples/blocks/sgd_step_unchecked.shard", {{"as written", {}, false, false}});
}

}  // namespace
}  // namespace isoshard::sgd_step_test
