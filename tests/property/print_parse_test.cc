// print is a fixpoint of print after elaborate after parse, and parsing brings back the same programs.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "core/text/text.h"
#include "tests/property/generator/random_program.h"
#include "verify/compare/same_outputs.h"

namespace isoshard::print_parse_test {
namespace {

using testing::random_program;
using testing::RandomProgram;
using testing::RandomProgramOptions;

RandomProgramOptions any_options() {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  options.updates = *rc::gen::arbitrary<bool>();
  options.typed = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  return options;
}

std::optional<Module> parse(const std::string& text) {
  DiagnosticSink sink;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"printed.shard", text});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) RC_LOG(render(diagnostic));
  return module;
}

void same_program(const Module& a, ProgramId x, const Module& b, ProgramId y);

void same_op(const Module& a, const Op& x, const Module& b, const Op& y) {
  RC_ASSERT(x.operands == y.operands);
  RC_ASSERT(x.results == y.results);
  RC_ASSERT(x.regions.size() == y.regions.size());
  for (size_t i = 0; i < x.regions.size(); ++i) {
    RC_ASSERT(x.regions[i].arguments == y.regions[i].arguments);
    RC_ASSERT(x.regions[i].ops == y.regions[i].ops);
    RC_ASSERT(x.regions[i].results == y.regions[i].results);
  }
  const Call* call = std::get_if<Call>(&x.data);
  const Call* other = std::get_if<Call>(&y.data);
  if (call != nullptr && other != nullptr) {
    same_program(a, call->callee, b, other->callee);
    RC_ASSERT(call->vjp.valid() == other->vjp.valid());
    if (call->vjp.valid()) same_program(a, call->vjp, b, other->vjp);
  } else {
    RC_ASSERT(x.data == y.data);
  }
}

void same_outputs(const std::vector<Output>& p, const std::vector<Output>& q) {
  RC_ASSERT(p.size() == q.size());
  for (size_t i = 0; i < p.size(); ++i) {
    RC_ASSERT(p[i].name == q[i].name);
    RC_ASSERT(p[i].type == q[i].type);
    RC_ASSERT(p[i].updates.valid() == q[i].updates.valid());
    RC_ASSERT(p[i].parts.front().value == q[i].parts.front().value);
    RC_ASSERT(p[i].parts.front().layout == q[i].parts.front().layout);
  }
}

void same_program(const Module& a, ProgramId x, const Module& b, ProgramId y) {
  const Program& p = a.program(x);
  const Program& q = b.program(y);
  RC_ASSERT(p.name() == q.name());
  RC_ASSERT(p.typed() == q.typed());
  RC_ASSERT(p.mesh() == q.mesh());
  RC_ASSERT(p.body().arguments == q.body().arguments);
  RC_ASSERT(p.body().results == q.body().results);
  RC_ASSERT(p.value_count() == q.value_count());
  for (size_t i = 0; i < p.value_count(); ++i) {
    RC_ASSERT(p.value(ValueId(i)).name == q.value(ValueId(i)).name);
    RC_ASSERT(p.value(ValueId(i)).type == q.value(ValueId(i)).type);
  }
  RC_ASSERT(p.op_count() == q.op_count());
  for (size_t i = 0; i < p.op_count(); ++i) same_op(a, p.op(OpId(i)), b, q.op(OpId(i)));
  same_outputs(p.outputs(), q.outputs());
  same_outputs(p.updates(), q.updates());
}

RC_GTEST_PROP(PrintParse, IsAFixpoint, ()) {
  const RandomProgram random = random_program(any_options());
  const std::string text = text::print(random.module);
  RC_LOG(text);
  const std::optional<Module> parsed = parse(text);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(text::print(*parsed) == text);
  const std::optional<ProgramId> program = parsed->find_program("p");
  RC_ASSERT(program.has_value());
  same_program(random.module, random.program, *parsed, *program);
  RC_ASSERT(parsed->state_errors(*program).empty());
}

RC_GTEST_PROP(PrintParse, IsAFixpointWithTypes, ()) {
  const RandomProgram random = random_program(any_options());
  const std::string text = text::print(random.module, text::PrintOptions{true});
  RC_LOG(text);
  const std::optional<Module> parsed = parse(text);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(text::print(*parsed, text::PrintOptions{true}) == text);
}

RC_GTEST_PROP(PrintParse, OneProgramIsAFile, ()) {
  const RandomProgram random = random_program(any_options());
  const std::string text = text::print(random.module, random.program);
  RC_LOG(text);
  const std::optional<Module> parsed = parse(text);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(text::print(*parsed, *parsed->find_program("p")) == text);
}

/// The generator is of use only if it reaches every op, with and without states.
TEST(RandomProgram, ReachesEveryOp) {
  for (const bool typed : {true, false}) {
    std::vector<size_t> seen(std::variant_size_v<OpVariant>);
    for (uint64_t seed = 0; seed < 200; ++seed) {
      RandomProgramOptions options;
      options.seed = seed;
      options.typed = typed;
      const RandomProgram random = random_program(options);
      for (const Program& program : random.module.programs) {
        for (size_t i = 0; i < program.op_count(); ++i) ++seen[program.op(OpId(i)).data.index()];
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (i == OpData(PipelineRun{}).index()) continue;            // drawn in schedules_test.cc
      if (!typed && i == OpData(Reinterpret{}).index()) continue;  // changes states, which untyped programs lack
      if (!typed && i == OpData(AssertEqual{}).index()) continue;  // made from a reinterpret, so that the claim holds
      EXPECT_GT(seen[i], 0U) << "op " << i << (typed ? ", typed" : ", untyped");
    }
  }
}

}  // namespace
}  // namespace isoshard::print_parse_test
