// Questions that threads answer ahead of the caller.
#include "sim/engine/answers_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace isoshard::sim::answers_ahead_test {
namespace {

std::vector<bool> answers(size_t count, size_t threads) {
  AnswersAhead<bool> ahead(count, threads, [](size_t question) { return question % 3 == 0; });
  std::vector<bool> result;
  for (size_t q = 0; q < count; ++q) result.push_back(ahead.at(q));
  return result;
}

TEST(AnswersAhead, AreTheSameForAnyNumberOfThreads) {
  for (const size_t threads : {0U, 1U, 2U, 5U, 100U}) {
    EXPECT_EQ(answers(7, threads), (std::vector<bool>{true, false, false, true, false, false, true})) << threads;
    EXPECT_TRUE(answers(0, threads).empty());
  }
}

TEST(AnswersAhead, AreNotAskedForBeforeTheyAreWantedByOneThread) {
  size_t asked = 0;
  AnswersAhead<bool> ahead(3, 1, [&](size_t) { return ++asked > 0; });
  EXPECT_EQ(asked, 0U);
  EXPECT_TRUE(ahead.at(0));
  EXPECT_EQ(asked, 1U);
}

TEST(AnswersAhead, StopWithTheirOwner) {
  std::atomic<bool> alive = true, late = false;
  std::atomic<size_t> asked = 0;
  {
    AnswersAhead<bool> ahead(1000000, 2, [&](size_t) {
      late = late || !alive;
      return ++asked > 0;
    });
    EXPECT_TRUE(ahead.at(0));
  }
  alive = false;
  EXPECT_FALSE(late);
  EXPECT_GE(asked, 1U);
}

TEST(AnswersAhead, ThrowWhereTheyAreWanted) {
  for (const size_t threads : {1U, 2U}) {
    AnswersAhead<bool> ahead(2, threads, [](size_t question) -> bool {
      if (question == 1) throw std::runtime_error("no answer");
      return true;
    });
    EXPECT_TRUE(ahead.at(0));
    EXPECT_THROW(ahead.at(1), std::runtime_error);
  }
}

}  // namespace
}  // namespace isoshard::sim::answers_ahead_test
