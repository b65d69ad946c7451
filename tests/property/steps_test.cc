// Steps: a program with updates, run K times, computes what its twin without updates computes when the next values are
// ordinary outputs that are handed in by hand.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/assemble.h"
#include "sim/run/draw.h"
#include "sim/run/steps.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::sim::steps_test {
namespace {

using testing::random_program;
using testing::RandomProgram;
using testing::RandomProgramOptions;

/// The printed program with returns in place of its updates; those of uneven blocks need the type of the whole.
std::string twin_of(const Module& module) {
  const std::string mark = "update @";
  std::istringstream lines(text::print(module));
  std::string twin;
  for (std::string line; std::getline(lines, line);) {
    if (const size_t at = line.find(mark); at != std::string::npos) {
      const size_t start = at + mark.size();
      const std::string name = line.substr(start, line.find(' ', start) - start);
      if (line.find("uneven") != std::string::npos) {
        line += " : " + to_string(module.global(*module.find_global(name)).type);
      }
      line.replace(at, mark.size(), "return @next_");
    }
    twin += line + "\n";
  }
  return twin;
}

Plan plan_of(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"twin.shard", text});
  const std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) RC_LOG(render(diagnostic));
  RC_ASSERT(module.has_value());
  return lower(*module, *module->find_program("p"));
}

using Arrays = std::map<std::string, Value>;

/// What `result` stored, by name; updates are called `next_NAME`.
Arrays assembled(const Plan& plan, const RunResult& result) {
  Arrays arrays;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const Output& output = plan.outputs[o];
    arrays[(output.updates.valid() ? "next_" : "") + output.name] = assemble(output.type, result.outputs[o]).value;
  }
  return arrays;
}

std::vector<Value> draw_all(const std::vector<Global>& globals) {
  std::vector<Value> values;
  for (const Global& global : globals) values.push_back(from_tensor(draw_global(global, 7), float_domain()));
  return values;
}

RandomProgram any_program() {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 25);
  options.typed = *rc::gen::arbitrary<bool>();
  options.exponentials = false;
  options.updates = true;
  return random_program(options);
}

RC_GTEST_PROP(Steps, AreWhatOneGetsByHand, ()) {
  const RandomProgram random = any_program();
  RC_LOG(text::print(random.module));
  const Plan plan = lower(random.module, random.program);
  const Plan twin = plan_of(twin_of(random.module));
  const int64_t steps = *rc::gen::inRange<int64_t>(1, 5);
  std::vector<Value> globals = draw_all(plan.globals);

  const Result<RunResult> result = run_steps(plan, float_domain(), globals, steps);
  RC_ASSERT(result.has_value());
  Arrays expected;
  for (int64_t step = 0; step < steps; ++step) {
    for (size_t g = 0; g < globals.size(); ++g) {
      const auto next = expected.find("next_" + plan.globals[g].name);
      if (next != expected.end()) globals[g] = next->second;
    }
    const Result<RunResult> by_hand = run(twin, float_domain(), globals);
    RC_ASSERT(by_hand.has_value());
    expected = assembled(twin, *by_hand);
  }
  const Arrays actual = assembled(plan, *result);
  RC_ASSERT(actual.size() == expected.size());
  for (const auto& [name, value] : actual) RC_ASSERT(same_bits(value, expected.at(name)));
  RC_CLASSIFY(!random.module.program(random.program).updates().empty(), "with updates");
}

RC_GTEST_PROP(Steps, DoNotDependOnWorkersAndOrder, ()) {
  const RandomProgram random = any_program();
  const Plan plan = lower(random.module, random.program);
  const std::vector<Value> globals = draw_all(plan.globals);
  const Result<RunResult> expected = run_steps(plan, float_domain(), globals, 3);
  RC_ASSERT(expected.has_value());
  RunOptions options;
  options.workers = *rc::gen::element(1, 2, 8);
  options.interleave_seed = *rc::gen::arbitrary<uint64_t>();
  options.small_work = 0;
  const Result<RunResult> other = run_steps(plan, float_domain(), globals, 3, options);
  RC_ASSERT(other.has_value());
  const Arrays actual = assembled(plan, *other);
  for (const auto& [name, value] : assembled(plan, *expected)) RC_ASSERT(same_bits(value, actual.at(name)));
}

/// The tests above are of use only if globals that are read are updated.
TEST(Steps, TheGeneratorUpdatesGlobalsThatItReads) {
  int updates = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    RandomProgramOptions options;
    options.seed = seed;
    options.updates = true;
    const RandomProgram random = random_program(options);
    for (const Output& update : random.module.program(random.program).updates()) {
      EXPECT_TRUE(random.module.global(update.updates).can_be_updated());
      ++updates;
    }
  }
  EXPECT_GT(updates, 25);
}

}  // namespace
}  // namespace isoshard::sim::steps_test
