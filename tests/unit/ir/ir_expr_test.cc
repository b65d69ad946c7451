#include <gtest/gtest.h>

#include "core/ir/types/expr.h"

namespace isoshard::ir_expr_test {
namespace {

const Mesh kMesh("m", {{"data", 2}, {"model", 4}, {"one", 1}});
const Expr kData = Expr::coordinate(AxisId(0)), kModel = Expr::coordinate(AxisId(1));

Group tuple(std::vector<size_t> axes) {
  Group group;
  for (const size_t axis : axes) group.axes.push_back(AxisId(axis));
  return group;
}

TEST(Expr, EvaluatesCoordinatesOfEveryDevice) {
  const Expr e = mod(kModel - 2, 4) * 10 + kData;
  for (int64_t position = 0; position < 8; ++position) {
    const int64_t data = position / 4, model = position % 4;
    EXPECT_EQ(e.evaluate(kMesh, position, {}), (model + 2) % 4 * 10 + data);
  }
}

TEST(Expr, DivisionFloorsAndModIsNotNegative) {
  for (int64_t a = -9; a < 9; ++a) {
    const Expr shifted = kData * 0 + a;
    EXPECT_EQ(
        floor_div(kModel + (a - 3), 4).evaluate(kMesh, 3, {}) * 4 + mod(kModel + (a - 3), 4).evaluate(kMesh, 3, {}), a);
    EXPECT_GE(mod(shifted, 4).evaluate(kMesh, 0, {}), 0);
  }
}

TEST(Expr, IndexInIsTheMeshsInAnyTupleOrder) {
  for (const Group& group : {tuple({}), tuple({0}), tuple({1}), tuple({0, 1}), tuple({1, 0}), tuple({1, 2, 0})}) {
    for (int64_t position = 0; position < kMesh.device_count(); ++position) {
      EXPECT_EQ(Expr::index_in(group, kMesh).evaluate(kMesh, position, {}), kMesh.index_in(group, position));
    }
  }
}

TEST(Expr, LoopIndicesCountFromTheInnermost) {
  const Expr e = Expr::loop_index(0) + Expr::loop_index(1) * 100;
  EXPECT_EQ(e.evaluate(kMesh, 0, {7, 3}), 703);
}

TEST(Expr, LookupsKeepTheirTablesWhenCombined) {
  const Expr e = Expr::lookup(kModel, {5, -1, 7, 9}) + Expr::lookup(kData, {100, 200}) * 10;
  EXPECT_EQ(e.evaluate(kMesh, 2, {}), 1007);
  EXPECT_EQ(e.evaluate(kMesh, 5, {}), 1999);
  EXPECT_EQ(e.to_string(kMesh), "[5,-1,7,9][model]+[100,200][data]*10");
}

TEST(Expr, LongExpressionsEvaluate) {
  Expr e = kModel;
  for (int i = 0; i < 100; ++i) e = Expr(1) + std::move(e);  // right-nested: as deep as long
  EXPECT_EQ(e.evaluate(kMesh, 3, {}), 103);
}

TEST(Expr, TextHasParenthesesWhereNeeded) {
  EXPECT_EQ(mod(kModel + 1, 4).to_string(kMesh), "(model+1)%4");
  EXPECT_EQ(mod(kModel - 1, 4).to_string(kMesh), "(model-1)%4");
  EXPECT_EQ((kData * 4 + kModel).to_string(kMesh), "data*4+model");
  EXPECT_EQ((kData - (kModel - kData)).to_string(kMesh), "data-(model-data)");
  EXPECT_EQ((kData * floor_div(kModel, 2)).to_string(kMesh), "data*(model/2)");
  EXPECT_EQ((Expr(-1) * kModel).to_string(kMesh), "(-1)*model");
  EXPECT_EQ(Expr::loop_index(1).to_string(kMesh), "loop(1)");
}

TEST(Expr, ConstantsFoldAndUnitsVanish) {
  EXPECT_TRUE((Expr(3) * 4 + 1).is_constant());
  EXPECT_EQ((kModel * 1 + 0).to_string(kMesh), "model");
  EXPECT_EQ(mod(kModel, 1).to_string(kMesh), "0");
  EXPECT_EQ(Expr::index_in(tuple({2}), kMesh).to_string(kMesh), "0");
  EXPECT_EQ(kModel + Expr(-1), kModel - Expr(1));
}

}  // namespace
}  // namespace isoshard::ir_expr_test
