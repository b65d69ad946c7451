// The k largest of the k largest of blocks, and what is looked up at their places, written as those of all elements:
// the same values and indices, bit for bit, with equal elements and nan among them.

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <string>

#include "core/plan/verify/verify_plan.h"
#include "core/support/result.h"
#include "sim/lockstep/run.h"
#include "tests/domains_testing.h"
#include "tests/runs_testing.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/abstraction/merged_top_k.h"
#include "verify/compare/make_pair.h"

namespace isoshard::verify::merged_top_k_test {
namespace {

/// Blocks along s of three rows, each device's in two parts that are joined first; `k` are taken of all, `few` of a
/// part. What is looked up is made of indices, values and the device.
std::string blocks(int64_t length, int64_t k, int64_t few, const std::string& elements, const std::string& places) {
  const auto number = [](int64_t n) { return std::to_string(n); };
  const std::string shape = "[3, " + number(few) + "]";
  const auto part = [&](const std::string& p, int64_t begin, int64_t end) {
    return "  %x" + p + " = slice %e {start=[0, " + number(begin) + "], limit=[3, " + number(end) + "]}\n  %v" + p +
           ", %i" + p + " = top_k %x" + p + " {k=" + number(few) + "}\n  %d" + p +
           " = broadcast_in_dim %first {dims=[], shape=" + shape + "}\n  %j" + p + " = add %i" + p + ", %d" + p +
           "\n  %w" + p + " = multiply %j" + p + ", " + number(begin + 1) + "\n";
  };
  return "mesh @m [s=3]\nglobal @x : f32[3, " + number(3 * length) + "] input\nuntyped program @a on @m {\n" +
         "  %x = view @x [-, s]\n  %e = " + elements +
         " %x\n  %a = axis_index {axis=s}\n  %first = multiply %a, 100\n" + part("0", 0, length / 2) +
         part("1", length / 2, length) +
         "  %v = concatenate %v0, %v1 {dim=1}\n  %w = concatenate %w0, %w1 {dim=1}\n"
         "  %vs = all_gather %v {axis=s, dim=1}\n  %ws = all_gather %w {axis=s, dim=1}\n"
         "  %y, %at = top_k %vs {k=" +
         number(k) + "}\n" + places +
         "  %i = gather %ws, %p {dim=1, batch=1}\n  %z = gather %vs, %p {dim=1, batch=1}\n  return @y = %y [-, -]\n"
         "  return @i = %i [-, -]\n  return @z = %z [-, -]\n}\nprogram @b {\n  %x = view @x [-, -]\n"
         "  %y, %i = top_k %x {k=" +
         number(k) +
         "}\n  return @y = %y [-, -]\n  return @i = %i [-, -]\n"
         "  return @z = %y [-, -]\n}\ncheck @a == @b\n";
}

size_t lookups_of(const Plan& plan, const std::string& table) {
  size_t count = 0;
  for (const Instruction& i : plan.instructions) {
    const LocalOp* local = std::get_if<LocalOp>(&i.data());
    const bool lookup = local != nullptr && std::holds_alternative<Gather>(local->op);
    if (lookup && plan.value(i.operands[0]).name() == table) ++count;
  }
  return count;
}

RC_GTEST_PROP(MergedTopK, IsTheSameBitForBit, ()) {
  const int64_t length = *rc::gen::inRange<int64_t>(2, 9), few = *rc::gen::inRange<int64_t>(1, length / 2 + 1);
  const int64_t k = few == length / 2 ? *rc::gen::inRange<int64_t>(1, 3 * few) : *rc::gen::inRange<int64_t>(1, few + 1);
  const bool enough = few >= k || few >= length - length / 2;
  const std::string elements = *rc::gen::elementOf(std::vector<std::string>{"floor", "sign", "sqrt", "negate"});
  const Module module = parse(blocks(length, k, few, elements, "  %p = maximum %at, 0\n"));
  const Pair pair = make_pair_of(module, module.checks.at(0));
  const std::optional<Pair> merged = merge_top_k(pair);
  RC_ASSERT(merged.has_value() == enough);
  if (!merged) return;
  RC_ASSERT(verify_plan(merged->sharded.plan).empty());
  RC_ASSERT(lookups_of(merged->sharded.plan, "ws.of_all") == 1U);
  const sim::Domain& domain = sim::float_domain();
  const std::vector<sim::Value> globals{
      sim::testing_support::random_value(module.globals[0].type, domain, *rc::gen::inRange<uint64_t>(1, 1000))};
  const Result<sim::RunResult> expected = run(pair.sharded.plan, domain, globals);
  const Result<sim::RunResult> now = run(merged->sharded.plan, domain, globals);
  RC_ASSERT(expected.has_value() && now.has_value());
  RC_ASSERT(isoshard::testing::same_outputs(*now, *expected));
}

/// What is looked up elsewhere stays what it is.
TEST(MergedTopK, LeavesOtherLookups) {
  const auto left = [](const std::string& places) {
    const Module module = parse(blocks(8, 2, 2, "floor", places));
    const std::optional<Pair> merged = merge_top_k(make_pair_of(module, module.checks.at(0)));
    return merged ? lookups_of(merged->sharded.plan, "ws") - lookups_of(merged->sharded.plan, "ws.of_all") : size_t{9};
  };
  EXPECT_EQ(left("  %p = maximum %at, 0\n"), 0U);
  EXPECT_EQ(left("  %p = minimum %at, 11\n"), 0U);
  EXPECT_EQ(left("  %n = compare %at, 0 {direction=lt}\n  %q = add %at, 12\n  %p = select %n, %q, %at\n"), 0U);
  EXPECT_EQ(left("  %p = maximum %at, 1\n"), 1U);
  EXPECT_EQ(left("  %p = minimum %at, 10\n"), 1U);
  EXPECT_EQ(left("  %p = add %at, 0\n"), 1U);
  EXPECT_EQ(left("  %n = compare %at, 1 {direction=lt}\n  %q = add %at, 12\n  %p = select %n, %q, %at\n"), 1U);
  EXPECT_EQ(left("  %n = compare %at, 0 {direction=gt}\n  %q = add %at, 1\n  %p = select %n, %q, %at\n"), 1U);
}

}  // namespace
}  // namespace isoshard::verify::merged_top_k_test
