// What `remat` costs: matrix products that are run, and numbers that the forward scan stacks for the backward one.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/text/text.h"
#include "core/transform/autodiff/vjp.h"

namespace isoshard::autodiff::remat_test {
namespace {

Module example() {
  std::ifstream file("examples/remat.shard");
  std::ostringstream text;
  text << file.rdbuf();
  DiagnosticSink sink;
  std::optional<Module> module =
      text::parse_module(std::make_shared<const SourceFile>(SourceFile{"remat.shard", text.str()}), {}, sink);
  if (!module) throw std::runtime_error(render(sink.diagnostics().at(0)));
  return std::move(*module);
}

/// How often dot_general runs in a region, scans counted as often as they run.
int64_t products(const Module& module, const Program& program, const Region& region) {
  int64_t count = 0;
  for (const OpId id : region.ops) {
    const Op& op = program.op(id);
    if (std::holds_alternative<DotGeneral>(op.data)) ++count;
    if (const Scan* scan = std::get_if<Scan>(&op.data)) {
      count += scan->trips * products(module, program, op.regions.front());
    }
    if (const Call* call = std::get_if<Call>(&op.data)) {
      const Program& callee = module.program(call->callee);
      count += products(module, callee, callee.body());
    }
  }
  return count;
}

/// What the forward scan of the derivative stacks, in numbers per layer.
int64_t stacked(const Module& module, const std::string& name) {
  const Program& program = module.program(*module.find_program(name));
  for (const OpId id : program.body().ops) {
    const Call* call = std::get_if<Call>(&program.op(id).data);
    if (call == nullptr) continue;
    const Program& derived = module.program(call->callee);
    for (const OpId inner : derived.body().ops) {
      const Op& op = derived.op(inner);
      const Scan* scan = std::get_if<Scan>(&op.data);
      if (scan == nullptr) continue;
      int64_t count = 0;
      for (size_t r = static_cast<size_t>(scan->carries); r < op.results.size(); ++r) {
        count += element_count(derived.value(op.results[r]).type.tensor.shape) / scan->trips;
      }
      return count;
    }
  }
  return -1;
}

TEST(Remat, NoneComputesNothingTwiceAndFullStacksOnlyCarries) {
  const Module module = example();
  const auto count = [&](const std::string& name) {
    const Program& program = module.program(*module.find_program(name));
    return products(module, program, program.body());
  };
  // Six layers of two products, and two products for the gradients of each.
  EXPECT_EQ(count("saved"), 6 * (2 + 4));
  EXPECT_EQ(count("recomputed"), 6 * (2 + 2 + 4));
  // The carry is 8 x 4; inside, %z, %s and %a are 8 x 12 on each of two devices.
  EXPECT_EQ(stacked(module, "recomputed"), 32);
  EXPECT_EQ(stacked(module, "saved"), 32 + 3 * 96);
}

TEST(Remat, IsNoneUnlessSomethingElseIsAsked) { EXPECT_EQ(GradOptions().remat, Remat::none); }

}  // namespace
}  // namespace isoshard::autodiff::remat_test
