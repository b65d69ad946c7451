// What a device holds at most: hand counts of small programs, written out beside them, and laws of all Plans.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "catalogue/catalogue.h"
#include "core/plan/flops.h"
#include "core/plan/memory/live_memory.h"
#include "core/plan/memory/residents.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::plan_memory_test {
namespace {

class PlanMemory : public TextTest {
 protected:
  Plan planned(const std::string& text) {
    const std::optional<Module> module = parse("isoshard 1\n" + text);
    for (const Diagnostic& d : sink_.diagnostics()) ADD_FAILURE() << render(d);
    return lower(module.value(), module->find_program("p").value());
  }
};

/// Of a Plan with one group.
MemoryPeak peak_of(const Plan& plan) { return memory_peak(plan, plan.groups.at(0)); }

/// `op %result` where the peak is.
std::string place(const Plan& plan, const MemoryPeak& peak) {
  if (!peak.instruction) return peak.loop == nullptr ? "" : "scan";
  const Instruction& at = plan.instruction(*peak.instruction);
  return at.op() + (at.results.empty() ? "" : " %" + plan.value(at.results[0]).name());
}

/// `name bytes` of what is held at the peak.
std::vector<std::string> held(const Plan& plan, const MemoryPeak& peak) {
  std::vector<std::string> result;
  for (const HeldValue& value : peak.held) {
    result.push_back(plan.value(value.value).name() + " " + std::to_string(static_cast<int64_t>(value.bytes)));
  }
  return result;
}

/// That a rank of group 0 loads.
double bytes_of_globals(const Plan& plan) {
  const std::vector<Resident> residents = residents_of(plan, plan.groups[0]).value();
  double sum = 0;
  for (const Resident& resident : residents) sum += resident.bytes;
  return sum;
}

using Lines = std::vector<std::string>;

TEST_F(PlanMemory, OfALayer) {
  const Plan plan = planned(R"(
mesh @m [model=2]
global @x : f32[4, 6] input
global @W : f32[6, 8] param
program @p on @m {
  %x = view @x [-, -]                          // + 96           =  96
  %W = view @W [-, model]                      // + 6*4*4        = 192
  %h = dot_general %x, %W {contract=[1]x[0]}   // + 4*4*4        = 256   - x - W = 64
  %t = tanh %h                                 // + 64           = 128   - h = 64
  %y = all_gather %t {axis=model, dim=1, to=R} // + 128          = 192   - t = 128
  return @y = %y [-, -]
})");
  const MemoryPeak peak = peak_of(plan);
  EXPECT_EQ(peak.bytes, 256);
  EXPECT_EQ(peak.globals, 192);
  EXPECT_EQ(place(plan, peak), "dot_general %h");
  EXPECT_EQ(held(plan, peak), (Lines{"x 96", "W 96", "h 64"}));
  EXPECT_EQ(bytes_of_globals(plan), 192);
  EXPECT_EQ(matmul_flops(plan, plan.groups[0]), 2 * 4 * 4 * 6);
  EXPECT_EQ(matmul_flops(plan), 2 * 2 * 4 * 4 * 6);
}

TEST_F(PlanMemory, OfWhatIsKeptForLaterAndOfOutputs) {
  const Plan plan = planned(R"(
global @x : f32[8] input
program @p {
  %x = view @x [-]                   // +  32 = 32
  %r = reshape %x {shape=[2, 4]}     // the same bytes
  %a = negate %x                     // +  32 = 64   x is no more, its bytes are those of r
  %w = convert %r {dtype=f64}        // +  64 = 128  - r = 96
  %v = convert %w {dtype=f32}        // +  32 = 128  - w = 64
  %f = reshape %v {shape=[8]}        // the same bytes
  %b = add %a, %f                    // +  32 = 96   - v = 64: a stays, it is an output
  %c = concatenate %b, %f {dim=0}    // needs f: it is no more before this
  return @a = %a [-]
  return @c = %c [-]
})");
  // With f needed once more the line of b ends with 96 (a, v, b); c adds 64: 160, the most.
  const MemoryPeak peak = peak_of(plan);
  EXPECT_EQ(peak.bytes, 160);
  EXPECT_EQ(peak.globals, 0);
  EXPECT_EQ(place(plan, peak), "concatenate %c");
  EXPECT_EQ(held(plan, peak), (Lines{"c 64", "a 32", "v 32", "b 32"}));
}

TEST_F(PlanMemory, OfAScan) {
  const Plan plan = planned(R"(
global @x : f32[4] input
global @W : f32[3, 4, 4] param
program @p {
  %x0 = view @x [-]                                   // + 16  =  16
  %W = view @W [-, -, -]                              // + 192 = 208
  %x3, %zs = scan (%x = %x0) over (%w = %W) {         // the carry takes over x0; + the stack, 3*16 = 256
    %z = dot_general %x, %w {contract=[0]x[0]}        // + the slice, 64, + 16 = 336   - x - w = 256
    %t = tanh %z                                      // + 16  = 272
    yield (%t) stack (%z)
  }
  return @x = %x3 [-]
  return @z = %zs [-, -]
})");
  const MemoryPeak peak = peak_of(plan);
  EXPECT_EQ(peak.bytes, 336);
  EXPECT_EQ(peak.globals, 192);
  EXPECT_EQ(place(plan, peak), "dot_general %z");
  ASSERT_NE(peak.loop, nullptr);
  EXPECT_EQ(peak.loop->count, 3);
  EXPECT_EQ(held(plan, peak), (Lines{"W 192", "w 64", "zs 48", "x 16", "z 16"}));
  EXPECT_EQ(matmul_flops(plan), 3 * 2 * 4 * 4);
}

TEST_F(PlanMemory, CarriesThatDoNotChangeAreNotCopied) {
  const Plan plan = planned(R"(
global @x : f32[4] input
global @W : f32[4, 4] param
program @p {
  %x0 = view @x [-]                                   // + 16 = 16
  %W = view @W [-, -]                                 // + 64 = 80
  %x3, %V = scan (%x = %x0, %w = %W) trips 5 {        // x0 is needed later: the carry has 16 of its own = 96
    %z = dot_general %x, %w {contract=[0]x[0]}        // + 16 = 112, the most
    yield (%z, %w)
  }
  %y = add %x3, %x0
  return @y = %y [-]
  return @W = %V [-, -]
})");
  const MemoryPeak peak = peak_of(plan);
  EXPECT_EQ(peak.bytes, 112);
  EXPECT_EQ(peak.globals, 80);
  EXPECT_EQ(held(plan, peak), (Lines{"W 64", "x0 16", "x 16", "z 16"}));
}

std::string gradient_of_a_scan(const std::string& remat) {
  return R"(
global @x : f32[4] input
global @w : f32[4] param
func @f(%x: f32[4], %w: f32[4]) -> f32[] {
  %h, %v = scan (%c = %x, %u = %w) trips 3 {
    %z = multiply %c, %u
    %t = tanh %z
    yield (%t, %u)
  }
  %l = reduce %h {op=add, dims=[0]}
  return %l
}
program @p {
  %x = view @x [-]
  %w = view @w [-]
  %l, %dw = grad @f(%x, %w) {wrt=[1], remat=)" +
         remat + R"(}
  return @l = %l []
  return @dw = %dw [-]
})";
}

/// The backward scan computes each iteration again from the carries that the forward one has saved.
TEST_F(PlanMemory, OfTheGradientOfAScanThatComputesAgain) {
  // In an iteration of the backward scan the saved carries, 3*16, w, 16, the cotangents of the carry and of w, 2*16,
  // the slice of the saved carries, 16, and t, 1 and 1 - t at once, 3*16; besides the loss, 4.
  const Plan plan = planned(gradient_of_a_scan("full"));
  const MemoryPeak peak = peak_of(plan);
  EXPECT_EQ(peak.bytes, 164);
  EXPECT_EQ(peak.globals, 16);
  EXPECT_EQ(place(plan, peak).substr(0, 8), "subtract");
  EXPECT_EQ(peak.held.front().bytes, 48);
  ASSERT_NE(peak.loop, nullptr);
}

/// The same with t saved as well: 3*16 more.
TEST_F(PlanMemory, OfTheGradientOfAScanThatSaves) {
  const Plan plan = planned(gradient_of_a_scan("none"));
  EXPECT_EQ(peak_of(plan).bytes, 212);
}

/// Nothing is taken for held after its last use, however deep the loops: the most of a Plan is at least any of its
/// instructions' operands and results, and at most all values together, those of loops once.
TEST_F(PlanMemory, LiesBetweenOneInstructionAndAllValues) {
  for (const ModelInfo& info : catalogue()) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(ModelRequest{info.name, {}, {}}, sink);
    ASSERT_TRUE(module.has_value()) << info.name;
    for (size_t i = 0; i < module->programs.size(); ++i) {
      if (module->programs[i].kind() != ProgramKind::program) continue;
      const Plan plan = lower(*module, ProgramId(i));
      const auto bytes = [&](PlanValueId id) {
        const TensorType& type = plan.value(id).type();
        return static_cast<double>(element_count(type.shape)) * static_cast<double>(isoshard::info(type.dtype).bytes);
      };
      double least = 0, most = 0;
      for (const Instruction& instruction : plan.instructions) {
        double here = 0;
        for (const PlanValueId id : std::set(instruction.results.begin(), instruction.results.end())) here += bytes(id);
        least = std::max(least, here);
      }
      for (size_t v = 0; v < plan.values.size(); ++v) most += bytes(PlanValueId(v));
      const MemoryPeak peak = peak_of(plan);
      EXPECT_LE(least, peak.bytes) << info.name << " @" << plan.program;
      EXPECT_LE(peak.bytes, most) << info.name << " @" << plan.program;
      EXPECT_LE(peak.globals, bytes_of_globals(plan)) << info.name << " @" << plan.program;
      double sum = 0;
      for (const HeldValue& value : peak.held) sum += value.bytes;
      EXPECT_EQ(sum, peak.bytes) << info.name << " @" << plan.program;
    }
  }
}

/// Groups of ranks that do different things hold different amounts.
TEST_F(PlanMemory, OfEachGroupOfRanks) {
  PlanBuilder builder(std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"pp", 3}}));
  const TensorType small{DType::f32, {2}}, large{DType::f32, {100}};
  builder.begin_group("first", {0});
  builder.local(Constant{Rational(0), DType::f32, {2}}, {}, small, "a");
  builder.begin_group("others", {1, 2});
  builder.local(Constant{Rational(0), DType::f32, {100}}, {}, large, "b");
  const Plan plan = builder.finish();
  ASSERT_EQ(plan.groups.size(), 2U);
  EXPECT_EQ(memory_peak(plan, plan.groups[0]).bytes, 8);
  EXPECT_EQ(memory_peak(plan, plan.groups[1]).bytes, 400);
}

}  // namespace
}  // namespace isoshard::plan_memory_test
