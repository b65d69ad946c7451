// The text of Plans: what is printed, what is read by hand, and what is rejected with which message at which place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/passes/plan_builder.h"
#include "core/support/diagnostic.h"
#include "core/text/plan/plan_text.h"
#include "tests/plans_testing.h"

namespace isoshard::plan_text_test {
namespace {

using isoshard::testing::plan_errors;
using isoshard::testing::read_plan_text;
using isoshard::testing::right_plan;
using isoshard::testing::round_trip_error;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Four ranks, a loop with a ring, and a sum over all; lines are counted from 1.
const std::string kRight = R"(isoshard-plan 1
plan @p on @m [x=4]
global @a : f32[4, 2] input
global @n : i32[] state in 0..9
output @y: f32[2]
update @n: i32[]
communicator x on ring
communicator x on all

ranks all [0..4] {
  queue compute
    #0 %row = load @a [x of 4, -] : f32[2]
    #1 %count = load @n [] : i32[]
  %last = repeat 3 (%now = %row) {
    queue compute
      #3 %sum = add %next, %now : f32[2]  after #2
    queue ring
      #2 %next = permute %now {group=x, dst=(x+1)%4, src=(x+3)%4} : f32[2]  after #0, previous #3
    yield %sum
  }
  queue compute
    #5 store %total {output=@y, block=[-]}  after #4
    #6 store %count {update=@n, block=[]}
  queue all
    #4 %total = all_reduce %last {group=x} : f32[2]  after #3
}
)";

std::string error(const std::string& text) {
  const std::vector<std::string> all = plan_errors(text);
  return all.empty() ? "none" : all.front();
}

/// `kRight` with `from`, which it holds once, replaced.
std::string edited(const std::string& from, const std::string& to) {
  const size_t at = kRight.find(from);
  EXPECT_TRUE(at != std::string::npos && kRight.find(from, at + 1) == std::string::npos) << from;
  return kRight.substr(0, at) + to + kRight.substr(std::min(kRight.size(), at + from.size()));
}

std::string error_of(const std::string& from, const std::string& to) { return error(edited(from, to)); }

TEST(PlanText, AFileByHandIsReadAndItsLastUsesAreMade) {
  const std::optional<Plan> plan = right_plan(kRight);
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->instructions.size(), 7U);
  EXPECT_EQ(plan->instruction(InstructionId(2)).location().to_string(), "t.plan:18:7");
  EXPECT_EQ(std::vector<Token>(plan->instruction(InstructionId(2)).waits),
            (std::vector<isoshard::Token>{{InstructionId(0), false}, {InstructionId(3), true}}));
  EXPECT_EQ(round_trip_error(*plan), "");
  EXPECT_THAT(print(*plan), HasSubstr("#6 store %count {update=@n, block=[]}  frees %count\n"));
}

TEST(PlanText, NumbersOnlyOrderInstructions) {
  std::string text = kRight;
  for (const char* digit : {"6", "5", "4", "3", "2", "1", "0"}) {
    const std::string number = std::string("#") + digit;
    for (size_t at = text.find(number); at != std::string::npos; at = text.find(number, at + 1))
      text.insert(at + 1, "1");
  }
  const std::optional<Plan> plan = right_plan(text), same = right_plan(kRight);
  ASSERT_TRUE(plan && same);
  EXPECT_EQ(print(*plan), print(*same));
}

TEST(PlanText, ChecksStayWithTheFile) {
  DiagnosticSink sink;
  const auto file = read_plan_text(kRight + "check plan == @dense in \"d.shard\"\n", sink);
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(file->checks.size(), 1U);
  EXPECT_EQ(file->checks[0].program + " " + file->checks[0].file, "dense d.shard");
  EXPECT_EQ(file->checks[0].location.to_string(), "t.plan:27:1");
  EXPECT_THAT(print(*file), ::testing::EndsWith("}\n\ncheck plan == @dense in \"d.shard\"\n"));
}

/// All kinds of instructions, names that are taken or no words, blocks behind each other and empty ones.
TEST(PlanText, EverythingThatAPlanHoldsIsReadBack) {
  const auto mesh =
      std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}, {"y", 2}}, std::vector<int64_t>{3, 1, 0, 2});
  PlanBuilder b(mesh, "all");
  const Expr x = Expr::coordinate(AxisId(0)), y = Expr::coordinate(AxisId(1));
  const GlobalId g =
      b.add_global(Global{"a", {DType::f32, {4, 6}}, Role::constant, {InitKind::value, Rational(-1, 3)}, {}});
  const GlobalId n = b.add_global(Global{"n", {DType::i32, {}}, Role::state, {}, {}, ValueRange{0, 9, {-100}}});
  const CommunicatorId both = b.add_communicator(Group{{AxisId(1), AxisId(0)}}, "comm 2x/{odd}");
  const CommunicatorId same = b.add_communicator(Group{{AxisId(0)}}, "comm 2x/{odd}");
  const PlanValueId part = b.load(LoadBlock{g, {x, Expr(0)}, {2, 1}, {0, 2}, {2, 4}}, {2, 4}, "a part", {});
  const PlanValueId count = b.load(n, {}, {}, "");
  const PlanValueId table = b.scalar_index(Expr::lookup(x * 2 + y, {1, -1, 0, 7}), "a part");
  b.scalar_index(min(x, Expr(1)) - (x - (y - 3)) + max(floor_div(x * 5, 2), mod(y, 2)), "a part");
  const PlanValueId taken = b.take_block(part, 1, mod(x + y, 4), 4, "t");
  const PlanValueId put = b.put_block(taken, 1, x, 4, "t");
  const PlanValueId kept = b.keep_on(put, x * 2 + y, 3, "t");
  const PlanValueId third =
      b.local(Constant{Rational(1, 3), DType::f32, {2, 4}}, {}, {DType::f32, {2, 4}}, "third", {}, "convolution");
  const PlanValueId sum = b.local(Add{}, {kept, third}, {DType::f32, {2, 4}}, "t");
  const auto pair = b.local(TopK{2}, {sum}, {{DType::f32, {2, 2}}, {DType::i32, {2, 2}}}, {"v", "i"});
  const PlanValueId gathered = b.collective(CollectiveKind::all_gather, both, pair[0], 1, "g");
  const PlanValueId scattered = b.collective(CollectiveKind::reduce_scatter, both, gathered, 1, "s");
  const PlanValueId turned = b.all_to_all(same, scattered, 0, 1, "turned");
  const PlanValueId most = b.collective(CollectiveKind::all_reduce_max, same, turned, 0, "most");
  const PlanValueId narrow = b.local(Convert{DType::bf16}, {turned}, {DType::bf16, {1, 4}}, "narrow");
  for (const auto precision : {SumPrecision::native, SumPrecision::f32, SumPrecision::unspecified}) {
    b.collective(CollectiveKind::all_reduce, same, narrow, 0, "sum", {}, precision);
    b.collective(CollectiveKind::reduce_scatter, same, narrow, 1, "part", {}, precision);
  }
  const PlanValueId moved = b.permute(same, most, mod(x + 1, 2), mod(x + 1, 2), "moved");
  const auto in = b.begin_repeat(2, {moved}, {sum}, {"carry", "slice"});
  b.scalar_index(Expr::loop_index(0) * 3, "step");
  const auto out = b.end_repeat({in[0]}, {in[1]});
  b.begin_repeat(0, {}, {}, {});
  b.end_repeat({}, {});
  b.store(out[1], b.add_output("y", {DType::f32, {2, 4}}), {Expr(0), Expr(0)}, {1, 1});
  b.store(count, b.add_output("n", {DType::i32, {}}, n), {}, {});
  b.store(table, b.add_output("k", {DType::i32, {4}}), {x * 2 + y}, {4});
  Plan plan = b.finish();
  EXPECT_EQ(round_trip_error(plan), "");
  std::vector<Block>& blocks = plan.groups[0].blocks;
  blocks.insert(blocks.begin() + 1, Block{std::vector<Queue>(blocks[0].queues.size()), std::nullopt, {}});
  for (size_t q = 0; q < blocks[1].queues.size(); ++q) blocks[1].queues[q].name = blocks[0].queues[q].name;
  blocks[1].queues[0].instructions = {blocks[0].queues[0].instructions.back()};
  EXPECT_THAT(round_trip_error(plan), HasSubstr("E-duplicate")) << "an instruction on two queues";
  blocks[1].queues[0].instructions.clear();
  EXPECT_EQ(round_trip_error(plan), "") << "a block without instructions";
}

TEST(PlanText, TheHeaderIsRead) {
  EXPECT_EQ(error(""), "1:1 P-empty the file is empty; expected the first line `isoshard-plan 1`");
  EXPECT_THAT(error("isoshard 1\n"), StartsWith("1:1 P-expected found \"isoshard\"; expected the first line"));
  EXPECT_THAT(error_of("isoshard-plan 1", "isoshard-plan 2"),
              StartsWith("1:15 P-version the format version 2 of Plans"));
  EXPECT_THAT(error_of("plan @p on", "plan p on"),
              StartsWith("2:6 P-expected found \"p\"; expected the name of a plan"));
  EXPECT_THAT(error_of("global @n", "globle @n"), HasSubstr("; did you mean `global`?"));
  EXPECT_THAT(error_of("[x=4]", "[x=0]"), StartsWith("2:18 E-size the size of `x` is 0"));
  EXPECT_THAT(error_of("[x=4]", "[x=4000000000]"), StartsWith("2:18 E-size the size of `x` is 4000000000"));
  EXPECT_THAT(error_of("state in", "input in"), StartsWith("6:8 V-update @n is an input and cannot be updated"));
  EXPECT_THAT(error_of("update @n: i32[]", "update @n: i32[1]"),
              StartsWith("6:12 V-update the update of @n is i32[1]"));
  EXPECT_THAT(error_of("update @n:", "update @k:"), StartsWith("6:8 E-global there is no global @k"));
  EXPECT_THAT(error_of("x on all", "x on ring"), StartsWith("8:19 E-duplicate queue ring is declared twice"));
  EXPECT_THAT(error_of("x on all", "z on all"), StartsWith("8:14 E-axis the mesh @m has no axis `z`"));
  EXPECT_THAT(error_of("x on all", "x on compute"), StartsWith("8:19 E-duplicate the queue `compute` has no"));
  EXPECT_THAT(error_of("output @y: f32[2]", "output @y: f32[99999999999, 99]"), StartsWith("5:29 E-size"));
  EXPECT_THAT(error_of("plan @p", "plan @p on @m [x=4]\nplan @p"), StartsWith("3:1 E-duplicate a file holds one plan"));
}

TEST(PlanText, NamesAndNumbersAreFound) {
  EXPECT_THAT(error_of("add %next, %now", "add %next, %no"),
              StartsWith("16:28 E-undefined there is no value %no here"));
  EXPECT_THAT(error_of("%total = all", "%row = all"),
              StartsWith("25:8 E-duplicate %row is defined twice in this group, first in line 12"));
  EXPECT_THAT(error_of("#6 store", "#5 store"), StartsWith("23:5 E-duplicate there are two instructions #5"));
  EXPECT_THAT(error_of("  after #4", "  after #9"), StartsWith("22:51 L-token there is no instruction #9 to wait for"));
  EXPECT_THAT(error_of("queue all", "queue al"),
              StartsWith("24:9 L-queue there is no queue `al`; did you mean `all`?"));
  EXPECT_THAT(error_of("load @a", "load @b"), StartsWith("12:20 E-global there is no global @b"));
  EXPECT_THAT(error_of("output=@y", "output=@z"), StartsWith("22:29 E-global there is no output @z"));
  EXPECT_THAT(error_of("= add", "= ad"), StartsWith("16:17 E-op there is no op `ad`"));
  EXPECT_THAT(error_of("= add", "= all_gathr"), HasSubstr("E-op"));
  EXPECT_THAT(error_of("add %next, %now :", "clamp %next, %now, %now :"),
              StartsWith("16:17 E-op clamp is an op of programs that a Plan has in another form"));
}

TEST(PlanText, FieldsAreThoseOfTheInstruction) {
  EXPECT_THAT(error_of("dst=(x+1)%4, ", ""), StartsWith("18:18 E-field permute needs the field `dst`"));
  EXPECT_THAT(error_of("dst=(x+1)%4", "to=(x+1)%4"), StartsWith("18:41 E-field permute has no field `to`"));
  EXPECT_THAT(error_of("dst=(x+1)%4", "src=0"), HasSubstr("the field `src` is given twice"));
  EXPECT_THAT(error_of("all_reduce %last {group=x}", "all_reduce %last"), HasSubstr("P-expected"));
  EXPECT_THAT(error_of("queue all\n", "queue compute\n"),
              StartsWith("25:41 L-queue the queue compute has no communicator"));
  EXPECT_THAT(error_of("{output=@y, block=[-]}", "{block=[-]}"),
              StartsWith("22:8 E-field store needs the field `output`"));
  EXPECT_THAT(error_of("{output=@y, block=[-]}", "{output=@y, update=@n, block=[-]}"),
              HasSubstr("`update` is given twice"));
}

TEST(PlanText, OnlySumsOf16BitsHaveAPrecision) {
  const std::string native = "{group=x, precision=native}";
  EXPECT_EQ(error_of("{group=x} :", native + " :"),
            "25:5 T-precision all_reduce: `precision` is native and the operand f32[2]; expected bf16 or f16: leave "
            "`precision` out");
  EXPECT_EQ(error_of("{group=x} :", "{group=x, precision=bf16} :"),
            "25:54 E-field-value the field `precision` is `bf16`; expected f32 or native");
  EXPECT_EQ(error_of("all_reduce %last {group=x}", "all_gather %last {group=x, dim=0, precision=native}"),
            "25:51 E-field all_gather has no field `precision`; the fields are group, dim");
  EXPECT_THAT(error_of("all_reduce %last {group=x}", "all_reduce_max %last " + native),
              HasSubstr("E-field all_reduce_max has no field `precision`"));
  EXPECT_THAT(error_of("{group=x} :", "{group=x, precision=native, precision=f32} :"), HasSubstr("is given twice"));
}

TEST(PlanText, ExpressionsHaveAValueOnEveryDevice) {
  const auto of_block = [](const std::string& block) { return error_of("[x of 4, -]", "[" + block + " of 4, -]"); };
  EXPECT_THAT(of_block("z"), StartsWith("12:24 E-axis the mesh @m has no axis `z`"));
  EXPECT_THAT(of_block("x/(x-1)"), StartsWith("12:24 E-block `x/(x-1)` divides by what may be -1"));
  EXPECT_THAT(of_block("3%0"), HasSubstr("E-block `3%0` divides by what may be 0"));
  EXPECT_THAT(of_block("x*999999999999999999*999"), StartsWith("12:24 E-overflow"));
  EXPECT_THAT(of_block("99999999999999999999"),
              StartsWith("12:24 E-overflow 99999999999999999999 needs more than 60 bits"));
  EXPECT_THAT(of_block("[1,2,0][x]"), HasSubstr("E-block the index of the table is from 0 to 3; expected 0 to 2"));
  EXPECT_THAT(of_block("loop(0)"), StartsWith("12:24 E-index loop(0) stands in 0 loops"));
  EXPECT_THAT(of_block("1.5"), StartsWith("12:24 E-integer"));
  EXPECT_THAT(of_block("min(x)"), HasSubstr("P-expected found \")\"; expected `,` between the arguments"));
  EXPECT_THAT(of_block(std::string(300, '(') + "x" + std::string(300, ')')), HasSubstr("P-nesting"));
  std::string sum = "x";
  for (int i = 0; i < 5000; ++i) sum += "+x";
  EXPECT_THAT(of_block(sum), HasSubstr("E-limit an expression has more than 256 parts"));
  EXPECT_THAT(error_of("[x of 4, -]", "[x of 0, -]"),
              HasSubstr("E-block the number of blocks is 0; expected 1 to 2^40"));
  EXPECT_TRUE(right_plan(edited("[x of 4, -]", "[[3,1,0,2][min(x, 9)*1%4]-(0-0) of 4, -]")).has_value());
}

TEST(PlanText, TypesFollow) {
  EXPECT_THAT(error_of("%next, %now : f32[2]", "%next, %now : f32[3]"),
              StartsWith("16:7 L-type add: %sum is f32[3]; expected f32[2]"));
  EXPECT_THAT(error_of("%next, %now :", "%next :"), StartsWith("16:7 V-operands add: has 1 operands; expected 2"));
  EXPECT_THAT(error_of("%sum = add", "%sum, %t = add"), StartsWith("16:21 L-type add has 2 results and 1 types"));
  EXPECT_THAT(error_of("[x of 4, -]", "[x of 4]"), StartsWith("12:5 L-block load: has 1 blocks for f32[4,2]"));
  EXPECT_THAT(error_of("[x of 4, -]", "[x of 2, -]"), StartsWith("12:5 L-type load: the block is f32[2,2]"));
  EXPECT_THAT(error_of("[x of 4, -]", "[x of 4, -][0:1, 0:3]"),
              HasSubstr("L-block load: has the part 0:3 of a dimension of size 2"));
  EXPECT_THAT(error_of("[x of 4, -]", "[x of 4, -][1:0, 0:3]"), HasSubstr("L-block the part is from 1 to 0"));
  EXPECT_THAT(error_of("store %count {update=@n, block=[]}", "store %row {update=@n, block=[]}"),
              HasSubstr("L-type store"));
  EXPECT_THAT(error_of("(%now = %row) {", "(%now = %row) over (%s = %count) {"),
              HasSubstr("L-loop %count is i32[]; expected a dimension to take slices of"));
  EXPECT_THAT(error_of("yield %sum", "yield %sum stack %next"), HasSubstr("L-loop the repeat takes 1 values"));
}

/// Ranks 0 and 3 sum over a pair; the others do nothing. Lines are counted from 1.
const std::string kPair = R"(isoshard-plan 1
plan @p on @m [x=4]
global @a : f32[4, 2] input
output @y: f32[2]
communicator {{0,3}} on pair

ranks both [0, 3] {
  queue compute
    #0 %row = load @a [x of 4, -] : f32[2]
    #2 store %total {output=@y, block=[-]}  after #1
  queue pair
    #1 %total = all_reduce %row {group={{0,3}}} : f32[2]  after #0
}

ranks others [1, 2] {
}
)";

std::string pair_error(const std::string& from, const std::string& to) {
  std::string text = kPair;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return error(text);
}

TEST(PlanText, CommunicatorsMayBeSetsOfPositions) {
  const std::optional<Plan> plan = right_plan(kPair);
  ASSERT_TRUE(plan);
  EXPECT_EQ(round_trip_error(*plan), "");
  EXPECT_THAT(print(*plan), HasSubstr("communicator {{0,3}} on pair\n"));
  EXPECT_EQ(plan->communicators[0].sets, (std::vector<std::vector<int64_t>>{{0, 3}}));
  EXPECT_THAT(pair_error("all_reduce %row {group={{0,3}}} : f32[2]", "all_gather %row {group={{0,3}}, dim=0} : f32[3]"),
              StartsWith("12:5 L-type all_gather: %total is f32[3]; expected f32[4]"));
}

TEST(PlanText, SetsOfPositionsAreSets) {
  EXPECT_EQ(pair_error("{{0,3}}", "{{0,4}}"), "5:14 L-group position 4 of 4; expected 0 to 3");
  EXPECT_EQ(pair_error("{{0,3}}", "{{0,0}}"), "5:14 L-group position 0 is in the sets twice; expected it at most once");
  EXPECT_EQ(pair_error("{{0,3}}", "{{0,3},{1}}"),
            "5:14 L-group a set of size 1, the first one of size 2; expected sets of one size");
  EXPECT_THAT(pair_error("{{0,3}}", "{{0,3}"), StartsWith("5:"));
  std::string many = "{{0";
  for (int i = 0; i < 4096; ++i) many += ",3";
  EXPECT_EQ(pair_error("{{0,3}}", many + "}}"),
            "5:14 L-group the sets have more than 4096 positions; expected fewer, or axes of the mesh");
  EXPECT_THAT(pair_error("{{0,3}}", "{}"), StartsWith("5:15 P-expected"));
  EXPECT_EQ(pair_error("group={{0,3}}", "group={{3,0}}"),
            "12:40 L-queue the group is {{3,0}}; expected {{0,3}}, that of the communicator of the queue pair");
  EXPECT_EQ(pair_error("{{0,3}}", "{{0,2}}"),
            "12:5 L-peer #1 all_reduce is run by rank 3, which is in none of the sets {{0,2}}");
  EXPECT_EQ(
      pair_error("ranks both [0, 3]", "ranks both [0]"),
      "7:1 L-group no group of ranks has position 3; expected each position of the mesh in one group, which may be "
      "without statements");
}

TEST(PlanText, TheInvariantsHold) {
  EXPECT_EQ(error_of("  after #2", ""),
            "16:7 L-order #3 add reads %next and does not wait for #2, which makes it on another queue");
  EXPECT_THAT(error_of("src=(x+3)%4", "src=(x+1)%4"), StartsWith("18:7 L-peer #2 collective_permute"));
  EXPECT_THAT(error_of("[x of 4, -]", "[x+1 of 4, -]"),
              StartsWith("12:5 L-block #0 view is of block 4; expected 0 to 3"));
  EXPECT_THAT(error_of("ranks all [0..4]", "ranks all [0, 1, 7]"), StartsWith("10:18 L-group position 7 of 4"));
  EXPECT_THAT(error_of("ranks all [0..4]", "ranks all [0, 1, 1]"),
              StartsWith("10:18 L-group position 1 is in this group or another one already"));
  EXPECT_EQ(
      error_of("ranks all [0..4]", "ranks all [0, 1, 3]"),
      "10:1 L-group no group of ranks has position 2; expected each position of the mesh in one group, which may be "
      "without statements");
  EXPECT_THAT(error(kRight + "ranks more [0..4] {\n}\n"), StartsWith("27:13 L-group position 0 is in"));
  EXPECT_THAT(error_of("ranks all [0..4]", "ranks all [0..3]"),
              StartsWith("10:11 L-group a range of positions is all of them"));
  EXPECT_THAT(error_of("yield %sum", "yield %count"), StartsWith("14:3 L-loop a repeat has %count"));
  EXPECT_THAT(error_of("add %next, %now", "add %next, %row"), StartsWith("16:7 L-value #3 add reads %row"));
  EXPECT_THAT(error_of("    #5 store %total {output=@y, block=[-]}  after #4\n", ""),
              StartsWith("5:8 L-output the output @y: nobody stores [0:2]"));
  EXPECT_THAT(
      error_of("{update=@n, block=[]}\n", "{update=@n, block=[]}\n    #7 store %total {output=@y, block=[-]}\n"),
      HasSubstr("L-output the output @y: [0:2] is stored more than once"));
}

TEST(PlanText, LastUsesAreThoseThatFollow) {
  const std::string printed = print(*right_plan(kRight));
  const auto with = [&](const std::string& from, const std::string& to) {
    const size_t at = printed.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in\n" << printed;
    return error(printed.substr(0, at) + to + printed.substr(at + from.size()));
  };
  EXPECT_THAT(with("  frees %count", ""),
              HasSubstr("L-frees the instruction does not free %count, which is free then"));
  EXPECT_THAT(with("  frees %count", "  frees %count, %total"), HasSubstr("L-frees"));
  EXPECT_THAT(with("  frees %count", "  frees %cound"),
              HasSubstr("E-undefined there is no value %cound here; did you mean"));
}

TEST(PlanText, WhatIsCutOffIsAnError) {
  for (size_t length = 0; length + 2 < kRight.size(); ++length) {
    DiagnosticSink sink;
    const auto file = read_plan_text(kRight.substr(0, length), sink);
    const bool complete = file.has_value() && kRight.substr(0, length).find("ranks") == std::string::npos;
    EXPECT_TRUE(sink.has_errors() || complete) << length;
  }
}

TEST(PlanText, WhatTakesTooLongIsRefused) {
  EXPECT_THAT(error_of("repeat 3", "repeat 1000000000000"),
              StartsWith("18:7 L-limit the Plan has 4000000000016 instances of instructions and"));
  EXPECT_THAT(error_of("repeat 3", "repeat 9999999999999"),
              HasSubstr("L-loop the repeat has 9999999999999 iterations"));
  EXPECT_THAT(error_of("(%now = %row) {", "(%now = %row) {ahead=9999999999999} {"),
              HasSubstr("L-loop the repeat has ahead"));
  std::string nested, close;
  for (int i = 0; i < 40; ++i) {
    nested += "repeat 1000000 () {\n";
    close += "yield\n}\n";
  }
  const std::string empty = "isoshard-plan 1\nplan @p\nranks all [0..1] {\n";
  EXPECT_THAT(error(empty + nested + close + "}\n"), HasSubstr("L-limit the Plan has 1"));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "repeat 1 () {\n";
  EXPECT_THAT(error(empty + deep), HasSubstr("P-nesting"));
  std::string chain = "queue compute\n#0 %v0 = index {value=0} : i32[]\n";
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i), m = std::to_string(i + 1);
    chain += "%v" + m + " = repeat 1 (%a" + m + " = %v" + n + ") {\nyield %a" + m + "\n}\n";
  }
  EXPECT_THAT(error(empty + chain + "}\n"), HasSubstr("L-limit values are handed on through more than 2000 loops"));
  std::string queues = "isoshard-plan 1\nplan @p on @m [x=2]\n", blocks;
  for (int i = 0; i < 8000; ++i) queues += "communicator x on q" + std::to_string(i) + "\n";
  for (int i = 0; i < 8000; ++i) blocks += "block\n";
  EXPECT_THAT(error(queues + "ranks all [0..2] {\n" + blocks + "}\n"), HasSubstr("L-limit"));
}

}  // namespace
}  // namespace isoshard::plan_text_test
