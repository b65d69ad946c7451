// What a list has to become at the functions of CUDA, NCCL and cuBLASLt, written out; and that each thing that is
// issued otherwise is found, with its name. No header of these libraries is needed.
#include "core/plan/calls/expected_calls.h"

#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::expected_calls_test {
namespace {

using calls::EventRole;
using calls::Function;
using calls::IssuedCall;
using calls::Phase;
using Lines = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

class ExpectedCalls : public TextTest {
 protected:
  calls::CallList list(const std::string& body, int64_t position) {
    const std::optional<Module> module = parse("isoshard 1\nmesh @m [x=2]\n" + body);
    for (const Diagnostic& d : sink_.diagnostics()) ADD_FAILURE() << render(d);
    Plan plan = lower(module.value(), module->find_program("p").value());
    const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
    return calls::make_call_list(plan, memory.value(), position).value();
  }

  calls::CallList sum_list() {
    return list(R"(
global @a : f32[4] input
program @p on @m {
  %a = view @a [x]
  %b = negate %a
  %s = all_reduce %b {axis=x, to=R}
  return @s = %s [-]
})",
                1);
  }
};

/// A list of one call on the second of two streams.
calls::CallList list_of(decltype(calls::Call::what) what) {
  calls::CallList list;
  list.bytes = 4096;
  list.sections = {{"arena", 0, 4096}};
  list.streams = {"compute", "comm x"};
  list.communicators = {{"x", 0, 1, 2}};
  list.calls.push_back(calls::Call{1, InstructionId(0), std::move(what)});
  return list;
}

/// What the one call of a list becomes, without what frames a step.
std::vector<IssuedCall> calls_for(decltype(calls::Call::what) what) {
  std::vector<IssuedCall> found;
  for (const calls::ExpectedCall& expected : calls::expected_calls(list_of(std::move(what)), 2, Phase::capture)) {
    if (expected.call) found.push_back(expected.issued);
  }
  return found;
}

std::vector<IssuedCall> issued_as(const std::vector<calls::ExpectedCall>& expected) {
  std::vector<IssuedCall> issued;
  for (const calls::ExpectedCall& one : expected) issued.push_back(one.issued);
  return issued;
}

/// Lines without the data of kernels.
Lines lines(const calls::CallList& list, Phase phase) {
  Lines lines;
  for (const calls::ExpectedCall& expected : calls::expected_calls(list, 2, phase)) {
    std::string line = calls::to_text(expected.issued, list);
    const size_t data = line.find(" data ");
    if (data != std::string::npos) line.erase(data, line.find(',', data) - data + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

TEST_F(ExpectedCalls, AStepIsFramedAndMarked) {
  const calls::CallList sum = sum_list();
  EXPECT_EQ(lines(sum, Phase::opening), (Lines{"ncclCommInitRankConfig of ranks 2, rank 1",
                                               "ncclCommSplit of communicator x, color 0, key 1, size 2, index 1"}));
  EXPECT_EQ(
      lines(sum, Phase::step),
      (Lines{
          "cudaEventRecord of event of the begin, stream \"compute\"",
          "a kernel of kind map, memory arena, stream \"compute\"",
          "a kernel of kind map, memory arena, stream \"compute\"", "cudaEventRecord of event 0, stream \"compute\"",
          "cudaStreamWaitEvent of stream \"comm x\", event 0",
          "ncclAllReduce of send arena, receive arena, count 2, type ncclFloat32, op ncclSum, communicator x, stream "
          "\"comm x\"",
          "cudaEventRecord of event behind call 4, stream \"comm x\"", "cudaEventRecord of event 0, stream \"comm x\"",
          "cudaStreamWaitEvent of stream \"compute\", event 0",
          "cudaEventRecord of event of the end of stream \"compute\", stream \"compute\"",
          "cudaEventRecord of event of the end of stream \"comm x\", stream \"comm x\""}));
}

TEST_F(ExpectedCalls, AGraphIsForkedAndJoinedAndHasNoMarks) {
  const Lines capture = lines(sum_list(), Phase::capture);
  const Lines step = lines(sum_list(), Phase::step);
  EXPECT_EQ(Lines(capture.begin(), capture.begin() + 3),
            (Lines{"cudaStreamBeginCapture of stream \"compute\"", step[0],
                   "cudaStreamWaitEvent of stream \"comm x\", event of the begin"}));
  EXPECT_EQ(Lines(capture.begin() + 3, capture.begin() + 8), Lines(step.begin() + 1, step.begin() + 6));
  EXPECT_EQ(Lines(capture.begin() + 8, capture.end()),
            (Lines{step[7], step[8], step[10],
                   "cudaStreamWaitEvent of stream \"compute\", event of the end of stream \"comm x\"",
                   "cudaStreamEndCapture of stream \"compute\"", step[0], "cudaGraphLaunch of stream \"compute\"",
                   step[9], step[10]}));
  EXPECT_EQ(lines(sum_list(), Phase::launch), Lines(capture.end() - 4, capture.end()));
}

TEST_F(ExpectedCalls, NothingIsIssuedWithoutStreams) {
  const calls::CallList none;
  for (const Phase phase : {Phase::opening, Phase::step, Phase::capture, Phase::launch}) {
    EXPECT_TRUE(calls::expected_calls(none, 1, phase).empty());
  }
}

TEST(ExpectedCollectives, HaveTypesAndCountsOfNccl) {
  using Kind = calls::Collective::Kind;
  const auto of = [](Kind kind, DType dtype) {
    const std::vector<IssuedCall> found = calls_for(calls::Collective{kind, 0, dtype, 6, 256, 512});
    EXPECT_EQ(found.size(), 1U);
    return found[0];
  };
  // ncclInt32 2, ncclUint32 3, ncclInt64 4, ncclUint64 5, ncclFloat16 6, ncclFloat32 7, ncclFloat64 8, ncclBfloat16 9.
  for (const auto& [dtype, type] : std::vector<std::pair<DType, int64_t>>{{DType::pred, 1},
                                                                          {DType::i8, 0},
                                                                          {DType::u8, 1},
                                                                          {DType::i32, 2},
                                                                          {DType::u32, 3},
                                                                          {DType::i64, 4},
                                                                          {DType::u64, 5},
                                                                          {DType::f8e4m3, 10},
                                                                          {DType::f8e5m2, 11},
                                                                          {DType::bf16, 9},
                                                                          {DType::f16, 6},
                                                                          {DType::f32, 7},
                                                                          {DType::f64, 8},
                                                                          {DType::key, 5}}) {
    EXPECT_EQ(of(Kind::all_reduce_sum, dtype), (IssuedCall{Function::all_reduce, {256, 512, 6, type, 0, 0, 1}}));
  }
  EXPECT_EQ(of(Kind::all_reduce_max, DType::i32), (IssuedCall{Function::all_reduce, {256, 512, 6, 2, 2, 0, 1}}));
  EXPECT_EQ(of(Kind::all_reduce_min, DType::i32), (IssuedCall{Function::all_reduce, {256, 512, 6, 2, 3, 0, 1}}));
  EXPECT_EQ(of(Kind::reduce_scatter, DType::f64), (IssuedCall{Function::reduce_scatter, {256, 512, 6, 8, 0, 0, 1}}));
  // What moves is bytes.
  EXPECT_EQ(of(Kind::all_gather, DType::f64), (IssuedCall{Function::all_gather, {256, 512, 48, 1, 0, 1}}));
  EXPECT_EQ(of(Kind::all_to_all, DType::bf16), (IssuedCall{Function::all_to_all, {256, 512, 12, 1, 0, 1}}));
}

TEST(ExpectedCollectives, MessagesAreBytesInAGroup) {
  const calls::Messages both{0, DType::f32, {{true, 1, 5, 64}, {false, 0, 3, 128}}};
  EXPECT_EQ(calls_for(both), (std::vector<IssuedCall>{{Function::group_start, {}},
                                                      {Function::send, {64, 20, 1, 1, 0, 1}},
                                                      {Function::receive, {128, 12, 1, 0, 0, 1}},
                                                      {Function::group_end, {}}}));
  EXPECT_EQ(calls_for(calls::Fill{32, 16, 7}), (std::vector<IssuedCall>{{Function::fill, {32, 7, 16, 1}}}));
}

TEST(ExpectedProducts, AreInColumns) {
  calls::Product product{DType::bf16,        DType::f32,         2, 3, 5, 7, {100, false, 7, 21},
                         {200, true, 8, 40}, {300, false, 5, 15}};
  const int64_t one = std::bit_cast<int64_t>(1.0);
  // 68 is CUBLAS_COMPUTE_32F, 14 CUDA_R_16BF, 1 CUBLAS_OP_T.
  EXPECT_EQ(calls_for(product),
            (std::vector<IssuedCall>{
                {Function::product, {68,  0,  1, 0, 1, -1, one, 0,   // transb of isoshard is transa of cuBLASLt
                                     200, 14, 0, 7, 5, 8,  2,   40,  // n × k in rows is k × n in columns
                                     100, 14, 0, 7, 3, 7,  2,   21,  //
                                     300, 0,  0, 5, 3, 5,  2,   15,  //
                                     300, 0,  0, 5, 3, 5,  2,   15,  //
                                     1,   1}}}));
  product.operands = product.result = DType::f64;
  const Numbers wide = calls_for(product)[0].arguments;
  EXPECT_EQ(Numbers(wide.begin(), wide.begin() + 2), (Numbers{70, 1}));  // CUBLAS_COMPUTE_64F, CUDA_R_64F
  product.operands = DType::f32;
  EXPECT_EQ(calls_for(product).front().arguments.front(), 68);
  product.tf32 = true;
  EXPECT_EQ(calls_for(product).front().arguments.front(), 77);  // CUBLAS_COMPUTE_32F_FAST_TF32
}

TEST(ExpectedProducts, HaveTheirEpilogue) {
  calls::Product product{DType::f32,          DType::f32,         1, 3, 5, 7, {100, false, 7, 21},
                         {200, false, 5, 35}, {300, false, 5, 15}};
  product.added = 400;
  product.epilogue = calls::Epilogue::bias;
  const Numbers bias = calls_for(product)[0].arguments;
  EXPECT_EQ(Numbers(bias.begin() + 4, bias.begin() + 8),
            (Numbers{4, 400, std::bit_cast<int64_t>(1.0), 0}));  // CUBLASLT_EPILOGUE_BIAS, its place, alpha, beta
  EXPECT_EQ(bias[24], 300);                                      // c, of which nothing is read
  product.epilogue = calls::Epilogue::residual;
  const Numbers residual = calls_for(product)[0].arguments;
  EXPECT_EQ(Numbers(residual.begin() + 4, residual.begin() + 8),
            (Numbers{1, -1, std::bit_cast<int64_t>(1.0), std::bit_cast<int64_t>(1.0)}));
  EXPECT_EQ(residual[24], 400);
  EXPECT_EQ(residual[32], 300);
}

TEST(ExpectedKernels, ADigestIsOfAllBytes) {
  calls::Map map;
  map.dims = 1;
  map.size[0] = 8;
  const IssuedCall first = calls_for(map)[0];
  EXPECT_EQ(first, calls_for(map)[0]);
  map.steps[calls::kMostSteps - 1].c.bits = uint64_t{1} << 63;
  EXPECT_NE(first, calls_for(map)[0]);
}

/// The first difference of what was issued after `change`, as a line with the call of the list.
template <class Change>
std::string found(const calls::CallList& list, const Change& change, bool ended = true) {
  const std::vector<calls::ExpectedCall> expected = calls::expected_calls(list, 2, Phase::step);
  std::vector<IssuedCall> issued = issued_as(expected);
  change(issued);
  const auto difference = calls::first_difference(list, expected, issued, ended);
  if (!difference) return "";
  std::string text = std::to_string(difference->position) + ": ";
  if (difference->call) text += "call " + std::to_string(*difference->call) + ": ";
  return text + difference->text;
}

using Issues = std::vector<IssuedCall>;

TEST_F(ExpectedCalls, WhatDiffersIsNamed) {
  const calls::CallList sum = sum_list();
  EXPECT_EQ(found(sum, [](Issues&) {}), "");
  const auto with = [&](size_t at, size_t argument, int64_t value) {
    return found(sum, [&](Issues& issued) { issued[at].arguments[argument] = value; });
  };
  EXPECT_EQ(with(5, 0, 4), "5: call 4: issued ncclAllReduce with send arena+4, expected arena");
  EXPECT_EQ(with(5, 2, 3), "5: call 4: issued ncclAllReduce with count 3, expected 2");
  EXPECT_EQ(with(5, 3, 9), "5: call 4: issued ncclAllReduce with type ncclBfloat16, expected ncclFloat32");
  EXPECT_EQ(with(5, 3, 12), "5: call 4: issued ncclAllReduce with type number 12, expected ncclFloat32");
  EXPECT_EQ(with(5, 4, 2), "5: call 4: issued ncclAllReduce with op ncclMax, expected ncclSum");
  EXPECT_EQ(with(5, 5, -1), "5: call 4: issued ncclAllReduce with communicator that was never made, expected x");
  EXPECT_EQ(with(5, 6, 0), "5: call 4: issued ncclAllReduce with stream \"compute\", expected \"comm x\"");
  EXPECT_EQ(with(4, 1, calls::event_number(EventRole::mark, 4)),
            "4: call 3: issued cudaStreamWaitEvent with event behind call 4, expected 0");
  EXPECT_EQ(with(9, 1, -1), "9: issued cudaEventRecord with stream that was never made, expected \"compute\"");
  EXPECT_EQ(with(1, 0, 3).substr(0, 48), "1: call 0: issued a kernel with kind reduce, exp");
}

TEST_F(ExpectedCalls, WhatIsMissingOrTooMuchIsNamed) {
  const calls::CallList sum = sum_list();
  EXPECT_EQ(found(sum, [](Issues& issued) { issued.erase(issued.begin() + 4); }),
            "4: call 3: issued ncclAllReduce of send arena, receive arena, count 2, type ncclFloat32, op ncclSum, "
            "communicator x, stream \"comm x\"; expected cudaStreamWaitEvent of stream \"comm x\", event 0");
  EXPECT_EQ(found(sum, [](Issues& issued) { std::swap(issued[3], issued[4]); }).substr(0, 44),
            "3: call 2: issued cudaStreamWaitEvent of str");
  EXPECT_EQ(found(sum,
                  [](Issues& issued) {
                    issued.push_back({Function::wait, {0, 0}});
                  }),
            "11: issued cudaStreamWaitEvent of stream \"compute\", event 0; expected nothing more");
  const auto cut = [](Issues& issued) { issued.resize(5); };
  EXPECT_EQ(found(sum, cut).substr(0, 62), "5: call 4: issued nothing more; expected ncclAllReduce of send");
  // A step that failed has issued the beginning of what is expected.
  EXPECT_EQ(found(sum, cut, false), "");
}

}  // namespace
}  // namespace isoshard::expected_calls_test
