// Products and what is added to them: which become one call of cuBLASLt, and which stay two.
#include "core/plan/calls/fusion/epilogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/plan/calls/fusion/fuser.h"
#include "core/plan/calls/print_calls.h"
#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::epilogue_test {
namespace {

using calls::Chain;
using calls::Epilogue;
using calls::HeldProduct;
using calls::Step;
using calls::StepOp;
using calls::View;

constexpr calls::Place kA = 0, kB = 1024, kValue = 2048, kAdded = 3072, kResult = 4096;

/// A product [b, 4, 3] · [b, 3, 8] and `value + added`, seen as [b, 4, 8].
struct Sum {
  explicit Sum(DType dtype = DType::f32, int64_t batch = 1) : type{dtype, {batch, 4, 8}} {
    product.operands = product.result = dtype;
    product.batch = batch, product.m = 4, product.n = 8, product.k = 3;
    product.a = {kA, false, 3, 12}, product.b = {kB, false, 8, 24}, product.c = {kValue, false, 8, 32};
    const calls::Source first{calls::From::input, 0, 0}, second{calls::From::input, 1, 0};
    chain = {
        type.shape, calls::compute_of(dtype), {View{kValue, dtype, {32, 8, 1}}, View{kAdded, dtype, {0, 0, 1}}}, {}};
    chain.steps = {Step{StepOp::take, 0, first, {}}, Step{StepOp::add, 0, second, {}}};
  }
  std::optional<calls::Product> whole() const {
    return calls::with_epilogue({{kValue, &type}, product}, chain, {result, &type});
  }

  TensorType type;
  calls::Product product;
  Chain chain;
  calls::Place result = kResult;
};

TEST(Epilogue, IsABiasOrAMatrix) {
  const std::optional<calls::Product> bias = Sum().whole();
  ASSERT_TRUE(bias);
  EXPECT_EQ(bias->epilogue, Epilogue::bias);
  EXPECT_EQ(bias->added, kAdded);
  EXPECT_EQ(bias->c.place, kResult);
  Sum sum;
  sum.chain.inputs[1].strides = {32, 8, 1};
  std::swap(sum.chain.inputs[0], sum.chain.inputs[1]);
  for (const calls::Place place : {kResult, kAdded, kValue}) {
    sum.result = place;
    const std::optional<calls::Product> residual = sum.whole();
    ASSERT_TRUE(residual) << place;
    EXPECT_EQ(residual->epilogue, Epilogue::residual);
    EXPECT_EQ(residual->added, kAdded);
    EXPECT_EQ(residual->c.place, place);
  }
}

TEST(Epilogue, OfOtherChainsIsNone) {
  using Change = void (*)(Sum&);
  const std::vector<Change> changes{
      [](Sum& s) {
        s.chain.inputs[1].strides = {0, 1, 0};
      },  // along the rows
      [](Sum& s) {
        s.chain.inputs[1].strides = {0, 0, 0};
      },  // a number
      [](Sum& s) {
        s.chain.inputs[1].strides = {32, 1, 4};
      },  // another order
      [](Sum& s) {
        s.chain.inputs[0].strides = {32, 1, 4};
      },                                                       // the value in another order
      [](Sum& s) { s.chain.inputs[1].dtype = DType::bf16; },   // another dtype
      [](Sum& s) { s.chain.steps[1].op = StepOp::subtract; },  // another op
      [](Sum& s) { s.chain.steps[0].keep = 1; },               // something behind
      [](Sum& s) {
        s.chain.steps.push_back({StepOp::tanh, 0, {}, {}});
      },                                                        // more
      [](Sum& s) { s.chain.steps[1].b = s.chain.steps[0].b; },  // twice the value
      [](Sum& s) { s.chain.inputs[1] = s.chain.inputs[0]; },    // the same
      [](Sum& s) { s.chain.inputs[1].place = kAdded + 4; },     // not aligned
      [](Sum& s) { s.result = kA; },                            // over what others read
      [](Sum& s) { s.result = kB + 64; },                       //
      [](Sum& s) { s.result = kAdded; },                        // over the bias
      [](Sum& s) { s.product.n = 16, s.product.m = 2; },        // two rows of the value are one
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Sum sum;
    changes[i](sum);
    EXPECT_FALSE(sum.whole()) << i;
  }
  Sum over_part;
  over_part.chain.inputs[1].strides = {32, 8, 1};
  over_part.result = kAdded + 32;
  EXPECT_FALSE(over_part.whole());
  EXPECT_FALSE(Sum(DType::f64).whole());
  EXPECT_FALSE(Sum(DType::f32, 2).whole());
}

TEST(Epilogue, OfBatchesAndOfF64IsAMatrix) {
  for (Sum sum : {Sum(DType::f64), Sum(DType::bf16, 2)}) {
    sum.chain.inputs[1].strides = {32, 8, 1};
    EXPECT_TRUE(sum.whole());
  }
}

class ProductCalls : public TextTest {
 protected:
  /// The calls of device 0 that compute, but for copies of inputs; places are left out.
  std::vector<std::string> of(const std::string& ops, calls::CallOptions options = {calls::Products::library, true}) {
    Plan plan = plan_of(ops);
    const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
    return lines_of(calls::to_text(calls::make_call_list(plan, memory.value(), 0, options).value(), plan));
  }

  Plan plan_of(const std::string& ops) {
    const std::optional<Module> module = parse(
        "isoshard 1\nmesh @m [x=2]\nglobal @a : f32[4, 3] input\nglobal @w : f32[3, 8] input\n"
        "global @b : f32[8] input\nglobal @c : f32[4, 8] input\nprogram @p on @m {\n  %a = view @a [-, -]\n"
        "  %w = view @w [-, -]\n  %b = view @b [-]\n  %c = view @c [-, -]\n"
        "  %v = dot_general %a, %w {contract=[1]x[0]}\n" +
        ops + "}\n");
    for (const Diagnostic& d : sink_.diagnostics()) ADD_FAILURE() << render(d);
    return lower(module.value(), module->find_program("p").value());
  }

  static Instruction op_of(const Plan& plan, const std::string& op) {
    return *std::find_if(plan.instructions.begin(), plan.instructions.end(),
                         [&](const Instruction& instruction) { return instruction.op() == op; });
  }

 private:
  static std::vector<std::string> lines_of(const std::string& listed) {
    std::istringstream text(listed);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      if (line.find("  compute: ") != 0 || line.find(" in @") != line.npos) continue;
      if (line.find("event") != line.npos) continue;
      std::istringstream words(line.substr(11, line.find("  // ") - 11));
      std::string kept;
      for (std::string word; words >> word;) {
        if (word.find("arena") == word.npos) kept += (kept.empty() ? "" : " ") + word;
      }
      lines.push_back(kept);
    }
    return lines;
  }
};

const std::string kRows = "  %bs = broadcast_in_dim %b {dims=[1], shape=[4, 8]}\n";
const std::string kProduct = "product f32 b,m,n,k=[1,4,8,3]";

TEST_F(ProductCalls, HaveWhatIsAdded) {
  EXPECT_EQ(of(kRows + "  %y = add %v, %bs\n  return @y = %y [-, -]\n"),
            (std::vector<std::string>{kProduct + " bias to f32"}));
  EXPECT_EQ(of("  %y = add %c, %v\n  return @y = %y [-, -]\n"),
            (std::vector<std::string>{kProduct + " residual to f32"}));
}

TEST_F(ProductCalls, HaveOneSum) {
  EXPECT_EQ(
      of(kRows + "  %z = add %v, %bs\n  %y = add %z, %c\n  return @y = %y [-, -]\n"),
      (std::vector<std::string>{kProduct + " to f32",
                                "map take in0; add in1; add in2 of [4,8] in f32, f32 strides [0,1], f32 to f32"}));
}

TEST_F(ProductCalls, GiveWhatIsReadTwice) {
  const std::vector<std::string> calls =
      of(kRows + "  %y = add %v, %bs\n  return @y = %y [-, -]\n  return @v = %v [-, -]\n");
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls[0], kProduct + " to f32");
}

TEST_F(ProductCalls, AreWhereTheyWereForOtherReaders) {
  EXPECT_EQ(of("  %y = tanh %v\n  return @y = %y [-, -]\n")[0], kProduct + " to f32");
  EXPECT_EQ(of("  %y = cumsum %v {dim=1}\n  return @y = %y [-, -]\n")[0], kProduct + " to f32");
  EXPECT_EQ(of("  %y = reduce %v {op=add, dims=[1]}\n  return @y = %y [-]\n")[0], kProduct + " to f32");
}

/// Of two products that are added the one that is held back longer has the other one as its matrix, which is there
/// then.
TEST_F(ProductCalls, MayAddOneAnother) {
  const std::vector<std::string> two{kProduct + " to f32", kProduct + " residual to f32"};
  for (const char* const sum : {"  %y = add %v, %u\n", "  %y = add %u, %v\n"}) {
    EXPECT_EQ(of("  %u = dot_general %a, %w {contract=[1]x[0]}\n" + std::string(sum) + "  return @y = %y [-, -]\n"),
              two);
  }
}

/// A sum that two compute, the first of them as it is, reads the product twice, where its place is not that of the sum.
TEST_F(ProductCalls, AreWrittenWhereASumIsComputedTwice) {
  const Plan plan = plan_of(
      "  %y = add %v, %c\n  %t = negate %y\n  %u = tanh %y\n  return @t = %t [-, -]\n  return @u = %u [-, -]\n");
  const calls::ValueUses uses(plan, plan.groups[0]);
  calls::CallList list;
  calls::Fuser fuser(uses, list, true);
  Sum sum;
  Chain copy = sum.chain, function = sum.chain;
  for (Chain* chain : {&copy, &function}) {
    chain->inputs = {View{kResult, DType::f32, {32, 8, 1}}};
    chain->steps = {Step{StepOp::take, 0, {calls::From::input, 0, 0}, {}}};
  }
  function.steps.push_back({StepOp::tanh, 0, {}, {}});
  const auto issue = [&](const Chain& chain, const char* op, calls::Place place) {
    const Instruction& instruction = op_of(plan, op);
    fuser.issue({}, chain, instruction.operands, instruction.results[0], {place, &sum.type}, true);
  };
  fuser.issue({}, sum.product, op_of(plan, "dot_general").results[0], {kValue, &sum.type}, true);
  issue(sum.chain, "add", kResult);
  EXPECT_TRUE(list.calls.empty());
  issue(copy, "negate", 2 * kResult);
  ASSERT_EQ(list.calls.size(), 2U);
  const auto* const product = std::get_if<calls::Product>(&list.calls[0].what);
  ASSERT_NE(product, nullptr);
  EXPECT_EQ(product->epilogue, Epilogue::none);
  EXPECT_EQ(product->c.place, kValue);
  issue(function, "tanh", 3 * kResult);
  ASSERT_EQ(list.calls.size(), 3U);
  const auto* const map = std::get_if<calls::Map>(&list.calls[2].what);
  ASSERT_NE(map, nullptr);
  EXPECT_EQ(map->inputs[0].place, kValue);
}

/// What others wait for is not kept back by what the sum waits for.
TEST_F(ProductCalls, AreIssuedBeforeAWait) {
  const std::vector<std::string> calls =
      of("  %s = all_reduce %c {axis=x, to=R, op=max}\n  %y = add %v, %s\n  return @y = %y [-, -]\n");
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0], kProduct + " to f32");
}

TEST_F(ProductCalls, AreAloneWithoutFusion) {
  EXPECT_EQ(of(kRows + "  %y = add %v, %bs\n  return @y = %y [-, -]\n", {calls::Products::library, false}).size(), 3U);
}

}  // namespace
}  // namespace isoshard::epilogue_test
