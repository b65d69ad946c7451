// Ranks as threads and as processes: steps, and how a run ends in which a rank does not do its part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "exec/run/steps.h"
#include "tests/unit/exec/fake_backend.h"

namespace isoshard::exec::crew_test {
namespace {

using testing::echo_job;
using testing::echo_plan;
using testing::fake_backend;
using testing::Fault;
using testing::Faults;

constexpr double kGrace = 0.5;

enum class Host : uint8_t { threads, processes };

std::unique_ptr<Crew> crew_of(Host host, const std::shared_ptr<const Job>& job) {
  Outcome<std::unique_ptr<RankHost>> started =
      host == Host::threads ? start_threads(job) : start_processes(job, [](size_t) { return Environment(); });
  EXPECT_TRUE(started.has_value());
  return std::make_unique<Crew>(job, std::move(*started), kGrace);
}

std::vector<Tensor> globals() {
  return {Tensor::from<float>(DType::f32, {4}, std::vector<float>{1, 2, 3, 4}),
          Tensor::from<float>(DType::f32, {2}, std::vector<float>{5, 6})};
}

/// What a run of two steps says with that fault, after the steps that went well.
struct Ended {
  int steps = 0;
  Failure failure{};
  bool stragglers = false;
};

Ended end_of(Host host, const OpenBackend& open_backend) {
  const Plan plan = echo_plan();
  const std::unique_ptr<Crew> crew = crew_of(host, echo_job(plan, open_backend));
  Ended ended;
  Outcome<> opened = crew->open();
  EXPECT_TRUE(opened.has_value());
  for (const bool all : {true, false}) {
    const Outcome<StepOutputs> outputs = run_step(*crew, plan, globals(), all);
    if (!outputs) {
      ended.failure = outputs.error();
      break;
    }
    ++ended.steps;
  }
  if (ended.steps == 2) {
    EXPECT_TRUE(crew->finish().has_value());
  }
  ended.stragglers = crew->has_stragglers();
  testing::release_all();
  return ended;
}

Ended end_of(Host host, const Faults& faults) { return end_of(host, fake_backend(faults)); }

/// Each of two ranks has a fault of its own.
class TwoFaults final : public Backend {
 public:
  TwoFaults(Fault first, Fault second)
      : backends_{testing::FakeBackend({0, first}, 2), testing::FakeBackend({1, second}, 2)} {}
  Outcome<std::string> describe() override { return backends_[0].describe(); }
  Outcome<int> devices() override { return backends_[0].devices(); }
  Outcome<MeetingPoint> meeting_point() override { return backends_[0].meeting_point(); }
  Outcome<std::unique_ptr<Rank>> open(const calls::CallList& list, const Seat& seat,
                                      const RankOptions& options) override {
    return backends_[static_cast<size_t>(seat.rank)].open(list, seat, options);
  }

 private:
  std::array<testing::FakeBackend, 2> backends_;
};

Ended end_of_two(Host host, Fault first, Fault second) {
  testing::hold_all();
  return end_of(
      host, [backend = std::make_shared<TwoFaults>(first, second)]() -> Outcome<Backend*> { return backend.get(); });
}

void expect_no_children() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

class Hosts : public ::testing::TestWithParam<Host> {};
INSTANTIATE_TEST_SUITE_P(Crew, Hosts, ::testing::Values(Host::threads, Host::processes));

TEST_P(Hosts, StepsGoAllTheWay) {
  const Plan plan = echo_plan();
  const std::unique_ptr<Crew> crew = crew_of(GetParam(), echo_job(plan, fake_backend({})));
  ASSERT_TRUE(crew->open().has_value());
  std::vector<Tensor> inputs = globals();
  const Outcome<StepOutputs> first = run_step(*crew, plan, inputs, true);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_TRUE(first->differences.empty());
  EXPECT_DOUBLE_EQ(first->seconds, 0.002);
  EXPECT_EQ(first->arrays[0].as<float>()[3], 4);
  EXPECT_EQ(first->arrays[1].as<float>()[1], 6);
  // What no step updates is written once, what one does before every step.
  inputs = {Tensor::from<float>(DType::f32, {4}, std::vector<float>{9, 9, 9, 9}),
            Tensor::from<float>(DType::f32, {2}, std::vector<float>{7, 8})};
  const Outcome<StepOutputs> second = run_step(*crew, plan, inputs, false);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->arrays[0].as<float>()[3], 4);
  EXPECT_EQ(second->arrays[1].as<float>()[1], 8);
  EXPECT_TRUE(crew->finish().has_value());
  EXPECT_FALSE(crew->has_stragglers());
  expect_no_children();
}

TEST_P(Hosts, ARankThatFailsEndsAll) {
  const Ended ended = end_of(GetParam(), {1, Fault::says_so, 2});
  EXPECT_EQ(ended.steps, 1);
  EXPECT_EQ(ended.failure.kind, Failure::Kind::failed);
  EXPECT_EQ(ended.failure.message, "rank 1: p.shard:3:5: all_reduce %h: unhandled system error");
  expect_no_children();
}

TEST_P(Hosts, ARankThatTimesOutSaysWhere) {
  const Ended ended = end_of(GetParam(), {0, Fault::times_out});
  EXPECT_EQ(ended.failure.kind, Failure::Kind::timed_out);
  EXPECT_EQ(ended.failure.message, "rank 0: p.shard:3:5: all_reduce %h did not end");
}

TEST_P(Hosts, AnExceptionIsAFailure) {
  const Ended ended = end_of(GetParam(), {1, Fault::throws});
  EXPECT_EQ(ended.failure.message, "rank 1: an exception: no more memory");
}

TEST_P(Hosts, ACallerWaitsNoLongerThanItSays) {
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = end_of(GetParam(), {1, Fault::hangs});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(ended.failure.kind, Failure::Kind::timed_out);
  EXPECT_EQ(
      ended.failure.message,
      "rank 1 of 2 did not finish a step in 0.8 s, as where a call does not return; a longer --deadline gives them "
      "more time");
  EXPECT_EQ(ended.stragglers, GetParam() == Host::threads);
  expect_no_children();
}

TEST_P(Hosts, OfTwoFailuresTheFirstIsTheCause) {
  const Ended ended = end_of_two(GetParam(), Fault::says_late, Fault::says_so);
  EXPECT_EQ(ended.failure.message, "rank 1: p.shard:3:5: all_reduce %h: unhandled system error (rank 0 failed, too)");
}

TEST_P(Hosts, ARankThatHangsIsNamedBesideOneThatWaitedInVain) {
  const Ended ended = end_of_two(GetParam(), Fault::hangs, Fault::times_out);
  EXPECT_EQ(ended.failure.kind, Failure::Kind::timed_out);
  EXPECT_EQ(ended.failure.message,
            "rank 1: p.shard:3:5: all_reduce %h did not end (rank 0 says nothing, as where a call does not return)");
  EXPECT_EQ(ended.stragglers, GetParam() == Host::threads);
  expect_no_children();
}

TEST_P(Hosts, OfRanksThatWaitForDifferentThingsTwoAreTold) {
  const Ended ended = end_of_two(GetParam(), Fault::times_out, Fault::waits_elsewhere);
  EXPECT_EQ(ended.failure.kind, Failure::Kind::timed_out);
  EXPECT_THAT(ended.failure.message,
              ::testing::AnyOf("rank 0: p.shard:3:5: all_reduce %h did not end (rank 1: p.shard:7:5: all_gather %q: "
                               "call 1 of 2 has not ended in time)",
                               "rank 1: p.shard:7:5: all_gather %q: call 1 of 2 has not ended in time (rank 0: "
                               "p.shard:3:5: all_reduce %h did not end)"));
}

TEST_P(Hosts, CopiesThatDifferAreFound) {
  const Plan plan = echo_plan();
  const std::unique_ptr<Crew> crew = crew_of(GetParam(), echo_job(plan, fake_backend({1, Fault::differs})));
  ASSERT_TRUE(crew->open().has_value());
  const Outcome<StepOutputs> outputs = run_step(*crew, plan, globals(), true);
  ASSERT_TRUE(outputs.has_value());
  ASSERT_EQ(outputs->differences.size(), 1U);
  const CopyDifference& copies = outputs->differences[0];
  EXPECT_EQ(copies.output, 1U);
  EXPECT_EQ(copies.index, std::vector<int64_t>{0});
  EXPECT_EQ(std::pair(copies.first, copies.other), (std::pair<int64_t, int64_t>(0, 1)));
  EXPECT_EQ(copies.of_first.as<float>()[0], 5);
  EXPECT_EQ(copies.of_other.as<uint32_t>()[0], copies.of_first.as<uint32_t>()[0] ^ 1U);
  EXPECT_EQ(outputs->arrays[1].as<float>()[0], 5);
}

TEST(Processes, AreKilledTogether) {
  const Ended killed = end_of(Host::processes, {1, Fault::dies, 2});
  EXPECT_EQ(killed.steps, 1);
  EXPECT_EQ(killed.failure.kind, Failure::Kind::failed);
  EXPECT_EQ(killed.failure.message, "rank 1 was killed by signal 9 (Killed)");
  expect_no_children();
  const Ended ended = end_of(Host::processes, {0, Fault::exits});
  EXPECT_EQ(ended.failure.message, "rank 0 ended with exit code 7");
  expect_no_children();
}

TEST(Processes, OfOneThatWasKilledTheOthersSayWhatWentOn) {
  const Ended ended = end_of_two(Host::processes, Fault::dies, Fault::says_late);
  EXPECT_EQ(ended.failure.message,
            "rank 0 was killed by signal 9 (Killed) (rank 1: p.shard:3:5: all_reduce %h: an inner error)");
}

TEST(Processes, HaveAnEnvironmentEach) {
  const Plan plan = echo_plan();
  const OpenBackend open = [inner = fake_backend({})]() -> Outcome<Backend*> {
    const char* name = std::getenv("ISOSHARD_TEST_RANK");
    if (name != nullptr) return inner();
    return tl::unexpected(Failure{Failure::Kind::failed, "no environment"});
  };
  const std::shared_ptr<Job> job = echo_job(plan, open);
  Outcome<std::unique_ptr<RankHost>> host = start_processes(job, [](size_t rank) {
    return rank == 0 ? Environment{{"ISOSHARD_TEST_RANK", "0"}} : Environment();
  });
  ASSERT_TRUE(host.has_value());
  Crew crew(job, std::move(*host), kGrace);
  const Outcome<> opened = crew.open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().message, "rank 1: no environment");
  EXPECT_EQ(std::getenv("ISOSHARD_TEST_RANK"), nullptr);
}

TEST(Processes, WhatTheyPrintHasTheirName) {
  const Plan plan = echo_plan();
  const OpenBackend open = [inner = fake_backend({})]() -> Outcome<Backend*> {
    std::printf("to stdout\n");
    std::fflush(stdout);
    std::fputs("to stderr, no end of line", stderr);
    return inner();
  };
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  {
    const std::unique_ptr<Crew> crew = crew_of(Host::processes, echo_job(plan, open));
    EXPECT_TRUE(crew->open().has_value());
    EXPECT_TRUE(crew->finish().has_value());
  }
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  for (const char* line : {"rank 0: to stdout\n", "rank 1: to stdout\n", "rank 0: to stderr, no end of line\n",
                           "rank 1: to stderr, no end of line\n"}) {
    EXPECT_NE(printed.find(line), std::string::npos) << printed;
  }
}

TEST(Crew, ARankWithoutABackendSaysWhy) {
  const Plan plan = echo_plan();
  const OpenBackend none = []() -> Outcome<Backend*> {
    return tl::unexpected(Failure{Failure::Kind::no_device, "there is none"});
  };
  const Outcome<> opened = crew_of(Host::threads, echo_job(plan, none))->open();
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().kind, Failure::Kind::no_device);
  EXPECT_EQ(opened.error().message, "rank 0: there is none");
}

TEST(Crew, UpdatedGlobalsBeginTheNextStep) {
  const Plan plan = echo_plan();
  EXPECT_EQ(updated_globals(plan), (std::vector<bool>{false, true}));
  const std::vector<Tensor> begin = globals();
  const std::vector<Tensor> outputs{begin[0], Tensor::from<float>(DType::f32, {2}, std::vector<float>{8, 9})};
  const std::vector<Tensor> next = next_globals(plan, begin, outputs);
  EXPECT_TRUE(next[0].same_storage(begin[0]));
  EXPECT_TRUE(next[1].same_storage(outputs[1]));
}

}  // namespace
}  // namespace isoshard::exec::crew_test
