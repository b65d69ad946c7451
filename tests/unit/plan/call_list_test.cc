// The calls of a rank, as text, for programs small enough to be followed; and what is refused.
#include "core/plan/calls/writing/make_call_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/plan/calls/print_calls.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::call_list_test {
namespace {

using Lines = std::vector<std::string>;

class CallListText : public TextTest {
 protected:
  Result<calls::CallList> list(const std::string& body, int64_t position) {
    const std::optional<Module> module = parse("isoshard 1\nmesh @m [x=2]\n" + body);
    for (const Diagnostic& d : sink_.diagnostics()) ADD_FAILURE() << render(d);
    plan_ = lower(module.value(), module->find_program("p").value());
    const Result<MemoryPlan> memory = plan_memory(plan_, Reuse::ordered);
    return calls::make_call_list(plan_, memory.value(), position);
  }

  /// The lines of calls, without where they come from and without the wait of the last store, which has no call.
  Lines calls_of(const std::string& body, int64_t position) {
    std::istringstream text(calls::to_text(list(body, position).value(), plan_));
    Lines lines;
    for (std::string line; std::getline(text, line);) {
      const size_t origin = line.find("  // #");
      if (origin != std::string::npos) lines.push_back(line.substr(2, origin - 2));
    }
    while (!lines.empty() && lines.back().find(" event ") != std::string::npos) lines.pop_back();
    return lines;
  }

  std::string refusal(const std::string& body) {
    const Result<calls::CallList> made = list(body, 0);
    if (made) return "made";
    return std::to_string(made.error().location.line()) + " " + made.error().rule + " " + made.error().message;
  }

  Plan plan_;
};

TEST_F(CallListText, ASumOverRanksWaitsForWhatItAdds) {
  EXPECT_EQ(calls_of(R"(
global @a : f32[4] input
program @p on @m {
  %a = view @a [x]
  %b = negate %a
  %s = all_reduce %b {axis=x, to=R}
  return @s = %s [-]
})",
                     1),
            (Lines{"compute: map take in0 of [2] in @a f32 to arena f32",
                   "compute: map take in0; negate of [2] in arena f32 to arena f32", "compute: record event 0",
                   "comm x: wait for event 0", "comm x: ncclAllReduce sum f32[2] on x arena to arena"}));
}

TEST_F(CallListText, BlocksAlongAnInnerDimensionAreUnpacked) {
  const std::string inner = R"(
global @a : f32[3, 4] input
program @p on @m {
  %a = view @a [-, x]
  %g = all_gather %a {axis=x, dim=1, to=R}
  return @g = %g [-, -]
})";
  EXPECT_EQ(calls_of(inner, 0),
            (Lines{"compute: map take in0 of [6] in @a f32 to arena f32", "compute: record event 0",
                   "comm x: wait for event 0", "comm x: ncclAllGather f32[6] on x arena to scratch comm x",
                   "comm x: map take in0 of [2,3,2] in scratch comm x f32 to arena+256 f32 strides [2,4,1]"}));
}

TEST_F(CallListText, AnOuterDimensionIsThere) {
  EXPECT_EQ(calls_of(R"(
global @a : f32[4, 3] input
program @p on @m {
  %a = view @a [x, -]
  %g = all_gather %a {axis=x, dim=0, to=R}
  return @g = %g [-, -]
})",
                     0)
                .back(),
            "comm x: ncclAllGather f32[6] on x arena to arena+256");
}

TEST_F(CallListText, SumsOfBf16AddInF32UnlessTheySayNative) {
  const auto sum = [&](const std::string& precision) {
    return calls_of(R"(
global @a : bf16[4] input
program @p on @m {
  %a = view @a [x]
  %s = all_reduce %a {axis=x, to=R)" +
                        precision + R"(}
  return @s = %s [-]
})",
                    0);
  };
  EXPECT_EQ(sum("").back(), "comm x: map take in0 of [2] in scratch comm x f32 to arena bf16");
  EXPECT_EQ(sum(", precision=native").back(), "comm x: ncclAllReduce sum bf16[2] on x arena to arena");
}

TEST_F(CallListText, APermuteIsAGroupAndNobodySendsZeros) {
  const std::string shift = R"(
global @a : f32[4] input
program @p on @m {
  %a = view @a [x]
  %n = collective_permute %a {axis=x, pairs=[(0, 1)]}
  return @n = %n [x]
})";
  const Lines first = calls_of(shift, 0), second = calls_of(shift, 1);
  EXPECT_EQ(first.back().substr(first.back().find(": ") + 2), "group on x, ncclSend to 1 f32[2] arena");
  EXPECT_EQ(first[first.size() - 2].substr(first[first.size() - 2].find(": ") + 2), "fill 8 bytes 0 at arena+256");
  EXPECT_EQ(second.back().substr(second.back().find(": ") + 2), "group on x, ncclRecv from 0 f32[2] arena+256");
}

/// The kernels of `body` behind the loads of two inputs.
Lines kernels(const Lines& calls) {
  Lines maps;
  for (const std::string& call : calls) {
    if (call.find(" in @") == std::string::npos) maps.push_back(call);
  }
  return maps;
}

TEST_F(CallListText, ChainsOfElementwiseOpsAreOneKernel) {
  const std::string silu = R"(
global @a : f32[8] input
global @b : f32[2, 4] input
program @p on @m {
  %a = view @a [-]
  %b = view @b [-, -]
  %h = constant {value=0.5, dtype=f32}
  %hs = broadcast_in_dim %h {dims=[], shape=[2, 4]}
  %r = reshape %a {shape=[2, 4]}
  %s = add %r, %b
  %t = multiply %s, %hs
  %u = tanh %t
  %s2 = negate %b
  %w = multiply %u, %s2
  %v = convert %w {dtype=bf16}
  return @v = %v [-, -]
})";
  EXPECT_EQ(kernels(calls_of(silu, 0)), (Lines{"compute: map take in0; add in1; multiply 0.5; tanh keep1; take in1; "
                                               "negate keep0; take kept1; multiply kept0 "
                                               "of [8] in arena f32, arena+256 f32 to arena f32",
                                               "compute: map take in0 of [8] in arena f32 to arena+256 bf16"}));
}

TEST_F(CallListText, WhatOthersReadOrAStreamIsToldIsWritten) {
  const std::string twice = R"(
global @a : f32[2, 4] input
program @p on @m {
  %a = view @a [-, -]
  %n = negate %a
  %e = exponential %n
  %s = cumsum %e {dim=1}
  %m = multiply %n, %n
  return @s = %s [-, -]
  return @m = %m [-, -]
})";
  EXPECT_EQ(kernels(calls_of(twice, 0)),
            (Lines{"compute: map take in0; negate of [8] in arena f32 to arena f32",
                   "compute: map take in0; exponential of [8] in arena f32 to arena+256 f32",
                   "compute: running_sum f32[2,4,1] arena+256 to arena+512",
                   "compute: map take in0; multiply in1 of [8] in arena f32, arena f32 to arena f32"}));
}

/// The ops of a softmax of so many columns, to %y.
std::string softmax(const std::string& columns) {
  return R"(
global @a : f32[2, )" +
         columns + R"(] input
program @p on @m {
  %a = view @a [-, -]
  %m = reduce %a {op=max, dims=[1]}
  %b = broadcast_in_dim %m {dims=[0], shape=[2, )" +
         columns + R"(]}
  %d = subtract %a, %b
  %e = exponential %d
  %s = reduce %e {op=add, dims=[1]}
  %t = broadcast_in_dim %s {dims=[0], shape=[2, )" +
         columns + R"(]}
  %y = divide %e, %t
)";
}

/// Others who read it compute it again, unless the result is written over what they would read.
TEST_F(CallListText, AReductionComputesItsTerms) {
  EXPECT_EQ(kernels(calls_of(softmax("16000") + "  return @y = %y [-, -]\n}", 0)),
            (Lines{"compute: reduce maximum 16000 terms arena f32 strides [16000] to arena+128000 [2]",
                   "compute: reduce add 16000 terms of map take in0; subtract in1; exponential of [2,16000] in arena "
                   "f32, arena+128000 f32 strides [1,0] to arena f32 to arena+128000 f32[2]",
                   "compute: map take in0; divide in1 of [2,16000] in arena f32, arena+128000 f32 strides [1,0] to "
                   "arena f32"}));
}

TEST_F(CallListText, RowsThatFitAreOneKernel) {
  const std::string rows =
      "compute: rows of 4: take in0 keep0; reduce maximum to row0; each: take kept0; subtract row0; exponential keep0; "
      "reduce add to row1; each: take kept0; divide row1 of [2,4] in arena f32 to arena f32";
  EXPECT_EQ(kernels(calls_of(softmax("4") + "  return @y = %y [-, -]\n}", 0)), Lines{rows});
}

/// What others read is written, and what is made of it is another kernel.
TEST_F(CallListText, RowsEndWithWhatOthersRead) {
  const Lines calls = kernels(calls_of(softmax("4") + "  return @e = %e [-, -]\n  return @y = %y [-, -]\n}", 0));
  EXPECT_EQ(calls,
            (Lines{"compute: rows of 4: take in0 keep0; reduce maximum to row0; each: take kept0; subtract row0; "
                   "exponential of [2,4] in arena f32 to arena f32",
                   "compute: rows of 4: take in0 keep0; reduce add to row0; each: take kept0; divide row0 of [2,4] "
                   "in arena f32 to arena+512 f32"}));
}

/// A few outputs of many terms are made in two calls, also where the terms are computed.
TEST_F(CallListText, LongSumsAreMadeOfChunksByManyBlocks) {
  EXPECT_EQ(kernels(calls_of(R"(
global @a : f32[10000000] input
global @b : bf16[3, 16384] input
program @p on @m {
  %a = view @a [-]
  %b = view @b [-, -]
  %q = multiply %a, %a
  %s = reduce %q {op=add, dims=[0]}
  %m = reduce %b {op=max, dims=[1]}
  return @s = %s []
  return @m = %m [-]
})",
                             0)),
            (Lines{"compute: reduce add 10000000 terms of map take in0; multiply in1 of [10000000] in arena f32, arena "
                   "f32 to chunks at scratch compute f32[]",
                   "compute: join_chunks add 19532 chunks scratch compute to arena+40098304 f32[1]",
                   "compute: reduce maximum 16384 terms arena+40000000 bf16 strides [16384] to chunks at scratch "
                   "compute [3]",
                   "compute: join_chunks maximum 32 chunks scratch compute to arena bf16[3]"}));
}

/// Whoever waits for the event may write over what the chain reads.
TEST_F(CallListText, NothingIsHeldBackBehindARecord) {
  const Lines calls = calls_of(R"(
global @a : f32[4] input
global @b : f32[4] input
program @p on @m {
  %a = view @a [x]
  %b = view @b [x]
  %n = negate %a
  %e = exponential %b
  %g = all_reduce %e {axis=x, to=R}
  %t = tanh %n
  return @g = %g [-]
  return @t = %t [x]
})",
                               0);
  const auto at = [&](const std::string& what) {
    return std::find_if(calls.begin(), calls.end(), [&](const auto& line) { return line.find(what) != line.npos; });
  };
  EXPECT_LT(at("negate"), at("record"));
  EXPECT_LT(at("record"), at("tanh"));
}

TEST_F(CallListText, NumbersAreRoundedWhereTheyAreConverted) {
  EXPECT_EQ(kernels(calls_of(R"(
global @a : i32[2] input
program @p on @m {
  %a = view @a [-]
  %c = constant {value=-3, dtype=i32}
  %p = convert %c {dtype=pred}
  %i = convert %p {dtype=i32}
  %b = broadcast_in_dim %i {dims=[], shape=[2]}
  %s = add %a, %b
  return @s = %s [-]
})",
                             0)),
            (Lines{"compute: map take -3; not_equal 0 keep0; take in0; add kept0 of [2] in arena i32 to arena i32"}));
}

TEST_F(CallListText, EventsAreUsedAgain) {
  const Result<calls::CallList> made = list(R"(
global @a : f32[2] input
program @p on @m {
  %a = view @a [-]
  %v = reinterpret %a {axis=x, to=V}
  %r = scan (%c = %v) trips 20 {
    %d = negate %c
    %e = collective_permute %d {axis=x, shift=1}
    yield (%e)
  }
  return @r = %r [-]
})",
                                            0);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_GE(made->waits, 39U);
  EXPECT_LE(made->events, 4U);
}

TEST_F(CallListText, WhatExecCannotDoIsRefused) {
  EXPECT_EQ(refusal(R"(
global @a : f32[2] input
program @p on @m {
  %a = view @a [-]
  %v = reinterpret %a {axis=x, to=V}
  %e = assert_equal %v {axis=x}
  return @e = %e [-]
})"),
            "8 X-unsupported exec does not compare values between ranks yet; leave assert_equal out of what runs on "
            "devices");
  EXPECT_EQ(refusal(R"(
global @a : f32[2] input
program @p on @m {
  %a = view @a [-]
  %r = scan (%c = %a) trips 200000 {
    %d = negate %c
    yield (%d)
  }
  return @r = %r [-]
})")
                .substr(0, 61),
            "7 X-limit each rank of this group runs 200002 instructions in");
}

}  // namespace
}  // namespace isoshard::call_list_test
