// What ranks hold of globals from step to step, and whether their updates are where the next step needs them; counts
// are written out beside the programs.
#include "core/plan/memory/residents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "tests/nightly.h"
#include "tests/property/generator/dice.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::plan_residents_test {
namespace {

using isoshard::testing::cases;
using isoshard::testing::Dice;
using Lines = std::vector<std::string>;

std::string next_step(const Resident& resident) {
  if (resident.next == NextStep::same) return "same";
  if (resident.next == NextStep::stays) return resident.in_place ? "in place" : "stays";
  return "moves " + to_string(resident.moved->range) + " to rank " + std::to_string(resident.moved->position);
}

/// `name bytes next`, of group 0.
Lines lines(const Plan& plan) {
  Lines result;
  const std::vector<Resident> residents = residents_of(plan, plan.groups.at(0)).value();
  for (const Resident& resident : residents) {
    result.push_back(plan.globals[resident.global.index()].name + " " +
                     std::to_string(static_cast<int64_t>(resident.bytes)) + " " + next_step(resident));
  }
  return result;
}

class Residents : public TextTest {
 protected:
  Lines of(const std::string& body) {
    const std::optional<Module> module = parse("isoshard 1\nmesh @m [x=4]\n" + body);
    for (const Diagnostic& d : sink_.diagnostics()) ADD_FAILURE() << render(d);
    return lines(lower(module.value(), module->find_program("p").value()));
  }
};

TEST_F(Residents, BlocksCountOnceAndWithTheirPadding) {
  EXPECT_EQ(of(R"(
global @a : f32[8, 3] input
global @b : f32[6] input
program @p on @m {
  %whole = view @a [-, -] times 2 // 96 bytes
  %block = view @a [x, -] times 2 // is in it
  %rows = view @b [uneven x]   // two of 6 rows; on the last rank they are padding
  %s = reduce %rows {op=add, dims=[0], partial={x}}
  %t = all_reduce %s {axis=x, to=R}
  return @y = %whole [-, -]
  return @z = %block [x, -]
  return @t = %t []
})"),
            (Lines{"a 96 same", "b 8 same"}));
}

TEST_F(Residents, WhatIsStoredWhereItIsLoadedStays) {
  const std::string step = R"(
global @w : f32[8, 4] param
program @p on @m {
  %w = view @w [x, -]
  %two = add %w, %w
  update @w = %two [x, -]
})";
  EXPECT_EQ(of(step), Lines{"w 32 in place"});
}

TEST_F(Residents, WhatIsStoredElsewhereMoves) {
  EXPECT_EQ(of(R"(
global @w : f32[8, 4] param
program @p on @m {
  %w = view @w [x, -]
  %other = all_to_all %w {axis=x, split_dim=1, concat_dim=0}
  update @w = %other [-, x]
})"),
            Lines{"w 32 moves [0:2, 1:4] to rank 0"});
}

TEST_F(Residents, PaddingIsNobodysToMove) {
  EXPECT_EQ(of(R"(
global @w : f32[6] param
program @p on @m {
  %w = view @w [uneven x]
  %v = negate %w
  update @w = %v [uneven x]
})"),
            Lines{"w 8 in place"});
}

/// By hand: rank r of four loads and stores blocks of 8 numbers.
class ResidentsByHand : public ::testing::Test {
 protected:
  PlanValueId load(const Expr& block, int64_t count) { return b_.load(w_, {block}, {count}); }
  void store(PlanValueId value, const Expr& block, int64_t count) { b_.store(value, next_, {block}, {count}); }

  const Expr x_ = Expr::coordinate(AxisId(0));
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}}), "p"};
  const GlobalId w_ = b_.add_global(Global{"w", {DType::f32, {8}}, Role::param, {}, {}});
  const uint32_t next_ = b_.add_output("w", {DType::f32, {8}}, w_);
};

TEST_F(ResidentsByHand, ALoadBehindTheStoreKeepsBoth) {
  const PlanValueId first = load(x_, 4);
  store(first, x_, 4);
  load(x_, 4);
  EXPECT_EQ(lines(b_.finish()), Lines{"w 8 stays"});
}

TEST_F(ResidentsByHand, ALoopLoadsBehindItsStore) {
  b_.begin_repeat(2, {}, {}, {});
  store(load(x_, 4), x_, 4);
  b_.end_repeat({}, {});
  EXPECT_EQ(lines(b_.finish()), Lines{"w 8 stays"});
}

TEST_F(ResidentsByHand, OneIterationDoesNot) {
  b_.begin_repeat(1, {}, {}, {});
  store(load(x_, 4), x_, 4);
  b_.end_repeat({}, {});
  EXPECT_EQ(lines(b_.finish()), Lines{"w 8 in place"});
}

TEST_F(ResidentsByHand, IterationsLoadOtherBlocks) {
  b_.begin_repeat(3, {}, {}, {});
  load(mod(x_ + Expr::loop_index(0), 4), 4);
  b_.end_repeat({}, {});
  store(load(x_, 4), x_, 4);
  EXPECT_EQ(lines(b_.finish()), Lines{"w 24 moves [2:4] to rank 0"});
}

TEST_F(ResidentsByHand, TooManyBlocksAreNotCounted) {
  b_.begin_repeat(int64_t{1} << 21, {}, {}, {});
  load(x_, 4);
  b_.end_repeat({}, {});
  const Plan plan = b_.finish();
  EXPECT_FALSE(residents_of(plan, plan.groups[0]).has_value());
}

/// A Plan of random blocks of a 6 x 4 array in and out, beside the same element by element.
TEST(ResidentsAtRandom, AgreeWithElements) {
  for (uint64_t seed = 0; seed < cases(300); ++seed) {
    Dice dice(seed);
    const auto mesh = std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 3}});
    PlanBuilder b(mesh, "p");
    const TensorType whole{DType::f32, {6, 4}};
    const GlobalId w = b.add_global(Global{"w", whole, Role::param, {}, {}});
    const uint32_t next = b.add_output("w", whole, w);
    const Expr x = Expr::coordinate(AxisId(0));
    std::array<std::set<int64_t>, 3> held, needed, stored;  // by rank, row * 100 + column
    for (int64_t n = dice.in(1, 5); n > 0; --n) {
      const std::array<int64_t, 4> counts{1, 2, 3, 4};
      const int64_t rows = counts[dice.below(4)], columns = counts[dice.below(3)];
      const Expr row = mod(x + dice.in(0, 2), rows), column = mod(x * dice.in(0, 1), columns);
      const int64_t height = (6 + rows - 1) / rows, width = (4 + columns - 1) / columns;
      const bool stores = dice.below(2) == 0;
      const PlanValueId value =
          stores ? b.local(Constant{Rational(0), DType::f32, {height, width}}, {}, {DType::f32, {height, width}})
                 : b.load(w, {row, column}, {rows, columns});
      if (stores) b.store(value, next, {row, column}, {rows, columns});
      for (int64_t r = 0; r < 3; ++r) {
        const int64_t top = row.evaluate(*mesh, r, {}) * height, left = column.evaluate(*mesh, r, {}) * width;
        for (int64_t i = top; i < top + height; ++i) {
          for (int64_t j = left; j < left + width; ++j) {
            if (!stores) held[static_cast<size_t>(r)].insert(i * 100 + j);
            if (i < 6 && j < 4) (stores ? stored : needed)[static_cast<size_t>(r)].insert(i * 100 + j);
          }
        }
      }
    }
    const Plan plan = b.finish();
    const std::vector<Resident> residents = residents_of(plan, plan.groups[0]).value();
    size_t most = 0;
    bool moves = false;
    for (size_t r = 0; r < 3; ++r) {
      most = std::max(most, held[r].size());
      moves = moves || !std::includes(stored[r].begin(), stored[r].end(), needed[r].begin(), needed[r].end());
    }
    ASSERT_EQ(residents.size(), most == 0 ? 0U : 1U) << seed;
    if (most == 0) continue;
    EXPECT_EQ(residents[0].bytes, static_cast<double>(4 * most)) << seed;
    EXPECT_EQ(residents[0].next == NextStep::moves, moves) << seed;
  }
}

}  // namespace
}  // namespace isoshard::plan_residents_test
