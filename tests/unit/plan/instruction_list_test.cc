// Instructions in tables against lists of them: what is added, copied and changed is what is read; long lists; what a
// reader holds while others are added; what is shared and what is lost.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/instruction_list.h"

namespace isoshard::testing::instruction_list_test {
namespace {

using Ids = std::vector<PlanValueId>;

Ids ids(std::initializer_list<size_t> indices) {
  Ids result;
  for (const size_t i : indices) result.emplace_back(i);
  return result;
}

NewInstruction negation(Ids operands, Ids results) {
  return {LocalOp{Negate{}}, std::move(operands), std::move(results), Location(), "negate"};
}

void expect_equal(const Instruction& stored, const NewInstruction& given) {
  EXPECT_EQ(Ids(stored.operands), given.operands);
  EXPECT_EQ(Ids(stored.results), given.results);
  EXPECT_EQ(Ids(stored.last_uses), given.last_uses);
  EXPECT_EQ(std::vector<Token>(stored.waits), given.waits);
  EXPECT_EQ(stored.action, given.action);
  EXPECT_EQ(stored.op(), given.op());
  EXPECT_EQ(stored.data().index(), given.data().index());
}

TEST(InstructionLists, HoldWhatIsAdded) {
  InstructionList list;
  NewInstruction plain = negation(ids({3, 4}), ids({7}));
  plain.waits = {{InstructionId(5), false}, {InstructionId(6), true}, {InstructionId(), true}};
  plain.action = ActionId(9);
  for (const Ids& last_uses : {ids({}), ids({3}), ids({4, 7}), ids({7}), ids({4, 3}), ids({8}), ids({3, 7})}) {
    plain.last_uses = last_uses;
    expect_equal(list[list.add(plain).index()], plain);
  }
  expect_equal(list[list.add(negation({}, {})).index()], negation({}, {}));
  EXPECT_EQ(list.size(), 8U);
  size_t next = 0;
  for (const Instruction& i : list) EXPECT_EQ(i.id.index(), next++);
}

TEST(InstructionLists, StartWithOneThatHasNoLists) {
  InstructionList list;
  expect_equal(list[list.add(negation({}, {})).index()], negation({}, {}));
  const InstructionList copy = list;
  expect_equal(copy[0], negation({}, {}));
}

TEST(InstructionLists, KeepACopyAsItWas) {
  InstructionList list;
  const NewInstruction given = negation(ids({1}), ids({2}));
  list.add(given);
  InstructionList changed = list;
  changed.change(InstructionId(0), [](NewInstruction& i) {
    i.own_data() = LocalOp{Abs{}};
    i.operands.push_back(PlanValueId(5));
    i.last_uses = {PlanValueId(1)};
  });
  changed.set_waits(InstructionId(0), std::vector<Token>{{InstructionId(8), false}});
  expect_equal(list[0], given);
  EXPECT_TRUE(std::holds_alternative<Negate>(std::get<LocalOp>(list[0].data()).op));
  EXPECT_TRUE(std::holds_alternative<Abs>(std::get<LocalOp>(changed[0].data()).op));
  EXPECT_EQ(Ids(changed[0].operands), ids({1, 5}));
}

TEST(InstructionLists, ShareWhatCopiesDo) {
  InstructionList list;
  const InstructionId first = list.add(negation(ids({1}), ids({2})));
  const InstructionId copied = list.add_copy(first, ids({3}), ids({4}), ActionId(6));
  const InstructionId again = list.add(list.copy(first));
  EXPECT_EQ(&list[copied.index()].work(), &list[first.index()].work());
  EXPECT_EQ(&list[again.index()].work(), &list[first.index()].work());
  EXPECT_EQ(Ids(list[copied.index()].operands), ids({3}));
  EXPECT_EQ(list[copied.index()].action, ActionId(6));
  const InstructionList before = list;
  list.clear();
  EXPECT_EQ(&list[list.add(before.copy(again)).index()].work(), &before[0].work());
}

/// What was read stays true while thousands are added.
TEST(InstructionLists, StayWhereTheyAre) {
  InstructionList list;
  list.add(negation(ids({1, 2}), ids({3})));
  const Instruction first = list[0];
  const PlanValueId* const place = first.operands.data();
  for (size_t i = 0; i < 10000; ++i) list.add_copy(InstructionId(0), ids({i, i}), ids({i + 1}), ActionId());
  EXPECT_EQ(list[0].operands.data(), place);
  EXPECT_EQ(Ids(first.operands), ids({1, 2}));
  EXPECT_EQ(Ids(list[7000].operands), ids({6999, 6999}));
}

TEST(InstructionLists, CountWhatTheyLose) {
  InstructionList list;
  list.add(negation(ids({1}), ids({2})));
  list.add(negation(ids({2}), ids({3})));
  list.set_last_uses(InstructionId(0), ids({1}));
  list.set_last_uses(InstructionId(1), ids({9}));  // at the end of the pool, where it grows
  EXPECT_EQ(list.lost_bytes(), 0U);
  list.set_last_uses(InstructionId(0), ids({9}));
  EXPECT_EQ(list.lost_bytes(), 2 * sizeof(PlanValueId));
  list.set_last_uses(InstructionId(0), {});
  EXPECT_EQ(list.lost_bytes(), 3 * sizeof(PlanValueId));
}

/// Any lists, short and long, changed in any way, against a vector of what they are to be.
TEST(InstructionLists, HoldWhatIsSetAtRandom) {
  std::mt19937 dice(1);  // NOLINT(cert-msc51-cpp): the same each time
  const auto below = [&](size_t end) { return static_cast<size_t>(dice()) % end; };
  const auto some = [&](size_t most) {
    Ids result(below(10) == 0 ? below(2000) : below(most));
    for (PlanValueId& id : result) id = PlanValueId(below(50));
    return result;
  };
  const auto tokens = [&](size_t most) {
    std::vector<Token> result(below(most));
    for (Token& token : result) token = {InstructionId(below(1000)), below(2) == 0};
    return result;
  };
  InstructionList list;
  std::vector<NewInstruction> right;
  for (size_t step = 0; step < 3000; ++step) {
    NewInstruction made = negation(some(5), some(3));
    made.last_uses = below(2) == 0 ? made.operands : some(4);
    made.waits = tokens(below(20) == 0 ? 200 : 4);
    if (right.empty() || below(3) == 0) {
      list.add(made);
      right.push_back(made);
      continue;
    }
    const InstructionId id(below(right.size()));
    NewInstruction& now = right[id.index()];
    switch (below(3)) {
      case 0:
        list.set_waits(id, made.waits);
        now.waits = made.waits;
        break;
      case 1:
        list.set_last_uses(id, made.last_uses);
        now.last_uses = made.last_uses;
        break;
      default:
        list.set(id, made);
        now = made;
    }
  }
  for (size_t i = 0; i < right.size(); ++i) expect_equal(list[i], right[i]);
  const InstructionList copy = list;
  for (size_t i = 0; i < right.size(); ++i) expect_equal(copy[i], right[i]);
}

}  // namespace
}  // namespace isoshard::testing::instruction_list_test
