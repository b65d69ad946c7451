// Rank 0 of a launched job, and another rank that follows it, lies, or says what is no message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "exec/launch/gather.h"
#include "exec/launch/launched_ranks.h"
#include "exec/launch/messages.h"
#include "exec/launch/serve_launched.h"
#include "exec/run/child.h"
#include "exec/run/steps.h"
#include "exec/store/sockets.h"
#include "tests/unit/exec/fake_backend.h"

namespace isoshard::exec::launched_test {
namespace {

using testing::echo_job;
using testing::echo_plan;
using testing::fake_backend;
using testing::Fault;
using testing::Faults;
using ::testing::HasSubstr;

constexpr const char* kToken = "job/7";
constexpr double kSeconds = 5, kGrace = 0.5;

StoreAddress free_port() {
  StoreAddress address{"127.0.0.1", 0};
  const Outcome<int> listener = listen_at(address);
  EXPECT_TRUE(listener.has_value());
  close(*listener);
  return address;
}

Introduction introduction() { return {{{"version", "1"}, {"mesh", "data=2"}}, ""}; }

std::vector<Tensor> globals() {
  return {Tensor::from<float>(DType::f32, {4}, std::vector<float>{1, 2, 3, 4}),
          Tensor::from<float>(DType::f32, {2}, std::vector<float>{5, 6})};
}

/// Rank 1 of a job with a store.
using Rank1 = std::function<void(Store&)>;

/// One that says what it has to say at the beginning, and then something else.
Rank1 after_meeting(const std::function<void(Store&)>& act) {
  return [act](Store& store) {
    if (!introduce(store, introduction(), kSeconds)) return;
    act(store);
    for (int i = 0; i < 100; ++i) {  // until rank 0 has had enough
      const std::optional<Arrival> arrival = store.next({}, 0.1);
      if (arrival && (!arrival->frame || arrival->frame->kind == message::kStop)) return;
    }
  };
}

/// What two steps with such a rank 1, which is a process, come to: the numbers of the last, or the message.
std::string outcome_with(const Rank1& rank_1, const Faults& faults = {}) {
  const StoreAddress where = free_port();
  const Plan plan = echo_plan();
  const std::shared_ptr<Job> job = echo_job(plan, fake_backend(faults));
  std::optional<Child> other = Child::start([&] {
    const Outcome<std::unique_ptr<Store>> store = open_store(where, {1, 2, kToken}, kSeconds);
    if (store) rank_1(**store);
  });
  Outcome<std::unique_ptr<Store>> store = open_store(where, {0, 2, kToken}, kSeconds);
  EXPECT_TRUE(store.has_value());
  if (const Outcome<> gathered = gather(**store, 2, introduction(), where, 1); !gathered) {
    return gathered.error().message;
  }
  Outcome<std::unique_ptr<RankHost>> own = start_process_of(job, 0, {});
  EXPECT_TRUE(own.has_value());
  EXPECT_TRUE(welcome(**store, 2, "").has_value());
  Outcome<std::unique_ptr<RankHost>> host = launched_ranks(job, std::move(*own), std::move(*store));
  EXPECT_TRUE(host.has_value());
  Crew crew(job, std::move(*host), kGrace);
  if (const Outcome<> opened = crew.open(); !opened) return opened.error().message;
  std::vector<Tensor> inputs = globals();
  std::string numbers;
  for (const bool all : {true, false}) {
    const Outcome<StepOutputs> outputs = run_step(crew, plan, inputs, all);
    if (!outputs) return outputs.error().message;
    numbers =
        std::to_string(outputs->arrays[0].as<float>()[3]) + " " + std::to_string(outputs->arrays[1].as<float>()[1]);
    if (!outputs->differences.empty()) numbers += " differ";
    inputs[1] = Tensor::from<float>(DType::f32, {2}, std::vector<float>{7, 8});
  }
  if (const Outcome<> finished = crew.finish(); !finished) return finished.error().message;
  return numbers;
}

/// A rank 1 that does all that it is told.
Rank1 faithful(const Faults& faults = {}) {
  return [faults](Store& store) {
    if (!introduce(store, introduction(), kSeconds)) return;
    const Plan plan = echo_plan();
    const std::shared_ptr<Job> job = echo_job(plan, fake_backend(faults));
    const Outcome<std::unique_ptr<RankHost>> own = start_process_of(job, 1, {});
    static_cast<void>(serve_launched(*job, 1, **own, store, [&] { lay_inputs_of(*job, 1, globals(), true); }));
  };
}

TEST(Launched, StepsHaveTheNumbersOfOneProcess) { EXPECT_EQ(outcome_with(faithful()), "4.000000 8.000000"); }

TEST(Launched, CopiesThatDifferAreFound) {
  EXPECT_THAT(outcome_with(faithful({1, Fault::differs})), HasSubstr(" differ"));
}

TEST(Launched, HowARankEndsIsTold) {
  EXPECT_EQ(outcome_with(faithful({1, Fault::dies, 2})), "rank 1 was killed by signal 9 (Killed)");
  EXPECT_EQ(outcome_with(faithful({1, Fault::exits})), "rank 1 ended with exit code 7");
  EXPECT_EQ(outcome_with(faithful({1, Fault::says_so})), "rank 1: p.shard:3:5: all_reduce %h: unhandled system error");
  EXPECT_EQ(outcome_with(faithful(), {0, Fault::says_so}),
            "rank 0: p.shard:3:5: all_reduce %h: unhandled system error");
  EXPECT_THAT(outcome_with(faithful({1, Fault::hangs})), HasSubstr("rank 1 of 2 did not finish a step in 0.8 s"));
}

TEST(Launched, WhoRunsSomethingElseIsNamed) {
  const auto with = [](const Introduction& other) {
    return outcome_with([&](Store& store) { static_cast<void>(introduce(store, other, kSeconds)); });
  };
  EXPECT_EQ(
      with({{{"version", "1"}, {"mesh", "data=1"}}, ""}),
      "rank 1 has another mesh than rank 0: data=1 and data=2; expected the same command, and the same files, for "
      "all ranks");
  for (const Introduction& other :
       {Introduction{{{"version", "1"}}, ""}, Introduction{{{"version", "1"}, {"net", "data=2"}}, ""},
        Introduction{{{"version", "1"}, {"mesh", "data=2"}, {"more", ""}}, ""}}) {
    EXPECT_EQ(with(other), "rank 1 is of another version of isoshard than rank 0; expected the same for all ranks");
  }
}

TEST(Launched, WhatIsNoIntroductionIsNamed) {
  for (const Frame& frame :
       {Frame{message::kWord, {}}, Frame{message::kRuns, {}}, FrameWriter(message::kRuns).put(uint32_t{1000}).frame(),
        FrameWriter(message::kRuns).put_text("").put_text("only a name").frame()}) {
    EXPECT_EQ(outcome_with([&](Store& store) {
                static_cast<void>(store.send(0, frame));
                store.next({}, kSeconds);
              }),
              "rank 1 does not say what it runs; expected the same version of isoshard");
  }
}

TEST(Launched, ARankThatGoesBeforeAllHaveCome) {
  EXPECT_EQ(outcome_with([](Store&) {}), "rank 1 has closed its connection before all ranks had come");
}

TEST(Launched, WhatIsNoMessageEndsTheRank) {
  const auto part = [](uint32_t box, uint64_t begin, size_t bytes) {
    return FrameWriter(message::kOutput).put(box).put(begin).put_bytes(std::vector<std::byte>(bytes)).frame();
  };
  for (const Frame& frame : {Frame{'?', {}}, Frame{message::kWord, {}}, FrameWriter(message::kWord).put('q').frame(),
                             FrameWriter(message::kWord).put(Word::meet).frame(), part(2, 0, 1), part(0, 0, 9),
                             part(0, 9, 0), part(0, ~uint64_t{0}, 1), Frame{message::kOutput, {}},
                             Frame{message::kNote, {}}, Frame{message::kAlgorithm, {}}, Frame{message::kFailure, {}},
                             FrameWriter(message::kFailure).put(uint8_t{99}).put_text("x").frame(),
                             FrameWriter(message::kEnd).put(uint32_t{7}).frame()}) {
    EXPECT_EQ(outcome_with(after_meeting([&](Store& store) { static_cast<void>(store.send(0, frame)); })),
              "rank 1 has sent what is no message of a rank")
        << frame.kind << " with " << frame.body.size() << " bytes";
  }
}

TEST(Launched, ARankThatSaysNothingIsNamed) {
  EXPECT_THAT(outcome_with(after_meeting([](Store&) {})), HasSubstr("rank 1 of 2 did not meet the others in 0.8 s"));
}

TEST(Launched, WithoutSocketsForAllRanksNoneGoesOn) {
  const StoreAddress where = free_port();
  const Plan plan = echo_plan();
  const std::shared_ptr<Job> job = echo_job(plan, fake_backend({}));
  Outcome<std::unique_ptr<Store>> store = open_store(where, {0, 2, kToken}, kSeconds);
  ASSERT_TRUE(store.has_value());
  Outcome<std::unique_ptr<RankHost>> own = start_process_of(job, 0, {});
  ASSERT_TRUE(own.has_value());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  const rlimit few{static_cast<rlim_t>(next + 2), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const Outcome<std::unique_ptr<RankHost>> host = launched_ranks(job, std::move(*own), std::move(*store));
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().message,
            "no socket, or no thread, for each of 2 ranks; raise the limit of open files (ulimit -n)");
}

TEST(Launched, ADigestSeesEachByte) {
  const auto digest = [](const std::string& text) {
    Digest result;
    result.add(text);
    return result.text();
  };
  EXPECT_EQ(digest("abcdefgh").size(), 16U);
  EXPECT_EQ(digest("abcdefgh"), digest("abcdefgh"));
  for (const char* other : {"abcdefgi", "bbcdefgh", "abcdefg", "abcdefgh\1", ""}) {
    EXPECT_NE(digest("abcdefgh"), digest(other));
  }
  EXPECT_NE(digest(std::string(3, '\0')), digest(std::string(4, '\0')));
}

}  // namespace
}  // namespace isoshard::exec::launched_test
