// Work beside other work.
#include "sim/engine/beside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace isoshard::sim::beside_test {
namespace {

/// Hears whether anybody is still at work, and may end it.
class Heard final : public Caller {
 public:
  void begin_part(std::string_view) override { ++parts_; }
  void go_on(int64_t) override {
    ++steps_;
    if (ended_) throw std::runtime_error("ended");
  }
  void end() { ended_ = true; }
  int parts() const { return parts_; }
  int steps() const { return steps_; }

 private:
  std::atomic<int> parts_ = 0, steps_ = 0;
  std::atomic<bool> ended_ = false;
};

Workers workers_of(int count, Caller* caller = nullptr) {
  Workers result = count;
  result.caller = caller;
  return result;
}

bool has_threads() { return std::thread::hardware_concurrency() > 1; }

/// Goes on until somebody ends it.
int endless(const Workers& workers) {
  for (;;) workers.go_on();
}

TEST(Beside, AnswersAlikeWithAnyNumberOfWorkers) {
  for (const int count : {0, 1, 2, 8}) {
    Beside<int> work(workers_of(count), [](const Workers&) { return 42; });
    EXPECT_EQ(work.get(), 42) << count;
  }
}

TEST(Beside, WithOneWorkerBeginsWhenItIsWanted) {
  int begun = 0;
  {
    Beside<int> work(workers_of(1), [&](const Workers& workers) {
      EXPECT_EQ(workers.count, 1);
      return ++begun;
    });
    EXPECT_EQ(begun, 0);
    EXPECT_EQ(work.get(), 1);
  }
  {
    Beside<int> unwanted(workers_of(1), [&](const Workers&) { return ++begun; });
  }
  EXPECT_EQ(begun, 1);
}

TEST(Beside, WorksWhileItsOwnerDoesSomethingElse) {
  if (!has_threads()) GTEST_SKIP() << "needs two cores";
  std::atomic<bool> begun = false, owner_has_seen = false;
  Beside<bool> work(workers_of(2), [&](const Workers& workers) {
    EXPECT_EQ(workers.count, 1);
    begun = true;
    while (!owner_has_seen) std::this_thread::yield();
    return true;
  });
  while (!begun) std::this_thread::yield();
  owner_has_seen = true;
  EXPECT_TRUE(work.get());
}

TEST(Beside, EndsWhenNobodyWantsIt) {
  if (!has_threads()) GTEST_SKIP() << "needs two cores";
  Heard heard;
  { const Beside<int> work(workers_of(2, &heard), endless); }
  const int steps = heard.steps();
  std::this_thread::yield();
  EXPECT_EQ(heard.steps(), steps);
}

TEST(Beside, EndsWithTheCallerOfAllAndTellsItNoParts) {
  if (!has_threads()) GTEST_SKIP() << "needs two cores";
  Heard heard;
  Beside<int> work(workers_of(2, &heard), [](const Workers& workers) {
    workers.begin_part("beside");
    workers.found("something");
    return endless(workers);
  });
  heard.end();
  EXPECT_THROW(work.get(), std::runtime_error);
  EXPECT_EQ(heard.parts(), 0);
}

TEST(Beside, ThrowsWhereItsAnswerIsWanted) {
  for (const int count : {1, 2}) {
    Beside<int> work(workers_of(count), [](const Workers&) -> int { throw std::runtime_error("no answer"); });
    EXPECT_THROW(work.get(), std::runtime_error) << count;
  }
}

}  // namespace
}  // namespace isoshard::sim::beside_test
