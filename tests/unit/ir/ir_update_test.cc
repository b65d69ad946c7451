// `update`: which globals have a next-step value, and what may become one.

#include <gtest/gtest.h>

#include <optional>

#include "core/ir/builder/builder.h"

namespace isoshard::ir_update_test {
namespace {

/// A program on @m [data=2, model=4] that updates globals of f32[8, 4].
class UpdateTest : public ::testing::Test {
 protected:
  GlobalId declare(const std::string& name, Role role, TensorType type = {DType::f32, {8, 4}}) {
    module_.globals.push_back(Global{name, std::move(type), role, {}, Location()});
    return GlobalId(module_.globals.size() - 1);
  }
  ViewEntry over(const char* axis) const { return ViewEntry{{{*mesh_->find(axis)}}}; }
  ViewEntry block(int64_t index, int64_t count) const { return ViewEntry{{}, 0, BlockOf{Expr(index), count}}; }
  ValueId read(GlobalId global, Layout layout) {
    return builder_.add_op(View{global, std::move(layout), {}, Coverage{0}}, {});
  }
  /// All errors as "RULE message" lines, those of finish() included.
  std::string errors() {
    builder_.finish();
    std::string text;
    for (const Diagnostic& d : sink_.diagnostics()) text += d.rule + " " + d.message + "\n";
    return text;
  }

  Module module_;
  DiagnosticSink sink_;
  std::shared_ptr<const Mesh> mesh_ = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"data", 2}, {"model", 4}});
  Builder builder_{module_, "p", mesh_, sink_};
  GlobalId w_ = declare("W", Role::param), s_ = declare("s", Role::state);
};

TEST_F(UpdateTest, ParamsStatesAndKeys) {
  const GlobalId key = declare("k", Role::key);
  for (const GlobalId global : {w_, s_, key}) {
    builder_.update(global, read(w_, {over("data"), {}}), {over("data"), {}});
  }
  const std::optional<ProgramId> id = builder_.finish();
  ASSERT_TRUE(id.has_value());
  const Program& program = module_.program(*id);
  EXPECT_TRUE(program.outputs().empty());
  ASSERT_EQ(program.updates().size(), 3U);
  EXPECT_EQ(program.updates()[1].name, "s");
  EXPECT_EQ(program.updates()[1].updates, s_);
  EXPECT_EQ(program.updates()[1].type, module_.global(s_).type);
}

TEST_F(UpdateTest, InputsAndConstsStay) {
  const ValueId value = read(w_, {{}, {}});
  builder_.update(declare("x", Role::input), value, {{}, {}});
  builder_.update(declare("c", Role::constant), value, {{}, {}});
  EXPECT_EQ(errors(),
            "V-update update @x: the global is an input, which comes from outside in every step; expected a param, "
            "state or key\n"
            "V-update update @c: the global is a const, which never changes; expected a param, state or key\n");
}

TEST_F(UpdateTest, TheTypeIsThatOfTheGlobal) {
  const ValueId block = read(w_, {over("data"), {}});
  builder_.update(w_, block, {over("model"), {}});
  builder_.update(w_, block, {{}, {}});
  builder_.update(w_, block, {over("data")});
  builder_.update(declare("n", Role::state, {DType::i32, {8, 4}}), block, {over("data"), {}});
  EXPECT_EQ(errors(),
            "V-update update @W: %0 is f32[4,4], laid out as [model, -] it makes f32[16,4]; the global is f32[8,4]\n"
            "V-update update @W: %0 is f32[4,4], laid out as [-, -] it makes f32[4,4]; the global is f32[8,4]\n"
            "T-layout update @W has 1 layout entries for rank 2; expected one entry per dimension\n"
            "V-update update @n: %0 is f32[4,4], laid out as [data, -] it makes f32[8,4]; the global is i32[8,4]\n");
}

TEST_F(UpdateTest, PartsMakeUpTheGlobal) {
  for (const int64_t half : {0, 1}) builder_.update(w_, read(w_, {block(half, 2), {}}), {block(half, 2), {}});
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(module_.programs.at(0).updates().at(0).parts.size(), 2U);
}

TEST_F(UpdateTest, MissingAndDoubledPartsAreNamed) {
  builder_.update(w_, read(w_, {block(1, 4), {}}), {block(1, 4), {}});
  builder_.update(s_, read(s_, {{}, {}}), {{}, {}});
  builder_.update(s_, read(s_, {{}, over("model")}), {{}, over("model")});
  EXPECT_EQ(errors(),
            "C-coverage update: @W[0:2, 0:4], [4:8, 0:4] is written by no device; expected each element once, copies "
            "on axes that do not split the layout aside\n"
            "C-coverage update: @s is written 2 times; expected each element once, copies on axes that do not split "
            "the layout aside\n");
}

TEST_F(UpdateTest, AnOutputHasAnotherName) {
  const ValueId value = read(w_, {{}, {}});
  builder_.output("W", value, {{}, {}});
  builder_.update(w_, value, {{}, {}});
  EXPECT_EQ(errors(), "V-update return @W: the program updates a global of that name; rename the output\n");
}

TEST_F(UpdateTest, StatesAreThoseOfReturns) {
  const ValueId varying = builder_.add_op(AxisIndex{{{*mesh_->find("data")}}}, {}, "i");
  builder_.update(declare("n", Role::state, {DType::i32, {}}), varying, {});
  const ValueId terms = builder_.add_op(DotGeneral{{{0}, {0}}, AxisSet(Group{{*mesh_->find("data")}}.set())},
                                        {read(w_, {over("data"), {}}), read(w_, {over("data"), {}})}, "t");
  builder_.update(declare("g", Role::state, {DType::f32, {4, 4}}), terms, {{}, {}});
  EXPECT_EQ(errors(), "");
  std::string text;
  for (const Diagnostic& d : module_.programs.at(0).state_errors()) text += d.rule + " " + d.message + "\n";
  EXPECT_EQ(text,
            "S-return update: %i for @n is V over `data`: the devices hold different values and the layout does not "
            "split over it; all_gather it, or name the axis in the layout\n"
            "S-return update: %t for @g is P over `data`: the devices hold terms of a sum; all_reduce it first\n");
}

}  // namespace
}  // namespace isoshard::ir_update_test
