// A program under construction: names of its regions, and regions that are typed again.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/builder/open_program.h"
#include "core/support/diagnostic.h"

namespace isoshard::open_program_test {
namespace {

class OpenPrograms : public ::testing::Test {
 protected:
  ValueId add(const std::string& name, bool exact_zero = false) {
    return open_.add({ValueType{TensorType{DType::f32, {2}}, States(1, State::varying), true}, OpId(), name, Location(),
                      exact_zero});
  }
  const std::string& name(ValueId id) const { return open_.program().value(id).name; }

  DiagnosticSink sink_;
  OpenProgram open_{"p", std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), sink_, BuilderOptions()};
};

TEST_F(OpenPrograms, MadeUpNamesGiveWay) {
  const ValueId made_up = add("");
  EXPECT_EQ(name(made_up), "0");
  const ValueId asked = add("0");
  EXPECT_EQ(name(asked), "0");
  EXPECT_NE(name(made_up), "0");
  EXPECT_FALSE(open_.failed());
  add("0");
  EXPECT_TRUE(open_.failed());
  EXPECT_EQ(sink_.diagnostics().back().rule, "V-name");
}

TEST_F(OpenPrograms, ARegionThatIsDroppedIsForgotten) {
  const ValueId outside = add("x");
  open_.open_region();
  const ValueId inside = add("x");  // a region has names of its own
  open_.add_op(Op{Negate{}, {inside}, {add("y")}, {}, Location(), {}});
  EXPECT_FALSE(open_.at_top());
  EXPECT_TRUE(open_.captures("negate", {outside}, Location()));
  EXPECT_EQ(sink_.diagnostics().back().rule, "V-capture");
  open_.drop_region();
  EXPECT_TRUE(open_.at_top());
  EXPECT_EQ(open_.program().value_count(), 1U);
  EXPECT_EQ(open_.program().op_count(), 0U);
  open_.open_region();
  add("x", true);
  open_.add_op(Op{Negate{}, {}, {}, {}, Location(), {}});
  EXPECT_EQ(open_.close_region(), (std::vector<OpId>{OpId(0)}));
  EXPECT_TRUE(open_.is_exact_zero(ValueId(1)));
  EXPECT_FALSE(open_.is_exact_zero(outside));
  EXPECT_TRUE(open_.program().body().ops.empty()) << "the ops of a region are not the program's";
  EXPECT_FALSE(open_.failed());
}

}  // namespace
}  // namespace isoshard::open_program_test
