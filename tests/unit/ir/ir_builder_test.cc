// What the Builder itself sees to: names of values, and the few rules that guard fields without a default.

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_builder_test {
namespace {

class BuilderTest : public IrTest {
 protected:
  ValueId named(const std::string& name) { return builder_.add_op(Constant{Rational(1), DType::f32, {}}, {}, name); }
  const std::string& name(ValueId value) const { return builder_.program().value(value).name; }
};

TEST_F(BuilderTest, NamesAreUnique) {
  const ValueId first = named(""), second = named("x.3"), third = named("");
  EXPECT_EQ(name(first), "0");
  EXPECT_EQ(name(third), "2");
  named("x.3");
  EXPECT_EQ(last_error(), "V-name the value name %x.3 is taken; expected a new name");
  EXPECT_EQ(name(second), "x.3");
}

TEST_F(BuilderTest, MadeUpNamesGiveWay) {
  const ValueId made_up = named(""), asked = named("0"), next = named("");
  EXPECT_EQ(name(asked), "0");
  EXPECT_EQ(name(made_up), "1");
  EXPECT_EQ(name(next), "2");
  EXPECT_EQ(last_error(), "none");
}

TEST_F(BuilderTest, NamesCanBeWritten) {
  for (const char* wrong : {"a b", ".a", "a.", "a..b", "%a", "a\n"}) {
    named(wrong);
    EXPECT_NE(last_error().find("cannot be written; expected words of letters, digits and `_`, joined by dots"),
              std::string::npos)
        << wrong;
  }
}

TEST_F(BuilderTest, AProgramWithAWrongNameIsNotMade) {
  const ValueId x = named("a b");
  builder_.results({x});
  EXPECT_FALSE(builder_.finish().has_value());
}

TEST_F(BuilderTest, ReduceNeedsItsOp) {
  EXPECT_FALSE(apply(Reduce{Reducer::none, {0}, {}}, {argument("x", "RR")}).valid());
  EXPECT_EQ(last_error(), "T-reduce reduce: `op` is missing; expected add, max, min, argmax, mul, and, or");
}

TEST_F(BuilderTest, PredicatesAreNotPartial) {
  const ValueId x = argument("x", "==", {2}, DType::pred);
  EXPECT_FALSE(apply(ConvertState{over({"data"}), State::partial, 0}, {x}).valid());
  EXPECT_EQ(last_error(), "T-numeric convert_state: the operand is pred[2]; expected numbers, because P is a sum");
  EXPECT_FALSE(apply(Reinterpret{over({"data"}), State::partial}, {x}).valid());
  EXPECT_EQ(last_error(), "T-numeric reinterpret: the operand is pred[2]; expected numbers, because P is a sum");
}

}  // namespace
}  // namespace isoshard::ir_builder_test
